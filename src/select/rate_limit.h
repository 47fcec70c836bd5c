/*
 * rate_limit.h - blows when more than so many messages come within a time, any stretch of that
 * length: --rate. Time is that of the packets; where their clock is set back, it goes on from
 * where it was.
 */
#ifndef SRC_RATE_LIMIT_H
#define SRC_RATE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* rate is what --rate says. max 0: no limit. */
struct rate {
    uint64_t max;
    int64_t within_ns;
};

enum { MAX_RATE = 1000000 };

struct rate_limit {
    struct rate rate;
    int64_t *times;            /* of the last messages, rate.max of them, in a ring */
    uint64_t num;              /* messages so far */
    int64_t last_ns, ahead_ns; /* how far time is ahead of the clock */
};

/* rate_limit_init makes room for the times. False when memory ran out. */
bool rate_limit_init(struct rate_limit *limit, const struct rate *rate);
void rate_limit_free(struct rate_limit *limit);

/* rate_limit_exceeded counts a message, and says whether it is one too many. */
bool rate_limit_exceeded(struct rate_limit *limit, int64_t ts_ns);

#endif
