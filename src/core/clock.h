/*
 * clock.h - the current time. Only live captures need it: for files, the packets have the time.
 */
#ifndef SRC_CLOCK_H
#define SRC_CLOCK_H

#include <stdint.h>

/* clock_now_ns returns the monotonic clock. */
int64_t clock_now_ns(void);

/* clock_since_boot_ns returns a clock that cannot be set and runs while the machine sleeps. */
int64_t clock_since_boot_ns(void);

/* clock_since_1970_ns returns the time of day in ns since 1970. That clock may be set. */
int64_t clock_since_1970_ns(void);

#endif
