/*
 * report_seq_trace.c - the messages that carry a seq_trace token, by label, in the order of their
 * serial numbers: the chain of causes across nodes.
 */
#include "core/term_show.h"
#include "reports/report.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A token may contain any term of any size. */
static const struct ds_term_print_options of_token = {.max_bytes = 100, .max_len = 200};

enum { MOST_KEPT = 24 * 1024 * 1024 }; /* bytes of text */

struct traced {
    char *label;
    uint64_t order; /* the order in which labels were first seen */
    int64_t serial, previous, ts_ns;
    uint64_t number; /* for the order of capture */
    uint64_t frame, conn;
    char *line;
};

struct trace_table {
    struct report_text *text;
    struct traced *rows;
    size_t num_rows, cap_rows;
    size_t kept; /* bytes of labels and lines */
    uint64_t max, num_left_out;
    bool failed;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct trace_table *report = calloc(1, sizeof *report);
    if (report != NULL) {
        report->text = text;
        report->max = config->limits[DS_LIMIT_CALLS];
    }
    return report;
}

/* detach_text returns the text in an allocation of exactly its size: there may be very many. */
static char *detach_text(struct ds_buffer *buffer)
{
    ds_buffer_add(buffer, "", 1);
    if (buffer->failed) {
        ds_buffer_free(buffer);
        return NULL;
    }
    char *exact = realloc(buffer->data, buffer->len);
    return exact != NULL ? exact : buffer->data;
}

static char *describe(const struct ds_event *event)
{
    const struct ds_term_print_options options = {
        .max_bytes = 60, .max_items = 10, .max_depth = 5, .max_len = 160};
    const struct ds_message *m = &event->message;
    struct ds_buffer text = {0};
    ds_buffer_printf(&text, "%s ", m->op != NULL ? m->op->name : "?");
    if (m->token.from.data != NULL)
        term_show(&m->token.from, &of_token, &text);
    ds_buffer_add_text(&text, " > ");
    if (m->role[DS_ROLE_TO].data != NULL)
        term_show(&m->role[DS_ROLE_TO], &of_token, &text);
    else if (m->role[DS_ROLE_MFA].data != NULL)
        term_show(&m->role[DS_ROLE_MFA], &options, &text);
    if (m->payload.data != NULL) {
        ds_buffer_add_text(&text, "  ");
        term_show(&m->payload, &options, &text);
    }
    return detach_text(&text);
}

static void on_record(void *state, const struct record *record)
{
    struct trace_table *report = state;
    const struct ds_event *event = record->event;
    if (record->call != NULL || record->monitor != NULL || event->type != DS_EVENT_MESSAGE ||
        !event->message.token.present)
        return;
    if (report->num_rows >= report->max || report->kept > MOST_KEPT) {
        report->num_left_out++;
        return;
    }
    if (report->num_rows == report->cap_rows) {
        size_t cap = report->cap_rows == 0 ? 64 : report->cap_rows * 2;
        struct traced *rows = realloc(report->rows, cap * sizeof *rows);
        if (rows == NULL) {
            report->failed = true;
            return;
        }
        report->rows = rows;
        report->cap_rows = cap;
    }
    struct ds_buffer label = {0};
    term_show(&event->message.token.label, &of_token, &label);
    struct traced *row = &report->rows[report->num_rows];
    *row = (struct traced){
        .label = detach_text(&label),
        .serial = event->message.token.serial,
        .previous = event->message.token.previous,
        .ts_ns = event->ts_ns,
        .number = report->num_rows,
        .frame = event->frame,
        .conn = event->conn->number,
        .line = describe(event),
    };
    if (row->label == NULL || row->line == NULL) {
        free(row->label);
        free(row->line);
        report->failed = true;
        return;
    }
    report->kept += strlen(row->label) + strlen(row->line);
    report->num_rows++;
}

static int compare_labels(const void *a, const void *b)
{
    const struct traced *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare(const void *a, const void *b)
{
    const struct traced *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void show_table(void *state)
{
    struct trace_table *report = state;
    struct ds_buffer *out = &report->text->buffer;
    struct traced *rows = report->rows;
    ds_buffer_printf(out, "%s", ds_counted(report->num_rows, "traced messages").text);
    if (report->num_left_out != 0 && report->num_rows < report->max)
        ds_buffer_printf(out, ", %" PRIu64 " more left out: the limit is %d MB", report->num_left_out,
                         MOST_KEPT >> 20);
    else if (report->num_left_out != 0)
        ds_buffer_printf(out, ", %" PRIu64 " more left out: --max-calls %" PRIu64,
                         report->num_left_out, report->max);
    if (report->num_rows == 0 && !report->failed)
        ds_buffer_add_text(out, ": no message has a token of seq_trace:set_token/2");
    ds_buffer_add_text(out, report->failed ? "; out of memory\n" : "\n");
    if (report->num_rows != 0)
        qsort(rows, report->num_rows, sizeof *rows, compare_labels);
    for (size_t i = 0; i < report->num_rows; i++)
        rows[i].order = i != 0 && strcmp(rows[i].label, rows[i - 1].label) == 0
                            ? rows[i - 1].order
                            : rows[i].number;
    if (report->num_rows != 0)
        qsort(rows, report->num_rows, sizeof *rows, compare);
    for (size_t i = 0; i < report->num_rows; i++) {
        if (i == 0 || rows[i].order != rows[i - 1].order)
            ds_buffer_printf(out, "label %s\n", rows[i].label);
        ds_buffer_printf(out, "  %6" PRId64 " after %-6" PRId64 " ", rows[i].serial,
                         rows[i].previous);
        report_print_time(report->text, rows[i].ts_ns, out);
        ds_buffer_printf(out, " packet %" PRIu64 " conn %" PRIu64 " %s\n", rows[i].frame,
                         rows[i].conn, rows[i].line);
    }
    if (report->num_rows != 0)
        report_print_command(report->text, out, "the first message, in full", "--explain packet:%" PRIu64,
                             rows[0].frame);
}

static void end_table(void *state)
{
    struct trace_table *report = state;
    for (size_t i = 0; i < report->num_rows; i++) {
        free(report->rows[i].label);
        free(report->rows[i].line);
    }
    free(report->rows);
    free(report);
}

const struct report_kind report_seq_trace = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_MESSAGES,
    .show = show_table,
    .end = end_table,
};
