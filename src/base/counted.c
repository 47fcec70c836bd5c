/*
 * counted.c - see counted.h.
 */
#include "counted.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct counted counted(uint64_t num, const char *what)
{
    struct counted counted;
    const int len = (int)strlen(what) - (num == 1);
    snprintf(counted.text, sizeof counted.text, "%" PRIu64 " %.*s", num, len, what);
    return counted;
}
