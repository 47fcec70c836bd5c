/*
 * serving.h - which process serves a call, and so for which call it makes its own: the part of
 * calls.h that makes trees of them.
 *
 * Where a call went to a name, the process behind it may only be known by its answer, when
 * calls it has made meanwhile have ended: those wait a moment for it (held_calls.h).
 */
#ifndef DISTSNIFF_SERVING_H
#define DISTSNIFF_SERVING_H

#include "calls.h"

/* serving_link notes who serves a call: call->callee, if there is one. */
void serving_link(struct calls *calls, struct open_call *call);
void serving_unlink(struct calls *calls, struct open_call *call);

/* serving_find_parent looks for the call in whose service the caller makes this one. Several: it
 * can't be told. None: the caller may turn out to be a process that was called by name. */
void serving_find_parent(struct calls *calls, struct open_call *call);

/* serving_may_follow says whether the parent of a call that has none may yet turn up. */
bool serving_may_follow(const struct calls *calls, const struct open_call *call);

/* serving_drop forgets what a process, which is given up, was serving. */
void serving_drop(void *context, struct process *process);

#endif
