/*
 * diagram_step.h - a record in a few words, for diagrams: sender, receiver, content.
 */
#ifndef SRC_DIAGRAM_STEP_H
#define SRC_DIAGRAM_STEP_H

#include "output/diagram/diagram_row.h"
#include "record/record.h"

enum { STEP_CALLS = 1024, STEP_PROCESS_LEN = 64, STEP_LATE = 64 };

/* diagram_step is the latest row, and what is remembered for later ones. Zero-initialise it;
 * diagram_step_free releases it. */
struct diagram_step {
    struct diagram_row row;
    const struct ds_term_print_options *limits; /* of text; the owner sets it; NULL: short */
    bool folds_workers; /* the owner sets it: a worker of erpc is named by its function */
    struct {
        uint64_t number;
        char process[STEP_PROCESS_LEN]; /* "": unknown */
        char worker[STEP_PROCESS_LEN];  /* the process that serves only this call, if any */
        uint8_t dir;                    /* of the request */
        uint64_t from, to;              /* ends: the caller's, and the latest callee's */
    } callers[STEP_CALLS];    /* callers of calls: an answer may contain an alias instead */
    uint64_t late[STEP_LATE]; /* connections joined late, mentioned with the first message */
};

/* diagram_step_describe describes a record in row. False if memory ran out. */
bool diagram_step_describe(struct diagram_step *step, const struct record *record);

/* diagram_step_draws says whether an event is drawn. */
bool diagram_step_draws(const struct ds_event *event);

/* diagram_step_describe_parties writes the processes of a call. */
void diagram_step_describe_parties(struct diagram_step *step, const struct call *call);

void diagram_step_free(struct diagram_step *step);

#endif
