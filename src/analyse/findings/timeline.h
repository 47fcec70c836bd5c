/*
 * timeline.h - what happened when: events, calls and findings in, one line per event out (--report
 * timeline).
 *
 * A line is a record with a pseudo finding: happening is its subject, sentence its text, first_ns
 * and last_ns are when it began and ended, count is how often it happened. Equal events within
 * seconds of each other are one line. In a live capture, a line that may last is emitted twice:
 * when it begins, with is_update, and when it is over, with the same number. For files, lines are
 * kept, so that they are emitted in order of time.
 */
#ifndef SRC_TIMELINE_H
#define SRC_TIMELINE_H

#include "analyse/findings/presence.h"
#include "record/loss.h"
#include "record/record.h"

struct timeline;

struct timeline_config {
    record_fn emit;
    const struct presence *presence; /* addresses of nodes; not owned */
    void *context;
    bool is_live; /* lines are emitted as soon as they are over */
};

/* timeline_new returns NULL if memory ran out. timeline_free accepts NULL. */
struct timeline *timeline_new(const struct timeline_config *config);
void timeline_free(struct timeline *timeline);

/* The inputs. timeline_event accepts no messages; timeline_finding accepts what detectors emit.
 * timeline_call takes the record of a call that ended; caller_woke: the node that waited had itself
 * sent nothing for long. */
void timeline_presence(struct timeline *timeline, const struct presence_change *change);
void timeline_event(struct timeline *timeline, const struct ds_event *event);
void timeline_call(struct timeline *timeline, const struct record *record, bool caller_woke);
void timeline_finding(struct timeline *timeline, const struct finding *finding);
void timeline_lost(struct timeline *timeline, const struct loss *loss);

/* timeline_time emits the lines that are over by then; timeline_end all of them. */
void timeline_time(struct timeline *timeline, int64_t now_ns);
void timeline_end(struct timeline *timeline);

/* timeline_left_out counts lines lost because memory ran out. */
uint64_t timeline_left_out(const struct timeline *timeline);

#endif
