/*
 * rotation_names.h - which names of -G this run has written a short while ago, so that it does
 * not write over them: when a clock is set back, a packet is stamped too early, or summer time
 * ends, a time comes again. A name that comes again because its cycle is over, as %H does each
 * day, is meant to be written over; one without a time always is.
 */
#ifndef SRC_ROTATION_NAMES_H
#define SRC_ROTATION_NAMES_H

#include "core/table.h"

enum { ROTATION_NAMES_MAX = 65536 };

struct rotation_names {
    struct table table;
    int64_t cycle;           /* seconds after which the pattern's names come again, see below */
    int64_t forgotten_until; /* names that begin later are all in the table */
};

#define ROTATION_NAMES_NEVER INT64_MAX /* as a cycle: no name comes again, as with %F */

/* rotation_names_init begins with a pattern for strftime; at most max names are remembered. */
void rotation_names_init(struct rotation_names *names, const char *pattern, uint64_t max);
void rotation_names_free(struct rotation_names *names);

/* rotation_names_cycle returns the seconds after which all names made of a pattern come again
 * (of months and years, of the shorter ones), 0 when they are all the same. */
int64_t rotation_names_cycle(const char *pattern);

/* rotation_names_take returns how often a name has been taken within its cycle, this time
 * included. begin: the time that is in the name, seconds since 1970. now: seconds by which the
 * cycle goes, of any clock; it may go back. 0: it has been forgotten whether the name was
 * taken. */
uint64_t rotation_names_take(struct rotation_names *names, const char *name, int64_t begin,
                             int64_t now);

#endif
