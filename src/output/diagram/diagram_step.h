/*
 * diagram_step.h - a record in a few words, as diagrams tell it: who, to whom, what.
 */
#ifndef SRC_DIAGRAM_STEP_H
#define SRC_DIAGRAM_STEP_H

#include "output/diagram/diagram_row.h"
#include "record/record.h"

enum { STEP_CALLS = 1024, STEP_PROCESS_LEN = 64, STEP_LATE = 64 };

/* diagram_step is what is told last, and what has to be remembered for it. Zero-initialise it;
 * diagram_step_free releases it. */
struct diagram_step {
    struct diagram_row row;
    const struct ds_term_print_options *limits; /* of text, set by the owner; NULL: short */
    bool folds_workers; /* set by the owner: a worker of erpc is named by its function */
    struct {
        uint64_t number;
        char process[STEP_PROCESS_LEN]; /* "": not known */
        char worker[STEP_PROCESS_LEN];  /* who serves it, where that is a process for it alone */
        uint8_t dir;                    /* of the request */
        uint64_t from, to;              /* ends: who asked, and who was asked last */
    } callers[STEP_CALLS];    /* who made a call: an answer may carry an alias instead */
    uint64_t late[STEP_LATE]; /* connections joined late, to be said with the first message */
};

/* diagram_step_tell tells a record. False when memory ran out. */
bool diagram_step_tell(struct diagram_step *step, const struct record *record);

/* diagram_step_draws says whether anything is drawn for an event. */
bool diagram_step_draws(const struct ds_event *event);

/* diagram_step_tell_parties names the processes of a call. */
void diagram_step_tell_parties(struct diagram_step *step, const struct call *call);

void diagram_step_free(struct diagram_step *step);

#endif
