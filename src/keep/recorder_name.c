/*
 * recorder_name.c - see recorder_name.h.
 */
#include "recorder_name.h"

#include "complain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NUMBER = 9999 };

/* claim creates a file, unless there is one. False when there is: another run may be about to
 * write it. What else is wrong is for whoever opens it to say. */
static bool claim(const char *name)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno != EEXIST;
}

/* suffix_of returns where ".pcap" begins in a name, or its end. */
static size_t suffix_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *point = strrchr(name, '.');
    if (point == NULL || point == name || (slash != NULL && point <= slash + 1))
        return strlen(name);
    return (size_t)(point - name);
}

bool recorder_name(const char *pattern, int64_t ts_ns, char *name)
{
    char timed[RECORDER_NAME_LEN], base[RECORDER_NAME_LEN];
    const time_t seconds = (time_t)(ts_ns / 1000000000);
    const size_t at = suffix_of(pattern);
    const char *time_format = strchr(pattern, '%') != NULL ? "" : "-%Y%m%d-%H%M%S";
    struct tm local;
    int len =
        snprintf(timed, sizeof timed, "%.*s%s%s", (int)at, pattern, time_format, pattern + at);
    bool ok = len > 0 && (size_t)len < sizeof timed && localtime_r(&seconds, &local) != NULL &&
              strftime(base, sizeof base, timed, &local) != 0;
    const size_t base_at = ok ? suffix_of(base) : 0;
    for (int number = 1; ok && number <= MAX_NUMBER; number++) {
        len = number == 1 ? snprintf(name, RECORDER_NAME_LEN, "%s", base)
                          : snprintf(name, RECORDER_NAME_LEN, "%.*s-%d%s", (int)base_at, base,
                                     number, base + base_at);
        ok = len > 0 && len < RECORDER_NAME_LEN;
        if (ok && claim(name))
            return true;
    }
    complain("-w %s makes no name for a new file", pattern);
    return false;
}
