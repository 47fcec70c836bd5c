/*
 * report_calls.c - the table of calls.
 *
 * By latency, the slowest are kept, and written at the end in columns that fit them. By time, a
 * line is made when its call ends: a column is as wide as its widest cell so far.
 */
#include "reports/report.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "reports/best_rows.h"
#include "reports/held_lines.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>

struct call_table {
    struct report_text *text;
    enum call_order order;
    struct best_rows slowest;
    uint64_t slowest_call, failed_call; /* the slowest one, and the first that failed; 0: none */
    int64_t slowest_ns;
    uint64_t num_calls, num_outcomes[CALL_OUTCOME_COUNT];
    bool failed;
    struct columns columns;
    struct held_lines lines; /* by time */
    struct ds_buffer scratch;
};

static const char heading[] =
    "call\tstart\tlatency\tlabel\toutcome\tcaller > callee  request => result\n";

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct call_table *report = calloc(1, sizeof *report);
    if (report == NULL)
        return NULL;
    report->text = text;
    report->order = config->call_order;
    report->slowest.max = config->limits[DS_LIMIT_REPORT];
    if (config->max_calls != 0 && config->max_calls < report->slowest.max)
        report->slowest.max = config->max_calls;
    report->columns = (struct columns){.align = "llrll", .width = {8, 15, 10, 14, 12}};
    report->lines = (struct held_lines){.text = text, .is_live = config->is_live};
    if (report->order == CALLS_BY_TIME) {
        report_bound(text, &report->columns);
        report->columns.text_width = COLUMNS_TEXT_LEAST;
        held_lines_begin(&report->lines);
        columns_print(&report->columns, heading, held_lines_out(&report->lines));
    }
    return report;
}

static void print_line(const struct call_table *report, const struct call *call, struct ds_buffer *out)
{
    ds_buffer_printf(out, "#%" PRIu64 "\t", call->number);
    report_print_time(report->text, call->start_ns, out);
    ds_buffer_add_text(out, "\t");
    if (call_was_sent(call))
        duration_print(call->end_ns - call->start_ns, out);
    else
        ds_buffer_add_text(out, "?");
    ds_buffer_add_text(out, "\t");
    label_show(call->label, out);
    ds_buffer_printf(out, "\t%s\t", call_outcome_name(call->outcome));
    report_print_who(call, out);
    ds_buffer_add_text(out, "  ");
    report_print_what(call, 100, out);
    ds_buffer_add_text(out, "\n");
}

/* rank_of ranks failed calls before slow ones; of equal latencies the earlier call is higher. */
static int64_t rank_of(const struct call *call)
{
    const int64_t failed = INT64_C(1) << 62, latency_ns = call->end_ns - call->start_ns;
    return call_outcome_is_failure(call->outcome) ? failed + latency_ns / 2 : latency_ns / 2;
}

static void keep_row(struct call_table *report, const struct call *call)
{
    const int64_t rank = rank_of(call);
    if (!best_rows_wants(&report->slowest, rank, call->number))
        return;
    report->scratch.len = 0;
    print_line(report, call, &report->scratch);
    report->failed |= !best_rows_add(&report->slowest, rank, call->number, &report->scratch);
}

static void on_record(void *state, const struct record *record)
{
    struct call_table *report = state;
    const struct call *call = record->call;
    if (call == NULL)
        return;
    if (report->num_calls++ == 0 || call->end_ns - call->start_ns > report->slowest_ns) {
        report->slowest_call = call->number;
        report->slowest_ns = call->end_ns - call->start_ns;
    }
    if (report->failed_call == 0 && call_outcome_is_failure(call->outcome))
        report->failed_call = call->number;
    report->num_outcomes[call->outcome]++;
    if (report->order != CALLS_BY_TIME) {
        keep_row(report, call);
        return;
    }
    report->scratch.len = 0;
    print_line(report, call, &report->scratch);
    ds_buffer_add(&report->scratch, "", 1);
    report->failed |= report->scratch.failed;
    if (report->scratch.failed)
        return;
    columns_fit(&report->columns, report->scratch.data);
    columns_print(&report->columns, report->scratch.data, held_lines_out(&report->lines));
    held_lines_end(&report->lines);
}

static void print_sum(const struct call_table *report, struct ds_buffer *out)
{
    const bool failed = report->failed || report->lines.failed || report->lines.held.failed;
    ds_buffer_add_text(out, ds_counted(report->num_calls, "calls").text);
    for (int i = CALL_OK; i < CALL_OUTCOME_COUNT; i++)
        if (report->num_outcomes[i] != 0)
            ds_buffer_printf(out, ", %" PRIu64 " %s", report->num_outcomes[i],
                             call_outcome_name((enum call_outcome)i));
    if (report->order == CALLS_BY_LATENCY && report->num_calls > report->slowest.num)
        ds_buffer_printf(out, "; %zu are shown: those that failed, then the slowest",
                         report->slowest.num);
    ds_buffer_add_text(out, failed ? "; out of memory\n" : "\n");
}

static void show_table(void *state)
{
    struct call_table *report = state;
    struct ds_buffer *out = &report->text->buffer;
    if (!report->lines.flows)
        print_sum(report, out);
    if (report->num_calls == 0 && !report->lines.flows)
        return;
    if (report->order == CALLS_BY_LATENCY) {
        report_narrow(report->text, &report->columns);
        best_rows_print(&report->slowest, &report->columns, heading, out);
    } else {
        held_lines_show(&report->lines);
    }
    if (report->failed_call != 0)
        report_print_command(report->text, out, "the first call that failed, in full",
                             "--explain call:%" PRIu64, report->failed_call);
    else
        report_print_command(report->text, out, "the slowest call, in full", "--explain call:%" PRIu64,
                             report->slowest_call);
    if (report->lines.flows)
        print_sum(report, out);
}

static void begin_anew(void *state, int64_t now_ns)
{
    struct call_table *report = state;
    (void)now_ns;
    if (report->order != CALLS_BY_TIME)
        return;
    held_lines_begin(&report->lines);
    if (!report->lines.flows)
        columns_print(&report->columns, heading, held_lines_out(&report->lines));
}

/* write_table writes how many there were. Outputs that show single calls keep these themselves. */
static void write_table(void *state, struct json_writer *json)
{
    const struct call_table *report = state;
    json_put_unsigned(json, JSON_KEY("calls"), report->num_calls);
    json_put_list(json, JSON_KEY("outcomes"));
    for (int i = CALL_OK; i < CALL_OUTCOME_COUNT; i++) {
        if (report->num_outcomes[i] == 0)
            continue;
        json_item_open(json);
        json_put_string(json, JSON_KEY("outcome"), call_outcome_name((enum call_outcome)i));
        json_put_unsigned(json, JSON_KEY("calls"), report->num_outcomes[i]);
        json_put_bool(json, JSON_KEY("failed"), call_outcome_is_failure((enum call_outcome)i));
        json_put_close(json);
    }
    json_put_list_end(json);
}

static void end_table(void *state)
{
    struct call_table *report = state;
    best_rows_clear(&report->slowest);
    held_lines_clear(&report->lines);
    ds_buffer_free(&report->scratch);
    free(report);
}

const struct report_kind report_calls = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_CALLS,
    .flows = true,
    .show = show_table,
    .write_json = write_table,
    .begin_anew = begin_anew,
    .end = end_table,
};
