/*
 * call_parent.h - which process serves a call, and so for which call it makes its own: what makes
 * trees of them.
 *
 * What the packets show is who asked whom and when. A process that one call is open to makes its
 * own for that one, unless it was, or may well have been, at other work when that came
 * (process_activity.h).
 * That is an inference, and said to be one, but for a process that was spawned for nothing else. A
 * server may put a request aside, to answer it when there is news: from then on it is the parent of
 * nothing. That it did shows by an answer to a later request; it may have where another message has
 * come, or where the server did nothing for the request for a while. A call that its caller has given
 * up goes on being served, until the process answers it, answers a later one, or ends.
 *
 * Where a call went to a name, or to a process yet to be spawned, that is only known by its answer,
 * when calls it has made meanwhile may have ended: those wait a moment for it (pending_calls.h).
 */
#ifndef DISTSNIFF_CALL_PARENT_H
#define DISTSNIFF_CALL_PARENT_H

#include "analyse/calls/open_call.h"

/* Packets of two connections overtake each other by no more than this. */
enum { CROSSING_NS = 100000000 };

/* What a server asks so long after it did anything else may be for somebody who is not seen. */
enum { IDLE_NS = 100000000 };

/* call_parent_resolve: where the callee is a name, the process that is known to have it takes its
 * place. creation of that node, 0: any. */
void call_parent_resolve(struct calls *calls, struct open_call *call, uint32_t creation);

/* call_parent_link notes who serves a call: call->callee, if there is one. */
void call_parent_link(struct calls *calls, struct open_call *call);
void call_parent_unlink(struct calls *calls, struct open_call *call);

/* call_parent_find looks for the call in whose service the caller makes this one. Several: it
 * can't be told. None: the caller may turn out to be a process that was called by name. */
void call_parent_find(struct calls *calls, struct open_call *call);

/* call_parent_set_callee tells which process is doing the work. learn: it answered for the name
 * that the call was sent to, and so has that name. */
void call_parent_set_callee(struct calls *calls, struct open_call *call, const struct pid_key *pid,
                      bool learn);

/* call_parent_forward tells that another process is to answer: a pid, or named, on that node. */
void call_parent_forward(struct calls *calls, struct open_call *call, const struct pid_key *to,
                   uint32_t node);

/* call_parent_may_follow says whether the parent of a call that has none may yet turn up. */
bool call_parent_may_follow(const struct calls *calls, const struct open_call *call);

/* call_parent_note_work tells that a call has ended for its caller, which may go on with work of its
 * own where that was for no call that we know of. */
void call_parent_note_work(struct calls *calls, const struct open_call *call, int64_t end_ns);

/* call_parent_note_cast tells that a process, or whoever has that name, gets a cast: another thing that
 * it may be at, when a request comes. */
void call_parent_note_cast(struct calls *calls, const struct pid_key *to, int64_t now_ns);

/* call_parent_note_message tells that a process, or whoever has that name, gets a message that neither asks
 * nor answers: what it asks from now on may be for that one. */
void call_parent_note_message(struct calls *calls, const struct pid_key *to, int64_t now_ns);

/* call_parent_answered tells that the callee has answered: what it asks from now on is not for this
 * call, nor for those before it that were given up. What it has asked only just now and waits for
 * may come from after the answer, as packets of two connections overtake each other. */
void call_parent_answered(struct calls *calls, struct open_call *call, int64_t now_ns);

/* call_parent_ended tells that a process is no more: it serves nothing that was given up. */
void call_parent_ended(struct calls *calls, const struct pid_key *pid);

/* call_parent_drop forgets what a process, which is given up, was serving. */
void call_parent_drop(void *context, struct process *process);

#endif
