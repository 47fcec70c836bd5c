/*
 * asking.h - what each process has asked and still waits for: its calls, as a list.
 */
#ifndef DISTSNIFF_ASKING_H
#define DISTSNIFF_ASKING_H

#include "open_call.h"

/* asker is a process that waits for an answer. */
struct asker {
    struct table_entry entry;
    struct pid_key key;
    uint32_t calls; /* head of a list */
};

void asking_link(struct calls *calls, struct open_call *call);
void asking_unlink(struct calls *calls, struct open_call *call);

/* asking_first and asking_next walk through the calls of a process, the newest first. */
struct open_call *asking_first(const struct calls *calls, const struct pid_key *caller);
struct open_call *asking_next(const struct calls *calls, const struct open_call *call);

#endif
