/*
 * live_clock.h - the current time of a live capture while no packet comes, comparable to time stamps.
 * Time stamps are from the wall clock, which may be set; the time since the latest packet is measured
 * by the monotonic clock.
 */
#ifndef SRC_LIVE_CLOCK_H
#define SRC_LIVE_CLOCK_H

#include <stdint.h>

struct live_clock {
    int64_t stamp_ns;     /* of the latest packet, or when the capture began */
    int64_t monotonic_ns; /* monotonic time of that */
};

/* live_clock_set sets the time stamp of a packet that was delivered at monotonic_ns. */
void live_clock_set(struct live_clock *clock, int64_t stamp_ns, int64_t monotonic_ns);

/* live_clock_read returns the time stamp that a packet would get now. wall_ns is the wall clock's time:
 * it is used unless the clock was set since the latest packet. */
int64_t live_clock_read(const struct live_clock *clock, int64_t wall_ns, int64_t monotonic_ns);

#endif
