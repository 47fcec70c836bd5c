/*
 * calls_by_caller.h - what each process has asked and still waits for: its calls, as a list.
 */
#ifndef DISTSNIFF_CALLS_BY_CALLER_H
#define DISTSNIFF_CALLS_BY_CALLER_H

#include "analyse/calls/open_call.h"

/* asker is a process that waits for an answer. */
struct asker {
    struct table_entry entry;
    struct pid_key key;
    uint32_t calls; /* head of a list */
    uint32_t num_heard; /* messages and exit signals that it got while it waits */
    int64_t heard_ns;   /* the last one; 0 none */
};

void calls_by_caller_link(struct calls *calls, struct open_call *call);
void calls_by_caller_unlink(struct calls *calls, struct open_call *call);

/* calls_by_caller_hears tells that a message or an exit signal comes to a process. */
void calls_by_caller_hears(struct calls *calls, const struct pid_key *caller, int64_t now_ns);

/* calls_by_caller_reacts says whether the caller of a call, which waits for it no longer, does so because
 * of another message that it has just got: where messages come so rarely that this is no chance. */
bool calls_by_caller_reacts(const struct calls *calls, const struct open_call *call, int64_t now_ns);

/* calls_by_caller_first and calls_by_caller_next walk through the calls of a process, the newest first. */
struct open_call *calls_by_caller_first(const struct calls *calls, const struct pid_key *caller);
struct open_call *calls_by_caller_next(const struct calls *calls, const struct open_call *call);

#endif
