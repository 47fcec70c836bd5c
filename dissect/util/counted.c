/*
 * counted.c - see distsniff/counted.h.
 */
#include <distsniff/counted.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct ds_counted ds_counted(uint64_t num, const char *what)
{
    struct ds_counted counted;
    const int len = (int)strlen(what) - (num == 1);
    snprintf(counted.text, sizeof counted.text, "%" PRIu64 " %.*s", num, len, what);
    return counted;
}
