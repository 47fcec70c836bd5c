/*
 * progress.c - see progress.h.
 */
#include "app/run/progress.h"

#include "core/clock.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <unistd.h>

enum { FIRST_NS = 1000000000, EVERY_NS = 250000000 };

void progress_init(struct progress *progress, const struct capture *capture)
{
    *progress = (struct progress){
        .enabled = !capture->is_live && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO),
        .next_ns = clock_now_ns() + FIRST_NS,
    };
}

void progress_update(struct progress *progress, const struct capture *capture,
                     const struct ds_stats *stats)
{
    int64_t now = progress->enabled ? clock_now_ns() : 0;
    if (!progress->enabled || now < progress->next_ns)
        return;
    progress->next_ns = now + EVERY_NS;
    progress->shown = true;
    double fraction;
    fputc('\r', stderr);
    if (capture_get_progress(capture, &fraction))
        fprintf(stderr, "%3.0f%%, ", fraction * 100);
    fprintf(stderr, "%s, %s\033[K", ds_counted(capture->num_packets, "packets").text,
            ds_counted(stats->messages, "messages").text);
    fflush(stderr);
}

void progress_clear(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
