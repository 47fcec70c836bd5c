/*
 * control.h - from the bytes after the framing to the roles of a control message.
 */
#ifndef DISSECT_CONTROL_H
#define DISSECT_CONTROL_H

#include "atoms/atom_cache.h"
#include "etf/term.h"

/* damage is why the end of a frame or message is not there. */
struct damage {
    enum ds_fault_kind kind; /* NONE: it is all there */
    const char *what;
};

/* control_source is where a message is read from. */
struct control_source {
    struct term_env atoms;
    bool pass_through; /* 131 stands before each term */
    struct damage damage;
    struct cursor start; /* for offsets: the byte here ... */
    uint64_t base;       /* ... is this far from the start of the frame */
    struct conn *conn;   /* whose messages may grow so much; for payloads */
};

/* control_fault notes a fault of the message being read, unless it has one already. */
void control_fault(struct ds_event *event, const struct control_source *source,
                   const struct cursor *at, enum ds_fault_kind kind, const char *what);

/* control_read reads the control tuple at *at and advances past it: code, op, control,
 * roles and token of event->message, which hold nothing yet, and the counts of unknown and
 * inferred atoms. When op is set, arity and types were right; with a fault some roles may
 * be absent. False when the tuple does not end. */
bool control_read(const struct control_source *source, struct cursor *at, struct ds_event *event);

/* control_limit_growth takes the terms of a message whose cached atoms would become too much text,
 * were they written out: see expansion_budget.h. */
void control_limit_growth(struct dissect_ctx *env, struct conn *conn, struct ds_event *event);

/* control_read_term reads the payload that stands at *at, and advances past it; control_read_payload reads
 * what follows the control tuple, up to the end. */
void control_read_term(const struct control_source *source, struct cursor *at, struct dissect_ctx *env,
                       struct ds_event *event);
void control_read_payload(const struct control_source *source, struct cursor *at,
                          struct dissect_ctx *env, struct ds_event *event);

/* control_plausible says whether a control tuple of known op, right arity and right types
 * stands at *at, and advances past it. MORE: the bytes end within it. */
enum proto_guess control_plausible(const struct control_source *source, struct cursor *at,
                                   bool *has_payload);

#endif
