/*
 * detect_awake.c - a node that did not respond for a while (DS216), as if it was suspended: it sent
 * nothing, though requests to several of its processes came and its kernel acknowledged them. Then
 * it answered all of them at once.
 *
 * If one process is slow, others of its node still answer. Calls that began together and last
 * equally long end together as well: the requests have to lie further apart than the answers.
 */
#include "analyse/findings/detect.h"

#include "analyse/findings/wording_say.h"
#include "core/hash.h"
#include "record/paused.h"

#include <string.h>

#define MS INT64_C(1000000)
#define WAITED_NS (1000 * MS) /* a faster answer was not held up */
#define APART_NS (20 * MS)
#define TIMEOUTS_NS (100 * MS) /* people write timeouts in multiples of this */
#define LATE_NS (20 * MS)      /* and they fire at most this late */
#define EARLY_NS (5 * MS)      /* or this early: the request itself left late */

#define SPEAKS_NS (5000 * MS)  /* a node may have stopped this long before the first request */

enum { ANSWERS_TO_REQUESTS = 4, LEAST_CALLEES = 2, OFTEN = 8 };

/* find finds the latest pause of an end; if to_ns is not 0, the pause that ended then. */
static struct awake *find(struct detect *d, uint64_t conn, int dir, int64_t to_ns)
{
    for (size_t i = 0; i < MAX_AWAKE; i++) {
        struct awake *a = &d->awake[i];
        if (a->is_used && a->conn == conn && a->dir == dir && (to_ns == 0 || a->to_ns == to_ns))
            return a;
    }
    return NULL;
}

/* begin records a pause in place of the oldest one. */
static struct awake *begin(struct detect *d, const struct ds_event *event)
{
    const struct ds_tcp_side *side = &event->conn->link->side[event->dir];
    const struct ds_endpoint *end = &event->conn->end[event->dir];
    struct awake *old = find(d, event->conn->number, event->dir, 0);
    struct awake *a = old != NULL ? old : &d->awake[d->num_awake++ % MAX_AWAKE];
    *a = (struct awake){.is_used = true,
                        .conn = event->conn->number,
                        .dir = event->dir,
                        .from_ns = side->pause_from_ns,
                        .to_ns = side->pause_to_ns,
                        .heard_ns = side->pause_heard_ns,
                        .usual_ns = side->pause_usual_ns};
    a->len = detect_keep(a->name, sizeof a->name, end->node);
    a->addr = end->addr;
    a->port = end->port;
    d->awake_ns = a->to_ns;
    return a;
}

/* was_told says whether this pause of the node was already reported for another of its links. */
static bool was_told(const struct detect *d, const struct awake *a)
{
    for (size_t i = 0; i < MAX_AWAKE; i++) {
        const struct awake *other = &d->awake[i];
        if (other->is_used && other->is_told && other->to_ns + WAITED_NS > a->to_ns &&
            other->len == a->len && memcmp(other->name, a->name, a->len) == 0 &&
            (a->len != 0 || memcmp(&other->addr, &a->addr, sizeof a->addr) == 0))
            return true;
    }
    return false;
}

/* begin_of returns when a node stopped: after its last packet, if it had been sending more often,
 * else at the first request that it did not answer. */
static int64_t begin_of(const struct awake *a)
{
    const int64_t quiet_ns = a->first_ns - a->from_ns;
    return a->usual_ns != 0 && quiet_ns > OFTEN * a->usual_ns && quiet_ns <= SPEAKS_NS ? a->from_ns
                                                                                       : a->first_ns;
}

static void report(struct detect *d, struct awake *a)
{
    a->is_told = !was_told(d, a);
    if (!a->is_told)
        return;
    struct finding *f = detect_begin(d, FINDING_DS216, NULL);
    const int64_t begin_ns = begin_of(a);
    detect_lasts(d, begin_ns);
    f->is_over = true;
    f->evidence[0].conn = a->conn;
    f->evidence[0].ts_ns = a->to_ns;
    f->node[0].len = detect_keep(f->node[0].text, sizeof f->node[0].text, text_of(a->name, a->len));
    const struct ds_endpoint end = {
        .node = text_of(a->len != 0 ? a->name : NULL, a->len), .addr = a->addr, .port = a->port};
    wording_say(&f->sentence, "{node} did not respond for a while", an_end(&end));
    wording_say(&f->detail,
                begin_ns == a->first_ns
                    ? "it sent nothing for {silent} after a request, though its kernel acknowledged what "
                      "came; "
                    : "it sent nothing for {silent}, though it had been sending more often before, and "
                      "its kernel acknowledged what came; ",
                a_span(a->to_ns - begin_ns));
    wording_add(&f->detail, "then processes that were asked at different times answered at once: the node "
                            "was suspended or stuck, or they waited for the same thing");
    detect_frame(f, a->first_frame, "the first request");
    detect_frame(f, a->frame, "an answer");
    detect_unsure(f, CERTAINTY_LIKELY, "the log of its host, or a capture of its other links");
    detect_commit(d);
}

/* on_answer handles an answer to a request that waited. is_late: as a reply that no process waits
 * for. */
static void on_answer(struct detect *d, struct awake *a, bool is_late, uint64_t callee, int64_t start_ns,
                      int64_t end_ns)
{
    if (a->is_told || start_ns <= a->from_ns || start_ns > a->to_ns - WAITED_NS ||
        end_ns < a->to_ns || end_ns > a->to_ns + DETECT_AWAKE_NS)
        return;
    if (a->num_callees[0] + a->num_callees[1] == 0) {
        a->first_ns = a->last_ns = start_ns;
        a->answered_ns[0] = a->answered_ns[1] = end_ns;
    }
    a->first_ns = start_ns < a->first_ns ? start_ns : a->first_ns;
    a->last_ns = start_ns > a->last_ns ? start_ns : a->last_ns;
    a->answered_ns[0] = end_ns < a->answered_ns[0] ? end_ns : a->answered_ns[0];
    a->answered_ns[1] = end_ns > a->answered_ns[1] ? end_ns : a->answered_ns[1];
    if (a->num_callees[is_late] == 0 || a->callee[is_late] != callee)
        a->num_callees[is_late]++;
    a->callee[is_late] = callee;
    const int64_t apart_ns = a->last_ns - a->first_ns;
    if ((a->num_callees[0] < LEAST_CALLEES && a->num_callees[1] < LEAST_CALLEES) ||
        a->to_ns - a->first_ns < PAUSED_NS || a->heard_ns <= a->first_ns ||
        apart_ns < ANSWERS_TO_REQUESTS * (a->answered_ns[1] - a->answered_ns[0]) + APART_NS ||
        detect_was_unread(detect_find_watched(d, a->conn), a->first_ns))
        return;
    report(d, a);
}

void detect_awake(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_first = paused_before(event);
    struct awake *a = find(d, event->conn->number, event->dir,
                           is_first ? event->conn->link->side[event->dir].pause_to_ns : 0);
    if (a == NULL && is_first)
        a = begin(d, event);
    if (a == NULL)
        return;
    a->frame = event->frame;
    struct ds_identity pid;
    const struct ds_term *from = &event->message.role[DS_ROLE_FROM];
    if (record->note.late && record->note.has_latency && from->data != NULL &&
        ds_term_get_identity(from, &pid))
        on_answer(d, a, true, hash_more(1, pid.word, sizeof pid.word[0]),
                  event->ts_ns - record->note.latency_ns, event->ts_ns);
}

/* find_of finds the pause of the end of one party of a call: by its node's name or, if that is
 * unknown, by the packet of the answer. */
static struct awake *find_of(struct detect *d, const struct call *call, struct ds_text node)
{
    for (size_t i = 0; i < MAX_AWAKE; i++) {
        struct awake *a = &d->awake[i];
        const bool is_known = node.data != NULL && a->len != 0;
        if (a->is_used && a->conn == call->conn &&
            (is_known ? node.len == a->len && memcmp(node.data, a->name, a->len) == 0
                      : call->end_frame == a->frame))
            return a;
    }
    return NULL;
}

void detect_awake_call(struct detect *d, const struct call *call)
{
    const struct party *callee = &call->callee;
    struct awake *a = find_of(d, call, callee->node);
    if (a == NULL || call->began_before ||
        (call->outcome != CALL_OK && call->outcome != CALL_ERROR && call->outcome != CALL_NOPROC))
        return;
    const uint64_t key = callee->has_pid ? hash_more(1, &callee->id, sizeof callee->id)
                                         : hash_short(2, callee->name);
    if (a->num_callees[false] == 0)
        a->first_frame = call->start_frame;
    on_answer(d, a, false, key, call->start_ns, call->end_ns);
}

bool detect_caller_woke(struct detect *d, const struct call *call)
{
    const int64_t waited_ns = call->end_ns - call->start_ns;
    const bool is_late = call->outcome == CALL_TIMEOUT || call->outcome == CALL_ABANDONED;
    const struct awake *a = is_late ? find_of(d, call, call->caller.node) : NULL;
    return a != NULL && call->end_ns >= a->to_ns && call->end_ns - a->to_ns <= DETECT_AWAKE_NS &&
           call->start_ns <= a->from_ns && (waited_ns + EARLY_NS) % TIMEOUTS_NS > EARLY_NS + LATE_NS;
}
