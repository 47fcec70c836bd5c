/*
 * report_traffic.c - what fills the link: messages by shape, {put,_,_}, or by the criterion of
 * --by, heaviest first; then the largest single ones.
 *
 * A kind is identified by a hash of what its messages have in common (heavy_hitters.h); its text is
 * made when the kind is first seen, or from its shape when the table is written.
 */
#include "reports/report.h"

#include "reports/best_rows.h"
#include "core/histogram.h"
#include "core/line_fit.h"
#include "reports/report_table.h"
#include "reports/samples.h"
#include "reports/traffic_message.h"
#include "core/heavy_hitters.h"
#include "core/term_show.h"

#include <distsniff/counted.h>
#include <distsniff/dissect.h>
#include <distsniff/shape.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_LARGEST = 10 };

/* traffic_kind is a line of the table. */
struct traffic_kind {
    struct hitters_entry head;
    uint64_t bytes, count, largest;
    uint64_t largest_frame, largest_conn;
    struct histogram sizes;
    struct routes routes;
    char *text;             /* the text before the shape; NULL: out of memory */
    char *after;            /* the text after the shape */
    struct ds_shape *shape; /* NULL: none */
    struct samples samples;
};

struct traffic {
    struct report_text *text;
    enum traffic_by by;
    uint64_t max_rows, max_tallies;
    struct heavy_hitters kinds;
    struct talkers talkers;
    struct best_rows largest;
    uint64_t bytes, count, uncounted; /* uncounted: messages for which memory ran out */
    int64_t first_ns, last_ns;
    struct ds_buffer scratch;
    bool has_samples;
    bool failed;
};

static void forget(void *entry)
{
    struct traffic_kind *kind = entry;
    histogram_free(&kind->sizes);
    free(kind->text);
    free(kind->after);
    ds_shape_free(kind->shape);
    samples_free(&kind->samples);
}

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct traffic *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->text = text;
    t->by = config->traffic_by;
    t->has_samples = config->samples && t->by == TRAFFIC_BY_SHAPE;
    t->max_rows = config->max_rows;
    t->max_tallies = config->limits[DS_LIMIT_TALLIES];
    t->largest.max = NUM_LARGEST;
    hitters_init(&t->kinds, sizeof(struct traffic_kind), t->max_tallies, forget);
    talkers_init(&t->talkers, config->limits[DS_LIMIT_NAMES], config->names);
    return t;
}

/* detach_text returns a copy of the buffer as a string, and empties it. NULL if memory ran out. */
static char *detach_text(struct ds_buffer *buffer)
{
    char *text = buffer->failed ? NULL : strndup(buffer->len != 0 ? buffer->data : "", buffer->len);
    buffer->len = 0;
    return text;
}

static void describe(struct traffic *t, const struct traffic_message *message,
                     struct traffic_kind *kind)
{
    t->scratch.len = 0;
    traffic_message_print(message, &t->talkers, t->by, &t->scratch);
    kind->text = detach_text(&t->scratch);
    t->failed |= kind->text == NULL;
    if (t->by != TRAFFIC_BY_SHAPE)
        return;
    traffic_message_print_after(message, &t->talkers, &t->scratch);
    kind->after = detach_text(&t->scratch);
    kind->shape = traffic_message_has_shape(message) ? ds_shape_new(&message->body) : NULL;
    t->failed |= kind->after == NULL || (traffic_message_has_shape(message) && kind->shape == NULL);
}

/* keep_largest makes the line of a message that is among the largest: the cells after its size and
 * its packet number. */
static void keep_largest(struct traffic *t, const struct traffic_message *message)
{
    const struct ds_event *event = message->record->event;
    struct ds_buffer *line = &t->scratch;
    if (!best_rows_wants(&t->largest, (int64_t)message->m->size, event->frame))
        return;
    line->len = 0;
    ds_buffer_printf(line, "%" PRIu64 "\t", event->conn->number);
    report_print_time(t->text, event->ts_ns, line);
    ds_buffer_add_text(line, "\t ");
    traffic_message_print_before(message, line);
    if (traffic_message_has_shape(message)) {
        struct ds_shape *shape = ds_shape_new(&message->body);
        ds_buffer_add_text(line, " ");
        if (shape != NULL)
            ds_shape_print_as(shape, term_show_syntax(), line);
        t->failed |= shape == NULL;
        ds_shape_free(shape);
    }
    traffic_message_print_after(message, &t->talkers, line);
    ds_buffer_add_text(line, "; ");
    talker_process_print(&t->talkers, message->record, TALKER_FROM, &message->from, line);
    ds_buffer_add_text(line, " > ");
    talker_process_print(&t->talkers, message->record, TALKER_TO, &message->to, line);
    t->failed |= !best_rows_add(&t->largest, (int64_t)message->m->size, event->frame, line);
}

static void keep_sample(struct traffic *t, const struct traffic_message *message,
                        struct traffic_kind *kind)
{
    const struct ds_text none = {NULL, 0};
    const bool has_function = message->has_function;
    t->failed |= !samples_add(&kind->samples, kind->count, message->record->event,
                              has_function ? message->mod : none, message->fun,
                              has_function ? &message->note->args : &message->body, &t->scratch);
}

static void on_message(struct traffic *t, const struct record *record)
{
    struct traffic_message message;
    bool is_new;
    const struct ds_event *event = record->event;
    const uint64_t size = event->message.size;
    traffic_message_read(&message, record, &t->talkers, t->by);
    if (t->count++ == 0 || event->ts_ns < t->first_ns)
        t->first_ns = event->ts_ns;
    if (t->count == 1 || event->ts_ns > t->last_ns)
        t->last_ns = event->ts_ns;
    t->bytes += size;
    keep_largest(t, &message);
    struct traffic_kind *kind =
        hitters_add(&t->kinds, traffic_message_hash(&message, t->by), size, &is_new);
    if (kind == NULL) {
        t->uncounted++;
        return;
    }
    if (is_new)
        describe(t, &message, kind);
    else if (kind->shape != NULL)
        ds_shape_fit_headed(kind->shape, &message.body, &message.head);
    kind->bytes += size;
    kind->count++;
    if (size > kind->largest) {
        kind->largest = size;
        kind->largest_frame = event->frame;
        kind->largest_conn = event->conn->number;
    }
    if (t->has_samples)
        keep_sample(t, &message, kind);
    t->failed |= !histogram_add(&kind->sizes, size);
    routes_add(&kind->routes, &message.from, &message.to, size);
}

/* on_piece counts data on a connection besides the distribution as a message without a term, named
 * after its protocol: "osiris chunk". */
static void on_piece(struct traffic *t, const struct ds_event *event)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", event->conn->proto, event->stream.what);
    const struct ds_op op = {.name = name, .roles = ""};
    struct ds_event piece = {.type = DS_EVENT_MESSAGE,
                             .dir = event->dir,
                             .frame = event->frame,
                             .ts_ns = event->ts_ns,
                             .conn = event->conn};
    piece.message.op = &op;
    piece.message.size = event->stream.bytes;
    piece.message.code = hash_short(83, (struct ds_text){name, strlen(name)});
    on_message(t, &(struct record){.event = &piece});
}

static void on_record(void *state, const struct record *record)
{
    struct traffic *t = state;
    if (record_is_message(record))
        on_message(t, record);
    else if (record->event->type == DS_EVENT_STREAM && !record->link_facts)
        on_piece(t, record->event);
}

static int heaviest_first(const void *a, const void *b)
{
    const struct traffic_kind *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->largest_frame != y->largest_frame)
        return x->largest_frame < y->largest_frame ? -1 : 1;
    return (x->head.entry.number > y->head.entry.number) -
           (x->head.entry.number < y->head.entry.number);
}

static double seconds_of(const struct traffic *t)
{
    return t->count != 0 ? (double)(t->last_ns - t->first_ns) / 1e9 : 0;
}

/* print_rate appends the cell with the number per second, "-" if no time has passed. */
static void print_rate(const void *row, const void *report, struct ds_buffer *out)
{
    const struct traffic_kind *kind = row;
    const double seconds = seconds_of(report);
    const double rate = seconds > 0 ? (double)kind->count / seconds : 0;
    if (seconds > 0)
        ds_buffer_printf(out, "%.*f", rate < 100 ? 1 : 0, rate);
    else
        ds_buffer_add_text(out, "-");
}

static double share_of(const struct traffic *t, uint64_t bytes)
{
    return t->bytes != 0 ? 100 * (double)bytes / (double)t->bytes : 0;
}

/* p99_of returns the 99th percentile; for less than a hundred messages, the maximum. */
static uint64_t p99_of(const struct traffic_kind *kind)
{
    const uint64_t p99 = kind->count < 100 ? kind->largest : histogram_quantile(&kind->sizes, 99);
    return p99 < kind->largest ? p99 : kind->largest;
}

static void print_kind_what(const struct traffic_kind *kind, struct ds_buffer *out)
{
    ds_buffer_add_text(out, kind->text != NULL ? kind->text : "?");
    if (kind->shape != NULL) {
        ds_buffer_add_text(out, " ");
        ds_shape_print_as(kind->shape, term_show_syntax(), out);
    }
    if (kind->after != NULL)
        ds_buffer_add_text(out, kind->after);
}

static void print_bytes(const void *row, const void *report, struct ds_buffer *out)
{
    const struct traffic_kind *kind = row;
    (void)report;
    ds_buffer_printf(out, "%" PRIu64 "%c", kind->bytes, kind->head.most_missing != 0 ? '+' : ' ');
}

static void print_share(const void *row, const void *report, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%.1f", share_of(report, ((const struct traffic_kind *)row)->bytes));
}

static void print_mean(const void *row, const void *report, struct ds_buffer *out)
{
    const struct traffic_kind *kind = row;
    (void)report;
    ds_buffer_printf(out, "%" PRIu64, kind->bytes / kind->count);
}

static void print_p99(const void *row, const void *report, struct ds_buffer *out)
{
    (void)report;
    ds_buffer_printf(out, "%" PRIu64, p99_of(row));
}

static void write_may_miss(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_bool(json, key, ((const struct traffic_kind *)row)->head.most_missing != 0);
}

static void write_mean(const void *row, struct json_key key, struct json_writer *json)
{
    const struct traffic_kind *kind = row;
    json_put_unsigned(json, key, kind->bytes / kind->count);
}

static void write_p99(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_unsigned(json, key, p99_of(row));
}

#define AT(member) offsetof(struct traffic_kind, member)
static const struct report_column traffic_columns[] = {
    {JSON_KEY_INIT("bytes"), "bytes ", 'r', 13, .at = AT(bytes), .print = print_bytes},
    {JSON_KEY_INIT("may_miss"), .write_json = write_may_miss},
    {{0}, "%", 'r', 5, .print = print_share},
    {JSON_KEY_INIT("count"), "count", 'r', 9, .at = AT(count)},
    {{0}, "/s", 'r', 8, .print = print_rate},
    {JSON_KEY_INIT("mean"), "mean", 'r', 8, .print = print_mean, .write_json = write_mean},
    {JSON_KEY_INIT("p99"), "p99", 'r', 8, .print = print_p99, .write_json = write_p99},
    {JSON_KEY_INIT("largest"), "largest", 'r', 9, .at = AT(largest)},
    {JSON_KEY_INIT("packet"), "packet", 'r', 9, .at = AT(largest_frame)},
    {JSON_KEY_INIT("conn"), "conn", 'r', 5, .at = AT(largest_conn)},
};
#undef AT

static struct report_table table_of(const struct traffic *t)
{
    return (struct report_table){.columns = traffic_columns,
                                 .num = sizeof traffic_columns / sizeof traffic_columns[0],
                                 .report = t};
}

static void print_kind(const struct traffic *t, const struct traffic_kind *kind, struct ds_buffer *out)
{
    const struct report_table table = table_of(t);
    report_table_row(&table, kind, NULL, out);
    print_kind_what(kind, out);
    ds_buffer_add_text(out, t->by == TRAFFIC_BY_NODE ? "" : "; ");
    routes_print(&t->talkers, &kind->routes, out);
    columns_end_line(out);
}

static void print_largest(struct traffic *t, struct ds_buffer *out)
{
    struct columns columns = {.align = "rrrl", .width = {12, 9, 5, t->text->time_digits + 9}};
    struct ds_buffer lines = {0};
    report_narrow(t->text, &columns);
    ds_buffer_add_text(&lines, "bytes\tpacket\tconn\ttime\t what; who > whom");
    columns_end_line(&lines);
    best_rows_sort(&t->largest);
    for (size_t i = t->largest.num; i-- > 0;) {
        const struct best_row *row = &t->largest.rows[i];
        ds_buffer_printf(&lines, "%" PRId64 "\t%" PRIu64 "\t%s", row->rank, row->number, row->line);
        columns_end_line(&lines);
    }
    columns_fit_all(&columns, &lines);
    columns_print_all(&columns, &lines, out);
    ds_buffer_free(&lines);
}

/* print_rest writes what the lines above leave out, and how certain they are. */
static void print_rest(struct traffic *t, uint64_t shown_bytes, uint64_t num_shown)
{
    struct ds_buffer *out = &t->text->buffer;
    if (t->bytes != shown_bytes)
        ds_buffer_printf(out, "%12" PRIu64 "  %5.1f in other rows%s\n", t->bytes - shown_bytes,
                         share_of(t, t->bytes - shown_bytes),
                         num_shown < t->kinds.table.num ? ": --rows shows more" : "");
    if (t->kinds.num_forgotten != 0)
        ds_buffer_printf(out,
                         "more than %" PRIu64 " kinds: the smallest were forgotten. Kinds that are "
                                              "not listed have at most "
                                              "%" PRIu64 " bytes each. Rows with a + may lack that "
                                                         "much. --max-tallies raises the limit\n",
                         t->max_tallies, hitters_most_missing(&t->kinds));
    if (t->failed || t->uncounted != 0)
        ds_buffer_add_text(out, "out of memory: some rows are missing\n");
}

/* print_heaviest ends the sentence at the beginning of the report. */
static void print_heaviest(struct traffic *t, const struct traffic_kind *kind, struct ds_buffer *out)
{
    enum { MOST_COLUMNS = 80 };
    struct ds_buffer *text = &t->scratch;
    text->len = 0;
    if (t->by == TRAFFIC_BY_NODE)
        routes_print(&t->talkers, &kind->routes, text);
    else
        print_kind_what(kind, text);
    ds_buffer_printf(out, "; %.1f %% of it is %s", share_of(t, kind->bytes),
                     t->by == TRAFFIC_BY_PROCESS ? "from " : "");
    line_shorten((struct ds_text){text->len != 0 ? text->data : "", text->len}, MOST_COLUMNS, out);
    t->failed |= text->failed;
    text->len = 0;
}

static void show_table(void *state)
{
    static const char *const what[] = {
#define TRAFFIC_BY(id, name) [TRAFFIC_BY_##id] = name,
#include "reports/traffic_by.def"
#undef TRAFFIC_BY
    };
    struct traffic *t = state;
    struct report_table table = table_of(t);
    struct columns columns;
    struct ds_buffer *out = &t->text->buffer, lines = {0};
    uint64_t shown_bytes = 0, num_shown = 0, heaviest = 0;
    report_table_columns(&table, &columns);
    report_narrow(t->text, &columns);
    ds_buffer_printf(out, "traffic by %s: %s, %s", what[t->by], ds_counted(t->count, "messages").text,
                     ds_counted(t->bytes, "bytes").text);
    ds_buffer_printf(out, " in %.3f s", seconds_of(t));
    void **list = hitters_list(&t->kinds, heaviest_first);
    if (list != NULL && t->kinds.table.num != 0) {
        print_heaviest(t, list[0], out);
        heaviest = ((const struct traffic_kind *)list[0])->largest_frame;
    }
    ds_buffer_add_text(out, "\n");
    if (t->count == 0) {
        free(list);
        return;
    }
    report_table_heading(&table, t->by == TRAFFIC_BY_NODE ? "who > whom" : "what; who > whom", &lines);
    for (; list != NULL && num_shown < t->kinds.table.num &&
           (t->max_rows == 0 || num_shown < t->max_rows);
         num_shown++) {
        const struct traffic_kind *kind = list[num_shown];
        print_kind(t, kind, &lines);
        shown_bytes += kind->bytes;
    }
    t->failed |= list == NULL;
    free(list);
    columns_fit_all(&columns, &lines);
    columns_print_all(&columns, &lines, out);
    ds_buffer_free(&lines);
    print_rest(t, shown_bytes, num_shown);
    ds_buffer_add_text(out, "largest messages:\n");
    print_largest(t, out);
    if (heaviest != 0)
        report_print_command(t->text, out, "the largest message of the first row, in full",
                             "--explain packet:%" PRIu64, heaviest);
}

/* print_cells appends one of the largest as a line of text. */
static void print_cells(const char *line, struct ds_buffer *out)
{
    const struct columns columns = {.align = "rl", .width = {5}};
    columns_print(&columns, line, out);
}

/* put_scratch writes the text in scratch as a field. */
static void put_scratch(struct traffic *t, struct json_key key, struct json_writer *json)
{
    json->failed |= t->scratch.failed;
    json_put_text(json, key,
                  (struct ds_text){t->scratch.len != 0 ? t->scratch.data : "", t->scratch.len});
    t->scratch.len = 0;
}

static void write_kind(struct traffic *t, const struct traffic_kind *kind, struct json_writer *json)
{
    json_item_open(json);
    t->scratch.len = 0;
    print_kind_what(kind, &t->scratch);
    put_scratch(t, JSON_KEY("what"), json);
    routes_print(&t->talkers, &kind->routes, &t->scratch);
    put_scratch(t, JSON_KEY("who"), json);
    if (t->by == TRAFFIC_BY_NODE) { /* there is only one route */
        talker_print(&t->talkers, &kind->routes.route[0].from, &t->scratch);
        put_scratch(t, JSON_KEY("from"), json);
        talker_print(&t->talkers, &kind->routes.route[0].to, &t->scratch);
        put_scratch(t, JSON_KEY("to"), json);
    }
    const struct report_table table = table_of(t);
    report_table_write(&table, kind, json);
    if (t->has_samples)
        samples_write(&kind->samples, json);
    json_put_close(json);
}

static void write_largest(struct traffic *t, struct json_writer *json)
{
    best_rows_sort(&t->largest);
    json_put_list(json, JSON_KEY("largest"));
    for (size_t i = t->largest.num; i-- > 0;) {
        const struct best_row *row = &t->largest.rows[i];
        json_item_open(json);
        json_put_signed(json, JSON_KEY("bytes"), row->rank);
        json_put_unsigned(json, JSON_KEY("packet"), row->number);
        t->scratch.len = 0;
        print_cells(row->line, &t->scratch);
        put_scratch(t, JSON_KEY("what"), json);
        json_put_close(json);
    }
    json_put_list_end(json);
}

static void write_table(void *state, struct json_writer *json)
{
    struct traffic *t = state;
    uint64_t shown_bytes = 0, num = 0;
    void **list = hitters_list(&t->kinds, heaviest_first);
    json_put_unsigned(json, JSON_KEY("messages"), t->count);
    json_put_unsigned(json, JSON_KEY("bytes"), t->bytes);
    json_put_signed(json, JSON_KEY("passed"), t->last_ns - t->first_ns);
    json_put_list(json, JSON_KEY("rows"));
    for (; list != NULL && num < t->kinds.table.num && (t->max_rows == 0 || num < t->max_rows);
         num++) {
        const struct traffic_kind *kind = list[num];
        shown_bytes += kind->bytes;
        write_kind(t, kind, json);
    }
    json_put_list_end(json);
    free(list);
    json_put_unsigned(json, JSON_KEY("others"), t->bytes - shown_bytes);
    json_put_unsigned(json, JSON_KEY("kinds"), t->kinds.table.num);
    json_put_unsigned(json, JSON_KEY("forgotten"), t->kinds.num_forgotten);
    json_put_unsigned(json, JSON_KEY("most_missing"), hitters_most_missing(&t->kinds));
    write_largest(t, json);
    json_put_bool(json, JSON_KEY("no_memory"), t->failed || t->uncounted != 0);
}

static void end_table(void *state)
{
    struct traffic *t = state;
    hitters_free(&t->kinds);
    talkers_free(&t->talkers);
    best_rows_clear(&t->largest);
    ds_buffer_free(&t->scratch);
    free(t);
}

const struct report_kind report_traffic = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_MESSAGES | REPORT_TAKES_EVENTS,
    .show = show_table,
    .write_json = write_table,
    .end = end_table,
    .takes_names = true,
};
