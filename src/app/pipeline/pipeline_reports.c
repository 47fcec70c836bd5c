/*
 * pipeline_reports.c - reports while events still come: repeated (--every), or shown on request.
 * See pipeline_parts.h.
 */
#include "app/pipeline/pipeline_parts.h"

#include <stdio.h>

static void visit_open(void *context, const struct record *record)
{
    struct pipeline *s = context;
    if (pipeline_redact(s, &record))
        reports_visit(s->reports, record);
}

/* pipeline_repeat_reports uses the time of the capture; the first time it gets begins the first
 * interval. */
void pipeline_repeat_reports(struct pipeline *s, int64_t now_ns)
{
    const int64_t every_ns = s->options->report.every_ns;
    if (s->next_ns == INT64_MIN) {
        s->next_ns = now_ns + every_ns;
        return;
    }
    const int64_t due_ns = s->next_ns + (now_ns - s->next_ns) / every_ns * every_ns;
    s->next_ns = due_ns + every_ns;
    correlate_visit_open(s->correlate, due_ns, visit_open, s);
    reports_visit(s->reports, NULL);
    if (s->findings != NULL)
        findings_sum_up(s->findings);
    pipeline_set_reports_status(s, reports_repeat(s->reports, due_ns));
}

void pipeline_sum_up(struct pipeline *s, int64_t now_ns)
{
    enum { EVERY_NS = 1000000000 };
    s->sum_up_ns = now_ns + EVERY_NS;
    if (s->findings != NULL)
        findings_sum_up(s->findings);
}

static void show_open(void *context, const struct record *record)
{
    struct pipeline *s = context;
    struct ds_buffer line = {0};
    if (!pipeline_redact(s, &record))
        return;
    reports_visit(s->reports, record);
    if (record->call != NULL)
        reports_print_open(s->reports, record->call, &line);
    if (line.len != 0 && !line.failed)
        fwrite(line.data, 1, line.len, stderr);
    ds_buffer_free(&line);
}

void pipeline_show_now(struct pipeline *s, int64_t now_ns)
{
    correlate_visit_open(s->correlate, now_ns, show_open, s);
    reports_visit(s->reports, NULL);
    if (s->findings != NULL)
        findings_sum_up(s->findings);
    reports_show(s->reports);
}
