/*
 * trusted_file.c - see trusted_file.h.
 */
#include "privsep/trusted_file.h"

#include "core/complain.h"
#include "privsep/safe_open.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* others_write says whether an untrusted user may write there. Members of root's group are trusted. */
static bool others_write(const struct stat *status)
{
    return (status->st_mode & S_IWOTH) != 0 || ((status->st_mode & S_IWGRP) != 0 && status->st_gid != 0);
}

/* find_untrusted finds the first folder, from the file's own up to /, in which an untrusted user may
 * replace an entry on the path to the file. path is the file's, and becomes the folder's. */
static bool find_untrusted(char *path)
{
    struct stat status;
    for (char *slash; (slash = strrchr(path, '/')) != NULL;) {
        slash[slash == path ? 1 : 0] = '\0';
        if (stat(path, &status) != 0 || !safe_is_trusted(status.st_uid) ||
            (others_write(&status) && (status.st_mode & S_ISVTX) == 0))
            return true;
        if (slash == path)
            return false;
    }
    return true;
}

/* find_path finds the path of a file, with links resolved. Returns false if that is another file by now. */
static bool find_path(const char *name, const struct stat *file, char path[PATH_MAX])
{
    struct stat there;
    return realpath(name, path) != NULL && stat(path, &there) == 0 && there.st_dev == file->st_dev &&
           there.st_ino == file->st_ino;
}

bool trusted_file_check(const char *name, FILE *file)
{
    char path[PATH_MAX];
    struct stat status;
    if (geteuid() != 0)
        return true;
    if (fstat(fileno(file), &status) != 0 || !safe_is_trusted(status.st_uid) ||
        others_write(&status)) {
        complain("%s is refused: root reads options only from a file that only root can write: "
                 "chown root %s && chmod go-w %s", name, name, name);
        return false;
    }
    if (!S_ISREG(status.st_mode))
        return true;
    if (!find_path(name, &status, path)) {
        complain("%s is refused: it was moved while it was read: try again", name);
        return false;
    }
    if (!find_untrusted(path))
        return true;
    complain("%s is refused: other users can replace it, because they can write to %s: move it "
             "to /etc, or chown root %s && chmod go-w %s",
             name, path, path, path);
    return false;
}
