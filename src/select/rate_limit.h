/*
 * rate_limit.h - detects that too many messages come within any period of a given length: --rate. It
 * uses the time of the packets; if their clock is set back, time continues from where it was.
 */
#ifndef SRC_RATE_LIMIT_H
#define SRC_RATE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* rate is the value of --rate. max 0: no limit. */
struct rate {
    uint64_t max;
    int64_t within_ns;
};

enum { MAX_RATE = 1000000 };

struct rate_limit {
    struct rate rate;
    int64_t *times;            /* of the last messages, rate.max of them, a ring */
    uint64_t num;              /* messages so far */
    int64_t last_ns, ahead_ns; /* how far this time is ahead of the packets' clock */
};

/* rate_limit_init allocates the times. Returns false when memory ran out. */
bool rate_limit_init(struct rate_limit *limit, const struct rate *rate);
void rate_limit_free(struct rate_limit *limit);

/* rate_limit_exceeded counts a message, and says whether it exceeds the limit. */
bool rate_limit_exceeded(struct rate_limit *limit, int64_t ts_ns);

#endif
