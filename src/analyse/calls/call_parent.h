/*
 * call_parent.h - which process serves a call, and for which call a process makes its own calls.
 * This is what builds trees of calls.
 *
 * The packets show which process asked which other one, and when. When exactly one call is open to
 * a process, its own calls are made for that one, unless the process was, or may well have been,
 * busy with something else when it arrived (process_activity.h).
 *
 * Such a parent is marked as inferred, unless the process was spawned for the call alone. A server
 * may put a request aside and answer it when there is news: from then on the request is the parent
 * of nothing. An answer to a later request proves that it did; it may have if another message
 * arrived, or if it did nothing for the request for a while. A call that its caller has abandoned is
 * still served until the process answers it, answers a later one, or ends.
 *
 * Which process serves a call to a name, or to a process yet to be spawned, is only known from the
 * answer. Calls that it made before may have ended by then: their records wait a moment
 * (pending_calls.h).
 */
#ifndef DISTSNIFF_CALL_PARENT_H
#define DISTSNIFF_CALL_PARENT_H

#include "analyse/calls/open_call.h"

/* Packets of two connections overtake each other by at most this. */
enum { CROSSING_NS = 100000000 };

/* After a pause of this length, a call of a server may be for a caller that the sniffer does not
 * see. */
enum { IDLE_NS = 100000000 };

/* call_parent_resolve replaces a callee that is a name by the process that is known to have it.
 * creation of its node, 0: any. */
void call_parent_resolve(struct calls *calls, struct open_call *call, uint32_t creation);

/* call_parent_link records that call->callee, if known, serves a call. */
void call_parent_link(struct calls *calls, struct open_call *call);
void call_parent_unlink(struct calls *calls, struct open_call *call);

/* call_parent_find looks for the call that the caller is serving when it makes this one. With
 * several, the parent is ambiguous. With none, the caller may turn out later to be a process called
 * by name. */
void call_parent_find(struct calls *calls, struct open_call *call);

/* call_parent_set_callee records which process does the work. learn: it answered for the name that
 * the call was sent to, and so has that name. */
void call_parent_set_callee(struct calls *calls, struct open_call *call, const struct pid_key *pid,
                      bool learn);

/* call_parent_forward records that another process will answer: a pid, or a name on that node. */
void call_parent_forward(struct calls *calls, struct open_call *call, const struct pid_key *to,
                   uint32_t node);

/* call_parent_may_follow says whether the parent of a call without one may still be found. */
bool call_parent_may_follow(const struct calls *calls, const struct open_call *call);

/* call_parent_on_work records that a call has ended for its caller. If it was made for no call
 * that we know of, the caller may continue with its own work. */
void call_parent_on_work(struct calls *calls, const struct open_call *call, int64_t end_ns);

/* call_parent_on_cast records that a process (or the one with that name) gets a cast, which may
 * keep it busy when a request arrives. */
void call_parent_on_cast(struct calls *calls, const struct pid_key *to, int64_t now_ns);

/* call_parent_on_message records that a process (or the one with that name) gets a message that
 * is neither request nor answer: its calls from now on may be for that message. */
void call_parent_on_message(struct calls *calls, const struct pid_key *to, int64_t now_ns);

/* call_parent_answered records that the callee has answered: its later calls are not for this call,
 * nor for earlier ones that were abandoned. A call that it began just before and that is still open
 * may come from after the answer, as packets of two connections overtake each other. */
void call_parent_answered(struct calls *calls, struct open_call *call, int64_t now_ns);

/* call_parent_ended records that a process has ended: it no longer serves calls that were abandoned. */
void call_parent_ended(struct calls *calls, const struct pid_key *pid);

/* call_parent_drop forgets what a process was serving that is evicted. */
void call_parent_drop(void *context, struct process *process);

#endif
