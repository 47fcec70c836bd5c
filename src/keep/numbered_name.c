/*
 * numbered_name.c - see numbered_name.h.
 */
#include "keep/numbered_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t numbered_name_suffix(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *point = strrchr(name, '.');
    if (point == NULL || point == name || (slash != NULL && point <= slash + 1))
        return strlen(name);
    return (size_t)(point - name);
}

bool numbered_name(const char *base, uint64_t number, char *out, size_t size)
{
    const size_t at = numbered_name_suffix(base);
    const int len =
        number <= 1 ? snprintf(out, size, "%s", base)
                    : snprintf(out, size, "%.*s-%" PRIu64 "%s", (int)at, base, number, base + at);
    return len > 0 && (size_t)len < size;
}
