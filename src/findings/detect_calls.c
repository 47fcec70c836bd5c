/*
 * detect_calls.c - findings of family 3: messages that come too late or cannot be read, calls that
 * fail or are never answered.
 */
#include "detect.h"

#include "hash.h"

#include <inttypes.h>

#define SECOND INT64_C(1000000000)
#define HUNG_NS (5 * SECOND)

enum { MIN_CALLS = 5, FAILED_SHARE = 5, TEXT_LEN = 100 };

static void put_party(struct wording *wording, const struct party *party)
{
    if (party->name.data != NULL) {
        wording_put(wording, WORD_ATOM, party->name);
        if (party->node.data != NULL)
            wording_add(wording, " of ");
    } else if (party->has_pid) {
        wording_printf(wording, "<%u.%u> of ", (unsigned)party->id, (unsigned)party->serial);
    }
    if (party->node.data != NULL)
        wording_put(wording, WORD_NODE, party->node);
}

static void set_nodes(struct finding *f, const struct call *call)
{
    const struct ds_text node[2] = {call->caller.node, call->callee.node};
    for (int i = 0; i < 2; i++) {
        if (node[i].data == NULL || node[i].len > FINDING_NODE_LEN)
            continue;
        memcpy(f->node[i].text, node[i].data, node[i].len);
        f->node[i].len = node[i].len;
    }
}

static struct finding *begin_call(struct detect *d, enum finding_code code, const struct call *call)
{
    struct finding *f = detect_begin(d, code, NULL);
    f->evidence[0].conn = call->conn;
    f->evidence[0].ts_ns = call->end_ns;
    set_nodes(f, call);
    detect_frame(f, call->start_frame, "request");
    return f;
}

static void take_hung(struct detect *d, const struct call *call)
{
    if (call->outcome != CALL_UNANSWERED || call->end_ns - call->start_ns < HUNG_NS)
        return;
    struct finding *f = begin_call(d, FINDING_DS305, call);
    wording_printf(&f->sentence, "a %s to ", call->label);
    put_party(&f->sentence, &call->callee);
    wording_add(&f->sentence, " was never answered");
    wording_add(&f->detail, "asked by ");
    put_party(&f->detail, &call->caller);
    wording_add(&f->detail, ", open for ");
    wording_span(&f->detail, call->end_ns - call->start_ns);
    wording_printf(&f->detail, ", call #%" PRIu64, call->number);
    detect_unsure(f, CERTAINTY_LIKELY, "a longer capture");
    detect_commit(d);
}

static bool has_failed(enum call_outcome outcome)
{
    return outcome == CALL_NOPROC || outcome == CALL_ERROR || outcome == CALL_TIMEOUT ||
           outcome == CALL_ABANDONED;
}

static void take_callee(struct detect *d, const struct call *call)
{
    if (call->callee.name.data == NULL || call->callee.node.data == NULL)
        return;
    const uint64_t key = (uint64_t)hash_text(call->callee.name) << 32 | hash_text(call->callee.node);
    const uint32_t hash = hash_key(&key, sizeof key);
    struct callee *c = table_first(&d->callees, hash);
    if (c == NULL) {
        if (table_is_full(&d->callees))
            table_remove(&d->callees, table_oldest(&d->callees));
        c = table_add(&d->callees, hash);
        if (c == NULL) {
            d->no_memory++;
            return;
        }
    }
    c->calls++;
    if (!has_failed(call->outcome))
        return;
    c->failed++;
    c->noproc += call->outcome == CALL_NOPROC;
    c->timeouts += call->outcome == CALL_TIMEOUT || call->outcome == CALL_ABANDONED;
    if (c->is_told || c->calls < MIN_CALLS || c->failed * FAILED_SHARE < c->calls)
        return;
    c->is_told = true;
    struct finding *f = begin_call(d, FINDING_DS310, call);
    wording_add(&f->sentence, "calls of ");
    put_party(&f->sentence, &call->callee);
    wording_add(&f->sentence, " fail");
    wording_printf(&f->detail,
                 "by then %" PRIu64 " of %" PRIu64 ": %" PRIu64 " noproc, %" PRIu64
                 " given up, the rest errors; the latest is call #%" PRIu64,
                 c->failed, c->calls, c->noproc, c->timeouts, call->number);
    detect_frame(f, call->end_frame, "its end");
    detect_commit(d);
}

static void take_late(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    struct finding *f = detect_begin(d, FINDING_DS301, event);
    wording_printf(&f->sentence, "a reply of %s from ",
                 record->note.label != NULL ? record->note.label : "a call");
    wording_end(&f->sentence, &event->conn->end[event->dir]);
    wording_add(&f->sentence, " to ");
    wording_end(&f->sentence, &event->conn->end[!event->dir]);
    wording_add(&f->sentence, " came too late");
    if (record->note.has_latency) {
        wording_add(&f->detail, "after ");
        wording_span(&f->detail, record->note.latency_ns);
        wording_printf(&f->detail, ", call #%" PRIu64, record->note.call);
    }
    detect_frame(f, event->frame, "the reply");
    detect_commit(d);
}

static void take_malformed(struct detect *d, const struct ds_event *event)
{
    if (event->conn->counters[0].gaps + event->conn->counters[1].gaps != 0)
        return; /* the framing may have been found again at a wrong place */
    struct finding *f = detect_begin(d, FINDING_DS306, event);
    wording_end(&f->sentence, &event->conn->end[event->dir]);
    wording_add(&f->sentence, " sends what no node reads: ");
    wording_add(&f->sentence, event->fault.what != NULL ? event->fault.what : "malformed");
    wording_printf(&f->detail, "at offset %" PRIu64 " of the message", event->fault.offset);
    detect_frame(f, event->frame, "the message");
    detect_commit(d);
}

static void take_exit(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_message *m = &event->message;
    const struct ds_term *reason =
        m->payload.data != NULL ? &m->payload : &m->role[DS_ROLE_REASON];
    struct ds_text atom;
    if (reason->data == NULL || !ds_term_get_atom(reason, &atom) || atom.len != 4 ||
        memcmp(atom.data, "kill", 4) != 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS311, event);
    wording_end(&f->sentence, &event->conn->end[event->dir]);
    wording_add(&f->sentence, " kills a process of ");
    wording_end(&f->sentence, &event->conn->end[!event->dir]);
    detect_frame(f, event->frame, "exit/2");
    detect_commit(d);
}

void detect_calls(struct detect *d, const struct record *record)
{
    if (record->call != NULL) {
        take_hung(d, record->call);
        take_callee(d, record->call);
        return;
    }
    const struct ds_event *event = record->event;
    if (record->monitor != NULL || event == NULL || event->type != DS_EVENT_MESSAGE)
        return;
    if (record->note.late)
        take_late(d, record);
    if (record->note.role == NOTE_EXIT && event->message.op != NULL)
        take_exit(d, record);
    if (event->fault.kind == DS_FAULT_MALFORMED)
        take_malformed(d, event);
}
