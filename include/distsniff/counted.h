/*
 * distsniff/counted.h - numbers of things in text: "1 packet", "2 packets".
 */
#ifndef DISTSNIFF_COUNTED_H
#define DISTSNIFF_COUNTED_H

#include <stdint.h>

#include <distsniff/public.h>

DS_BEGIN_PUBLIC

struct ds_counted {
    char text[64];
};

/* ds_counted returns a number and a noun as text. what is the plural; its last s is left out for 1:
 *
 *     fprintf(out, "%s and %s", ds_counted(1, "bytes").text, ds_counted(2, "unknown atoms").text); */
struct ds_counted ds_counted(uint64_t num, const char *what);

DS_END_PUBLIC

#endif
