/*
 * rate_limit.c - see rate_limit.h.
 */
#include "select/rate_limit.h"

#include "core/span_sum.h"

#include <stdlib.h>

bool rate_limit_init(struct rate_limit *limit, const struct rate *rate)
{
    *limit = (struct rate_limit){.rate = *rate};
    if (rate->max != 0)
        limit->times = calloc(rate->max, sizeof *limit->times);
    return rate->max == 0 || limit->times != NULL;
}

void rate_limit_free(struct rate_limit *limit)
{
    free(limit->times);
    *limit = (struct rate_limit){.times = NULL};
}

bool rate_limit_exceeded(struct rate_limit *limit, int64_t ts_ns)
{
    if (limit->rate.max == 0)
        return false;
    ts_ns = span_sum(limit->ahead_ns, ts_ns);
    if (limit->num != 0 && limit->last_ns - ts_ns > limit->rate.within_ns) {
        limit->ahead_ns = span_sum(limit->ahead_ns, limit->last_ns - ts_ns);
        ts_ns = limit->last_ns;
    }
    limit->last_ns = ts_ns;
    /* This place has the time of the message rate.max messages ago. */
    int64_t *place = &limit->times[limit->num++ % limit->rate.max];
    int64_t since_ns;
    const bool is_far = __builtin_sub_overflow(ts_ns, *place, &since_ns);
    const bool blows =
        limit->num > limit->rate.max && !is_far && since_ns < limit->rate.within_ns;
    *place = ts_ns;
    return blows;
}
