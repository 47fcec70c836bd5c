/*
 * sink_perfetto.c - Trace Event JSON for ui.perfetto.dev and chrome://tracing ("Trace Event
 * Format"): an array of objects with
 *
 *   ph    M metadata, X slice, s and f the ends of an arrow, i instant
 *   pid   a node, named by process_name
 *   tid   a process, named by thread_name
 *   ts    microseconds since the first record, dur of a slice
 *
 * A call is a slice of the caller and one of the callee with an arrow between them; a message that
 * belongs to no call is an instant of its sender. Slices of one track must be nested or disjoint,
 * so calls that overlap otherwise, such as calls of many callers to one server, go to further
 * tracks of the process.
 *
 * The array may end anywhere: readers do not require the last bracket.
 */
#include "output/json_write.h"
#include "core/id_map.h"
#include "output/sink.h"
#include "output/diagram/diagram_step.h"
#include "output/diagram/diagram_wait.h"
#include "core/term_show.h"
#include "core/label_show.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1024, MAX_TRACKS = 16384, MAX_ROWS = 16, ROW_DEPTH = 8 };

static const struct ds_term_print_options term_limits = {
    .max_bytes = 200, .max_items = 50, .max_depth = 12, .max_len = 500};

/* row contains the last slices of a track that are not nested in others. */
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
    struct json_writer json;
    bool has_events, has_first;
    int64_t first_ns;
    struct diagram_ends ends; /* of the nodes */
    struct diagram_wait wait;
    struct id_map tracks;
    struct row *rows; /* by number of the track */
    struct diagram_step step;
    struct json_writer told; /* writes into more of the current row */
    struct ds_buffer text;
};

static struct ds_text buffer_text(const struct ds_buffer *buffer)
{
    return (struct ds_text){buffer->data, buffer->len};
}

/* begin_event begins an object with the common fields; phase is one letter. */
static void begin_event(struct trace *t, const char *phase, struct track track)
{
    if (t->has_events)
        JSON_LITERAL(&t->json, ",");
    JSON_LITERAL(&t->json, "\n");
    t->has_events = true;
    json_begin_object(&t->json);
    json_put_string(&t->json, JSON_KEY("ph"), phase);
    json_put_unsigned(&t->json, JSON_KEY("pid"), track.pid);
    json_put_unsigned(&t->json, JSON_KEY("tid"), track.tid);
}

static void put_time(struct trace *t, struct json_key key, int64_t ns)
{
    json_put_long_microseconds(&t->json, key, ns < 0 ? 0 : ns);
}

static void put_ts(struct trace *t, int64_t ns)
{
    put_time(t, JSON_KEY("ts"), ns - t->first_ns);
}

static void put_buffer(struct trace *t, struct json_key key, const struct ds_buffer *text)
{
    json_put_text(&t->json, key, buffer_text(text));
}

static void name_track(struct trace *t, struct track track, const char *what,
                       const struct ds_buffer *name, unsigned row)
{
    begin_event(t, "M", track);
    json_put_string(&t->json, JSON_KEY("name"), what);
    t->text.len = 0;
    if (name->len != 0)
        ds_buffer_add(&t->text, name->data, name->len);
    if (row != 0)
        ds_buffer_printf(&t->text, " (%u)", row + 1);
    json_put_open(&t->json, JSON_KEY("args"));
    put_buffer(t, JSON_KEY("name"), &t->text);
    json_put_close(&t->json);
    json_end_object(&t->json);
}

/* find_track returns the track of a process, in one of its rows. With too many processes it is the
 * node's track, with too many nodes 0. */
static struct track find_track(struct trace *t, const struct diagram_row_end *end, unsigned row)
{
    bool is_new;
    struct ds_text was_called;
    const struct diagram_place place = diagram_row_place(end);
    struct track track = {.pid = diagram_ends_node(&t->ends, &place, &was_called, &is_new)};
    if (is_new || was_called.data != NULL)
        name_track(t, track, "process_name", &end->node, 0);
    uint64_t hash = hash_add_text(track.pid, "", 0);
    hash = hash_add_text(hash + row, end->process.data, end->process.len);
    track.tid = id_map_get(&t->tracks, hash, &is_new);
    if (is_new)
        name_track(t, track, "thread_name", end->process.len != 0 ? &end->process : &end->node,
                   row);
    return track;
}

/* row_put adds a slice to a row, in which none ends later. False if it does not fit. */
static bool row_put(struct row *row, int64_t start_ns, int64_t end_ns)
{
    unsigned num = row->num;
    while (num != 0 && row->slices[num - 1].start_ns >= start_ns)
        num--; /* nested in the new one */
    if (num != 0 && row->slices[num - 1].end_ns > start_ns)
        return false;
    if (num == ROW_DEPTH)
        memmove(&row->slices[0], &row->slices[1], --num * sizeof row->slices[0]);
    row->slices[num].start_ns = start_ns;
    row->slices[num].end_ns = end_ns;
    row->num = num + 1;
    return true;
}

static struct track place_slice(struct trace *t, const struct diagram_row_end *end,
                                const struct diagram_row *call)
{
    struct track track = {0};
    for (unsigned row = 0; row < MAX_ROWS; row++) {
        track = find_track(t, end, row);
        if (track.tid == 0 || row_put(&t->rows[track.tid], call->start_ns, call->end_ns))
            break;
    }
    return track;
}

static void write_term(struct trace *t, struct json_key key, const struct ds_term *term)
{
    if (term->data == NULL)
        return;
    t->text.len = 0;
    term_show(term, &term_limits, &t->text);
    json_put_text(&t->told, key, buffer_text(&t->text));
}

static void write_party(struct trace *t, struct json_key key, const struct party *party)
{
    t->text.len = 0;
    party_print(party, &t->text);
    json_put_text(&t->told, key, buffer_text(&t->text));
}

/* write_call describes a call: its name in verb, everything else as an object in more. */
static void write_call(struct trace *t, const struct call *call)
{
    struct diagram_row *row = &t->step.row;
    diagram_step_describe_parties(&t->step, call);
    row->kind = STEP_CALL;
    row->number = call->number;
    row->start_ns = call->start_ns;
    row->end_ns = call->end_ns;
    row->verb.len = 0;
    if (call->mfa.data != NULL)
        call_print_mfa_as(term_show_syntax(), call, &row->verb);
    else
        label_show(call->label != NULL ? call->label : "call", &row->verb);
    json_begin_object(&t->told);
    json_put_unsigned(&t->told, JSON_KEY("call"), call->number);
    json_put_string(&t->told, JSON_KEY("outcome"), call_outcome_name(call->outcome));
    if (call->parent != 0)
        json_put_unsigned(&t->told, JSON_KEY("parent"), call->parent);
    write_party(t, JSON_KEY("caller"), &call->caller);
    write_party(t, JSON_KEY("callee"), &call->callee);
    write_term(t, JSON_KEY("request"), &call->request);
    write_term(t, JSON_KEY("result"), &call->result);
    write_term(t, JSON_KEY("reason"), &call->reason);
    json_end_object(&t->told);
}

/* write_instant adds the longer term to more. */
static void write_instant(struct trace *t, const struct record *record)
{
    struct diagram_row *row = &t->step.row;
    const struct ds_term *term =
        record->note.body.data != NULL ? &record->note.body : &record->event->message.payload;
    row->number = record->event->frame;
    row->start_ns = record->event->ts_ns;
    if (record->note.call != 0)
        row->kind = STEP_NOTHING; /* the call is drawn at its end */
    else if (row->kind != STEP_NOTE && row->kind != STEP_NOTHING && term->data != NULL)
        term_show(term, &term_limits, &row->more);
}

static struct diagram_row *describe(struct sink *sink, const struct record *record)
{
    struct trace *t = sink->state;
    struct diagram_row *row = &t->step.row;
    if (!t->has_first) {
        t->has_first = true;
        t->first_ns = record->call != NULL ? record->call->start_ns : record->event->ts_ns;
    }
    row->more.len = 0;
    if (record->call != NULL)
        write_call(t, record->call);
    else if (diagram_step_describe(&t->step, record))
        write_instant(t, record);
    return diagram_row_failed(row) || t->text.failed ? NULL : row;
}

static void add_slice(struct trace *t, struct track track, const struct diagram_row *call)
{
    begin_event(t, "X", track);
    put_ts(t, call->start_ns);
    put_time(t, JSON_KEY("dur"), call->end_ns - call->start_ns);
    json_put_string(&t->json, JSON_KEY("cat"), "call");
    put_buffer(t, JSON_KEY("name"), &call->verb);
    json_put_object(&t->json, JSON_KEY("args"), (struct json_object){buffer_text(&call->more)});
    json_end_object(&t->json);
}

static void begin_arrow_end(struct trace *t, const char *phase, struct track track,
                            const struct diagram_row *call)
{
    begin_event(t, phase, track);
    put_ts(t, call->start_ns);
    json_put_string(&t->json, JSON_KEY("cat"), "call");
    json_put_string(&t->json, JSON_KEY("name"), "call");
    json_put_unsigned(&t->json, JSON_KEY("id"), call->number);
}

static void draw_call(struct trace *t, const struct diagram_row *call)
{
    struct track caller = place_slice(t, &call->from, call);
    struct track callee = place_slice(t, &call->to, call);
    add_slice(t, caller, call);
    add_slice(t, callee, call);
    begin_arrow_end(t, "s", caller, call);
    json_end_object(&t->json);
    begin_arrow_end(t, "f", callee, call);
    json_put_string(&t->json, JSON_KEY("bp"), "e");
    json_end_object(&t->json);
}

/* draw_instant draws a message that belongs to no call. */
static void draw_instant(struct trace *t, const struct diagram_row *row)
{
    struct json_writer *json = &t->json;
    const bool is_note = row->kind == STEP_NOTE;
    struct track track = find_track(t, &row->from, 0);
    begin_event(t, "i", track);
    put_ts(t, row->start_ns);
    json_put_string(json, JSON_KEY("s"), is_note ? "p" : "t");
    json_put_string(json, JSON_KEY("cat"), is_note ? "note" : "message");
    put_buffer(t, JSON_KEY("name"), is_note ? &row->text : &row->verb);
    json_put_open(json, JSON_KEY("args"));
    json_put_unsigned(json, JSON_KEY("frame"), row->number);
    t->text.len = 0;
    if (row->to.process.len != 0) {
        ds_buffer_add(&t->text, row->to.process.data, row->to.process.len);
        ds_buffer_add_text(&t->text, " on ");
    }
    ds_buffer_add(&t->text, row->to.node.data, row->to.node.len);
    put_buffer(t, JSON_KEY("to"), &t->text);
    if (row->more.len != 0)
        put_buffer(t, JSON_KEY("term"), &row->more);
    json_put_close(json);
    json_end_object(json);
}

static void draw(struct sink *sink, const struct diagram_row *row)
{
    struct trace *t = sink->state;
    if (row->kind == STEP_CALL)
        draw_call(t, row);
    else if (row->kind != STEP_NOTHING)
        draw_instant(t, row);
    if (t->text.failed)
        t->json.out->failed = true;
}
static void add_lost(struct sink *sink, const struct loss *loss)
{
    struct trace *t = sink->state;
    if (!t->has_first)
        return; /* there are no records yet between which something could be missing */
    t->text.len = 0;
    ds_buffer_add_text(&t->text, "lost ");
    loss_print(loss, &t->text);
    begin_event(t, "i", (struct track){0});
    put_ts(t, loss->first_ns);
    json_put_string(&t->json, JSON_KEY("s"), "g");
    json_put_string(&t->json, JSON_KEY("cat"), "note");
    put_buffer(t, JSON_KEY("name"), &t->text);
    json_end_object(&t->json);
}

static void perfetto_record(struct sink *sink, const struct record *record)
{
    struct trace *t = sink->state;
    diagram_wait_record(&t->wait, sink, record);
}

static void perfetto_lost(struct sink *sink, const struct loss *loss)
{
    struct trace *t = sink->state;
    diagram_wait_lost(&t->wait, sink, loss);
}

static void perfetto_close(struct sink *sink)
{
    struct trace *t = sink->state;
    diagram_wait_free(&t->wait);
    diagram_ends_free(&t->ends);
    id_map_free(&t->tracks);
    free(t->rows);
    diagram_step_free(&t->step);
    ds_buffer_free(&t->text);
    json_writer_free(&t->json);
    json_writer_free(&t->told);
    free(t);
    sink->state = NULL;
}

static bool perfetto_open(struct sink *sink)
{
    struct trace *t = calloc(1, sizeof *t);
    if (t == NULL)
        return false;
    sink->state = t;
    t->json.out = &sink->output.buffer;
    t->rows = calloc(MAX_TRACKS + 1, sizeof *t->rows);
    t->told.out = &t->step.row.more;
    diagram_wait_init(&t->wait, &t->ends, describe, draw, add_lost);
    if (t->rows == NULL || !diagram_ends_init(&t->ends, MAX_NODES) ||
        !id_map_init(&t->tracks, MAX_TRACKS)) {
        perfetto_close(sink);
        return false;
    }
    JSON_LITERAL(&t->json, "[");
    return true;
}

static void perfetto_end(struct sink *sink)
{
    struct trace *t = sink->state;
    diagram_wait_end(&t->wait, sink);
    JSON_LITERAL(&t->json, "\n]\n");
}

const struct sink_kind sink_perfetto = {
    .name = "perfetto",
    .help = "Trace Event JSON, for ui.perfetto.dev and chrome://tracing",
    .open = perfetto_open,
    .record = perfetto_record,
    .lost = perfetto_lost,
    .end = perfetto_end,
    .close = perfetto_close,
    .has_temporary = true,
};
