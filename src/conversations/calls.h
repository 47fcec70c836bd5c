/*
 * calls.h - the calls that are open: asked and not answered yet. Each is known by the key of
 * its tag (keys.h) and the node that is to answer, belongs to the connection it was sent over, and
 * may be served by a known process, which gives calls their parents. One that its caller has given
 * up has had its record, and is remembered for a late answer.
 */
#ifndef DISTSNIFF_CALLS_H
#define DISTSNIFF_CALLS_H

#include "correlate.h"
#include "habits.h"
#include "held_calls.h"
#include "processes.h"
#include "record.h"

#include <distsniff/otp.h>

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
    bool elsewhere;         /* it asks for the answer to be given by the caller's own node */
    bool awaits_input;      /* as in call */
    const struct ds_term *request;
    const struct note *note; /* for the function it names */
    bool answer_is_exit;     /* the result is the exit reason of the process spawned */
};

struct open_call {
    struct table_entry entry;
    struct ref_key key, alias;
    const struct ds_otp_line *line;
    struct pid_key caller, callee, taker;
    uint32_t asked_node, answer_node; /* they differ once it was forwarded */
    uint32_t callee_name; /* interned, when it was called by name */
    uint64_t number, conn;
    int64_t start_ns;
    uint64_t start_frame;
    bool has_start_seq; /* ds_event.has_seq and end_seq of the message that began it */
    uint32_t start_seq;
    uint64_t losses; /* of the answering direction so far */
    uint64_t parent;
    struct table_link of_conn, of_callee, of_caller;
    uint32_t process, asker; /* in whose lists of_callee and of_caller are; 0 none */
    uint32_t unresolved;     /* the node on which it is served by we don't know whom; else 0 */
    uint32_t num_children;
    uint64_t *children;
    struct ds_term request; /* kept in memory of its own, or absent */
    size_t request_len, kept_len;
    struct call_part {
        uint32_t at, len;
    } mod, fun, args; /* where they stand in the request that was kept; len 0: not there */
    char *mfa, *mfa_elixir;
    uint8_t answer_dir;
    bool parent_ambiguous, parent_inferred;
    bool may_have_parent; /* when it came, its caller may have been serving a call */
    bool answer_is_exit;
    bool has_twin;      /* other calls have the same tag */
    bool is_tentative, is_forwarded, elsewhere, awaits_input;
    bool is_behind;     /* it came while its callee was at other work */
    bool given_up;      /* the caller has, and its record is out */
    bool caller_ended;
    bool began_before; /* the capture */
};

enum { MAX_CHILDREN = 1024, MAX_TWINS = 64, MAX_GIVEN_UP = 1024 };

/* call_end is how a call ended. */
struct call_end {
    const struct ds_event *event; /* NULL: none */
    int64_t end_ns;
    enum call_outcome outcome;
    const char *error_class;
    struct ds_term result, reason;
};

struct calls {
    struct table table;
    struct table conns;  /* connections with open calls */
    struct table askers; /* processes with open calls (asking.h) */
    struct {
        uint64_t number;
        uint32_t place; /* in table; the call is gone when that has another number */
    } given_up[MAX_GIVEN_UP]; /* a ring */
    uint64_t num_given_up;
    struct table habits; /* habits.h */
    struct intern *intern;
    struct processes processes;
    uint64_t num_started, num_dropped, no_memory;
    uint64_t num_unresolved; /* open calls to names whose pid is not known */
    size_t keep;             /* longest request to be kept, 0 none */
    enum ends_seen_by ends_seen_by;
    size_t kept_len;         /* of all kept now */
    struct ds_buffer scratch;
    struct held_calls held;
    record_fn emit;
    void *context;
};

/* calls_tell_parents says whether anybody looks at which call was made for which. */
static inline bool calls_tell_parents(const struct calls *calls)
{
    return calls->ends_seen_by == ENDS_SEEN_BY_ALL || calls->ends_seen_by == ENDS_SEEN_BY_OUTPUTS;
}

/* calls_tell_answered says whether anybody looks at the ends of calls that messages ended. */
static inline bool calls_tell_answered(const struct calls *calls)
{
    return calls->ends_seen_by == ENDS_SEEN_BY_ALL || calls->ends_seen_by == ENDS_SEEN_BY_FINDINGS;
}

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

/* calls_set_callee tells which process is doing the work. learn: it answered for the name
 * that the call was sent to, and so has that name. */
void calls_set_callee(struct calls *calls, struct open_call *call, const struct pid_key *pid,
                      bool learn);

/* calls_forward tells that another process is to answer: a pid, or named, on that node. */
void calls_forward(struct calls *calls, struct open_call *call, const struct pid_key *to,
                   uint32_t node);

/* calls_give_old gives out the records of calls that waited long enough for their parents, or in
 * vain. To be called now and then. */
static inline void calls_give_old(struct calls *calls, int64_t now_ns)
{
    if (calls->held.table.num == 0)
        return;
    held_calls_give_old(&calls->held, now_ns - HELD_CALLS_NS);
    if (calls->num_unresolved == 0 && calls->held.num_for_parent != 0)
        held_calls_give_orphans(&calls->held);
}

/* calls_end gives out the record of a call that ended and forgets it. */
void calls_end(struct calls *calls, struct open_call *call, const struct call_end *end);

/* calls_give_up gives out the record of a call that the caller waits for no longer: at once, or
 * when it is known whether there is a late answer. The call is remembered. */
void calls_give_up(struct calls *calls, struct open_call *call, const struct call_end *end);

/* calls_forget drops a call without a record. */
void calls_forget(struct calls *calls, struct open_call *call);

/* calls_note_death tells what became of a caller that has just given up, as its time looks like a
 * timeout: it has_ended, and that was why; or it had given up. */
void calls_note_death(struct calls *calls, const struct pid_key *caller, bool has_ended,
                      int64_t now_ns);

/* calls_heard_late tells that an answer came to a call that was given up, which forgets it. */
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

/* calls_fill_party describes a process. titles is room that out may point to. */
void calls_fill_party(const struct calls *calls, const struct pid_key *key, struct party *out,
                      struct titles *titles);

#endif
