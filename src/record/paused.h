/*
 * paused.h - messages after a pause in which their sender sent nothing. The statistics of their link
 * are needed, so copies include them.
 */
#ifndef SRC_PAUSED_H
#define SRC_PAUSED_H

#include <distsniff/event.h>
#include <distsniff/tcp_stats.h>

#define PAUSED_NS INT64_C(3000000000)
#define PAUSED_AGO_NS INT64_C(2000000)

/* paused_before says whether an event is among the first after a pause. */
static inline bool paused_before(const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const struct ds_tcp_side *side = link != NULL ? &link->side[event->dir] : NULL;
    return side != NULL && side->pause_to_ns - side->pause_from_ns >= PAUSED_NS &&
           event->ts_ns - side->pause_to_ns <= PAUSED_AGO_NS;
}

#endif
