/*
 * sink_perfetto.c - Trace Event JSON, which ui.perfetto.dev and chrome://tracing open ("Trace
 * Event Format"): an array of objects with
 *
 *   ph    M metadata, X slice, s and f the ends of an arrow, i instant
 *   pid   a node, named by process_name
 *   tid   a process, named by thread_name
 *   ts    microseconds since the first record, dur of a slice
 *
 * A call is a slice of the caller and one of the callee with an arrow between them; what
 * belongs to no call is an instant of its sender. Slices of one track must lie within or
 * beside each other, so calls that overlap otherwise, as those of many callers to one server
 * do, go to further tracks of the process.
 *
 * The array may end anywhere: readers do not insist on the last bracket.
 */
#include "numbers.h"
#include "sink.h"
#include "diagram_step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1024, MAX_TRACKS = 16384, MAX_ROWS = 16, ROW_DEPTH = 8 };

static const struct ds_term_print_options term_limits = {
    .max_bytes = 200, .max_items = 50, .max_depth = 12, .max_len = 500};

/* row remembers the last slices of a track that do not lie within others. */
struct row {
    struct {
        int64_t start_ns, end_ns;
    } slices[ROW_DEPTH];
    unsigned num;
};

struct track {
    uint32_t pid, tid;
};

struct trace {
    struct ds_buffer *out;
    bool has_events, has_first;
    int64_t first_ns;
    struct numbers nodes, tracks;
    struct row *rows; /* by number of the track */
    struct diagram_step step;
    struct ds_buffer text;
};

static void add(struct trace *t, const char *text)
{
    ds_buffer_add(t->out, text, strlen(text));
}

/* add_string appends text, which is UTF-8, as a JSON string. */
static void add_string(struct trace *t, const char *text, size_t len)
{
    size_t done = 0;
    add(t, "\"");
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        ds_buffer_add(t->out, text + done, i - done);
        if (c < 0x20)
            ds_buffer_printf(t->out, "\\u%04x", c);
        else
            ds_buffer_printf(t->out, "\\%c", c);
        done = i + 1;
    }
    if (len != done)
        ds_buffer_add(t->out, text + done, len - done);
    add(t, "\"");
}

static void add_text(struct trace *t, const struct ds_buffer *text)
{
    add_string(t, text->data, text->len);
}

/* begin_event begins an object with what all have. */
static void begin_event(struct trace *t, char phase, struct track track)
{
    add(t, t->has_events ? ",\n" : "\n");
    t->has_events = true;
    ds_buffer_printf(t->out, "{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, phase,
                     track.pid, track.tid);
}

static void add_time(struct trace *t, const char *key, int64_t ns)
{
    if (ns < 0)
        ns = 0;
    ds_buffer_printf(t->out, ",\"%s\":%" PRId64 ".%03" PRId64, key, ns / 1000, ns % 1000);
}

static void add_ts(struct trace *t, int64_t ns)
{
    add_time(t, "ts", ns - t->first_ns);
}

static void name_track(struct trace *t, struct track track, const char *what,
                       const struct ds_buffer *name, unsigned row)
{
    begin_event(t, 'M', track);
    ds_buffer_printf(t->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    t->text.len = 0;
    if (name->len != 0)
        ds_buffer_add(&t->text, name->data, name->len);
    if (row != 0)
        ds_buffer_printf(&t->text, " (%u)", row + 1);
    add_text(t, &t->text);
    add(t, "}}");
}

/* find_track returns the track of a process, in one of its rows. When there are too many it
 * is that of the node, and of nodes 0. */
static struct track find_track(struct trace *t, const struct diagram_step_end *end, unsigned row)
{
    bool is_new;
    uint64_t hash = hash_add_text(1, end->node.data, end->node.len);
    struct track track = {.pid = numbers_get(&t->nodes, hash, &is_new)};
    if (is_new)
        name_track(t, track, "process_name", &end->node, 0);
    hash = hash_add_text(hash + row, end->process.data, end->process.len);
    track.tid = numbers_get(&t->tracks, hash, &is_new);
    if (is_new)
        name_track(t, track, "thread_name", end->process.len != 0 ? &end->process : &end->node,
                   row);
    return track;
}

/* row_put finds out whether a slice fits into a row, where none ends later, and puts it
 * there. */
static bool row_put(struct row *row, int64_t start_ns, int64_t end_ns)
{
    unsigned num = row->num;
    while (num != 0 && row->slices[num - 1].start_ns >= start_ns)
        num--; /* lies within the new one */
    if (num != 0 && row->slices[num - 1].end_ns > start_ns)
        return false;
    if (num == ROW_DEPTH)
        memmove(&row->slices[0], &row->slices[1], --num * sizeof row->slices[0]);
    row->slices[num].start_ns = start_ns;
    row->slices[num].end_ns = end_ns;
    row->num = num + 1;
    return true;
}

static struct track place_slice(struct trace *t, const struct diagram_step_end *end,
                                const struct call *call)
{
    struct track track = {0};
    for (unsigned row = 0; row < MAX_ROWS; row++) {
        track = find_track(t, end, row);
        if (track.tid == 0 || row_put(&t->rows[track.tid], call->start_ns, call->end_ns))
            break;
    }
    return track;
}

static void add_term_argument(struct trace *t, const char *key, const struct ds_term *term)
{
    if (term->data == NULL)
        return;
    t->text.len = 0;
    ds_term_print(term, &term_limits, &t->text);
    ds_buffer_printf(t->out, ",\"%s\":", key);
    add_text(t, &t->text);
}

static void add_party_argument(struct trace *t, const char *key, const struct party *party)
{
    t->text.len = 0;
    party_print(party, &t->text);
    ds_buffer_printf(t->out, ",\"%s\":", key);
    add_text(t, &t->text);
}

static void add_slice(struct trace *t, struct track track, const struct call *call)
{
    begin_event(t, 'X', track);
    add_ts(t, call->start_ns);
    add_time(t, "dur", call->end_ns - call->start_ns);
    add(t, ",\"cat\":\"call\",\"name\":");
    t->text.len = 0;
    if (call->mfa.data != NULL)
        ds_buffer_add(&t->text, call->mfa.data, call->mfa.len);
    else
        ds_buffer_add_text(&t->text, call->label != NULL ? call->label : "call");
    add_text(t, &t->text);
    ds_buffer_printf(t->out, ",\"args\":{\"call\":%" PRIu64 ",\"outcome\":\"%s\"", call->number,
                     call_outcome_name(call->outcome));
    if (call->parent != 0)
        ds_buffer_printf(t->out, ",\"parent\":%" PRIu64, call->parent);
    add_party_argument(t, "caller", &call->caller);
    add_party_argument(t, "callee", &call->callee);
    add_term_argument(t, "request", &call->request);
    add_term_argument(t, "result", &call->result);
    add_term_argument(t, "reason", &call->reason);
    add(t, "}}");
}

static void add_arrow_end(struct trace *t, char phase, struct track track, const struct call *call)
{
    begin_event(t, phase, track);
    add_ts(t, call->start_ns);
    ds_buffer_printf(t->out, ",\"cat\":\"call\",\"name\":\"call\",\"id\":%" PRIu64 "%s}",
                     call->number, phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void add_call(struct trace *t, const struct call *call)
{
    diagram_step_tell_party(&call->caller, &t->step.from);
    diagram_step_tell_party(&call->callee, &t->step.to);
    struct track caller = place_slice(t, &t->step.from, call);
    struct track callee = place_slice(t, &t->step.to, call);
    add_slice(t, caller, call);
    add_slice(t, callee, call);
    add_arrow_end(t, 's', caller, call);
    add_arrow_end(t, 'f', callee, call);
}

/* add_instant shows what belongs to no call. */
static void add_instant(struct trace *t, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct diagram_step *step = &t->step;
    bool is_note = step->kind == STEP_NOTE;
    struct track track = find_track(t, &step->from, 0);
    begin_event(t, 'i', track);
    add_ts(t, event->ts_ns);
    ds_buffer_printf(t->out, ",\"s\":\"%c\",\"cat\":\"%s\",\"name\":", is_note ? 'p' : 't',
                     is_note ? "note" : "message");
    add_text(t, is_note ? &step->text : &step->verb);
    ds_buffer_printf(t->out, ",\"args\":{\"frame\":%" PRIu64 ",\"to\":", event->frame);
    t->text.len = 0;
    if (step->to.process.len != 0) {
        ds_buffer_add(&t->text, step->to.process.data, step->to.process.len);
        ds_buffer_add_text(&t->text, " on ");
    }
    ds_buffer_add(&t->text, step->to.node.data, step->to.node.len);
    add_text(t, &t->text);
    if (!is_note)
        add_term_argument(t, "term",
                          record->note.body.data != NULL ? &record->note.body
                                                         : &event->message.payload);
    add(t, "}}");
}

static void perfetto_record(struct sink *sink, const struct record *record)
{
    struct trace *t = sink->state;
    if (!t->has_first) {
        t->has_first = true;
        t->first_ns = record->call != NULL ? record->call->start_ns : record->event->ts_ns;
    }
    if (record->call != NULL) {
        add_call(t, record->call);
    } else if (!diagram_step_tell(&t->step, record)) {
        t->out->failed = true;
    } else if (t->step.kind != STEP_NOTHING && record->note.call == 0) {
        add_instant(t, record);
    }
    if (t->text.failed)
        t->out->failed = true;
}

static void perfetto_lost(struct sink *sink, const struct loss *loss)
{
    struct trace *t = sink->state;
    if (!t->has_first)
        return; /* there is nothing yet between which it could be missing */
    t->text.len = 0;
    ds_buffer_add_text(&t->text, "lost ");
    loss_print(loss, &t->text);
    begin_event(t, 'i', (struct track){0});
    add_ts(t, loss->first_ns);
    add(t, ",\"s\":\"g\",\"cat\":\"note\",\"name\":");
    add_text(t, &t->text);
    add(t, "}");
}

static void perfetto_close(struct sink *sink)
{
    struct trace *t = sink->state;
    numbers_free(&t->nodes);
    numbers_free(&t->tracks);
    free(t->rows);
    diagram_step_free(&t->step);
    ds_buffer_free(&t->text);
    free(t);
    sink->state = NULL;
}

static bool perfetto_open(struct sink *sink)
{
    struct trace *t = calloc(1, sizeof *t);
    if (t == NULL)
        return false;
    sink->state = t;
    t->out = &sink->output.buffer;
    t->rows = calloc(MAX_TRACKS + 1, sizeof *t->rows);
    if (t->rows == NULL || !numbers_init(&t->nodes, MAX_NODES) ||
        !numbers_init(&t->tracks, MAX_TRACKS)) {
        perfetto_close(sink);
        return false;
    }
    add(t, "[");
    return true;
}

static void perfetto_end(struct sink *sink)
{
    add(sink->state, "\n]\n");
}

const struct sink_kind sink_perfetto = {
    .name = "perfetto",
    .help = "Trace Event JSON, for ui.perfetto.dev and chrome://tracing",
    .open = perfetto_open,
    .record = perfetto_record,
    .lost = perfetto_lost,
    .end = perfetto_end,
    .close = perfetto_close,
};
