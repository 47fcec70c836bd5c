/*
 * diagram_step.h - a record in a few words, as diagrams tell it: who, to whom, what.
 */
#ifndef SRC_DIAGRAM_STEP_H
#define SRC_DIAGRAM_STEP_H

#include "diagram_ends.h"
#include "record.h"

enum diagram_step_kind {
    STEP_NOTHING, /* ticks, handshakes, EPMD: not for diagrams */
    STEP_MESSAGE,
    STEP_ANSWER, /* a message that answers one */
    STEP_NOTE,   /* something happened between the two */
};

/* diagram_step_end is a process, or a node when process is empty. */
struct diagram_step_end {
    struct ds_buffer node, process;
    uint64_t number; /* of the end of a connection that it is at, see diagram_ends.h; 0: not said */
    uint64_t host, port; /* stand for the address, see diagram_ends.h */
    bool is_unsure;      /* node is no whole name */
    bool has_name;       /* nor is it an address */
};

enum { STEP_CALLS = 1024, STEP_PROCESS_LEN = 64, STEP_LATE = 64 };

/* story is what is told last, and what has to be remembered for it. All texts are printable,
 * but hold whatever a peer sent. Zero-initialise it; diagram_step_free releases it. */
struct diagram_step {
    enum diagram_step_kind kind;
    const struct ds_term_print_options *limits; /* of text, set by the owner; NULL: short */
    bool folds_workers; /* set by the owner: a worker of erpc is named by its function */
    const struct diagram_ends *ends; /* set by the owner: names that are learnt late; NULL: none are */
    struct diagram_step_end from, to;
    struct ds_buffer verb; /* "CALL #7", "reply #7 after 412 us" */
    struct ds_buffer text; /* the term, shortened, or what happened */
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

/* diagram_step_place returns where an end is, for diagram_ends_node. */
struct diagram_place diagram_step_place(const struct diagram_step_end *end);

void diagram_step_free(struct diagram_step *step);

/* diagram_step_print_span appends "412 us", "1.25 ms", "3.50 s". */
void diagram_step_print_span(int64_t ns, struct ds_buffer *out);

#endif
