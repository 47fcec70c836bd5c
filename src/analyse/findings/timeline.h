/*
 * timeline.h - what happened when: events, calls and findings in, a line an event out (--report timeline).
 *
 * A line is a record with a finding that is none: happening says what it is about, sentence has the words,
 * first_ns and last_ns are when it began and ended, count is how often. Equal events that follow each other
 * within seconds are one line. Live a line that may last is given out twice: as it begins, with is_update,
 * and when it is over, with the same number. Of files lines are kept, so that they come in order of time.
 */
#ifndef SRC_TIMELINE_H
#define SRC_TIMELINE_H

#include "analyse/findings/presence.h"
#include "record/loss.h"
#include "record/record.h"

struct timeline;

struct timeline_config {
    record_fn emit;
    const struct presence *presence; /* where nodes are; has to stay */
    void *context;
    bool is_live; /* lines are given out as soon as they are over */
};

/* timeline_new returns NULL when memory ran out. timeline_free takes NULL. */
struct timeline *timeline_new(const struct timeline_config *config);
void timeline_free(struct timeline *timeline);

/* What it is told. timeline_event takes no messages; timeline_finding what detectors give out. caller_woke:
 * the node that waited had itself sent nothing for long. */
void timeline_presence(struct timeline *timeline, const struct presence_change *change);
void timeline_event(struct timeline *timeline, const struct ds_event *event);
void timeline_call(struct timeline *timeline, const struct call *call, bool caller_woke);
void timeline_finding(struct timeline *timeline, const struct finding *finding);
void timeline_lost(struct timeline *timeline, const struct loss *loss);

/* timeline_time gives out what is over by then; timeline_end everything. */
void timeline_time(struct timeline *timeline, int64_t now_ns);
void timeline_end(struct timeline *timeline);

/* timeline_left_out counts lines that memory had no room for. */
uint64_t timeline_left_out(const struct timeline *timeline);

#endif
