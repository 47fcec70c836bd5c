/*
 * correlate.h - from single messages to conversations: the stage between decode and select.
 *
 * Takes each event in order and gives it on as a record with a note: what kind of message it
 * is, which call it belongs to. When a call ends, a record of its own follows; so does one for
 * a monitor or link. It never changes, delays or drops an event.
 */
#ifndef DISTSNIFF_CORRELATE_H
#define DISTSNIFF_CORRELATE_H

#include "record/record.h"

#include <distsniff/dissect.h>

/* Who looks at the ends of calls. What nobody looks at is not made. */
enum ends_seen_by {
    ENDS_SEEN_BY_ALL,
    ENDS_SEEN_BY_OUTPUTS,  /* who show the answers themselves: calls that messages ended are not given
                              out, where they need not wait for anything */
    ENDS_SEEN_BY_FINDINGS, /* no parents are looked for, and of requests only those kept that name a
                              function or are no user's */
    ENDS_SEEN_BY_NOBODY,   /* neither */
};

struct own_labels;

struct correlate_config {
    record_fn emit;
    void *context;
    const struct own_labels *labels; /* NULL: those of otp.def */
    uint64_t limits[DS_LIMIT_COUNT];
    bool is_elixir; /* outputs show Elixir's syntax, perhaps beside Erlang's */
    bool monitors; /* give out the ends of monitors and links too */
    bool names;    /* fill in the names of the processes in notes */
    bool owners;   /* and the group of monitors and links: whose process it is, if not the user's */
    size_t keep;   /* longest request kept for the record of its call, in bytes; 0 none */
    enum ends_seen_by ends_seen_by;
};

struct correlate;

struct correlate *correlate_new(const struct correlate_config *config); /* NULL: no memory */
void correlate_event(struct correlate *c, const struct ds_event *event);

/* correlate_time tells how late it is while no event comes. A time before that of the latest
 * event is ignored. */
void correlate_time(struct correlate *c, int64_t now_ns);

/* correlate_visit_open gives the calls that are open at that time, or at that of the latest event
 * if it is later, as records with the outcome open, then the monitors and links, where they are
 * given out at all; nothing changes. */
void correlate_visit_open(const struct correlate *c, int64_t now_ns, record_fn visit, void *context);

/* correlate_visit_overdue gives, as they are at that time, the calls alone that began after after_ns
 * and not after until_ns, and are still open. */
void correlate_visit_overdue(const struct correlate *c, int64_t after_ns, int64_t until_ns,
                             int64_t now_ns, record_fn visit, void *context);

/* correlate_end tells that no more events come, and ends what is open. */
void correlate_end(struct correlate *c);

/* correlate_add_stats adds the caps that were reached and the times memory ran out. */
void correlate_add_stats(const struct correlate *c, struct ds_stats *stats);

void correlate_free(struct correlate *c);

#endif
