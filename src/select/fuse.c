/*
 * fuse.c - see fuse.h.
 */
#include "fuse.h"

#include <stdlib.h>

bool fuse_init(struct fuse *fuse, const struct rate *rate)
{
    *fuse = (struct fuse){.rate = *rate};
    if (rate->max != 0)
        fuse->times = calloc(rate->max, sizeof *fuse->times);
    return rate->max == 0 || fuse->times != NULL;
}

void fuse_free(struct fuse *fuse)
{
    free(fuse->times);
    *fuse = (struct fuse){.times = NULL};
}

bool fuse_blows(struct fuse *fuse, int64_t ts_ns)
{
    if (fuse->rate.max == 0)
        return false;
    ts_ns += fuse->ahead_ns;
    if (fuse->num != 0 && fuse->last_ns - ts_ns > fuse->rate.within_ns) {
        fuse->ahead_ns += fuse->last_ns - ts_ns;
        ts_ns = fuse->last_ns;
    }
    fuse->last_ns = ts_ns;
    /* What stands here is the message that rate.max others have followed. */
    int64_t *place = &fuse->times[fuse->num++ % fuse->rate.max];
    const bool blows =
        fuse->num > fuse->rate.max && ts_ns - *place < fuse->rate.within_ns;
    *place = ts_ns;
    return blows;
}
