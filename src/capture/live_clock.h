/*
 * live_clock.h - what time it is for a live capture while no packet comes, as time stamps have
 * it. They are of the wall clock, which may be set; what has been waited for is measured from
 * the latest packet, by a clock that is not.
 */
#ifndef SRC_LIVE_CLOCK_H
#define SRC_LIVE_CLOCK_H

#include <stdint.h>

struct live_clock {
    int64_t stamp_ns;     /* of the latest packet, or when the capture began */
    int64_t monotonic_ns; /* when that was */
};

/* live_clock_set takes the time stamp of a packet that was handed out at monotonic_ns. */
void live_clock_set(struct live_clock *clock, int64_t stamp_ns, int64_t monotonic_ns);

/* live_clock_read returns what a packet would be stamped with that came now. wall_ns is what the
 * wall clock shows: it is believed unless it was set since the latest packet. */
int64_t live_clock_read(const struct live_clock *clock, int64_t wall_ns, int64_t monotonic_ns);

#endif
