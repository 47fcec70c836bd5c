/*
 * report_points.c - the capture points of a stream that is followed: since when each sends, how far it
 * is behind, what it lost, and by how much its clock differs. It counts nothing: the reader of the
 * stream knows all of this (point_board.h).
 */
#include "core/columns.h"
#include "core/duration.h"
#include "core/printable.h"
#include "record/point_board.h"
#include "reports/report_table.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>

struct points_table {
    struct report_text *text;
    struct point_board *board;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct points_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->text = text;
    t->board = config->points;
    return t;
}

static void on_record(void *state, const struct record *record)
{
    (void)state, (void)record;
}

static const struct capture_point_numbers *numbers_of(const void *row)
{
    return &((const struct capture_point *)row)->numbers;
}

static void print_time(const void *report, int64_t ns, struct ds_buffer *out)
{
    const struct points_table *t = report;
    const size_t before = out->len;
    report_print_time(t->text, ns, out);
    const char *dot = out->failed ? NULL : memchr(out->data + before, '.', out->len - before);
    if (dot != NULL)
        out->len = (size_t)(dot - out->data); /* whole seconds are enough */
}

static void print_state(const void *row, const void *report, struct ds_buffer *out)
{
    (void)report;
    ds_buffer_add_text(out, numbers_of(row)->is_silent ? "silent" : "up");
}

static void write_state(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_string(json, key, numbers_of(row)->is_silent ? "silent" : "up");
}

static void print_since(const void *row, const void *report, struct ds_buffer *out)
{
    print_time(report, numbers_of(row)->counts.since_ns, out);
}

static void write_since(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_microseconds(json, key, numbers_of(row)->counts.since_ns);
}

static void print_heard(const void *row, const void *report, struct ds_buffer *out)
{
    print_time(report, numbers_of(row)->heard_ns, out);
}

static void write_heard(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_microseconds(json, key, numbers_of(row)->heard_ns);
}

static int64_t lag_of(const void *row)
{
    return numbers_of(row)->lag_ns;
}

static int64_t ahead_of(const void *row)
{
    return numbers_of(row)->ahead_ns;
}

static void print_ahead(const void *row, const void *report, struct ds_buffer *out)
{
    (void)report;
    if (ahead_of(row) >= 0)
        ds_buffer_add_text(out, "+");
    duration_print(ahead_of(row), out);
}

static void print_name(const void *row, const void *report, struct ds_buffer *out)
{
    const struct capture_point *point = row;
    (void)report;
    printable_text((struct ds_text){point->name, strlen(point->name)}, out);
}

static void write_name(const void *row, struct json_key key, struct json_writer *json)
{
    const struct capture_point *point = row;
    json_put_text(json, key, (struct ds_text){point->name, strlen(point->name)});
}

#define AT(field) .at = offsetof(struct capture_point, numbers.field)
static const struct report_column columns[] = {
    {JSON_KEY("name"), "capture point", 'l', .print = print_name, .write_json = write_name},
    {JSON_KEY("state"), "state", 'l', .print = print_state, .write_json = write_state},
    {JSON_KEY("since"), "since", 'l', .print = print_since, .write_json = write_since},
    {JSON_KEY("heard"), "last heard", 'l', .print = print_heard, .write_json = write_heard},
    {JSON_KEY("lag"), "lag", 'r', .span = lag_of},
    {JSON_KEY("ahead"), "clock", 'r', .span = ahead_of, .print = print_ahead},
    {JSON_KEY("packets"), "packets", 'r', AT(packets)},
    {JSON_KEY("late"), "late", 'r', AT(late)},
    {JSON_KEY("lost"), "lost", 'r', AT(counts.lost)},
    {JSON_KEY("dropped"), "dropped", 'r', AT(counts.dropped)},
};
#undef AT
static const struct report_table table = {.columns = columns, .num = sizeof columns / sizeof columns[0]};

struct point_sums {
    uint64_t points, silent, late, lost, dropped;
};

static void add_up(const struct capture_point_numbers *point, struct point_sums *sums)
{
    sums->points++;
    sums->silent += point->is_silent != 0;
    sums->late += point->late;
    sums->lost += point->counts.lost;
    sums->dropped += point->counts.dropped;
}

/* print_sentence writes what is wrong with any of them. */
static void print_sentence(const struct point_sums *sums, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s", ds_counted(sums->points, "capture points").text);
    if (sums->points == 0)
        ds_buffer_add_text(out, ": only a stream that is followed has them, -r 'nats://HOST?follow'");
    if (sums->silent != 0)
        ds_buffer_printf(out, ", %" PRIu64 " of them silent", sums->silent);
    if (sums->lost != 0)
        ds_buffer_printf(out, "; %s lost: a queue was full", ds_counted(sums->lost, "packets").text);
    if (sums->dropped != 0)
        ds_buffer_printf(out, "; %s dropped by kernels or interfaces",
                         ds_counted(sums->dropped, "packets").text);
    if (sums->late != 0)
        ds_buffer_printf(out, "; %s too late to be shown", ds_counted(sums->late, "packets").text);
    ds_buffer_add_text(out, "\n");
}

static void show(void *state)
{
    struct points_table *t = state;
    struct report_table shown = table;
    struct columns fitted;
    struct ds_buffer lines = {0};
    struct point_sums sums = {0};
    struct capture_point point;
    shown.report = t;
    report_table_columns(&shown, &fitted);
    report_table_heading(&shown, "", &lines);
    for (size_t i = 0; point_board_get(t->board, i, &point); i++) {
        add_up(&point.numbers, &sums);
        report_table_row(&shown, &point, "", &lines);
    }
    print_sentence(&sums, &t->text->buffer);
    if (sums.points != 0) {
        report_bound(t->text, &fitted);
        columns_fit_all(&fitted, &lines);
        columns_print_all(&fitted, &lines, &t->text->buffer);
    }
    t->text->buffer.failed |= lines.failed;
    ds_buffer_free(&lines);
}

static void write_report(void *state, struct json_writer *json)
{
    const struct points_table *t = state;
    struct capture_point point;
    json_put_list(json, JSON_KEY("rows"));
    for (size_t i = 0; point_board_get(t->board, i, &point); i++) {
        json_item_open(json);
        report_table_write(&table, &point, json);
        json_put_close(json);
    }
    json_put_list_end(json);
}

static void end(void *state)
{
    free(state);
}

const struct report_kind report_points = {
    .open = open_table,
    .record = on_record,
    .show = show,
    .write_json = write_report,
    .end = end,
};
