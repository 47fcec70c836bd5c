/*
 * fuse.h - blows when more than so many messages come within a time, any stretch of that
 * length: --rate. Time is that of the packets; where their clock is set back, it goes on from
 * where it was.
 */
#ifndef SRC_FUSE_H
#define SRC_FUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* rate is what --rate says. max 0: no fuse. */
struct rate {
    uint64_t max;
    int64_t within_ns;
};

enum { MAX_RATE = 1000000 };

struct fuse {
    struct rate rate;
    int64_t *times; /* of the last messages, rate.max of them, in a ring */
    uint64_t num;   /* messages so far */
    int64_t last_ns, ahead_ns; /* how far time is ahead of the clock */
};

/* fuse_init makes room for the times. False when memory ran out. */
bool fuse_init(struct fuse *fuse, const struct rate *rate);
void fuse_free(struct fuse *fuse);

/* fuse_blows counts a message, and says whether it is one too many. */
bool fuse_blows(struct fuse *fuse, int64_t ts_ns);

#endif
