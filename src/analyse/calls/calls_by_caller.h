/*
 * calls_by_caller.h - the calls of each process that still waits for answers, as a list.
 */
#ifndef DISTSNIFF_CALLS_BY_CALLER_H
#define DISTSNIFF_CALLS_BY_CALLER_H

#include "analyse/calls/open_call.h"

/* asker is a process that waits for an answer. */
struct asker {
    struct table_entry entry;
    struct pid_key key;
    uint32_t calls; /* head of a list */
    uint32_t num_heard; /* messages and exit signals that it got while waiting */
    int64_t heard_ns;   /* when the last one came; 0 none */
};

void calls_by_caller_link(struct calls *calls, struct open_call *call);
void calls_by_caller_unlink(struct calls *calls, struct open_call *call);

/* calls_by_caller_hears records that a message or an exit signal comes to a process. */
void calls_by_caller_hears(struct calls *calls, const struct pid_key *caller, int64_t now_ns);

/* calls_by_caller_reacts says whether the caller stopped waiting because of another message that it
 * has just got: only where messages come so rarely that this is no coincidence. */
bool calls_by_caller_reacts(const struct calls *calls, const struct open_call *call, int64_t now_ns);

/* calls_by_caller_first and calls_by_caller_next iterate over the calls of a process, newest first. */
struct open_call *calls_by_caller_first(const struct calls *calls, const struct pid_key *caller);
struct open_call *calls_by_caller_next(const struct calls *calls, const struct open_call *call);

#endif
