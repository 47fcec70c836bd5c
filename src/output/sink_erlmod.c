/*
 * sink_erlmod.c - an Erlang module that holds a conversation, for tests:
 *
 *   messages/0, message/1   what was sent: control tuple, payload, and both in external format
 *   calls/0, call/1         request, result, latency, outcome
 *   nodes/0                 who took part
 *   frames/0, frame/1       each frame as sent, single fragments and the handshake too
 *   packets/0, packet/1     what TCP segments carried, with the time of each
 *
 * Everything is written once and never kept: messages as they come, the other functions, which
 * stand behind them, to temporary files. What is missing has a place of its own among the
 * frames and packets.
 */
#include "complain.h"
#include "erl_source.h"
#include "fixture.h"
#include "numbers.h"
#include "sink.h"
#include "spool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 4096 };

/* What has a spool of its own. */
enum part { PART_CALL, PART_FRAME, PART_PACKET, NUM_NUMBERED, PART_NODE = NUM_NUMBERED, NUM_PARTS };

static const char *const part_names[] = {"call", "frame", "packet", "node"};

struct erlmod {
    struct spool spools[NUM_PARTS];
    uint64_t num[NUM_PARTS], num_messages;
    uint32_t max_depth;
    struct numbers nodes;     /* those written already */
    struct ds_buffer pending; /* fields of the next frame: what it completed */
    struct ds_buffer scratch, as_sent;
};

static void erlmod_close(struct sink *sink)
{
    struct erlmod *m = sink->state;
    for (int part = 0; part < NUM_PARTS; part++)
        spool_close(&m->spools[part]);
    numbers_free(&m->nodes);
    ds_buffer_free(&m->pending);
    ds_buffer_free(&m->scratch);
    ds_buffer_free(&m->as_sent);
    free(m);
}

static const char heading[] =
    "%% What nodes said to each other: made by distsniff -T erlmod, to be used by tests. ";

static const char with_secrets[] = "It is\n%% their data, with whatever secrets these hold.\n";
static const char redacted[] = "Its\n%% data are theirs as --redact replaced them.\n";

static const char exports[] =
    ").\n"
    "-export([messages/0, message/1, calls/0, call/1, nodes/0, frames/0, frame/1,\n"
    "         packets/0, packet/1]).\n"
    "-compile([{nowarn_unused_function, [hex/1]}, nowarn_deprecated_function, nowarn_removed]).\n"
    "\n";

static bool erlmod_open(struct sink *sink)
{
    struct erlmod *m = calloc(1, sizeof *m);
    struct ds_buffer *out = &sink->output.buffer;
    if (m == NULL)
        return false;
    sink->state = m;
    uint64_t max_depth = sink->options->config.limits[DS_LIMIT_DEPTH];
    m->max_depth = max_depth < UINT32_MAX ? (uint32_t)max_depth : UINT32_MAX;
    bool ok = numbers_init(&m->nodes, MAX_NODES);
    for (int part = 0; ok && part < NUM_PARTS; part++)
        ok = spool_open(&m->spools[part]);
    ds_buffer_add_text(out, heading);
    ds_buffer_add_text(out, sink->options->redact != 0 ? redacted : with_secrets);
    ds_buffer_add_text(out, "-module(");
    const struct ds_text name = fixture_module(sink->output.name);
    ds_buffer_add(out, name.data, name.len);
    ds_buffer_add_text(out, exports);
    if (!ok)
        erlmod_close(sink);
    return ok;
}

/* begin starts a clause of a part, with what all have in common; end puts it to the others. */
static struct ds_buffer *begin(struct erlmod *m, enum part part, uint64_t conn, int64_t time_ns)
{
    struct ds_buffer *out = &m->spools[part].text;
    erl_clause(part_names[part], ++m->num[part], out);
    erl_first("conn", conn, out);
    erl_number("time", time_ns, out);
    return out;
}

static void end(struct sink *sink, enum part part)
{
    struct erlmod *m = sink->state;
    erl_clause_end(&m->spools[part].text);
    if (!spool_end_record(&m->spools[part]))
        output_discard(&sink->output);
}

static void add_ends(const struct ds_event *event, struct ds_buffer *out)
{
    erl_end("src", &event->conn->end[event->dir], out);
    erl_end("dst", &event->conn->end[!event->dir], out);
}

/* How the external format of a message is given. */
enum external {
    EXTERNAL_AS_SENT,
    EXTERNAL_TRANSLATED, /* as any node of OTP 25 or later reads it */
    EXTERNAL_REFUSED,    /* as sent, though no node reads it */
};

/* how_to_give finds out how a term can be given, and makes *how that if it is worse. */
static void how_to_give(struct erlmod *m, const struct ds_term *term, enum external *how)
{
    bool twice = false, ok = ds_term_has_twice(term, &twice);
    m->as_sent.len = m->scratch.len = 0;
    if (twice)
        *how = EXTERNAL_REFUSED;
    if (ds_term_copy_etf(term, &m->as_sent) && ds_term_copy_portable(term, &m->scratch) &&
        *how == EXTERNAL_AS_SENT &&
        (m->as_sent.len != m->scratch.len ||
         memcmp(m->as_sent.data, m->scratch.data, m->scratch.len) != 0))
        *how = EXTERNAL_TRANSLATED;
    m->scratch.failed = m->scratch.failed || m->as_sent.failed || !ok;
}

static void add_external(struct erlmod *m, const struct ds_term *term, enum external how,
                         struct ds_buffer *out)
{
    m->scratch.len = 0;
    if (how == EXTERNAL_REFUSED ? ds_term_copy_etf(term, &m->scratch)
                                : ds_term_copy_portable(term, &m->scratch))
        erl_put_bytes((const uint8_t *)m->scratch.data, m->scratch.len, out);
    else
        ds_buffer_add_text(out, "damaged");
    out->failed = out->failed || m->scratch.failed;
}

static void add_externals(struct erlmod *m, const struct ds_message *message,
                          struct ds_buffer *out)
{
    static const char refused[] = "a map has a key twice";
    enum external how = EXTERNAL_AS_SENT;
    how_to_give(m, &message->control, &how);
    how_to_give(m, &message->payload, &how);
    if (how == EXTERNAL_REFUSED)
        erl_binary("refused", (struct ds_text){refused, sizeof refused - 1}, out);
    if (how == EXTERNAL_TRANSLATED)
        erl_word("translated", "true", out);
    ds_buffer_add_text(out, ",\n      external =>\n          [");
    add_external(m, &message->control, how, out);
    if (message->payload.data != NULL) {
        ds_buffer_add_text(out, ",\n           ");
        add_external(m, &message->payload, how, out);
    }
    ds_buffer_add_text(out, "]");
}

static void add_message(struct sink *sink, const struct record *record)
{
    struct erlmod *m = sink->state;
    struct ds_buffer *out = &sink->output.buffer;
    const struct ds_event *event = record->event;
    const struct ds_message *message = &event->message;
    const struct note *note = &record->note;

    erl_clause("message", ++m->num_messages, out);
    erl_first("conn", event->conn->number, out);
    erl_number("time", event->ts_ns, out);
    erl_number("frame", (int64_t)event->frame, out);
    erl_number("size", (int64_t)message->size, out);
    if (message->fragments > 1)
        erl_number("fragments", message->fragments, out);
    add_ends(event, out);
    erl_word("op", message->op != NULL ? message->op->name : "unknown", out);
    if (note->role != NOTE_NONE) {
        erl_word("role", note_role_name(note->role), out);
        erl_word("label", note->label, out);
        if (note->call != 0)
            erl_number("call", (int64_t)note->call, out);
        erl_atom("from_name", note->from_name, out);
        erl_atom("to_name", note->to_name, out);
    }
    if (event->unknown_atoms != 0)
        erl_number("unknown_atoms", event->unknown_atoms, out);
    erl_fault(&event->fault, out);
    bool ok = erl_term("control", &message->control, m->max_depth, out) &&
              erl_term("term", &message->payload, m->max_depth, out);
    if (message->control.data != NULL)
        add_externals(m, message, out);
    erl_clause_end(out);
    out->failed = out->failed || !ok;
    ds_buffer_printf(&m->pending, ", message => %" PRIu64, m->num_messages);
}

static void add_handshake(struct erlmod *m, const struct ds_handshake *h)
{
    struct ds_buffer *out = &m->pending;
    erl_word("step", ds_handshake_step_name(h->step), out);
    erl_binary("name", h->name, out);
    erl_binary("status", h->status, out);
    if (h->version != 0)
        erl_number("version", h->version, out);
    if (h->creation != 0)
        erl_number("creation", h->creation, out);
    if (h->has_flags)
        ds_buffer_printf(out, ", flags => 16#%" PRIx64, h->flags);
    if (h->has_challenge)
        erl_number("challenge", h->challenge, out);
    if (h->has_digest)
        erl_bytes("digest", h->digest, sizeof h->digest, out);
}

static void add_frame(struct sink *sink, const struct ds_event *event)
{
    struct erlmod *m = sink->state;
    const struct ds_frame *frame = &event->frame_sent;
    struct ds_buffer *out = begin(m, PART_FRAME, event->conn->number, event->ts_ns);
    erl_number("frame", (int64_t)event->frame, out);
    erl_number("size", (int64_t)frame->size, out);
    add_ends(event, out);
    erl_word("kind", ds_frame_kind_name(frame->kind), out);
    if (frame->fragment != 0)
        ds_buffer_printf(out, ", sequence => %" PRIu64 ", fragment => %" PRIu64, frame->sequence,
                         frame->fragment);
    if (frame->completes) {
        ds_buffer_add(out, m->pending.data, m->pending.len);
        out->failed = out->failed || m->pending.failed;
        m->pending.len = 0;
    }
    erl_fault(&event->fault, out);
    erl_bytes("bytes", event->bytes, event->bytes_len, out);
    end(sink, PART_FRAME);
}

static void add_gap(struct sink *sink, const struct ds_event *event)
{
    struct ds_buffer *out = begin(sink->state, PART_FRAME, event->conn->number, event->ts_ns);
    erl_number("missing", (int64_t)event->gap.bytes, out);
    add_ends(event, out);
    erl_word("kind", "gap", out);
    erl_fault(&event->fault, out);
    end(sink, PART_FRAME);
}

static void add_packet(struct sink *sink, const struct ds_event *event)
{
    struct ds_buffer *out = begin(sink->state, PART_PACKET, event->conn->number, event->ts_ns);
    const struct ds_endpoint *from = &event->conn->end[event->dir];
    const struct ds_endpoint *to = &event->conn->end[!event->dir];
    erl_number("frame", (int64_t)event->frame, out);
    ds_buffer_add_text(out, ",\n      src => ");
    erl_put_address(from, out);
    ds_buffer_add_text(out, ", dst => ");
    erl_put_address(to, out);
    if (event->bytes == NULL) {
        erl_number("missing", (int64_t)event->data.missing, out);
        erl_fault(&event->fault, out);
    } else {
        erl_bytes("bytes", event->bytes, event->bytes_len, out);
    }
    end(sink, PART_PACKET);
}

static void add_call(struct sink *sink, const struct call *call)
{
    struct erlmod *m = sink->state;
    struct ds_buffer *out = begin(m, PART_CALL, call->conn, call->end_ns);
    erl_number("call", (int64_t)call->number, out);
    erl_number("start", call->start_ns, out);
    erl_number("latency", call->end_ns - call->start_ns, out);
    erl_word("label", call->label, out);
    erl_word("outcome", call_outcome_name(call->outcome), out);
    erl_word("class", call->error_class, out);
    bool ok = erl_party("caller", &call->caller, out) && erl_party("callee", &call->callee, out);
    if (call->mod.data != NULL && call->fun.data != NULL && call->args.data != NULL) {
        ok = ok && erl_term("module", &call->mod, m->max_depth, out) &&
             erl_term("function", &call->fun, m->max_depth, out) &&
             erl_term("args", &call->args, m->max_depth, out);
    }
    ok = ok && erl_term("request", &call->request, m->max_depth, out) &&
         erl_term("result", &call->result, m->max_depth, out) &&
         erl_term("reason", &call->reason, m->max_depth, out);
    out->failed = out->failed || !ok;
    end(sink, PART_CALL);
}

/* note_nodes writes each end once, when it has a name and a creation. */
static void note_nodes(struct sink *sink, const struct ds_event *event)
{
    struct erlmod *m = sink->state;
    for (int i = 0; i < 2; i++) {
        const struct ds_endpoint *node = &event->conn->end[i];
        bool is_new;
        if (node->node.data == NULL || node->creation == 0)
            continue;
        uint64_t hash = hash_text(node->creation, node->node.data, node->node.len);
        if (numbers_get(&m->nodes, hash, &is_new) == 0 || !is_new)
            continue;
        struct ds_buffer *out = &m->spools[PART_NODE].text;
        ds_buffer_add_text(out, m->num[PART_NODE]++ == 0 ? "#{" : "},\n     #{");
        erl_first("creation", node->creation, out);
        ds_buffer_add_text(out, ", name => ");
        erl_put_atom(node->node, out);
        ds_buffer_add_text(out, ",\n       addr => ");
        erl_put_address(node, out);
        if (!spool_end_record(&m->spools[PART_NODE]))
            output_discard(&sink->output);
    }
}

static void erlmod_record(struct sink *sink, const struct record *record)
{
    struct erlmod *m = sink->state;
    const struct ds_event *event = record->event;
    if (record->call != NULL) {
        add_call(sink, record->call);
        return;
    }
    if (!ds_event_is_raw(event)) {
        m->pending.len = 0;
        note_nodes(sink, event);
    }
    switch (event->type) {
    case DS_EVENT_MESSAGE:
        add_message(sink, record);
        break;
    case DS_EVENT_HANDSHAKE:
        add_handshake(m, &event->handshake);
        break;
    case DS_EVENT_FRAME:
        add_frame(sink, event);
        break;
    case DS_EVENT_GAP:
        add_gap(sink, event);
        break;
    case DS_EVENT_DATA:
        add_packet(sink, event);
        break;
    case DS_EVENT_EPMD:
    case DS_EVENT_CONN:
    case DS_EVENT_TICK:
        break;
    }
}

static void erlmod_lost(struct sink *sink, const struct loss *loss)
{
    static const enum part parts[] = {PART_FRAME, PART_PACKET};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct ds_buffer *out = begin(sink->state, parts[i], 0, loss->first_ns);
        erl_word("kind", "lost", out);
        erl_word("cause", loss_cause_name(loss->cause), out);
        erl_number(loss_unit(loss->cause), (int64_t)loss->count, out);
        end(sink, parts[i]);
    }
}

/* add_all writes NAME(Number) for any other number, and NAMEs(). */
static void add_all(const char *name, uint64_t num, struct ds_buffer *out)
{
    ds_buffer_printf(out,
                     "%s(Number) ->\n    error(badarg, [Number]).\n\n"
                     "%ss() ->\n    [%s(Number) || Number <- lists:seq(1, %" PRIu64 ")].\n\n",
                     name, name, name, num);
}

static void erlmod_end(struct sink *sink)
{
    struct erlmod *m = sink->state;
    struct output *output = &sink->output;
    bool ok = !output->failed;
    uint64_t len = m->num_messages;
    add_all("message", m->num_messages, &output->buffer);
    for (int part = 0; ok && part < NUM_NUMBERED; part++) {
        ok = spool_copy(&m->spools[part], output);
        add_all(part_names[part], m->num[part], &output->buffer);
        len += m->num[part];
    }
    ds_buffer_add_text(&output->buffer, "nodes() ->\n    [");
    ok = ok && spool_copy(&m->spools[PART_NODE], output);
    ds_buffer_add_text(&output->buffer, m->num[PART_NODE] != 0 ? "}].\n\n" : "].\n\n");
    ds_buffer_add_text(&output->buffer,
                       "%% hex(Text): the bytes that hexadecimal digits stand for.\n"
                       "hex(Text) ->\n    binary:decode_hex(Text).\n");
    if (!ok) {
        if (!output->failed)
            output_discard(output);
    } else if (len > FIXTURE_SENSIBLE) {
        complain("%s holds %" PRIu64 " messages, calls, frames and packets, and erlc will take "
                 "long: choose some with -c, -Y or --process, or connections with a BPF expression",
                 output->name, len);
    }
}

const struct sink_kind sink_erlmod = {
    .name = "erlmod",
    .help = "an Erlang module that holds the conversation, for tests",
    .open = erlmod_open,
    .record = erlmod_record,
    .lost = erlmod_lost,
    .end = erlmod_end,
    .close = erlmod_close,
    .raw = true,
    .check = fixture_check_erl,
};
