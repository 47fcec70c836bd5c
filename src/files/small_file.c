/*
 * small_file.c - see small_file.h.
 */
#include "files/small_file.h"

#include "core/complain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_FILE = 64 * 1024 };

static bool is_for_others(int fd, const char *name)
{
    struct stat stat;
    if (fstat(fd, &stat) != 0 || (stat.st_mode & S_IROTH) == 0)
        return false;
    complain("every user of this machine can read %s, which holds secrets: chmod o= %s", name, name);
    return true;
}

/* read_all reads up to the end. It returns NULL if the file is too long (*is_long), or on failure, with
 * errno set. */
static char *read_all(int fd, bool *is_long)
{
    char *text = calloc(1, LONGEST_FILE + 1);
    ssize_t len = 0, more = 0;
    while (text != NULL && len < LONGEST_FILE &&
           (more = read(fd, text + len, (size_t)(LONGEST_FILE - len))) > 0)
        len += more;
    *is_long = len == LONGEST_FILE;
    if (more >= 0 && !*is_long)
        return text;
    free(text);
    return NULL;
}

char *small_file_read(const char *name, bool is_secret)
{
    bool is_long = false;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 && is_secret && is_for_others(fd, name)) {
        close(fd);
        return NULL;
    }
    char *text = fd >= 0 ? read_all(fd, &is_long) : NULL;
    if (text == NULL)
        complain("cannot read %s: %s", name, is_long ? "it is too long" : strerror(errno));
    if (fd >= 0)
        close(fd);
    return text;
}
