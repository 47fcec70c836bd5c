/*
 * live_clock.c - see live_clock.h. Packets are delivered up to a few hundred milliseconds after they
 * came.
 */
#include "capture/live_clock.h"

#define MAX_DELAY_NS INT64_C(1000000000)

void live_clock_set(struct live_clock *clock, int64_t stamp_ns, int64_t monotonic_ns)
{
    clock->stamp_ns = stamp_ns;
    clock->monotonic_ns = monotonic_ns;
}

int64_t live_clock_read(const struct live_clock *clock, int64_t wall_ns, int64_t monotonic_ns)
{
    const int64_t expected_ns = clock->stamp_ns + (monotonic_ns - clock->monotonic_ns);
    const int64_t ahead_ns = wall_ns - expected_ns;
    return ahead_ns >= -MAX_DELAY_NS && ahead_ns <= MAX_DELAY_NS ? wall_ns : expected_ns;
}
