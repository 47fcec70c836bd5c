/*
 * span_sum.h - sums of time spans. Two packets of a hostile capture may be 136 years apart, and the sum
 * of a few such spans does not fit into 64 bits of nanoseconds. The sum stays at the maximum then.
 */
#ifndef SRC_SPAN_SUM_H
#define SRC_SPAN_SUM_H

#include <stdint.h>

/* span_sum returns sum + ns; sum is not negative. */
static inline int64_t span_sum(int64_t sum, int64_t ns)
{
    return ns < INT64_MAX - sum ? sum + ns : INT64_MAX;
}

#endif
