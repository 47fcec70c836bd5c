/*
 * unnamed_file.c - see unnamed_file.h. Only Linux has such files: on other systems it has a name for a
 * moment. UNNAMED_FILE_BY_NAME does that on Linux, for the tests.
 */
#include "privsep/unnamed_file.h"

#include <fcntl.h>

#if defined(O_TMPFILE) && !defined(UNNAMED_FILE_BY_NAME)

int unnamed_file_open(const char *folder)
{
    return open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
}

#else

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int unnamed_file_open(const char *folder)
{
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%s/distsniff.XXXXXX", folder) >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(name);
    return fd;
}

#endif
