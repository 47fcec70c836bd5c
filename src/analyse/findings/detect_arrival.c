/*
 * detect_arrival.c - answers that pass the point of capture and do not arrive: their bytes are
 * retransmitted again and again and never acknowledged. The capture shows an answer to these calls,
 * but the caller gets none.
 */
#include "analyse/findings/detect.h"

/* answered is a reply that ended a call. Whether it arrives is known later. */
enum { MAX_ANSWERS = 256 };
struct answered {
    uint64_t conn;
    uint32_t end_seq; /* after its last byte */
    uint8_t dir;
};

struct arrival_watch {
    struct answered answers[MAX_ANSWERS]; /* the latest ones */
    uint64_t num_answers;
    uint64_t num_unacked; /* directions in which nothing is acknowledged, about */
};

const struct detect_family detect_arrival_family = {sizeof(struct arrival_watch), {{0}}};

static bool is_behind(uint32_t seq, uint32_t from_seq)
{
    return (int32_t)(seq - from_seq) > 0;
}

void detect_answer(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (event == NULL || event->type != DS_EVENT_MESSAGE || !event->has_seq)
        return;
    d->arrival->answers[d->arrival->num_answers++ % MAX_ANSWERS] =
        (struct answered){event->conn->number, event->end_seq, event->dir};
    if (d->arrival->num_unacked == 0)
        return;
    struct conn_watch *w = detect_find_watched(d, event->conn->number);
    if (w == NULL || !w->is_unacked[event->dir])
        return;
    w->unarrived[event->dir]++;
    d->checks.unarrived++;
}

/* on_lost counts the answers that passed before the loss was known: the latest ones, as many as are
 * kept. */
static void on_lost(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const uint64_t num = d->arrival->num_answers < MAX_ANSWERS ? d->arrival->num_answers : MAX_ANSWERS;
    uint64_t unarrived = 0;
    for (uint64_t i = 0; i < num; i++) {
        const struct answered *a = &d->arrival->answers[i];
        unarrived += a->conn == event->conn->number && a->dir == event->dir &&
                     is_behind(a->end_seq, event->stall.from_seq);
    }
    w->is_unacked[event->dir] = true;
    w->unarrived[event->dir] = unarrived;
    d->checks.unarrived += unarrived;
    d->arrival->num_unacked++;
}

void detect_arrival(struct detect *d, const struct ds_event *event)
{
    if (event->stall.why != DS_STALL_LOST)
        return;
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w == NULL || w->is_unacked[event->dir] != event->stall.is_over)
        return;
    if (!event->stall.is_over) {
        on_lost(d, event, w);
        return;
    }
    d->checks.unarrived -= w->unarrived[event->dir];
    d->arrival->num_unacked--;
    w->unarrived[event->dir] = 0;
    w->is_unacked[event->dir] = false;
}
