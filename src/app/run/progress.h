/*
 * progress.h - shows the progress of long work on files on standard error, if that is a terminal
 * and no records go there.
 */
#ifndef SRC_PROGRESS_H
#define SRC_PROGRESS_H

#include "capture/capture.h"

struct progress {
    bool enabled;
    bool shown;
    int64_t next_ns; /* when to show it next, by the monotonic clock */
};

void progress_init(struct progress *progress, const struct capture *capture);

/* progress_update shows it if it is due. */
void progress_update(struct progress *progress, const struct capture *capture,
                     const struct ds_stats *stats);

/* progress_clear removes the line. */
void progress_clear(struct progress *progress);

#endif
