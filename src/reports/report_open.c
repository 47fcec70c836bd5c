/*
 * report_open.c - what is open: calls without an answer, monitors and links, oldest first. At the
 * end that is what was open when the capture ended; before, what is at that moment.
 */
#include "report.h"

#include "best_rows.h"
#include "counted.h"
#include "term_show.h"
#include "label_show.h"

#include <inttypes.h>
#include <stdlib.h>

enum what { OPEN_CALL, OPEN_MONITOR, OPEN_LINK, NUM_WHAT };

/* open_list is what is open at one time. */
struct open_list {
    struct best_rows rows; /* by age */
    uint64_t num[NUM_WHAT], num_of_calls;
};

struct open_table {
    struct report_text *text;
    struct open_list at_end, now;
    bool is_visited; /* now is what is to be shown */
    struct ds_buffer scratch;
    bool failed;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct open_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->text = text;
    t->at_end.rows.max = t->now.rows.max =
        config->max_rows != 0 ? config->max_rows : config->limits[DS_LIMIT_REPORT];
    return t;
}

static void print_head(const struct open_table *t, const char *what, int64_t start_ns,
                       int64_t now_ns, uint64_t frame, uint64_t conn, struct ds_buffer *out)
{
    struct ds_buffer age = {0};
    latency_print(now_ns - start_ns, &age);
    ds_buffer_printf(out, "%-7s %10.*s ", what, (int)age.len, age.data != NULL ? age.data : "");
    ds_buffer_free(&age);
    report_print_time(t->text, start_ns, out);
    ds_buffer_printf(out, " %9" PRIu64 " %5" PRIu64 "  ", frame, conn);
}

static void add(struct open_table *t, struct open_list *list, enum what what, int64_t age_ns,
                uint64_t frame)
{
    list->num[what]++;
    t->failed |= !best_rows_add(&list->rows, age_ns, frame, &t->scratch);
}

static void add_call(struct open_table *t, struct open_list *list, const struct call *call)
{
    struct ds_buffer *line = &t->scratch;
    line->len = 0;
    print_head(t, "call", call->start_ns, call->end_ns, call->start_frame, call->conn, line);
    ds_buffer_printf(line, "#%" PRIu64 " ", call->number);
    label_show(call->label, line);
    ds_buffer_add(line, " ", 1);
    report_print_who(call, line);
    ds_buffer_add_text(line, "  ");
    report_print_what(call, 100, line);
    ds_buffer_add_text(line, "\n");
    add(t, list, OPEN_CALL, call->end_ns - call->start_ns, call->start_frame);
}

static void add_monitor(struct open_table *t, struct open_list *list, const struct monitor_end *m)
{
    struct ds_buffer *line = &t->scratch;
    if (m->of_call) {
        list->num_of_calls++;
        return;
    }
    line->len = 0;
    print_head(t, m->is_link ? "link" : "monitor", m->start_ns, m->end_ns, m->start_frame, m->conn,
               line);
    party_print(&m->watcher, line);
    ds_buffer_add_text(line, " > ");
    party_print(&m->target, line);
    ds_buffer_add_text(line, "\n");
    add(t, list, m->is_link ? OPEN_LINK : OPEN_MONITOR, m->end_ns - m->start_ns, m->start_frame);
}

/* take_record: what the end of the capture ends was open then. */
static void take_record(void *state, const struct record *record)
{
    struct open_table *t = state;
    const struct call *call = record->call;
    if (call != NULL && call->outcome == CALL_UNANSWERED)
        add_call(t, &t->at_end, call);
    else if (record->monitor != NULL && record->monitor->outcome == MONITOR_OPEN)
        add_monitor(t, &t->at_end, record->monitor);
}

static void visit(void *state, const struct record *record)
{
    struct open_table *t = state;
    t->is_visited = true;
    if (record == NULL)
        return;
    if (record->call != NULL)
        add_call(t, &t->now, record->call);
    else if (record->monitor != NULL)
        add_monitor(t, &t->now, record->monitor);
}

static void show_table(void *state)
{
    struct open_table *t = state;
    struct ds_buffer *out = &t->text->buffer;
    struct open_list *list = t->is_visited ? &t->now : &t->at_end;
    uint64_t num = 0;
    ds_buffer_printf(out, "%-7s %10s %-15s %9s %5s  %s\n", "open", "for", "since", "packet", "conn",
                     "who > whom");
    best_rows_print(&list->rows, out);
    for (int i = 0; i < NUM_WHAT; i++)
        num += list->num[i];
    ds_buffer_add_text(out, counted(list->num[OPEN_CALL], "calls").text);
    ds_buffer_printf(out, ", %s", counted(list->num[OPEN_MONITOR], "monitors").text);
    ds_buffer_printf(out, " and %s open", counted(list->num[OPEN_LINK], "links").text);
    ds_buffer_printf(out, "; %s of calls", counted(list->num_of_calls, "monitors").text);
    if (num > list->rows.num)
        ds_buffer_printf(out, "; the %zu oldest are shown", list->rows.num);
    ds_buffer_add_text(out, t->failed || t->scratch.failed ? "; memory ran out\n" : "\n");
    best_rows_clear(&t->now.rows);
    t->now = (struct open_list){.rows.max = t->now.rows.max};
    t->is_visited = false;
}

static void end_table(void *state)
{
    struct open_table *t = state;
    best_rows_clear(&t->at_end.rows);
    best_rows_clear(&t->now.rows);
    ds_buffer_free(&t->scratch);
    free(t);
}

const struct report_kind report_open = {
    .open = open_table,
    .record = take_record,
    .visit = visit,
    .show = show_table,
    .end = end_table,
    .takes_monitors = true,
};
