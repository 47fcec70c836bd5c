/*
 * rotation_names.h - the names of -G that this run has used recently, so that it does not overwrite
 * those files: if a clock is set back, a packet has too early a time stamp, or daylight saving time
 * ends, a time occurs again. A name that repeats because its cycle is over, as with %H each day, is
 * meant to be overwritten; a name without a time always is.
 */
#ifndef SRC_ROTATION_NAMES_H
#define SRC_ROTATION_NAMES_H

#include "core/table.h"

enum { ROTATION_NAMES_MAX = 65536 };

struct rotation_names {
    struct table table;
    int64_t cycle;           /* seconds after which the pattern's names repeat, see below */
    int64_t forgotten_until; /* all names that begin later are in the table */
};

#define ROTATION_NAMES_NEVER INT64_MAX /* as a cycle: names never repeat, as with %F */

/* rotation_names_init prepares for a strftime pattern; at most max names are remembered. */
void rotation_names_init(struct rotation_names *names, const char *pattern, uint64_t max);
void rotation_names_free(struct rotation_names *names);

/* rotation_names_cycle returns the seconds after which all names of a pattern repeat (for months and
 * years, of the shorter ones), 0 if they are all the same. */
int64_t rotation_names_cycle(const char *pattern);

/* rotation_names_use returns how often a name has been used within its cycle, including this time.
 * begin: the time in the name, seconds since 1970. now: seconds of the clock that measures cycles,
 * which may go back. 0: it is no longer known whether the name was used. */
uint64_t rotation_names_use(struct rotation_names *names, const char *name, int64_t begin,
                            int64_t now);

#endif
