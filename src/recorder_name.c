/*
 * recorder_name.c - see recorder_name.h.
 */
#include "recorder_name.h"

#include "complain.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MAX_NUMBER = 9999 };

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
    struct stat status;
    int len = snprintf(timed, sizeof timed, "%.*s%s%s", (int)at, pattern, time_format,
                       pattern + at);
    bool ok = len > 0 && (size_t)len < sizeof timed && localtime_r(&seconds, &local) != NULL &&
              strftime(base, sizeof base, timed, &local) != 0;
    const size_t base_at = ok ? suffix_of(base) : 0;
    for (int number = 1; ok && number <= MAX_NUMBER; number++) {
        len = number == 1 ? snprintf(name, RECORDER_NAME_LEN, "%s", base)
                          : snprintf(name, RECORDER_NAME_LEN, "%.*s-%d%s", (int)base_at, base,
                                     number, base + base_at);
        ok = len > 0 && len < RECORDER_NAME_LEN;
        if (ok && lstat(name, &status) != 0)
            return true;
    }
    complain("-w %s makes no name for a new file", pattern);
    return false;
}
