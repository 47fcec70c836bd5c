/*
 * distsniff/counted.h - "1 packet", "2 packets": numbers of things, as they are told.
 */
#ifndef DISTSNIFF_COUNTED_H
#define DISTSNIFF_COUNTED_H

#include <stdint.h>

#include <distsniff/public.h>

DS_BEGIN_PUBLIC

struct ds_counted {
    char text[64];
};

/* ds_counted returns how many there are of what, the plural, whose last s a single one lacks:
 *
 *     fprintf(out, "%s and %s", ds_counted(1, "bytes").text, ds_counted(2, "unknown atoms").text);
 */
struct ds_counted ds_counted(uint64_t num, const char *what);

DS_END_PUBLIC

#endif
