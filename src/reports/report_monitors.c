/*
 * report_monitors.c - the monitors and links, each when it ends, with its outcome; at the end those
 * still open. Those that calls set up for themselves are only counted.
 */
#include "reports/report.h"

#include "core/duration.h"
#include "core/term_show.h"
#include "record/reason_show.h"
#include "reports/held_lines.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>

struct monitor_table {
    struct report_text *text;
    struct columns columns;
    struct held_lines lines;
    uint64_t first_frame; /* where the first one shown began; 0: none */
    uint64_t num_shown, num_of_calls, num_outcomes[MONITOR_OUTCOME_COUNT];
    struct ds_buffer scratch;
};

/* print_row appends the row in scratch. */
static void print_row(struct monitor_table *report)
{
    ds_buffer_add(&report->scratch, "\n", sizeof "\n");
    if (!report->scratch.failed)
        columns_print(&report->columns, report->scratch.data, held_lines_out(&report->lines));
    report->scratch.len = 0;
    held_lines_end(&report->lines);
}

static void print_heading(struct monitor_table *report)
{
    ds_buffer_add_text(&report->scratch, "kind\tstart\tlasted\tpacket\tconn\t who > whom: how it ended");
    print_row(report);
}

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct monitor_table *report = calloc(1, sizeof *report);
    if (report == NULL)
        return NULL;
    report->text = text;
    report->lines = (struct held_lines){.text = text, .is_live = config->is_live};
    held_lines_begin(&report->lines);
    report->columns = (struct columns){.align = "llrrr",
                                       .width = {7, text->time_digits + 9, 10, 9, 5},
                                       .text_width = COLUMNS_TEXT_LEAST};
    report_bound(text, &report->columns);
    print_heading(report);
    return report;
}

static void on_record(void *state, const struct record *record)
{
    struct monitor_table *report = state;
    const struct ds_term_print_options options = {
        .max_bytes = 60, .max_items = 10, .max_depth = 5, .max_len = 200};
    const struct monitor_end *m = record->monitor;
    struct ds_buffer *out = &report->scratch;
    if (m == NULL)
        return;
    if (m->of_call) {
        report->num_of_calls++;
        return;
    }
    if (report->first_frame == 0)
        report->first_frame = m->start_frame;
    report->num_shown++;
    report->num_outcomes[m->outcome]++;
    ds_buffer_add_text(out, m->is_link ? "link\t" : "monitor\t");
    report_print_time(report->text, m->start_ns, out);
    ds_buffer_add_text(out, "\t");
    duration_print(m->end_ns - m->start_ns, out);
    ds_buffer_printf(out, "\t%" PRIu64 "\t%" PRIu64 "\t ", m->start_frame, m->conn);
    party_print(&m->watcher, out);
    ds_buffer_add_text(out, " > ");
    party_print(&m->target, out);
    ds_buffer_printf(out, ": %s", monitor_outcome_name(m->outcome));
    if (m->reason.data != NULL) {
        ds_buffer_add_text(out, " ");
        reason_show(&m->reason, false, &options, out);
    }
    print_row(report);
}

static void print_sum(const struct monitor_table *report)
{
    const bool failed = report->scratch.failed || report->lines.failed || report->lines.held.failed;
    struct ds_buffer *out = &report->text->buffer;
    ds_buffer_printf(out, "%" PRIu64 " %s", report->num_shown,
                     report->num_shown == 1 ? "monitor or process link" : "monitors and process "
                                                                          "links");
    for (int i = 0; i < MONITOR_OUTCOME_COUNT; i++) {
        if (report->num_outcomes[i] != 0)
            ds_buffer_printf(out, ", %" PRIu64 " %s", report->num_outcomes[i],
                             monitor_outcome_name((enum monitor_outcome)i));
    }
    ds_buffer_printf(out, ", and %s of calls%s\n", ds_counted(report->num_of_calls, "monitors").text,
                     failed ? "; out of memory" : "");
}

static void show_table(void *state)
{
    const struct monitor_table *report = state;
    if (!report->lines.flows)
        print_sum(report);
    if (report->num_shown == 0 && !report->lines.flows)
        return;
    held_lines_show(&report->lines);
    if (report->first_frame != 0)
        report_print_command(report->text, &report->text->buffer,
                             "the packet that began the first of them, in full",
                             "--explain packet:%" PRIu64, report->first_frame);
    if (report->lines.flows)
        print_sum(report);
}

static void begin_anew(void *state, int64_t now_ns)
{
    struct monitor_table *report = state;
    (void)now_ns;
    held_lines_begin(&report->lines);
    if (!report->lines.flows)
        print_heading(report);
}

static void end_table(void *state)
{
    struct monitor_table *report = state;
    held_lines_clear(&report->lines);
    ds_buffer_free(&report->scratch);
    free(report);
}

const struct report_kind report_monitors = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_MONITORS,
    .flows = true,
    .show = show_table,
    .begin_anew = begin_anew,
    .end = end_table,
    .takes_monitors = true,
};
