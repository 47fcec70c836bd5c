/*
 * sink_text.c - one line an event, in the manner of tcpdump:
 *
 *   12:34:56.123456 alice@h > bob@h: send_sender <alice@h.90.0> > <bob@h.91.0> hello
 *
 * Time, who speaks to whom, what; then in brackets whatever is wrong or uncertain. Long
 * terms are shortened and say so; -v shows more of them, -vv all.
 */
#include "peer_text.h"
#include "digits.h"
#include "endpoint_cache.h"
#include "event_text.h"
#include "hexdump.h"
#include "sink.h"
#include "timestamp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What of a term is shown without -v, with -v and with -vv. */
static const struct ds_term_print_options term_limits[] = {
    {.max_bytes = 200, .max_items = 50, .max_depth = 12, .max_len = 1000},
    {.max_bytes = 4000, .max_items = 1000, .max_depth = 100, .max_len = 20000},
    {0},
};

enum paint { PAINT_CALL, PAINT_TIME, PAINT_PEERS, PAINT_EPMD, PAINT_HANDSHAKE, PAINT_CONN, PAINT_OP,
             PAINT_TROUBLE, PAINT_OFF };

static const char *const paints[] = {
    [PAINT_CALL] = "\033[1;34m",
    [PAINT_TIME] = "\033[2m",
    [PAINT_PEERS] = "\033[36m",
    [PAINT_EPMD] = "\033[35m",
    [PAINT_HANDSHAKE] = "\033[33m",
    [PAINT_CONN] = "\033[32m",
    [PAINT_OP] = "\033[1m",
    [PAINT_TROUBLE] = "\033[31m",
    [PAINT_OFF] = "\033[0m",
};

struct text_state {
    struct ds_buffer *out;
    const struct note *note; /* on the event being shown */
    const struct ds_term_print_options *limits;
    struct endpoint_cache *endpoints;
    struct timestamp_cache clock;
    bool colored;
    bool has_first;
    int64_t first_ns, last_ns; /* of the lines shown */
};

static void add(struct text_state *s, const char *text)
{
    ds_buffer_add(s->out, text, strlen(text));
}

static void paint(struct text_state *s, enum paint which)
{
    if (s->colored)
        add(s, paints[which]);
}

static void add_word(struct text_state *s, enum paint color, const char *word)
{
    paint(s, color);
    add(s, word);
    if (color != PAINT_OFF)
        paint(s, PAINT_OFF);
}

static void add_term(struct text_state *s, const struct ds_term *term)
{
    ds_term_print(term, s->limits, s->out);
}

static void add_quoted(struct text_state *s, struct ds_text text)
{
    peer_text_print(text, s->out);
}

static void print_endpoint(const struct ds_endpoint *endpoint, struct ds_buffer *out)
{
    if (endpoint->node.data != NULL) {
        if (endpoint->node_inferred)
            ds_buffer_add(out, "~", 1);
        peer_text_print(endpoint->node, out);
        return;
    }
    char addr[DS_ADDR_LEN];
    ds_addr_print(&endpoint->addr, addr);
    ds_buffer_printf(out, "%s.%u", addr, endpoint->port);
}

/* As "#17 ". */
static void add_call_number(struct text_state *s, uint64_t number)
{
    char digits[DIGITS_LEN];
    ds_buffer_add(s->out, "#", 1);
    ds_buffer_add(s->out, digits, digits_print(number, digits));
    ds_buffer_add(s->out, " ", 1);
}

static void add_endpoint(struct text_state *s, const struct ds_conn *conn, unsigned end)
{
    struct ds_text text = endpoint_cache_get(s->endpoints, conn, end);
    if (text.data != NULL)
        ds_buffer_add(s->out, text.data, text.len);
    else
        s->out->failed = true;
}

static void add_time(struct text_state *s, const struct sink *sink, int64_t ns)
{
    enum time_style style = sink->options->time_style;
    unsigned digits = sink->time_digits;
    if (!s->has_first) {
        s->has_first = true;
        s->first_ns = s->last_ns = ns;
    }
    if (style == TIME_NONE)
        return;
    paint(s, PAINT_TIME);
    if (style == TIME_EPOCH)
        timestamp_print_epoch(ns, digits, s->out);
    else if (style == TIME_DELTA)
        timestamp_print_span(ns - s->last_ns, digits, s->out);
    else if (style == TIME_SINCE_FIRST)
        timestamp_print_span(ns - s->first_ns, digits, s->out);
    else
        timestamp_print_local(&s->clock, ns, digits, style == TIME_DATE, s->out);
    paint(s, PAINT_OFF);
    ds_buffer_add(s->out, " ", 1);
    s->last_ns = ns;
}

static void add_epmd_registration(struct text_state *s, const struct ds_epmd *epmd)
{
    ds_buffer_printf(s->out, " port %u, %s node, versions %u to %u", epmd->port,
                     epmd->node_type == 77   ? "normal"
                     : epmd->node_type == 72 ? "hidden"
                                             : "unknown kind of",
                     epmd->lowest_version, epmd->highest_version);
    if (epmd->protocol != 0)
        ds_buffer_printf(s->out, ", protocol %u", epmd->protocol);
    if (epmd->extra.len != 0) {
        add(s, ", extra ");
        add_quoted(s, epmd->extra);
    }
}

static void add_epmd_nodes(struct text_state *s, const struct ds_epmd *epmd)
{
    ds_buffer_printf(s->out, " %zu node%s", epmd->num_nodes, epmd->num_nodes == 1 ? "" : "s");
    for (size_t i = 0; i < epmd->num_nodes; i++) {
        const struct ds_epmd_node *node = &epmd->nodes[i];
        add(s, i == 0 ? ": " : ", ");
        add_quoted(s, node->name);
        ds_buffer_printf(s->out, " port %u", node->port);
        if (epmd->op == DS_EPMD_DUMP_RESP)
            ds_buffer_printf(s->out, " %s fd %d", node->active ? "active" : "old", node->fd);
    }
}

static void add_epmd(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    (void)sink;
    paint(s, PAINT_EPMD);
    add(s, "epmd ");
    add(s, ds_epmd_op_name(epmd->op));
    paint(s, PAINT_OFF);
    if (epmd->name.data != NULL) {
        add(s, " ");
        add_quoted(s, epmd->name);
    }
    switch (epmd->op) {
    case DS_EPMD_ALIVE2_REQ:
        add_epmd_registration(s, epmd);
        break;
    case DS_EPMD_PORT2_RESP:
        if (epmd->result == 0)
            add_epmd_registration(s, epmd);
        else
            ds_buffer_printf(s->out, " not registered (result %u)", epmd->result);
        break;
    case DS_EPMD_ALIVE2_RESP:
    case DS_EPMD_ALIVE2_X_RESP:
        if (epmd->result == 0)
            ds_buffer_printf(s->out, " ok, creation %" PRIu32, epmd->creation);
        else
            ds_buffer_printf(s->out, " refused (result %u)", epmd->result);
        break;
    case DS_EPMD_NAMES_RESP:
    case DS_EPMD_DUMP_RESP:
        add_epmd_nodes(s, epmd);
        break;
    default:
        break;
    }
    if (epmd->raw.len != 0) {
        add(s, " ");
        add_quoted(s, epmd->raw);
    }
}

static void add_handshake(struct text_state *s, const struct sink *sink,
                          const struct ds_event *event)
{
    const struct ds_handshake *h = &event->handshake;
    paint(s, PAINT_HANDSHAKE);
    add(s, "handshake ");
    add(s, ds_handshake_step_name(h->step));
    paint(s, PAINT_OFF);
    if (h->status.data != NULL) {
        add(s, " ");
        add_quoted(s, h->status);
    }
    if (h->name.data != NULL) {
        add(s, " ");
        add_quoted(s, h->name);
    }
    if (h->version != 0)
        ds_buffer_printf(s->out, " version %u", h->version);
    if (h->creation != 0)
        ds_buffer_printf(s->out, " creation %" PRIu32, h->creation);
    if (h->has_challenge)
        ds_buffer_printf(s->out, " challenge %" PRIu32, h->challenge);
    if (h->has_digest) {
        add(s, " digest ");
        for (size_t i = 0; i < sizeof h->digest; i++)
            ds_buffer_printf(s->out, "%02x", h->digest[i]);
    }
    if (h->cookie == DS_COOKIE_OK)
        add(s, " (made with this cookie)");
    if (h->cookie_note != NULL)
        ds_buffer_printf(s->out, " (%s)", h->cookie_note);
    else if (h->cookie == DS_COOKIE_WRONG)
        add_word(s, PAINT_TROUBLE, " (not made with this cookie)");
    if (!h->has_flags)
        return;
    const char *release = ds_flags_release(h->flags);
    ds_buffer_printf(s->out, " flags 0x%" PRIx64, h->flags);
    if (release != NULL)
        ds_buffer_printf(s->out, " (%s)", release);
    if (sink->options->verbose == 0)
        return;
    for (unsigned bit = 0; bit < 64; bit++) {
        const char *name = ds_flag_name(bit);
        if ((h->flags >> bit & 1) == 0)
            continue;
        if (name != NULL)
            ds_buffer_printf(s->out, " %s", name);
        else
            ds_buffer_printf(s->out, " bit_%u", bit);
    }
}

static void add_counters(struct text_state *s, const struct ds_conn *conn)
{
    for (unsigned end = 0; end < 2; end++) {
        const struct ds_counters *c = &conn->counters[end];
        add(s, "; ");
        add_endpoint(s, conn, end);
        ds_buffer_printf(s->out, " sent %" PRIu64 " bytes, %" PRIu64 " messages", c->bytes,
                         c->messages);
        if (c->ticks != 0)
            ds_buffer_printf(s->out, ", %" PRIu64 " ticks", c->ticks);
        if (c->gaps != 0)
            ds_buffer_printf(s->out, ", %" PRIu64 " gaps of %" PRIu64 " bytes", c->gaps,
                             c->gap_bytes);
        if (c->faults != 0)
            ds_buffer_printf(s->out, ", %" PRIu64 " faults", c->faults);
        if (c->unknown_atoms != 0)
            ds_buffer_printf(s->out, ", %" PRIu64 " unknown atoms", c->unknown_atoms);
    }
}

static void add_conn(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    (void)sink;
    paint(s, change->state == DS_CONN_FAILED ? PAINT_TROUBLE : PAINT_CONN);
    ds_buffer_printf(s->out, "conn %" PRIu64 " %s", event->conn->number,
                     ds_conn_state_name(change->state));
    paint(s, PAINT_OFF);
    if (change->reason != NULL)
        ds_buffer_printf(s->out, ": %s", change->reason);
    if (change->final)
        add_counters(s, event->conn);
}

/* How the roles are shown, in this order; from and to stand before them. */
static const struct {
    enum ds_role role;
    const char *before;
    int verbose; /* shown from so many -v on */
    bool empty_too;
} shown_roles[] = {
    {DS_ROLE_REF, " ", 0, true},
    {DS_ROLE_FLAGS, " flags ", 0, true},
    {DS_ROLE_ID, " id ", 1, true},
    {DS_ROLE_LEADER, " group leader ", 1, true},
    {DS_ROLE_MFA, " ", 0, true},
    {DS_ROLE_OPTS, " opts ", 0, false},
    {DS_ROLE_RESULT, " ", 0, true},
    {DS_ROLE_REASON, " ", 0, true},
};

enum { TAG_NIL = 106 };

static bool is_nil(const struct ds_term *term)
{
    return term->len == 1 && term->data[0] == TAG_NIL;
}

static void add_token(struct text_state *s, const struct ds_token *token)
{
    add(s, " [trace label ");
    if (token->label.data != NULL)
        add_term(s, &token->label);
    ds_buffer_printf(s->out, " serial %" PRId64 " from ", token->serial);
    if (token->from.data != NULL)
        add_term(s, &token->from);
    ds_buffer_printf(s->out, " flags %" PRId64 "]", token->flags);
}

/* "#17 gen:call " before a request, "#17 reply after 412 us " before what ends a call. */
static void add_note(struct text_state *s, const struct sink *sink, const struct note *note)
{
    const bool has_label = note->label != NULL && (note->call != 0 || sink->options->verbose != 0);
    if (note->call == 0 && !has_label)
        return;
    paint(s, PAINT_CALL);
    if (note->call != 0)
        add_call_number(s, note->call);
    if (!note->has_latency) {
        add(s, note->role == NOTE_SPAWNED ? "spawned" : note->label);
        add(s, " ");
        if (note->outcome != CALL_OPEN)
            ds_buffer_printf(s->out, "%s ", call_outcome_name(note->outcome));
    } else {
        const bool ok = note->outcome == CALL_OK;
        add(s, ok ? note->role == NOTE_DOWN ? "result" : note_role_name(note->role)
                  : call_outcome_name(note->outcome));
        add(s, " after ");
        latency_print(note->latency_ns, s->out);
        add(s, " ");
    }
    paint(s, PAINT_OFF);
}

static void add_name(struct text_state *s, struct ds_text name)
{
    if (name.data == NULL)
        return;
    ds_term_print_atom(name, s->out);
    add(s, " ");
}

static void add_message(struct text_state *s, const struct sink *sink,
                        const struct ds_event *event)
{
    const struct ds_message *m = &event->message;
    const struct ds_term *from = &m->role[DS_ROLE_FROM];
    const struct ds_term *to = &m->role[DS_ROLE_TO];
    int verbose = sink->options->verbose;

    add_note(s, sink, s->note);
    paint(s, PAINT_OP);
    if (m->op != NULL)
        add(s, m->op->name);
    else if (m->code >= 0)
        ds_buffer_printf(s->out, "op_%" PRId64, m->code);
    else
        add(s, "control");
    paint(s, PAINT_OFF);
    if (from->data != NULL) {
        add(s, " ");
        add_name(s, s->note->from_name);
        titles_print(s->note->from_titles, s->out);
        add_term(s, from);
    }
    if (to->data != NULL) {
        add(s, " > ");
        add_name(s, s->note->to_name);
        titles_print(s->note->to_titles, s->out);
        add_term(s, to);
    }
    for (size_t i = 0; i < sizeof shown_roles / sizeof shown_roles[0]; i++) {
        const struct ds_term *term = &m->role[shown_roles[i].role];
        if (term->data == NULL || verbose < shown_roles[i].verbose ||
            (is_nil(term) && !shown_roles[i].empty_too))
            continue;
        add(s, shown_roles[i].before);
        add_term(s, term);
    }
    if (m->op == NULL && m->control.data != NULL) {
        add(s, " ");
        add_term(s, &m->control);
    }
    if (m->payload.data != NULL) {
        add(s, " ");
        add_term(s, &m->payload);
    }
    if (m->token.present)
        add_token(s, &m->token);
    else if (m->role[DS_ROLE_TOKEN].data != NULL && !is_nil(&m->role[DS_ROLE_TOKEN])) {
        add(s, " [trace ");
        add_term(s, &m->role[DS_ROLE_TOKEN]);
        add(s, "]");
    }
    if (m->fragments > 1)
        ds_buffer_printf(s->out, " (%" PRIu32 " fragments)", m->fragments);
    if (verbose != 0) {
        if (m->op != NULL && m->control.data != NULL) {
            add(s, " control ");
            add_term(s, &m->control);
        }
        ds_buffer_printf(s->out, " (%" PRIu64 " bytes)", m->size);
    }
}

static void add_tick(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    (void)sink;
    (void)event;
    add(s, "tick");
}

static void add_gap(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    (void)sink;
    paint(s, PAINT_TROUBLE);
    ds_buffer_printf(s->out, "gap of %" PRIu64 " bytes", event->gap.bytes);
    if (event->gap.messages >= 0)
        ds_buffer_printf(s->out, ", %" PRId64 " messages lost", event->gap.messages);
    paint(s, PAINT_OFF);
}

static void (*const add_event[])(struct text_state *, const struct sink *,
                                 const struct ds_event *) = {
    [DS_EVENT_EPMD] = add_epmd,
    [DS_EVENT_HANDSHAKE] = add_handshake,
    [DS_EVENT_CONN] = add_conn,
    [DS_EVENT_MESSAGE] = add_message,
    [DS_EVENT_TICK] = add_tick,
    [DS_EVENT_GAP] = add_gap,
};

static void add_trouble(struct text_state *s, const struct ds_event *event)
{
    if (event->fault.kind == DS_FAULT_NONE && event->unknown_atoms == 0 &&
        event->inferred_atoms == 0)
        return;
    paint(s, PAINT_TROUBLE);
    if (event->fault.kind != DS_FAULT_NONE)
        ds_buffer_printf(s->out, " [%s at %" PRIu64 ": %s]",
                         ds_fault_kind_name(event->fault.kind), event->fault.offset,
                         event->fault.what != NULL ? event->fault.what : "");
    if (event->unknown_atoms != 0)
        ds_buffer_printf(s->out, " [%" PRIu32 " unknown atom%s]", event->unknown_atoms,
                         event->unknown_atoms == 1 ? "" : "s");
    if (event->inferred_atoms != 0)
        ds_buffer_printf(s->out, " [%" PRIu32 " inferred atom%s]", event->inferred_atoms,
                         event->inferred_atoms == 1 ? "" : "s");
    paint(s, PAINT_OFF);
}

/* What is only shown with -v: ticks, and the end of connections that say nothing more. */
static bool is_dull(const struct ds_event *event)
{
    if (event->type == DS_EVENT_TICK)
        return true;
    if (event->type != DS_EVENT_CONN || event->change.state != DS_CONN_CLOSED ||
        event->change.reason != NULL || event->fault.kind != DS_FAULT_NONE)
        return false;
    const struct ds_counters *c = event->conn->counters;
    return (c[0].frames | c[1].frames | c[0].gaps | c[1].gaps | c[0].faults | c[1].faults) == 0;
}

/* The end of a call that no message ended: it was never answered. */
static void add_call(struct text_state *s, const struct sink *sink, const struct record *record)
{
    const struct call *call = record->call;
    if (record->event != NULL && record->event->type == DS_EVENT_MESSAGE)
        return;
    add_time(s, sink, call->end_ns);
    paint(s, PAINT_CALL);
    add_call_number(s, call->number);
    add(s, call->label);
    add(s, " ");
    paint(s, PAINT_OFF);
    party_print(&call->caller, s->out);
    add(s, " > ");
    party_print(&call->callee, s->out);
    add(s, ": ");
    add_word(s, PAINT_TROUBLE, call_outcome_name(call->outcome));
    add(s, " after ");
    latency_print(call->end_ns - call->start_ns, s->out);
    add(s, "\n");
}

/* All of the line but the time. */
static void add_line(struct text_state *s, const struct sink *sink, const struct record *record)
{
    const struct ds_event *event = record->event;
    s->note = &record->note;
    paint(s, PAINT_PEERS);
    add_endpoint(s, event->conn, event->dir);
    ds_buffer_add(s->out, " > ", 3);
    add_endpoint(s, event->conn, !event->dir);
    paint(s, PAINT_OFF);
    ds_buffer_add(s->out, ": ", 2);

    add_event[event->type](s, sink, event);
    add_trouble(s, event);
}

static void text_record(struct sink *sink, const struct record *record)
{
    struct text_state *s = sink->state;
    const struct options *options = sink->options;
    const struct ds_event *event = record->event;

    if (record->call != NULL) {
        add_call(s, sink, record);
        return;
    }
    if (options->verbose == 0 && is_dull(event))
        return;
    add_time(s, sink, event->ts_ns);
    add_line(s, sink, record);
    if (options->verbose != 0)
        ds_buffer_printf(s->out, " (conn %" PRIu64 ", frame %" PRIu64 ")", event->conn->number,
                         event->frame);
    ds_buffer_add(s->out, "\n", 1);
    if ((options->hex || options->verbose >= 2) && event->bytes != NULL)
        hexdump_print(event->bytes, event->bytes_len, s->out);
}

static void text_lost(struct sink *sink, const struct loss *loss)
{
    struct text_state *s = sink->state;
    add_time(s, sink, loss->first_ns);
    paint(s, PAINT_TROUBLE);
    add(s, "lost ");
    loss_print(loss, s->out);
    if (s->colored)
        paint(s, PAINT_OFF);
    add(s, "\n");
}

static bool text_open(struct sink *sink)
{
    struct text_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return false;
    s->endpoints = endpoint_cache_new(print_endpoint);
    if (s->endpoints == NULL) {
        free(s);
        return false;
    }
    int verbose = sink->options->verbose;
    s->out = &sink->output.buffer;
    s->limits = &term_limits[verbose > 2 ? 2 : verbose];
    s->colored = sink->options->color == COLOR_ALWAYS ||
                 (sink->options->color == COLOR_AUTO && sink->output.is_stdout &&
                  isatty(sink->output.fd) && getenv("NO_COLOR") == NULL);
    sink->state = s;
    return true;
}

static void text_close(struct sink *sink)
{
    struct text_state *s = sink->state;
    endpoint_cache_free(s->endpoints);
    free(s);
}

const struct sink_kind sink_text = {
    .name = "text",
    .help = "one line an event, for people",
    .open = text_open,
    .record = text_record,
    .lost = text_lost,
    .close = text_close,
};

/* An event as text for itself: a sink that nothing is written from. */
struct event_text {
    struct options options;
    struct sink sink;
    struct text_state state;
};

struct event_text *event_text_new(void)
{
    struct event_text *text = calloc(1, sizeof *text);
    if (text == NULL)
        return NULL;
    text->sink.options = &text->options;
    text->state.limits = &term_limits[2];
    text->state.endpoints = endpoint_cache_new(print_endpoint);
    if (text->state.endpoints == NULL) {
        free(text);
        return NULL;
    }
    return text;
}

void event_text_free(struct event_text *text)
{
    if (text == NULL)
        return;
    endpoint_cache_free(text->state.endpoints);
    free(text);
}

void event_text_print(struct event_text *text, const struct record *record,
                      struct ds_buffer *out)
{
    text->state.out = out;
    add_line(&text->state, &text->sink, record);
}
