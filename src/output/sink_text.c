/*
 * sink_text.c - one line per event, in the style of tcpdump:
 *
 *   12:34:56.123456 alice@h > bob@h: send_sender <alice@h.90.0> > <bob@h.91.0> hello
 *
 * Time, sender and receiver, content; then in brackets what is wrong or uncertain. Long terms are
 * shortened and marked; -v shows more of them, -vv everything.
 */
#include "output/event_text.h"
#include "output/line_compact.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "core/line_fit.h"
#include "core/screen.h"
#include "core/term_show.h"
#include "output/hexdump.h"
#include "output/text_line.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How much of a term is shown without -v, with -v and with -vv. */
static const struct ds_term_print_options term_limits[] = {
    {.max_bytes = 200, .max_items = 50, .max_depth = 12, .max_len = 1000},
    {.max_bytes = 4000, .max_items = 1000, .max_depth = 100, .max_len = 20000},
    {0},
};

static void add_time(struct text_state *s, const struct sink *sink, int64_t ns)
{
    enum time_style style = sink->config->time_style;
    unsigned digits = s->terminal >= 0 && !sink->config->nanoseconds ? 6 : sink->time_digits;
    if (!s->has_first) {
        s->has_first = true;
        s->first_ns = s->last_ns = ns;
    }
    if (style == TIME_NONE)
        return;
    text_paint(s, PAINT_TIME);
    if (style == TIME_EPOCH)
        timestamp_print_epoch(ns, digits, s->out);
    else if (style == TIME_DELTA)
        timestamp_print_span(ns - s->last_ns, digits, s->out);
    else if (style == TIME_SINCE_FIRST)
        timestamp_print_span(ns - s->first_ns, digits, s->out);
    else
        timestamp_print_local(&s->clock, ns, digits, style == TIME_DATE, s->out);
    text_paint(s, PAINT_OFF);
    text_add(s, " ");
    s->last_ns = ns;
}

static void add_tick(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    (void)sink;
    (void)event;
    text_add(s, "tick");
}

static void add_gap(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    (void)sink;
    text_paint(s, PAINT_TROUBLE);
    ds_buffer_printf(s->out, "gap of %s", ds_counted(event->gap.bytes, "bytes").text);
    if (event->gap.messages >= 0)
        ds_buffer_printf(s->out, ", %s lost",
                         ds_counted((uint64_t)event->gap.messages, "messages").text);
    text_paint(s, PAINT_OFF);
}

static void add_stream(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    const struct ds_stream *stream = &event->stream;
    (void)sink;
    ds_buffer_printf(s->out, "%s %s", event->conn->proto, stream->what);
    if (stream->has_offset)
        ds_buffer_printf(s->out, " offset %" PRIu64 ", %s, epoch %" PRIu64, stream->offset,
                         ds_counted(stream->records, "records").text, stream->epoch);
    ds_buffer_printf(s->out, ", %s", ds_counted(stream->bytes, "bytes").text);
}

static void (*const add_event[])(struct text_state *, const struct sink *,
                                 const struct ds_event *) = {
    [DS_EVENT_EPMD] = text_add_epmd, [DS_EVENT_HANDSHAKE] = text_add_handshake,
    [DS_EVENT_CONN] = text_add_conn, [DS_EVENT_MESSAGE] = text_add_message,
    [DS_EVENT_TICK] = add_tick,      [DS_EVENT_GAP] = add_gap,
    [DS_EVENT_STALL] = text_add_stall, [DS_EVENT_STREAM] = add_stream,
};

/* add_guesses adds guesses at unknown atoms. */
static void add_guesses(struct text_state *s, const struct ds_message *message)
{
    for (uint32_t i = 0; i < message->num_guesses; i++) {
        const struct ds_guess *guess = &message->guesses[i];
        ds_buffer_printf(s->out, " [?atom:%u may be ", (unsigned)guess->slot);
        for (unsigned a = 0; a < guess->num; a++) {
            text_add(s, a != 0 ? ", " : "");
            text_add_quoted(s, guess->atom[a].text);
            ds_buffer_printf(s->out, " %u %%", (unsigned)guess->atom[a].percent);
        }
        text_add(s, "]");
    }
}

static void add_fault(struct text_state *s, const struct ds_event *event)
{
    if (event->fault.kind == DS_FAULT_NONE)
        return;
    text_paint(s, PAINT_TROUBLE);
    ds_buffer_printf(s->out, " [%s at %" PRIu64 ": %s]", ds_fault_kind_name(event->fault.kind),
                     event->fault.offset, event->fault.what != NULL ? event->fault.what : "");
    text_paint(s, PAINT_OFF);
}

/* add_uncertain adds which atoms are unknown, and how many are not certain. */
static void add_uncertain(struct text_state *s, const struct ds_event *event)
{
    if (event->unknown_atoms == 0 && event->inferred_atoms == 0 && event->likely_atoms == 0)
        return;
    text_paint(s, PAINT_TROUBLE);
    if (event->unknown_atoms != 0)
        ds_buffer_printf(s->out, " [%s]", ds_counted(event->unknown_atoms, "unknown atoms").text);
    if (event->type == DS_EVENT_MESSAGE)
        add_guesses(s, &event->message);
    if (event->inferred_atoms != 0)
        ds_buffer_printf(s->out, " [%s]",
                         ds_counted(event->inferred_atoms, "inferred atoms").text);
    if (event->likely_atoms != 0)
        ds_buffer_printf(s->out, " [%s]", ds_counted(event->likely_atoms, "likely atoms").text);
    text_paint(s, PAINT_OFF);
}

/* is_dull says whether an event is only shown with -v: ticks, and connection ends without further
 * information. */
static bool is_dull(const struct ds_event *event)
{
    if (event->type == DS_EVENT_TICK)
        return true;
    if (event->type != DS_EVENT_CONN || !event->change.final ||
        event->change.state == DS_CONN_FAILED ||
        event->change.reason != NULL || event->fault.kind != DS_FAULT_NONE)
        return false;
    const struct ds_counters *c = event->conn->counters;
    return (c[0].frames | c[1].frames | c[0].gaps | c[1].gaps | c[0].faults | c[1].faults) == 0;
}

/* add_call adds the end of a call that no message ended: it was never answered. */
static void add_call(struct text_state *s, const struct sink *sink, const struct record *record)
{
    const struct call *call = record->call;
    add_time(s, sink, call->end_ns);
    text_paint(s, PAINT_CALL);
    text_add_call_number(s, call->number);
    label_show(call->label, s->out);
    text_add(s, " ");
    text_paint(s, PAINT_OFF);
    party_print(&call->caller, s->out);
    text_add(s, " > ");
    party_print(&call->callee, s->out);
    text_add(s, ": ");
    text_add_word(s, PAINT_TROUBLE, call_outcome_name(call->outcome));
    text_add(s, " ");
    call_print_span(call, s->out);
    text_add(s, "\n");
}

static void add_finding(struct text_state *s, const struct sink *sink, const struct finding *f)
{
    add_time(s, sink, f->last_ns);
    text_paint(s, PAINT_TROUBLE);
    ds_buffer_printf(s->out, "finding %s %s %s: ", severity_name(f->severity), f->kind->code,
                     f->kind->title);
    text_paint(s, PAINT_OFF);
    wording_print(&f->sentence, s->out);
    if (f->detail.len != 0) {
        text_add(s, "; ");
        wording_print(&f->detail, s->out);
    }
    if (f->certainty != CERTAINTY_SURE)
        ds_buffer_printf(s->out, " (%s)", certainty_name(f->certainty));
    text_add(s, "\n");
}

/* add_line adds the whole line except its time. */
static void add_line(struct text_state *s, const struct sink *sink, const struct record *record)
{
    const struct ds_event *event = record->event;
    s->note = &record->note;
    text_paint(s, PAINT_PEERS);
    text_add_peers(s, event->conn, event->dir);
    text_paint(s, PAINT_OFF);
    text_add(s, ": ");

    add_event[event->type](s, sink, event);
    add_fault(s, event);
    add_uncertain(s, event);
}

/* add_bytes shows the bytes as sent; only the beginning if there are many. */
static void add_bytes(struct text_state *s, const struct ds_event *event)
{
    enum { SHOWN_OF_LARGE = 1024 * 1024 };
    const size_t len = event->bytes_len;
    const size_t shown = term_show_is_large(len) && len > SHOWN_OF_LARGE ? SHOWN_OF_LARGE : len;
    hexdump_print(event->bytes, shown, s->out);
    if (shown == len)
        return;
    ds_buffer_printf(s->out, "\t... %s more\n", ds_counted(len - shown, "bytes").text);
    term_show_mark_cut();
}

/* is_housekeeping says whether a record is about monitors, links or registrations, which readers
 * rarely look for. */
static bool is_housekeeping(const struct record *record)
{
    static const uint32_t watching = 1u << DS_KIND_LINK | 1u << DS_KIND_UNLINK | 1u << DS_KIND_UNLINK_ACK |
                                     1u << DS_KIND_MONITOR | 1u << DS_KIND_DEMONITOR;
    const struct ds_event *event = record->event;
    if (event->type == DS_EVENT_TICK)
        return true;
    const bool failed = record->note.outcome != CALL_OPEN && record->note.outcome != CALL_OK;
    if (event->type != DS_EVENT_MESSAGE || event->message.op == NULL || failed ||
        event->fault.kind != DS_FAULT_NONE)
        return false;
    return (watching >> event->message.op->kind & 1) != 0 ||
           (record->note.group != NULL && strcmp(record->note.group, "otp") == 0);
}

/* compact shortens a line, and more if it is still too wide. */
static void compact(struct text_state *s, struct ds_text line, unsigned columns)
{
    line_compact(line, &s->whole);
    if (s->whole.failed || line_columns((struct ds_text){s->whole.data, s->whole.len}) <= columns)
        return;
    const size_t len = s->whole.len;
    line_compact_more((struct ds_text){s->whole.data, len}, &s->shorter);
    struct ds_buffer whole = s->whole;
    s->whole = s->shorter;
    s->shorter = whole;
    s->shorter.len = 0;
}

/* fit_line cuts the line that begins at begin to the width of the terminal, or wraps it. */
static void fit_line(struct text_state *s, size_t begin, bool breaks)
{
    struct ds_buffer *out = s->out;
    const unsigned columns = s->cuts ? screen_width(s->terminal) : 0;
    if (columns == 0 || out->failed)
        return;
    const size_t len = out->len - begin - 1; /* without its newline */
    if (line_columns((struct ds_text){out->data + begin, len}) <= columns)
        return;
    s->whole.len = 0;
    if (breaks)
        ds_buffer_add(&s->whole, out->data + begin, len);
    else
        compact(s, (struct ds_text){out->data + begin, len}, columns);
    if (s->whole.failed) {
        s->whole.failed = false; /* memory ran out: the line stays whole */
        return;
    }
    out->len = begin;
    (breaks ? lines_wrap : line_shorten)((struct ds_text){s->whole.data, s->whole.len}, columns, out);
    text_paint(s, PAINT_OFF);
    text_add(s, "\n");
}

static void text_record(struct sink *sink, const struct record *record)
{
    struct text_state *s = sink->state;
    const struct sink_config *config = sink->config;
    const struct ds_event *event = record->event;
    const size_t begin = s->out->len;

    if (record->finding != NULL) {
        add_finding(s, sink, record->finding);
        fit_line(s, begin, true);
        return;
    }
    if (record->call != NULL) {
        add_call(s, sink, record);
        fit_line(s, begin, false);
        return;
    }
    if (s->colored && is_housekeeping(record)) {
        text_paint(s, PAINT_DIM);
        s->is_dimmed = true;
    }
    add_time(s, sink, event->ts_ns);
    add_line(s, sink, record);
    if (config->verbose != 0)
        ds_buffer_printf(s->out, " (conn %" PRIu64 ", frame %" PRIu64 ")", event->conn->number,
                         event->frame);
    if (s->is_dimmed) {
        s->is_dimmed = false;
        text_paint(s, PAINT_OFF);
    }
    text_add(s, "\n");
    fit_line(s, begin, false);
    if ((config->hex || config->verbose >= 2) && event->bytes != NULL)
        add_bytes(s, event);
}

static void text_lost(struct sink *sink, const struct loss *loss)
{
    struct text_state *s = sink->state;
    add_time(s, sink, loss->first_ns);
    text_paint(s, PAINT_TROUBLE);
    text_add(s, "lost ");
    loss_print(loss, s->out);
    if (s->colored)
        text_paint(s, PAINT_OFF);
    text_add(s, "\n");
}

/* terminal_has_colour checks the environment. */
static bool terminal_has_colour(void)
{
    const char *term = getenv("TERM");
    return getenv("NO_COLOR") == NULL && (term == NULL || strcmp(term, "dumb") != 0);
}

/* use_limits sets the limits of terms, and keeps the memo of earlier ones. */
static void use_limits(struct text_state *s, const struct ds_term_print_options *limits)
{
    struct ds_term_memo *memo = s->limits.memo != NULL ? s->limits.memo : ds_term_memo_new();
    s->limits = *limits;
    s->limits.memo = memo;
}

static bool text_open(struct sink *sink)
{
    struct text_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return false;
    s->endpoints = endpoint_cache_new(text_print_peers);
    if (s->endpoints == NULL) {
        free(s);
        return false;
    }
    int verbose = sink->config->verbose;
    s->out = &sink->output.buffer;
    use_limits(s, &term_limits[verbose > 2 ? 2 : verbose]);
    const bool on_terminal = sink->output.is_stdout && isatty(sink->output.fd);
    s->colored = sink->config->color == COLOR_ALWAYS ||
                 (sink->config->color == COLOR_AUTO && on_terminal && terminal_has_colour());
    s->terminal = on_terminal ? sink->output.fd : -1;
    s->cuts = on_terminal && !sink->config->whole_lines && verbose == 0;
    sink->state = s;
    return true;
}

static void text_close(struct sink *sink)
{
    struct text_state *s = sink->state;
    endpoint_cache_free(s->endpoints);
    ds_term_memo_free(s->limits.memo);
    ds_buffer_free(&s->whole);
    ds_buffer_free(&s->shorter);
    free(s);
}

/* text_is_stateless says no if times are relative to another line. */
static bool text_is_stateless(const struct sink_config *config)
{
    return config->time_style != TIME_DELTA && config->time_style != TIME_SINCE_FIRST;
}

/* text_skips leaves out ends of calls that a message ended: the line of that message contains
 * everything. */
static bool text_skips(const struct sink_config *config, const struct record *record)
{
    if (record->call != NULL)
        return record->event != NULL && record->event->type == DS_EVENT_MESSAGE;
    return config->verbose == 0 && record->finding == NULL && is_dull(record->event);
}

const struct sink_kind sink_text = {
    .name = "text",
    .help = "one line an event, for people",
    .open = text_open,
    .record = text_record,
    .lost = text_lost,
    .close = text_close,
    .stateless = text_is_stateless,
    .skips = text_skips,
    .takes_findings = true,
    .leaves_requests = true,
};

/* Terms for searching, unmarked: which atoms are only likely is not known in advance. */
static const struct ds_term_print_options in_full = {.unmarked = true};

/* event_text is an event as text: a sink whose buffer is never written out. */
struct event_text {
    struct sink_config config;
    struct sink sink;
    struct text_state state;
};

struct event_text *event_text_new(void)
{
    struct event_text *text = calloc(1, sizeof *text);
    if (text == NULL)
        return NULL;
    text->sink.config = &text->config;
    text->state.terminal = -1;
    text->state.endpoints = endpoint_cache_new(text_print_peers);
    if (text->state.endpoints == NULL) {
        free(text);
        return NULL;
    }
    use_limits(&text->state, &in_full);
    return text;
}

struct event_text *event_text_new_shown(int verbose)
{
    struct event_text *text = event_text_new();
    if (text == NULL)
        return NULL;
    text->config.time_style = TIME_NONE;
    text->config.verbose = verbose > 1 ? 1 : verbose; /* no bytes */
    use_limits(&text->state, &term_limits[verbose > 2 ? 2 : verbose]);
    text->sink.state = &text->state;
    return text;
}

void event_text_print_shown(struct event_text *text, const struct record *record, struct ds_buffer *out)
{
    text->state.out = out;
    if (text_skips(&text->config, record))
        return;
    text_record(&text->sink, record);
    if (out->len != 0 && out->data[out->len - 1] == '\n')
        out->len--;
}

void event_text_free(struct event_text *text)
{
    if (text == NULL)
        return;
    endpoint_cache_free(text->state.endpoints);
    ds_term_memo_free(text->state.limits.memo);
    free(text);
}

void event_text_print(struct event_text *text, const struct record *record, struct ds_buffer *out)
{
    text->state.out = out;
    add_line(&text->state, &text->sink, record);
}
