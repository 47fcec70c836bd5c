/*
 * progress.h - how far long work on files has come, on standard error when that is a
 * terminal and records do not go there as well.
 */
#ifndef SRC_PROGRESS_H
#define SRC_PROGRESS_H

#include "capture/capture.h"

struct progress {
    bool enabled;
    bool shown;
    int64_t next_ns; /* when to show it again, of the monotonic clock */
};

void progress_init(struct progress *progress, const struct capture *capture);

/* progress_update shows it, if it is time. */
void progress_update(struct progress *progress, const struct capture *capture,
                     const struct ds_stats *stats);

/* progress_clear takes the line away. */
void progress_clear(struct progress *progress);

#endif
