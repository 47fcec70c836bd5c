/*
 * counted.h - "1 packet", "2 packets": numbers of things, as they are told.
 */
#ifndef SRC_COUNTED_H
#define SRC_COUNTED_H

#include <stdint.h>

struct counted {
    char text[64];
};

/* counted returns how many there are of what, the plural, whose last s a single one lacks:
 *
 *     fprintf(out, "%s and %s", counted(1, "bytes").text, counted(2, "unknown atoms").text);
 */
struct counted counted(uint64_t num, const char *what);

#endif
