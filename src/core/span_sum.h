/*
 * span_sum.h - time spans added up: two packets of a hostile capture may lie 136 years apart, and
 * a few such spans are more than there are nanoseconds in 64 bits. The sum stays at the greatest.
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
