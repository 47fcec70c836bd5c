/*
 * sink_livemd.c - a notebook for Livebook: -T livemd=cluster.livemd writes it, and its data beside
 * it, cluster.exs.
 *
 * The notebook is notebook.livemd, which contains nothing from a peer: only the name of the data
 * file is inserted, as an Elixir string. The data is one Elixir map in which every text is a string
 * literal; the notebook escapes these for Mermaid when it draws.
 *
 *   %{about: %{...}, calls: [%{...}, ...], over_time: %{...}, messages: [{...}, ...]}
 *
 * It has at most --max-page-bytes: messages come last, and fill the remaining room.
 */
#include "core/complain.h"
#include "core/label_show.h"
#include "output/diagram/diagram_step.h"
#include "output/map_write.h"
#include "output/sink.h"
#include "ui/page/page_calls.h"
#include "ui/page/page_rows.h"
#include "ui/page/page_times.h"
#include "reports/report.h"
#include "output/fixture/templates/templates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_TEXT = 320, WHAT_LEN = 300, BEHIND_MESSAGES = 8 };

static const struct ds_term_print_options message_limits = {
    .max_bytes = 160, .max_items = 40, .max_depth = 12, .max_len = MESSAGE_TEXT};

struct notebook {
    struct page_times *times;
    struct page_calls calls;
    struct page_rows rows;
    struct diagram_step step;
    struct map_writer map;
    struct ds_buffer line, label;
    uint64_t max_bytes, losses;
};

static bool livemd_check(const char *file)
{
    if (file != NULL)
        return true;
    complain("-T livemd writes two files: name one, -T livemd=FILE.livemd");
    return false;
}

/* The notebook. */

static bool livemd_open(struct sink *sink)
{
    static const char mark[] = "\"@D@\"";
    const char *text = (const char *)template_notebook.bytes;
    const size_t len = template_notebook.len;
    const char *at = memmem(text, len, mark, sizeof mark - 1);
    const char *name = sink_companion_of(sink->config, sink->output.name);
    const char *slash = name != NULL ? strrchr(name, '/') : NULL;
    if (at == NULL || name == NULL)
        return false;
    if (slash != NULL)
        name = slash + 1;
    ds_buffer_add(&sink->output.buffer, text, (size_t)(at - text));
    ds_code_binary((struct ds_text){name, strlen(name)}, DS_CODE_ELIXIR, &sink->output.buffer);
    at += sizeof mark - 1;
    ds_buffer_add(&sink->output.buffer, at, (size_t)(text + len - at));
    return !sink->output.buffer.failed;
}

static void no_record(struct sink *sink, const struct record *record)
{
    (void)sink;
    (void)record;
}

static void nothing(struct sink *sink)
{
    (void)sink;
}

/* The data. */

static void put_text(struct map_writer *map, const struct ds_buffer *text)
{
    map->failed |= text->failed;
    map_put_binary(map, (struct ds_text){text->len != 0 ? text->data : "", text->len});
}

/* begin_line makes map write a row, end_line says whether memory was sufficient. */
static struct map_writer *begin_line(struct map_writer *map, struct ds_buffer *line)
{
    line->len = 0;
    *map = (struct map_writer){.out = line, .form = MAP_ELIXIR};
    return map;
}

static void end_line(struct map_writer *map)
{
    ds_buffer_add_text(map->out, ",\n");
    map->out->failed |= map->failed;
}

static void put_end(struct map_writer *map, const struct diagram_row_end *end)
{
    put_text(map, &end->node);
    map_put_next(map);
    put_text(map, &end->process);
    map_put_next(map);
}

/* add_row keeps the message or event that step describes: packet, conn, microseconds, node and
 * process of the sender, of the receiver, verb, label, call, bytes, text. */
static void add_row(struct notebook *n, const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_message = event->type == DS_EVENT_MESSAGE;
    struct map_writer *map = begin_line(&n->map, &n->line);
    map_put_tuple(map, 12);
    map_put_unsigned(map, event->frame);
    map_put_next(map);
    map_put_unsigned(map, event->conn != NULL ? event->conn->number : 0);
    map_put_next(map);
    map_put_signed(map, event->ts_ns / 1000);
    map_put_next(map);
    put_end(map, &n->step.row.from);
    put_end(map, &n->step.row.to);
    put_text(map, &n->step.row.verb);
    map_put_next(map);
    n->label.len = 0;
    if (is_message && record->note.label != NULL)
        label_show(record->note.label, &n->label);
    put_text(map, &n->label);
    map_put_next(map);
    map_put_unsigned(map, is_message ? record->note.call : 0);
    map_put_next(map);
    map_put_unsigned(map, is_message ? event->message.size : 0);
    map_put_next(map);
    put_text(map, &n->step.row.text);
    map_put_tuple_end(map);
    end_line(map);
    page_rows_add(&n->rows, &n->line);
    if (n->line.failed)
        ds_buffer_free(&n->line);
}

static void put_scratch(struct page_calls *c, struct map_writer *map, const char *key)
{
    map_key(map, key);
    put_text(map, &c->scratch);
    c->scratch.len = 0;
}

/* make_line writes a call with a known duration. */
static void make_line(struct page_calls *c, const struct call *call)
{
    struct map_writer writer;
    struct map_writer *map = begin_line(&writer, &c->line);
    c->scratch.len = 0;
    map_put_open(map);
    map_field_unsigned(map, "call", call->number);
    map_field_unsigned(map, "conn", call->conn);
    label_show(call->label, &c->scratch);
    put_scratch(c, map, "label");
    map_field_string(map, "outcome", call_outcome_name(call->outcome));
    map_field_signed(map, "start", call->start_ns / 1000);
    map_field_signed(map, "latency", call->end_ns - call->start_ns);
    map_field_unsigned(map, "packet", call->start_frame);
    map_field_unsigned(map, "end_packet", call->end_frame);
    party_print(&call->caller, &c->scratch);
    put_scratch(c, map, "caller");
    party_print(&call->callee, &c->scratch);
    put_scratch(c, map, "callee");
    report_print_what(call, WHAT_LEN, &c->scratch);
    put_scratch(c, map, "what");
    map_put_close(map);
    end_line(map);
}

static void data_close(struct sink *sink)
{
    struct notebook *n = sink->state;
    page_times_free(n->times);
    page_calls_free(&n->calls);
    page_rows_free(&n->rows);
    diagram_step_free(&n->step);
    ds_buffer_free(&n->line);
    ds_buffer_free(&n->label);
    free(n);
    sink->state = NULL;
}

static bool data_open(struct sink *sink)
{
    struct notebook *n = calloc(1, sizeof *n);
    if (n == NULL)
        return false;
    sink->state = n;
    n->rows.max = sink->config->limits[DS_LIMIT_PAGE_MESSAGES];
    n->rows.max_bytes = sink->config->limits[DS_LIMIT_PAGE_BYTES]; /* more are not written */
    n->max_bytes = sink->config->limits[DS_LIMIT_PAGE_BYTES];
    n->step.limits = &message_limits;
    page_calls_init(&n->calls, sink->config->limits[DS_LIMIT_PAGE_CALLS], make_line);
    n->times = page_times_new();
    if (n->times != NULL)
        return true;
    data_close(sink);
    return false;
}

static void data_record(struct sink *sink, const struct record *record)
{
    struct notebook *n = sink->state;
    page_times_record(n->times, record);
    if (record->call != NULL) {
        if (call_has_end(record->call))
            page_calls_add(&n->calls, record->call);
        return;
    }
    const enum ds_event_type type = record->event->type;
    if ((type == DS_EVENT_MESSAGE || type == DS_EVENT_CONN || type == DS_EVENT_GAP) &&
        diagram_step_describe(&n->step, record) && n->step.row.kind != STEP_NOTHING)
        add_row(n, record);
}

static void data_lost(struct sink *sink, const struct loss *loss)
{
    struct notebook *n = sink->state;
    (void)loss;
    n->losses++;
}

static void put_series(struct map_writer *map, const char *key, const uint64_t *counts, unsigned num)
{
    map_key(map, key);
    map_put_list(map);
    for (unsigned i = 0; i < num; i++) {
        map_element(map);
        map_put_unsigned(map, counts[i]);
    }
    map_put_list_end(map);
}

static void put_cell(void *context, unsigned column, unsigned row, uint64_t count)
{
    struct map_writer *map = context;
    map_element(map);
    map_put_tuple(map, 3);
    map_put_unsigned(map, column);
    map_put_next(map);
    map_put_unsigned(map, row);
    map_put_next(map);
    map_put_unsigned(map, count);
    map_put_tuple_end(map);
}

static void put_over_time(struct map_writer *map, struct page_times *times)
{
    struct page_times_view view;
    page_times_see(times, &view);
    map_key(map, "over_time");
    map_put_open(map);
    map_field_signed(map, "start", view.start_ns / 1000);
    map_field_signed(map, "width", view.width_ns);
    put_series(map, "messages", view.messages, view.num);
    put_series(map, "bytes", view.bytes, view.num);
    map_key(map, "latency_ends");
    map_put_list(map);
    for (unsigned i = 0; i < view.num_ends; i++) {
        map_element(map);
        map_put_signed(map, view.latency_ends_ns[i]);
    }
    map_put_list_end(map);
    map_key(map, "latency");
    map_put_list(map);
    page_times_cells(times, put_cell, map);
    map_put_list_end(map);
    map_put_close(map);
}

static void put_about(struct sink *sink, struct map_writer *map)
{
    struct notebook *n = sink->state;
    int64_t first_ns, last_ns;
    const bool has_span = page_times_span(n->times, &first_ns, &last_ns);
    map_key(map, "about");
    map_put_open(map);
    map_field_string(map, "distsniff", DISTSNIFF_VERSION);
    map_field_signed(map, "first", has_span ? first_ns / 1000 : 0);
    map_field_signed(map, "last", has_span ? last_ns / 1000 : 0);
    map_field_unsigned(map, "messages", n->rows.seen);
    map_field_unsigned(map, "losses", n->losses);
    map_field_bool(map, "redacted", sink->config->redacted);
    map_put_close(map);
}

static void put_calls(struct map_writer *map, struct best_rows *rows, uint64_t max_bytes)
{
    best_rows_sort(rows);
    for (size_t i = rows->num; i-- > 0 && map->out->len < max_bytes;)
        ds_buffer_add_text(map->out, rows->rows[i].line);
}

static bool put_row(const struct notebook *n, struct ds_buffer *out, const char *row)
{
    if (row == NULL)
        return true;
    if (out->len + strlen(row) + BEHIND_MESSAGES > n->max_bytes)
        return false;
    ds_buffer_add_text(out, row);
    return true;
}

/* put_messages writes the first messages, and as many of the latest as there is room for. */
static void put_messages(struct notebook *n, struct ds_buffer *out)
{
    const uint64_t first = page_rows_num_first(&n->rows), last = page_rows_num_last(&n->rows);
    uint64_t num = 0;
    size_t left;
    for (uint64_t i = 0; i < first && put_row(n, out, page_rows_first(&n->rows, i));)
        i++;
    left = n->max_bytes > out->len + BEHIND_MESSAGES ? n->max_bytes - out->len - BEHIND_MESSAGES : 0;
    for (; num < last; num++) {
        const char *row = page_rows_last(&n->rows, num);
        const size_t len = row != NULL ? strlen(row) : 0;
        if (len > left)
            break;
        left -= len;
    }
    while (num-- > 0)
        (void)put_row(n, out, page_rows_last(&n->rows, num));
}

static void data_end(struct sink *sink)
{
    struct notebook *n = sink->state;
    struct ds_buffer *out = &sink->output.buffer;
    struct map_writer map = {.out = out, .form = MAP_ELIXIR};
    ds_buffer_add_text(out, "# for Code.eval_file/1, which the notebook beside it calls\n");
    map_put_open(&map);
    put_about(sink, &map);
    put_over_time(&map, n->times);
    map_key(&map, "calls");
    ds_buffer_add_text(out, "[\n");
    put_calls(&map, &n->calls.slowest, n->max_bytes / 2);
    put_calls(&map, &n->calls.failed, n->max_bytes / 2);
    ds_buffer_add_text(out, "]");
    map_key(&map, "messages");
    ds_buffer_add_text(out, "[\n");
    put_messages(n, out);
    ds_buffer_add_text(out, "]");
    map_put_close(&map);
    ds_buffer_add_text(out, "\n");
    out->failed |= map.failed;
    output_file_end_record(&sink->output);
}

const struct sink_kind sink_livemd_data = {
    .name = "livemd",
    .help = "the data of a notebook",
    .open = data_open,
    .record = data_record,
    .lost = data_lost,
    .end = data_end,
    .close = data_close,
};

const struct sink_kind sink_livemd = {
    .name = "livemd",
    .help = "a notebook for Livebook, with its data beside it",
    .open = livemd_open,
    .record = no_record,
    .close = nothing,
    .check = livemd_check,
    .companion = &sink_livemd_data,
    .ending = ".livemd",
    .companion_ending = ".exs",
};
