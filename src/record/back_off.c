/*
 * back_off.c - see back_off.h.
 */
#include "record/back_off.h"

#include "core/clock.h"

#include <stdlib.h>
#include <unistd.h>

void back_off_begin(void)
{
    srandom((unsigned)(getpid() ^ clock_now_ns()));
}

int64_t back_off_ms(int attempts)
{
    const int doublings = attempts < 8 ? attempts : 8;
    const int64_t ms = (int64_t)BACK_OFF_LEAST_MS << doublings;
    const int64_t pause = ms < BACK_OFF_MOST_MS ? ms : BACK_OFF_MOST_MS;
    return pause / 2 + random() % (pause / 2 + 1);
}
