/*
 * control.h - parses a control message, from the bytes after the framing to its roles.
 */
#ifndef DISSECT_CONTROL_H
#define DISSECT_CONTROL_H

#include "atoms/atom_cache.h"
#include "etf/term.h"

/* damage is the reason why the end of a frame or message is missing. */
struct damage {
    enum ds_fault_kind kind; /* NONE: nothing is missing */
    const char *what;
};

/* control_source describes the bytes that a message is read from. */
struct control_source {
    struct term_env atoms;
    bool pass_through; /* each term begins with 131 */
    struct damage damage;
    struct cursor start; /* for offsets: this byte ... */
    uint64_t base;       /* ... is so far from the start of the frame */
    struct conn *conn;   /* its growth budget limits messages; for payloads */
};

/* control_fault records a fault of the message being read, unless it already has one. */
void control_fault(struct ds_event *event, const struct control_source *source,
                   const struct cursor *at, enum ds_fault_kind kind, const char *what);

/* control_read reads the control tuple at *at and advances past it. It sets code, op, control,
 * roles and token of event->message, which must be empty before, and the counts of unknown and
 * inferred atoms. If op is set, arity and types were right; with a fault, some roles may be absent.
 * False if the tuple does not end. */
bool control_read(const struct control_source *source, struct cursor *at, struct ds_event *event);

/* control_limit_growth removes the terms of a message that would become too large with its cached
 * atoms written out: see expansion_budget.h. */
void control_limit_growth(struct dissect_ctx *env, struct conn *conn, struct ds_event *event);

/* control_read_term reads the payload at *at and advances past it. control_read_payload reads
 * everything after the control tuple, up to the end. */
void control_read_term(const struct control_source *source, struct cursor *at, struct dissect_ctx *env,
                       struct ds_event *event);
void control_read_payload(const struct control_source *source, struct cursor *at,
                          struct dissect_ctx *env, struct ds_event *event);

/* control_plausible says whether a control tuple with a known op, the right arity and the right
 * types is at *at, and advances past it. MORE: the bytes end within the tuple. */
enum proto_guess control_plausible(const struct control_source *source, struct cursor *at,
                                   bool *has_payload);

#endif
