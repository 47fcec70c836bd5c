/*
 * safe_open.c - see safe_open.h.
 *
 * The path is followed folder by folder, each through an open descriptor, so that nothing can be
 * replaced after it was checked (folder_entry.h). Links are read here, and their text is inserted
 * before the rest of the path; only those of /proc, which are not names, are followed by the kernel.
 */
#include "privsep/safe_open.h"

#include "privsep/folder_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

/* way is the state of a walk along a path. */
struct way {
    int folder;
    bool is_shared, has_ways; /* properties of that folder */
    int num_links;
    char part[NAME_MAX + 1]; /* the next entry in it */
    char rest[PATH_MAX];     /* the path after that */
};

/* sudo_user returns the user who ran sudo; root if there is none. */
static uid_t sudo_user(void)
{
    const char *text = getuid() == 0 ? getenv("SUDO_UID") : NULL;
    char *end;
    errno = 0;
    const unsigned long uid = text != NULL ? strtoul(text, &end, 10) : 0;
    return text == NULL || errno != 0 || *end != '\0' ? 0 : (uid_t)uid;
}

static bool is_ours(uid_t uid)
{
    return uid == geteuid() || (geteuid() == 0 && uid == sudo_user());
}

bool safe_is_trusted(uid_t uid)
{
    return uid == 0 || is_ours(uid);
}

/* is_shared says whether other users may create entries in a folder. */
static bool is_shared(const struct stat *folder)
{
    const bool others_group = folder->st_gid != 0 && folder->st_gid != getegid() &&
                              !is_ours(folder->st_uid);
    return !safe_is_trusted(folder->st_uid) || (folder->st_mode & S_IWOTH) != 0 ||
           ((folder->st_mode & S_IWGRP) != 0 && others_group);
}

/* enter makes folder the current one of the walk; -1: an error. */
static bool enter(struct way *way, int folder)
{
    struct stat status;
    if (folder < 0 || fstat(folder, &status) != 0) {
        if (folder >= 0)
            close(folder);
        return false;
    }
    if (way->folder >= 0)
        close(way->folder);
    way->folder = folder;
    way->is_shared = is_shared(&status);
    way->has_ways = folder_has_ways(folder);
    return true;
}

/* next_part moves the next entry from the rest of the path to part. */
static bool next_part(struct way *way)
{
    const char *from = way->rest + strspn(way->rest, "/");
    const size_t len = strcspn(from, "/");
    errno = len == 0 ? EISDIR : ENAMETOOLONG;
    if (len == 0 || len > NAME_MAX)
        return false;
    memcpy(way->part, from, len);
    way->part[len] = '\0';
    memmove(way->rest, from + len, strlen(from + len) + 1);
    return true;
}

static bool refuse_link(struct open_trouble *trouble, const char *name, const char *link)
{
    snprintf(trouble->text, sizeof trouble->text,
             "%s%s%s is a symbolic link that another user may have made: name the file itself", name,
             strcmp(name, link) == 0 ? "" : ": ", strcmp(name, link) == 0 ? "" : link);
    errno = ELOOP;
    return false;
}

/* follow inserts the text of the link before the rest of the path. */
static bool follow(struct way *way, const struct folder_entry *link)
{
    char all[2 * PATH_MAX];
    char target[PATH_MAX];
    const ssize_t len = folder_read_link(way->folder, way->part, link, target, sizeof target - 1);
    if (len <= 0)
        return false;
    target[len] = '\0';
    snprintf(all, sizeof all, "%s%s", target, way->rest);
    errno = ++way->num_links > MAX_LINKS ? ELOOP : ENAMETOOLONG;
    if (way->num_links > MAX_LINKS || strlen(all) >= sizeof way->rest)
        return false;
    strcpy(way->rest, all);
    return target[0] != '/' || enter(way, folder_open("/"));
}

/* step goes through part: a link, or a folder that is not the end of the path. */
static bool step(struct way *way, const struct folder_entry *entry, const char *name,
                 struct open_trouble *trouble)
{
    const bool is_last = way->rest[0] == '\0';
    if (!S_ISLNK(entry->status.st_mode))
        return enter(way, folder_enter(way->folder, way->part, entry));
    if (way->has_ways)
        return enter(way, folder_follow(way->folder, way->part));
    if (way->is_shared && (is_last || !safe_is_trusted(entry->status.st_uid)))
        return refuse_link(trouble, name, is_last && way->num_links == 0 ? name : way->part);
    return follow(way, entry);
}

/* walk follows the path to the folder that contains name. is_new: a link at the end is not followed,
 * because its target would be created. */
static bool walk(struct way *way, const char *name, bool is_new, struct open_trouble *trouble)
{
    *way = (struct way){.folder = -1};
    errno = ENAMETOOLONG;
    if (strlen(name) >= sizeof way->rest)
        return false;
    strcpy(way->rest, name);
    bool ok = enter(way, folder_open(name[0] == '/' ? "/" : "."));
    while (ok && (ok = next_part(way))) {
        struct folder_entry entry;
        const bool is_last = way->rest[0] == '\0';
        ok = folder_look(way->folder, way->part, &entry);
        if (!ok)
            return is_last && errno == ENOENT;
        const bool goes_on =
            !is_last || (S_ISLNK(entry.status.st_mode) && !way->has_ways && !is_new);
        if (goes_on)
            ok = step(way, &entry, name, trouble);
        folder_let_go(&entry);
        if (!goes_on)
            return true;
    }
    return false;
}

/* check_file checks a file that will be written, in a shared folder. */
static bool check_file(const char *name, const struct stat *status, struct open_trouble *trouble)
{
    const char *what = NULL;
    if (!is_ours(status->st_uid))
        what = "%s belongs to another user, who could read the output: remove it, or name "
               "another file";
    else if (S_ISREG(status->st_mode) && status->st_nlink > 1)
        what = "%s has a second hard link that another user may have made: remove it, or name "
               "another file";
    errno = EPERM;
    if (what != NULL)
        snprintf(trouble->text, sizeof trouble->text, what, name);
    return what == NULL;
}

static bool is_new(enum open_use how)
{
    return how == OPEN_NEW || how == OPEN_NEW_SHARED;
}

/* open_last opens the last part of the path; a FIFO without waiting. */
static int open_last(const struct way *way, const char *name, enum open_use how,
                     struct open_trouble *trouble)
{
    struct stat status;
    const int flags = (how == OPEN_UPDATE ? O_RDWR : O_WRONLY) | O_CREAT | O_CLOEXEC |
                      O_NONBLOCK | O_NOCTTY | (way->has_ways ? 0 : O_NOFOLLOW) | (is_new(how) ? O_EXCL : 0);
    const int fd = openat(way->folder, way->part, flags, how == OPEN_NEW_SHARED ? 0644 : 0600);
    if (fd < 0) {
        trouble->nobody_reads = errno == ENXIO &&
                                fstatat(way->folder, way->part, &status, 0) == 0 &&
                                S_ISFIFO(status.st_mode) &&
                                (!way->is_shared || check_file(name, &status, trouble));
        return -1;
    }
    if (fstat(fd, &status) == 0 && (!way->is_shared || check_file(name, &status, trouble)) &&
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) {
        if (how == OPEN_SCRIPT && S_ISREG(status.st_mode))
            (void)!fchmod(fd, (status.st_mode & 07777) | S_IXUSR); /* on failure it is still readable */
        return fd;
    }
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int safe_open(const char *name, enum open_use how, struct open_trouble *trouble)
{
    struct way way;
    *trouble = (struct open_trouble){0};
    int fd = -1;
    if (how == OPEN_READ) {
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (fd >= 0)
            (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    } else {
        if (walk(&way, name, is_new(how), trouble))
            fd = open_last(&way, name, how, trouble);
        trouble->error = errno;
        if (way.folder >= 0)
            close(way.folder);
        errno = trouble->error;
    }
    trouble->error = fd < 0 ? errno : 0;
    return fd;
}

bool safe_remove(const char *name)
{
    struct way way;
    struct open_trouble trouble;
    struct stat status;
    bool ok = walk(&way, name, true, &trouble) &&
              fstatat(way.folder, way.part, &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (ok && !S_ISREG(status.st_mode))
        errno = EPERM;
    ok = ok && S_ISREG(status.st_mode) && unlinkat(way.folder, way.part, 0) == 0;
    if (way.folder >= 0)
        close(way.folder);
    return ok;
}

bool safe_may_create(const char *name)
{
    struct way way;
    struct open_trouble trouble;
    bool ok = walk(&way, name, false, &trouble);
    if (ok && faccessat(way.folder, way.part, W_OK, AT_EACCESS) != 0)
        ok = errno == ENOENT && faccessat(way.folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
    const int error = errno;
    if (way.folder >= 0)
        close(way.folder);
    errno = error;
    return ok;
}
