/*
 * open_call.h - the open calls: requests that are not answered yet. A call is identified by the key
 * of its tag (pid_key.h) and the node that should answer. It belongs to the connection that carried
 * the request, and may be served by a known process, which gives calls their parents. A call that
 * its caller has abandoned has had its record, and is remembered for a late answer.
 */
#ifndef DISTSNIFF_OPEN_CALL_H
#define DISTSNIFF_OPEN_CALL_H

#include "analyse/calls/correlate.h"
#include "analyse/calls/pending_calls.h"
#include "analyse/calls/process_activity.h"
#include "analyse/calls/processes.h"
#include "record/record.h"

#include <distsniff/otp.h>

/* answer_place says whether the answer to a call passes over a connection. The process that answers
 * may be on the caller's own node, as with ra; an unknown atom may decide which process answers. */
enum answer_place { ANSWER_PASSES, ANSWER_ELSEWHERE, ANSWER_PLACE_UNKNOWN };

struct open_call {
    struct table_entry entry;
    struct ref_key key, alias;
    const struct ds_otp_line *line;
    struct pid_key caller, callee, taker;
    uint32_t asked_node, answer_node; /* they differ after the call was forwarded */
    uint32_t callee_name; /* interned, if it was called by name */
    uint64_t number, conn;
    int64_t start_ns;
    int64_t stalled_ns; /* how long before start_ns its request may have been sent (ds_message) */
    int64_t work_ns; /* when a call made for it last began or ended; 0 never */
    uint64_t start_frame;
    bool has_start_seq; /* ds_event.has_seq and end_seq of the message that began it */
    uint32_t start_seq;
    uint64_t losses; /* of the answering direction when it began */
    uint32_t unread; /* likewise: messages that may answer any call */
    uint64_t parent;
    struct table_link of_conn, of_callee, of_caller;
    uint32_t process, asker; /* numbers of the processes with the lists of_callee and of_caller; 0
                              * none */
    uint32_t unresolved;     /* the node, if the process that serves it is unknown; else 0 */
    uint32_t num_heard;      /* of the asker, when it asked: calls_by_caller.h */
    uint32_t likely_atoms;   /* of its request */
    uint32_t num_children;
    uint64_t *children;
    struct ds_term request; /* allocated separately, or absent */
    size_t request_len, kept_len;
    struct call_part {
        uint32_t at, len;
    } mod, fun, args; /* their position in the kept request; len 0: not in it */
    char *mfa, *mfa_elixir;
    uint8_t answer_dir;
    bool parent_ambiguous, parent_inferred;
    bool may_have_parent; /* when it began, its caller may have been serving a call */
    bool answer_is_exit;
    bool has_twin;      /* other calls have the same tag */
    enum answer_place place;
    bool is_tentative, is_forwarded, awaits_input;
    bool is_behind;     /* its callee is, or may be, busy with other work */
    bool is_undecided;  /* an unknown atom decides how it ends */
    bool is_watched;    /* its monitor is known, or its tag is the monitor's */
    bool may_be_answered; /* a message with unknown atoms came for its caller */
    bool given_up;      /* the caller has stopped waiting, and the record was emitted */
    bool caller_ended;
    bool began_before; /* before the capture */
    bool is_part;      /* its request is incomplete */
    bool is_unread;    /* atoms in it are unknown, or it is malformed */
};

enum { MAX_CHILDREN = 1024, MAX_TWINS = 64, MAX_GIVEN_UP = 1024 };

/* calls is all open calls, and what is known of callers and callees. */
struct calls {
    struct table table;
    struct table conns;  /* connections with open calls */
    struct table askers; /* processes with open calls (calls_by_caller.h) */
    struct {
        uint64_t number;
        uint32_t place; /* in table; the call is gone if that place has another number */
    } given_up[MAX_GIVEN_UP]; /* a ring buffer */
    uint64_t num_given_up;
    struct table activities; /* process_activity.h */
    struct intern *intern;
    struct processes processes;
    uint64_t num_started, num_dropped, no_memory;
    uint64_t num_unresolved; /* open calls to names whose pid is not known */
    bool is_elixir;          /* Elixir's syntax is shown, perhaps besides Erlang's */
    size_t keep;             /* longest request to keep, in bytes; 0 none */
    enum ends_seen_by ends_seen_by;
    size_t kept_len;         /* of all that are kept now */
    struct ds_buffer scratch;
    struct pending_calls held;
    record_fn emit;
    void *context;
};

/* calls_want_parents says whether anything uses the parents of calls. */
static inline bool calls_want_parents(const struct calls *calls)
{
    return calls->ends_seen_by == ENDS_SEEN_BY_ALL || calls->ends_seen_by == ENDS_SEEN_BY_OUTPUTS;
}

/* calls_want_answered says whether anything uses the ends of calls that messages ended. */
static inline bool calls_want_answered(const struct calls *calls)
{
    return calls->ends_seen_by == ENDS_SEEN_BY_ALL || calls->ends_seen_by == ENDS_SEEN_BY_FINDINGS;
}

#endif
