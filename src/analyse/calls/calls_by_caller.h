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
};

void calls_by_caller_link(struct calls *calls, struct open_call *call);
void calls_by_caller_unlink(struct calls *calls, struct open_call *call);

/* calls_by_caller_first and calls_by_caller_next walk through the calls of a process, the newest first. */
struct open_call *calls_by_caller_first(const struct calls *calls, const struct pid_key *caller);
struct open_call *calls_by_caller_next(const struct calls *calls, const struct open_call *call);

#endif
