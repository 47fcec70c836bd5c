/*
 * folder_entry.c - see folder_entry.h. Linux has descriptors for everything that has a name, even for
 * links, and can read a link through one. On other systems the name is used, with a second check that
 * it is still the same entry: its inode and the times of its changes are equal. FOLDER_ENTRY_BY_NAME
 * does that on Linux, for the tests.
 */
#include "privsep/folder_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__) && !defined(FOLDER_ENTRY_BY_NAME)

#include <linux/magic.h>
#include <sys/vfs.h>

enum { FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

bool folder_has_ways(int folder)
{
    struct statfs system;
    return fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

int folder_follow(int folder, const char *name)
{
    return openat(folder, name, FOLDER_FLAGS);
}

bool folder_look(int folder, const char *name, struct folder_entry *entry)
{
    entry->fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (entry->fd < 0)
        return false;
    if (fstat(entry->fd, &entry->status) == 0)
        return true;
    folder_let_go(entry);
    return false;
}

int folder_enter(int folder, const char *name, const struct folder_entry *entry)
{
    (void)folder;
    (void)name;
    return openat(entry->fd, ".", FOLDER_FLAGS);
}

ssize_t folder_read_link(int folder, const char *name, const struct folder_entry *entry, char *text,
                         size_t size)
{
    (void)folder;
    (void)name;
    return readlinkat(entry->fd, "", text, size);
}

#else

#ifdef __APPLE__
#define st_ctim st_ctimespec
#endif

#ifdef O_SEARCH
enum { FOLDER_FLAGS = O_SEARCH | O_DIRECTORY | O_CLOEXEC };
#else
enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
#endif

bool folder_has_ways(int folder)
{
    (void)folder;
    return false;
}

int folder_follow(int folder, const char *name)
{
    (void)folder;
    (void)name;
    errno = ELOOP;
    return -1;
}

bool folder_look(int folder, const char *name, struct folder_entry *entry)
{
    entry->fd = -1;
    return fstatat(folder, name, &entry->status, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool is_inode(const struct stat *status, const struct folder_entry *entry)
{
    return status->st_dev == entry->status.st_dev && status->st_ino == entry->status.st_ino;
}

int folder_enter(int folder, const char *name, const struct folder_entry *entry)
{
    struct stat status;
    const int fd = openat(folder, name, FOLDER_FLAGS | O_NOFOLLOW);
    if (fd < 0 || (fstat(fd, &status) == 0 && is_inode(&status, entry)))
        return fd;
    close(fd);
    errno = ELOOP;
    return -1;
}

ssize_t folder_read_link(int folder, const char *name, const struct folder_entry *entry, char *text,
                         size_t size)
{
    const struct timespec *before = &entry->status.st_ctim;
    struct stat status;
    const ssize_t len = readlinkat(folder, name, text, size);
    if (len < 0 || (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && is_inode(&status, entry) &&
                    status.st_ctim.tv_sec == before->tv_sec && status.st_ctim.tv_nsec == before->tv_nsec))
        return len;
    errno = ELOOP;
    return -1;
}

#endif

int folder_open(const char *name)
{
    return open(name, FOLDER_FLAGS);
}

void folder_let_go(struct folder_entry *entry)
{
    const int error = errno;
    if (entry->fd >= 0)
        close(entry->fd);
    entry->fd = -1;
    errno = error;
}
