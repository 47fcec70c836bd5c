/*
 * correlate.h - from single messages to conversations: the stage between decode and select.
 *
 * It processes events in order and passes each on as a record with a note: what kind of message it
 * is, and which call it belongs to. When a call, a monitor or a link ends, a separate record
 * follows. It never changes, delays or drops an event.
 */
#ifndef DISTSNIFF_CORRELATE_H
#define DISTSNIFF_CORRELATE_H

#include "record/record.h"

#include <distsniff/dissect.h>

/* Who uses the ends of calls. Ends that nothing uses are not produced. */
enum ends_seen_by {
    ENDS_SEEN_BY_ALL,
    ENDS_SEEN_BY_OUTPUTS,  /* outputs that show the answers themselves: calls that messages ended
                            * are not emitted, unless they have to wait for something */
    ENDS_SEEN_BY_FINDINGS, /* no parents are looked for; requests are kept only if they name a
                            * function or are not the user's */
    ENDS_SEEN_BY_NOBODY,   /* neither */
};

struct own_labels;

struct correlate_config {
    record_fn emit;
    void *context;
    const struct own_labels *labels; /* NULL: those of otp.def */
    uint64_t limits[DS_LIMIT_COUNT];
    bool is_elixir; /* outputs show Elixir's syntax, perhaps besides Erlang's */
    bool monitors; /* emit the ends of monitors and links, too */
    bool names;    /* fill in the names of the processes in notes */
    bool owners;   /* and the group of monitors and links: who owns the process, if not the user */
    size_t keep;   /* longest request kept for its call's record, in bytes; 0 none */
    enum ends_seen_by ends_seen_by;
};

struct correlate;

struct correlate *correlate_new(const struct correlate_config *config); /* NULL: out of memory */
void correlate_event(struct correlate *c, const struct ds_event *event);

/* correlate_time reports the time while no event comes. A time before the latest event is ignored. */
void correlate_time(struct correlate *c, int64_t now_ns);

/* correlate_visit_open passes on the calls that are open at that time, or at the latest event if
 * that is later, as records with the outcome open, then the monitors and links, if config.monitors
 * is set. It changes nothing. */
void correlate_visit_open(const struct correlate *c, int64_t now_ns, record_fn visit, void *context);

/* correlate_visit_overdue passes on, in their state at that time, only the calls that began after
 * after_ns and not after until_ns, and are still open. */
void correlate_visit_overdue(const struct correlate *c, int64_t after_ns, int64_t until_ns,
                             int64_t now_ns, record_fn visit, void *context);

/* correlate_end ends what is open: no more events come. */
void correlate_end(struct correlate *c);

/* correlate_add_stats adds how often caps were reached and memory ran out. */
void correlate_add_stats(const struct correlate *c, struct ds_stats *stats);

void correlate_free(struct correlate *c);

#endif
