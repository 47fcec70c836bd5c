/*
 * calls.h - calls begin, are found by what answers them, and end: what is kept of them (open_call.h)
 * changes here, and they give their records. Who serves them: call_parent.h.
 */
#ifndef DISTSNIFF_CALLS_H
#define DISTSNIFF_CALLS_H

#include "analyse/calls/open_call.h"

/* call_start is a request. */
struct call_start {
    const struct ds_event *event;
    const struct ds_otp_line *line;
    struct ref_key key, alias; /* alias: where the answer may go instead of to the caller */
    struct pid_key caller, taker; /* taker: the process that the answer goes to */
    struct pid_key callee;  /* of a pid, or named */
    uint32_t node;          /* of the callee, interned; 0 not known */
    bool is_tagless;        /* the caller can have one of these calls at a time */
    bool is_tentative;      /* only its answer will tell that it is one */
    enum answer_place place; /* as in open_call */
    bool awaits_input;      /* as in call */
    const struct ds_term *request;
    const struct note *note; /* for the function it names */
    bool is_undecided;       /* as in open_call */
    bool answer_is_exit;     /* the result is the exit reason of the process spawned */
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

/* Nobody waits for less: timeouts are in milliseconds. */
enum { LEAST_TIMEOUT_NS = 1000000 };

/* What all open calls together may keep of their requests. */
enum { CALLS_KEPT_MAX = 8 << 20 };

void calls_init(struct calls *calls, struct intern *intern, uint64_t max_calls,
                uint64_t max_processes, record_fn emit, void *context);
void calls_free(struct calls *calls);

/* calls_find finds what was asked with that tag of that node (0: of any). Among several it is one
 * that is open rather than one given up, one of that process (NULL: any), the oldest. */
struct open_call *calls_find(const struct calls *calls, const struct ref_key *key, uint32_t node,
                             const struct pid_key *callee);

/* calls_open notes a request. Several may have one tag. At the cap the oldest ends as unknown.
 * NULL when memory ran out. */
struct open_call *calls_open(struct calls *calls, const struct call_start *start);

/* calls_give_old gives out the records of calls that waited long enough for their parents, or in
 * vain. To be called now and then. */
static inline void calls_give_old(struct calls *calls, int64_t now_ns)
{
    if (calls->held.table.num == 0)
        return;
    pending_calls_give_old(&calls->held, now_ns - PENDING_CALLS_NS);
    if (calls->num_unresolved == 0 && calls->held.num_for_parent != 0)
        pending_calls_give_orphans(&calls->held);
}

/* calls_end gives out the record of a call that ended and forgets it. */
void calls_end(struct calls *calls, struct open_call *call, const struct call_end *end);

/* calls_end_by_down ends a call by the DOWN of its monitor. Its record waits a moment: where the caller
 * ends that monitor all the same, it had given up before the DOWN reached it. */
void calls_end_by_down(struct calls *calls, struct open_call *call, const struct call_end *end,
                       const struct ref_key *monitor);

/* calls_find_crossed finds the record that waits for the end of that monitor, NULL when there is none;
 * calls_had_given_up tells that it came, and how the call ended. */
struct pending_call *calls_find_crossed(const struct calls *calls, const struct pid_key *caller,
                                        const struct ref_key *monitor);
void calls_had_given_up(struct calls *calls, struct pending_call *held, const struct ds_event *event,
                        enum call_outcome outcome, enum certainty certainty);

/* calls_give_up gives out the record of a call that the caller waits for no longer: at once, or
 * when it is known whether there is a late answer. The call is remembered. */
void calls_give_up(struct calls *calls, struct open_call *call, const struct call_end *end);

/* calls_forget drops a call without a record. */
void calls_forget(struct calls *calls, struct open_call *call);

/* caller_fate is what became of a caller that has just given up: it ended, and that was why, if it had
 * given up after a time as timeouts have; or it had given up, as it went on to do something; or it ended
 * for the timeout of its call. */
enum caller_fate { CALLER_ENDED, CALLER_GOES_ON, CALLER_TIMED_OUT };

void calls_note_fate(struct calls *calls, const struct pid_key *caller, enum caller_fate fate,
                     int64_t now_ns);

/* calls_heard_late tells that an answer came to a call that was given up, which forgets it. Where its
 * caller has gone on as well, it was a timeout; servers answer the dead, too. */
void calls_heard_late(struct calls *calls, struct open_call *call, int64_t now_ns);

/* calls_end_conn ends all calls of a connection. outcome OPEN: as the capture ended, each is
 * unanswered, or unknown when something is missing. */
void calls_end_conn(struct calls *calls, const struct ds_event *event, enum call_outcome outcome);

/* calls_end_all ends what is left. */
void calls_end_all(struct calls *calls, int64_t end_ns, enum call_outcome outcome);

/* calls_visit_open gives the calls that are open, oldest first, as records of calls that end now
 * with CALL_OPEN. Nothing is changed by that. */
void calls_visit_open(const struct calls *calls, int64_t now_ns, record_fn visit, void *context);

/* calls_visit_overdue does so with those that began after after_ns and not after until_ns. */
void calls_visit_overdue(const struct calls *calls, int64_t after_ns, int64_t until_ns,
                         int64_t now_ns, record_fn visit, void *context);

/* calls_lost_answer says whether what answers the call has had gaps or faults since. */
bool calls_lost_answer(const struct open_call *call, const struct ds_conn *conn);

/* calls_note_unread is called for a message in which atoms are unknown, or only likely, and which answers
 * no call as far as is known. It goes to that process (NULL: unknown), or has that reference (NULL:
 * none). */
void calls_note_unread(struct calls *calls, const struct ds_event *event, const struct pid_key *to,
                       const struct ref_key *ref);

/* calls_may_be_answered says whether such a message came that may answer the call. */
bool calls_may_be_answered(const struct calls *calls, const struct open_call *call);

/* calls_fill_party describes a process. titles is room that out may point to. */
void calls_fill_party(const struct calls *calls, const struct pid_key *key, struct party *out,
                      struct titles *titles);

#endif
