/*
 * calls.h - the calls that are open: asked and not answered yet. Each is known by the key of
 * its tag (keys.h), belongs to the connection it was sent over, and may be served by a known
 * process, which gives calls their parents.
 */
#ifndef DISTSNIFF_CALLS_H
#define DISTSNIFF_CALLS_H

#include "held_calls.h"
#include "processes.h"
#include "record.h"

#include <distsniff/otp.h>

/* call_start is a request. */
struct call_start {
    const struct ds_event *event;
    const struct ds_otp_line *line;
    struct ref_key key;
    struct pid_key caller;
    struct pid_key callee;  /* of a pid, or named */
    const struct ds_term *request;
    const struct note *note; /* for the function it names */
    bool answer_is_exit;     /* the result is the exit reason of the process spawned */
};

struct open_call {
    struct table_entry entry;
    struct ref_key key;
    const struct ds_otp_line *line;
    struct pid_key caller, callee;
    uint32_t callee_name; /* interned, when it was called by name */
    uint64_t number, conn;
    int64_t start_ns;
    uint64_t start_frame;
    uint64_t losses; /* of the answering direction so far */
    uint64_t parent;
    struct table_link of_conn, of_callee;
    uint32_t process; /* in whose list of_callee is; 0 none */
    uint32_t num_children;
    uint64_t *children;
    struct ds_term request; /* kept in memory of its own, or absent */
    size_t request_len, kept_len;
    struct call_part {
        uint32_t at, len;
    } mod, fun, args; /* where they stand in the request that was kept; len 0: not there */
    char *mfa;
    uint8_t answer_dir;
    bool parent_ambiguous;
    bool may_have_parent; /* it is among those that its caller made (processes.h) */
    bool answer_is_exit;
};

enum { MAX_CHILDREN = 1024 };

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
    struct table conns; /* connections with open calls */
    struct intern *intern;
    struct processes processes;
    uint64_t num_started, num_dropped, no_memory;
    uint64_t num_unresolved; /* open calls to names whose pid is not known */
    size_t keep;             /* longest request to be kept, 0 none */
    size_t kept_len;         /* of all kept now */
    struct ds_buffer scratch;
    struct held_calls held;
    record_fn emit;
    void *context;
};

/* What all open calls together may keep of their requests. */
enum { CALLS_KEPT_MAX = 8 << 20 };

void calls_init(struct calls *calls, struct intern *intern, uint64_t max_calls,
                uint64_t max_processes);
void calls_free(struct calls *calls);

struct open_call *calls_find(const struct calls *calls, const struct ref_key *key);

/* calls_open notes a request. A call with the same key that is still open ends as unknown;
 * so does the oldest at the cap. NULL when memory ran out. */
struct open_call *calls_open(struct calls *calls, const struct call_start *start);

/* calls_set_callee tells which process is doing the work. learn: it answered for the name
 * that the call was sent to, and so has that name. */
void calls_set_callee(struct calls *calls, struct open_call *call, const struct pid_key *pid,
                      bool learn);

/* calls_give_old gives out the records of calls that waited long enough for their parents, or in
 * vain. To be called now and then. */
static inline void calls_give_old(struct calls *calls, int64_t now_ns)
{
    if (calls->held.num_held != 0)
        held_calls_give_old(&calls->held,
                            calls->num_unresolved != 0 ? now_ns - HELD_CALLS_NS : INT64_MAX);
}

/* calls_end gives out the record of a call that ended and forgets it. */
void calls_end(struct calls *calls, struct open_call *call, const struct call_end *end);

/* calls_end_conn ends all calls of a connection. outcome OPEN: as the capture ended, each is
 * unanswered, or unknown when something is missing. */
void calls_end_conn(struct calls *calls, const struct ds_event *event, enum call_outcome outcome);

/* calls_end_all ends what is left. */
void calls_end_all(struct calls *calls, int64_t end_ns, enum call_outcome outcome);

/* calls_lost_answer says whether what answers the call has had gaps or faults since. */
bool calls_lost_answer(const struct open_call *call, const struct ds_conn *conn);

/* calls_fill_party describes a process. titles is room that out may point to. */
void calls_fill_party(const struct calls *calls, const struct pid_key *key, struct party *out,
                      struct titles *titles);

#endif
