/*
 * report_monitors.c - the monitors and links, each as it ends, with how it ended; at the end
 * those still open. Those that calls make for themselves are only counted.
 */
#include "report.h"

#include "counted.h"
#include "reason_show.h"
#include "term_show.h"

#include <inttypes.h>
#include <stdlib.h>

struct monitor_table {
    struct report_text *text;
    uint64_t num_shown, num_of_calls;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct monitor_table *report = calloc(1, sizeof *report);
    if (report == NULL)
        return NULL;
    (void)config;
    report->text = text;
    ds_buffer_printf(&text->buffer, "%-7s %-*s %10s %s\n", "kind", (int)text->time_digits + 9, "start",
                     "lasted", "who > whom: how it ended");
    return report;
}

static void take_record(void *state, const struct record *record)
{
    struct monitor_table *report = state;
    const struct ds_term_print_options options = {
        .max_bytes = 60, .max_items = 10, .max_depth = 5, .max_len = 200};
    const struct monitor_end *m = record->monitor;
    struct ds_buffer *out = &report->text->buffer;
    struct ds_buffer lasted = {0};
    if (m == NULL)
        return;
    if (m->of_call) {
        report->num_of_calls++;
        return;
    }
    report->num_shown++;
    ds_buffer_printf(out, "%-7s ", m->is_link ? "link" : "monitor");
    report_print_time(report->text, m->start_ns, out);
    latency_print(m->end_ns - m->start_ns, &lasted);
    ds_buffer_printf(out, " %10.*s ", (int)lasted.len, lasted.data != NULL ? lasted.data : "");
    ds_buffer_free(&lasted);
    party_print(&m->watcher, out);
    ds_buffer_add_text(out, " > ");
    party_print(&m->target, out);
    ds_buffer_printf(out, ": %s", monitor_outcome_name(m->outcome));
    if (m->reason.data != NULL) {
        ds_buffer_add_text(out, " ");
        reason_show(&m->reason, false, &options, out);
    }
    ds_buffer_add_text(out, "\n");
}

static void show_table(void *state)
{
    const struct monitor_table *report = state;
    ds_buffer_printf(&report->text->buffer,
                     "%" PRIu64 " %s, and %s of calls\n", report->num_shown,
                     report->num_shown == 1 ? "monitor or link" : "monitors and links",
                     counted(report->num_of_calls, "monitors").text);
}

const struct report_kind report_monitors = {
    .open = open_table,
    .record = take_record,
    .takes = REPORT_TAKES_MONITORS,
    .flows = true,
    .show = show_table,
    .end = free,
    .takes_monitors = true,
};
