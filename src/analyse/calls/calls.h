/*
 * calls.h - calls are opened, found by their answers, and ended. This changes the table of open
 * calls (open_call.h) and emits the records of calls. Which process serves them: call_parent.h.
 */
#ifndef DISTSNIFF_CALLS_H
#define DISTSNIFF_CALLS_H

#include "analyse/calls/open_call.h"

/* call_start is a request. */
struct call_start {
    const struct ds_event *event;
    const struct ds_otp_line *line;
    struct ref_key key, alias; /* alias: the answer may go to it instead of the caller */
    struct pid_key caller, taker; /* taker: the process that gets the answer */
    struct pid_key callee;  /* a pid or a name */
    uint32_t node;          /* of the callee, interned; 0 unknown */
    uint32_t name;          /* to which it was sent, interned; 0: to a pid, or unknown */
    bool is_tagless;        /* the caller can have one such call at a time */
    bool is_tentative;      /* only its answer will prove that it is a call */
    enum answer_place place; /* as in open_call */
    bool awaits_input;      /* as in call */
    const struct ds_term *request;
    const struct note *note; /* for the function that it names */
    bool is_undecided;       /* as in open_call */
    bool answer_is_exit;     /* the result is the exit reason of the spawned process */
};

/* call_end is how a call ended. */
struct call_end {
    const struct ds_event *event; /* NULL: none */
    int64_t end_ns;
    enum call_outcome outcome;
    enum certainty certainty; /* of the outcome */
    const char *error_class;
    struct ds_term result, reason;
};

/* No caller waits for less: timeouts are in milliseconds. */
enum { LEAST_TIMEOUT_NS = 1000000 };

/* Limit on the kept requests of all open calls together, in bytes. */
enum { CALLS_KEPT_MAX = 8 << 20 };

void calls_init(struct calls *calls, struct intern *intern, uint64_t max_calls,
                uint64_t max_processes, record_fn emit, void *context);
void calls_free(struct calls *calls);

/* calls_find finds the call with that tag to that node (0: any). Among several it prefers an open
 * one to one abandoned, one of that process (NULL: any), and the oldest. */
struct open_call *calls_find(const struct calls *calls, const struct ref_key *key, uint32_t node,
                             const struct pid_key *callee);

/* calls_open records a request. Several may have the same tag. At the cap the oldest call ends as
 * unknown. NULL if memory ran out. */
struct open_call *calls_open(struct calls *calls, const struct call_start *start);

/* calls_release_old emits the records of calls that have waited long enough for their parents, and of
 * those for which no parent can follow any more. Call it now and then. */
static inline void calls_release_old(struct calls *calls, int64_t now_ns)
{
    if (calls->held.table.num == 0)
        return;
    pending_calls_release_old(&calls->held, now_ns - PENDING_CALLS_NS);
    if (calls->num_unresolved == 0 && calls->held.num_for_parent != 0)
        pending_calls_release_orphans(&calls->held);
}

/* calls_end emits the record of a call that ended and forgets the call. */
void calls_end(struct calls *calls, struct open_call *call, const struct call_end *end);

/* calls_end_by_down ends a call by the DOWN of its monitor. Its record waits a moment: if the
 * caller then ends that monitor anyway, it had stopped waiting before the DOWN reached it. */
void calls_end_by_down(struct calls *calls, struct open_call *call, const struct call_end *end,
                       const struct ref_key *monitor);

/* calls_find_crossed finds the record that waits for the end of that monitor, NULL if there is
 * none; calls_set_given_up records that the end came, and how the call ended. */
struct pending_call *calls_find_crossed(const struct calls *calls, const struct pid_key *caller,
                                        const struct ref_key *monitor);
void calls_set_given_up(struct calls *calls, struct pending_call *held, const struct ds_event *event,
                        enum call_outcome outcome, enum certainty certainty);

/* calls_abandon emits the record of a call for which the caller no longer waits: at once, or when
 * it is known whether a late answer comes. The call is remembered. */
void calls_abandon(struct calls *calls, struct open_call *call, const struct call_end *end);

/* calls_forget drops a call without a record. */
void calls_forget(struct calls *calls, struct open_call *call);

/* caller_fate is what became of a caller that has just stopped waiting. CALLER_ENDED: it ended, which
 * explains why, unless it waited as long as a timeout. CALLER_GOES_ON: it did something else, so it
 * had stopped waiting. CALLER_TIMED_OUT: it ended because its call timed out. */
enum caller_fate { CALLER_ENDED, CALLER_GOES_ON, CALLER_TIMED_OUT };

void calls_set_fate(struct calls *calls, const struct pid_key *caller, enum caller_fate fate,
                    int64_t now_ns);

/* calls_heard_late records an answer to a call that was abandoned, and forgets the call. If its
 * caller has also gone on, it was a timeout; servers answer dead callers, too. */
void calls_heard_late(struct calls *calls, struct open_call *call, int64_t now_ns);

/* calls_end_conn ends all calls of a connection. outcome OPEN: the capture has ended; each call is
 * unanswered, or unknown if data is missing. */
void calls_end_conn(struct calls *calls, const struct ds_event *event, enum call_outcome outcome);

/* calls_end_all ends all calls that are left. */
void calls_end_all(struct calls *calls, int64_t end_ns, enum call_outcome outcome);

/* calls_visit_open passes on the open calls, oldest first, as records of calls that end now with
 * CALL_OPEN. It changes nothing. */
void calls_visit_open(const struct calls *calls, int64_t now_ns, record_fn visit, void *context);

/* calls_visit_overdue does the same for calls that began after after_ns and not after until_ns. */
void calls_visit_overdue(const struct calls *calls, int64_t after_ns, int64_t until_ns,
                         int64_t now_ns, record_fn visit, void *context);

/* calls_lost_answer says whether the answering direction has had gaps or faults since the call
 * began. */
bool calls_lost_answer(const struct open_call *call, const struct ds_conn *conn);

/* calls_add_unread records a message that has unknown or likely atoms and answers no known call.
 * It goes to process to (NULL: unknown), or carries reference ref (NULL: none). */
void calls_add_unread(struct calls *calls, const struct ds_event *event, const struct pid_key *to,
                      const struct ref_key *ref);

/* calls_may_be_answered says whether a message arrived that may answer the call. */
bool calls_may_be_answered(const struct calls *calls, const struct open_call *call);

/* calls_fill_party describes a process. titles provides room to which out may point. */
void calls_fill_party(const struct calls *calls, const struct pid_key *key, struct party *out,
                      struct titles *titles);

#endif
