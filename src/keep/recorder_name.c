/*
 * recorder_name.c - see recorder_name.h.
 */
#include "keep/recorder_name.h"

#include "core/complain.h"
#include "keep/numbered_name.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NUMBER = 9999 };

/* claim creates a file if it does not exist. Returns false if it does: another run may be about to
 * write it. The code that opens the file reports other errors. */
static bool claim(const char *name)
{
    struct open_trouble trouble;
    const int fd = file_helper_open(name, OPEN_NEW, &trouble);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || trouble.error != EEXIST;
}

bool recorder_name(const char *pattern, int64_t ts_ns, char *name)
{
    char timed[RECORDER_NAME_LEN], base[RECORDER_NAME_LEN];
    const time_t seconds = (time_t)(ts_ns / 1000000000);
    const size_t at = numbered_name_suffix(pattern);
    const char *time_format = strchr(pattern, '%') != NULL ? "" : "-%Y%m%d-%H%M%S";
    struct tm local;
    const int len =
        snprintf(timed, sizeof timed, "%.*s%s%s", (int)at, pattern, time_format, pattern + at);
    bool ok = len > 0 && (size_t)len < sizeof timed && localtime_r(&seconds, &local) != NULL &&
              strftime(base, sizeof base, timed, &local) != 0;
    for (unsigned number = 1; ok && number <= MAX_NUMBER; number++) {
        ok = numbered_name(base, number, name, RECORDER_NAME_LEN);
        if (ok && claim(name))
            return true;
    }
    complain("-w %s does not give a new file name", pattern);
    return false;
}
