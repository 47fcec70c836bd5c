/*
 * page.c - see page.h.
 *
 *   head, a policy                  page_head_data
 *   style, an empty body            page_before_data
 *   data: JSON, gzip, base64        page_gzip.h
 *   script: D3 and the views        page_behind_data
 *
 * The page shows the same books as the tables of --report: it has its own set of them, written as
 * JSON. The script only draws, and counts nothing. Some things are only in a page: time,
 * page_times.h, single calls, page_calls.h, and single messages, page_rows.h.
 *
 * The page has a maximum size: messages come last, and fill the remaining room.
 */
#include "ui/page/page.h"

#include "analyse/calls/pid_key.h"
#include "core/label_show.h"
#include "output/diagram/diagram_step.h"
#include "output/json_write.h"
#include "reports/changes_json.h"
#include "reports/report.h"
#include "ui/page/page_calls.h"
#include "ui/page/page_gzip.h"
#include "ui/page/page_parts.h"
#include "ui/page/page_rows.h"
#include "ui/page/page_times.h"

#include <distsniff/dissect.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ROWS_OF_PAGE: rows may have so many times the bytes of a page, as they are compressed. */
enum { ROWS = 200, MESSAGE_TEXT = 320, BEHIND_MESSAGES = 1024, ROWS_OF_PAGE = 3 };

static const struct ds_term_print_options message_limits = {
    .max_bytes = 160, .max_items = 40, .max_depth = 12, .max_len = MESSAGE_TEXT};

/* The books of a page, and the key of each. traffic is there twice, grouped in two ways. */
static const struct {
    const struct report_kind *kind;
    enum traffic_by by;
    const char *key; /* ,"name": */
} books[] = {
    {&report_doctor, TRAFFIC_BY_SHAPE, ",\"doctor\":"},
    {&report_timeline, TRAFFIC_BY_SHAPE, ",\"timeline\":"},
    {&report_links, TRAFFIC_BY_SHAPE, ",\"links\":"},
    {&report_traffic, TRAFFIC_BY_SHAPE, ",\"traffic\":"},
    {&report_traffic, TRAFFIC_BY_NODE, ",\"nodes\":"},
    {&report_latency, TRAFFIC_BY_SHAPE, ",\"latency\":"},
    {&report_top, TRAFFIC_BY_SHAPE, ",\"processes\":"},
    {&report_calls, TRAFFIC_BY_SHAPE, ",\"outcomes\":"},
    {&report_trees, TRAFFIC_BY_SHAPE, ",\"trees\":"},
    {&report_raft, TRAFFIC_BY_SHAPE, ",\"raft\":"},
    {&report_apps, TRAFFIC_BY_SHAPE, ",\"apps\":"},
    {&report_points, TRAFFIC_BY_SHAPE, ",\"points\":"},
};
enum { NUM_BOOKS = sizeof books / sizeof books[0] };

struct page {
    struct page_config config;
    struct report_text text; /* of the books: unused */
    void *books[NUM_BOOKS];
    struct intern names; /* of the books */
    struct page_times *times;
    struct page_calls calls;
    struct page_rows rows;
    struct diagram_step step;
    struct ds_buffer label;
    struct ds_buffer line; /* a row, and in the end each part of the data */
    uint64_t losses;       /* times that something was lost */
    int64_t second;        /* of the latest row, seconds since 1970 */
    uint64_t num_in_second;
    uint64_t num_passed;   /* messages that came too quickly to become rows */
    bool has_ended;
};

void page_free(struct page *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < NUM_BOOKS; i++) {
        if (p->books[i] != NULL)
            books[i].kind->end(p->books[i]);
    }
    intern_free(&p->names);
    page_times_free(p->times);
    page_calls_free(&p->calls);
    page_rows_free(&p->rows);
    diagram_step_free(&p->step);
    ds_buffer_free(&p->text.buffer);
    ds_buffer_free(&p->line);
    ds_buffer_free(&p->label);
    free(p);
}

static bool open_books(struct page *p)
{
    struct report_config config = {
        .max_rows = ROWS, .max_links = ROWS, .samples = true, .points = p->config.points};
    memcpy(config.limits, p->config.limits, sizeof config.limits);
    intern_init(&p->names, config.limits[DS_LIMIT_NAMES]);
    config.names = &p->names;
    config.limits[DS_LIMIT_REPORT] = 0; /* page_calls.h keeps the calls */
    for (size_t i = 0; i < NUM_BOOKS; i++) {
        config.traffic_by = books[i].by;
        p->books[i] = books[i].kind->open(&p->text, &config);
        if (p->books[i] == NULL)
            return false;
    }
    return true;
}

struct page *page_new(const struct page_config *config)
{
    struct page *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->config = *config;
    p->rows.max = config->limits[DS_LIMIT_PAGE_MESSAGES];
    const uint64_t page_bytes = config->limits[DS_LIMIT_PAGE_BYTES];
    p->rows.max_bytes =
        page_bytes < UINT64_MAX / ROWS_OF_PAGE ? ROWS_OF_PAGE * page_bytes : UINT64_MAX;
    p->step.limits = &message_limits;
    page_calls_init(&p->calls, config->limits[DS_LIMIT_PAGE_CALLS], page_calls_json);
    p->times = page_times_new();
    if (p->times != NULL && open_books(p))
        return p;
    page_free(p);
    return NULL;
}

static void put_buffer(struct json_writer *json, struct ds_buffer *text)
{
    json->failed |= text->failed;
    json_item(json);
    json_value_text(json, (struct ds_text){text->len != 0 ? text->data : "", text->len});
}

static void put_number(struct json_writer *json, uint64_t number)
{
    json_item(json);
    json_value_unsigned(json, number);
}

/* add_row keeps the message or event that step describes: packet, conn, microseconds, node and
 * process of the sender, of the receiver, verb, label, call, bytes, text. */
static void add_row(struct page *p, const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_message = event->type == DS_EVENT_MESSAGE;
    struct json_writer json = {.out = &p->line};
    p->line.len = 0;
    json_begin_object(&json);
    json_put_list(&json, JSON_KEY("m"));
    put_number(&json, event->frame);
    put_number(&json, event->conn != NULL ? event->conn->number : 0);
    json_item(&json);
    json_value_signed(&json, event->ts_ns / 1000);
    put_buffer(&json, &p->step.row.from.node);
    put_buffer(&json, &p->step.row.from.process);
    put_buffer(&json, &p->step.row.to.node);
    put_buffer(&json, &p->step.row.to.process);
    put_buffer(&json, &p->step.row.verb);
    p->label.len = 0;
    if (is_message && record->note.label != NULL)
        label_show(record->note.label, &p->label);
    put_buffer(&json, &p->label);
    put_number(&json, is_message ? record->note.call : 0);
    put_number(&json, is_message ? event->message.size : 0);
    put_buffer(&json, &p->step.row.text);
    json_put_list_end(&json);
    json_end_object(&json);
    json_writer_free(&json);
    page_rows_add(&p->rows, &p->line);
    if (p->line.failed)
        ds_buffer_free(&p->line);
}

static const char *mark_kind(const struct ds_event *event)
{
    if (event->type == DS_EVENT_GAP)
        return "gap";
    return event->change.state == DS_CONN_UP || event->change.state == DS_CONN_JOINED_LATE
               ? "up"
           : event->change.state == DS_CONN_FAILED ? "failed"
                                                   : "closed";
}

static void on_event(struct page *p, const struct record *record)
{
    const struct ds_event *event = record->event;
    const uint64_t conn = event->conn != NULL ? event->conn->number : 0;
    if (event->type == DS_EVENT_STALL)
        page_times_mark(p->times, event->ts_ns, "stall", conn, event->frame,
                        (struct ds_text){NULL, 0});
    if (event->type != DS_EVENT_MESSAGE && event->type != DS_EVENT_CONN &&
        event->type != DS_EVENT_GAP)
        return;
    if (!diagram_step_describe(&p->step, record) || p->step.row.kind == STEP_NOTHING)
        return;
    if (p->step.row.kind == STEP_NOTE)
        page_times_mark(p->times, event->ts_ns, mark_kind(event), conn, event->frame,
                        (struct ds_text){p->step.row.text.data, p->step.row.text.len});
    add_row(p, record);
}

/* has_time says whether a person could read another row in that second. */
static bool has_time(struct page *p, const struct ds_event *event)
{
    const int64_t second = event->ts_ns / 1000000000;
    if (p->config.rows_a_second == 0 || event->type != DS_EVENT_MESSAGE)
        return true;
    if (second != p->second)
        p->num_in_second = 0;
    p->second = second;
    if (++p->num_in_second <= p->config.rows_a_second)
        return true;
    p->num_passed++;
    return false;
}

void page_record(struct page *p, const struct record *record, unsigned time_digits)
{
    const enum report_takes takes = report_takes_of(record);
    p->text.time_digits = time_digits;
    for (size_t i = 0; i < NUM_BOOKS; i++) {
        if ((books[i].kind->takes & takes) != 0)
            books[i].kind->record(p->books[i], record);
    }
    p->text.buffer.len = 0;
    page_times_record(p->times, record);
    if (record->call != NULL)
        page_calls_add(&p->calls, record->call);
    else if (record->finding == NULL && has_time(p, record->event))
        on_event(p, record);
}

void page_lost(struct page *p, const struct loss *loss)
{
    p->losses++;
    p->line.len = 0;
    loss_print(loss, &p->line);
    if (!p->line.failed)
        page_times_mark(p->times, loss->first_ns, "lost", 0, 0,
                        (struct ds_text){p->line.data, p->line.len});
}

void page_end(struct page *p)
{
    p->has_ended = true;
}

/* Writing the data. */

/* begin and end enclose a part of the data, which is an object. */
static void begin(struct page *p, struct json_writer *json, const char *key)
{
    p->line.len = 0;
    *json = (struct json_writer){.out = &p->line};
    ds_buffer_add_text(&p->line, key);
    json_begin_object(json);
}

/* end packs the part, and returns whether it is complete. */
static bool end(struct page *p, struct json_writer *json, struct page_gzip *pack)
{
    json_end_object(json);
    json_writer_free(json);
    if (p->line.failed)
        return false;
    page_gzip_add(pack, p->line.data, p->line.len);
    p->line.len = 0;
    return true;
}

/* zone_of returns how many seconds the local time of the tables is ahead of UTC. */
static int64_t zone_of(int64_t ns)
{
    const time_t second = (time_t)(ns / 1000000000);
    struct tm tm;
    return localtime_r(&second, &tm) != NULL ? tm.tm_gmtoff : 0;
}

static bool write_about(struct page *p, struct page_gzip *pack)
{
    struct json_writer json;
    int64_t first_ns, last_ns;
    const bool has_span = page_times_span(p->times, &first_ns, &last_ns);
    begin(p, &json, "{\"about\":");
    json_put_string(&json, JSON_KEY("version"), DISTSNIFF_VERSION);
    json_put_bool(&json, JSON_KEY("empty"), !has_span);
    json_put_microseconds(&json, JSON_KEY("first"), first_ns);
    json_put_microseconds(&json, JSON_KEY("last"), last_ns);
    json_put_signed(&json, JSON_KEY("zone"), zone_of(first_ns));
    json_put_unsigned(&json, JSON_KEY("digits"), p->text.time_digits);
    json_put_bool(&json, JSON_KEY("redacted"), p->config.redacted);
    json_put_bool(&json, JSON_KEY("going_on"), !p->has_ended);
    json_put_unsigned(&json, JSON_KEY("losses"), p->losses);
    return end(p, &json, pack);
}

static bool write_books(struct page *p, struct page_gzip *pack)
{
    struct json_writer json;
    for (size_t i = 0; i < NUM_BOOKS; i++) {
        begin(p, &json, books[i].key);
        books[i].kind->write_json(p->books[i], &json);
        if (!end(p, &json, pack))
            return false;
    }
    const struct compare *compare = p->config.compare;
    if (compare != NULL && compare->has_before && p->has_ended) {
        begin(p, &json, ",\"changes\":");
        changes_write(compare, ROWS, &json);
        if (!end(p, &json, pack))
            return false;
    }
    begin(p, &json, ",\"times\":");
    page_times_write(p->times, &json);
    if (!end(p, &json, pack))
        return false;
    begin(p, &json, ",\"calls\":");
    page_calls_write(&p->calls, &json);
    return end(p, &json, pack);
}

/* has_room says whether the page has room for len more bytes in the worst case of compression. */
static bool has_room(const struct page *p, const struct ds_buffer *out, size_t len)
{
    return out->len + len / 3 * 4 + PAGE_GZIP_HELD + page_behind_data.len + BEHIND_MESSAGES <=
           p->config.limits[DS_LIMIT_PAGE_BYTES];
}

static bool write_message(const struct page *p, const char *row, const struct ds_buffer *out,
                          struct page_gzip *pack, uint64_t *num)
{
    const size_t len = row != NULL ? strlen(row) : 0;
    if (!has_room(p, out, len))
        return false;
    if (row == NULL)
        return true;
    page_gzip_add(pack, ",", *num != 0);
    page_gzip_add(pack, row, len);
    ++*num;
    return true;
}

/* write_messages writes the first messages, then the latest in reverse order: the script sorts
 * them. */
static void write_messages(struct page *p, const struct ds_buffer *out, struct page_gzip *pack)
{
    const uint64_t first = page_rows_num_first(&p->rows), last = page_rows_num_last(&p->rows);
    uint64_t num = 0, i = 0;
    char text[128];
    page_gzip_add(pack, ",\"messages\":[", strlen(",\"messages\":["));
    while (i < first && write_message(p, page_rows_first(&p->rows, i), out, pack, &num))
        i++;
    const uint64_t first_kept = num;
    for (i = 0; i < last && write_message(p, page_rows_last(&p->rows, i), out, pack, &num);)
        i++;
    const int len = snprintf(text, sizeof text,
                             "],\"rows\":{\"seen\":%llu,\"kept\":%llu,\"first\":%llu,\"passed\":%llu}}",
                             (unsigned long long)p->rows.seen, (unsigned long long)num,
                             (unsigned long long)first_kept, (unsigned long long)p->num_passed);
    page_gzip_add(pack, text, (size_t)len);
}

bool page_write_data(struct page *p, struct ds_buffer *out)
{
    struct page_gzip *pack = page_gzip_new(out, p->config.is_quick);
    if (pack == NULL)
        return false;
    const bool ok = write_about(p, pack) && write_books(p, pack);
    if (ok)
        write_messages(p, out, pack);
    page_gzip_end(pack);
    return ok && !out->failed;
}

bool page_write(struct page *p, struct ds_buffer *out)
{
    ds_buffer_add(out, page_head_data.bytes, page_head_data.len);
    ds_buffer_add(out, page_before_data.bytes, page_before_data.len);
    const bool ok = page_write_data(p, out);
    ds_buffer_add(out, page_behind_data.bytes, page_behind_data.len);
    return ok && !out->failed;
}
