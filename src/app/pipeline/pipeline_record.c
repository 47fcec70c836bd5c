/*
 * pipeline_record.c - distributes records of the correlation and the findings: to the outputs, to
 * the facts of links, and to the findings. See pipeline_parts.h.
 */
#include "app/pipeline/pipeline_parts.h"

/* on_moment passes a line of the timeline to its report and, once it is over, to JSON outputs. */
static void on_moment(struct pipeline *s, const struct record *record)
{
    const struct record *shown = record;
    if (pipeline_get_state(s) != PIPELINE_ON || record->finding->last_ns < s->since_ns ||
        !selector_wants(s->select, record) || !pipeline_redact(s, &shown))
        return;
    pipeline_set_reports_status(s, reports_record(s->reports, shown));
    if (!shown->finding->is_update)
        pipeline_pass_on(s, shown);
}

/* judge updates the verdict, which covers the requested time and nodes, whatever else is selected. */
static __attribute__((noinline)) void judge(struct pipeline *s, const struct record *record)
{
    const struct finding *finding = record->finding;
    const struct record *shown = record;
    const bool is_chosen = finding->kind == NULL || (finding_is_since(finding, s->since_ns) &&
                                                     selector_is_of_nodes(s->select, finding));
    if (finding->happening == HAPPENING_NONE && is_chosen && pipeline_redact(s, &shown))
        reports_judge(s->reports, shown);
}

/* pipeline_on_finding passes updates and sums only to reports and to outputs that work like
 * reports. */
void pipeline_on_finding(void *context, const struct record *record)
{
    struct pipeline *s = context;
    const struct finding *finding = record->finding;
    const struct record *shown = record;
    if (s->options->report.verdict)
        judge(s, record);
    if (finding->happening != HAPPENING_NONE)
        on_moment(s, record);
    else if (!finding->is_update)
        pipeline_pass(s, record);
    else if (pipeline_get_state(s) == PIPELINE_ON &&
             (finding->kind == NULL ||
              (finding_is_since(finding, s->since_ns) && selector_wants(s->select, record))) &&
             pipeline_redact(s, &shown)) {
        s->num_errors += finding->error_change;
        if (s->explain != NULL)
            explain_record(s->explain, record, shown);
        pipeline_set_reports_status(s, reports_record(s->reports, shown));
        if (s->metrics != NULL)
            metrics_record(s->metrics, shown);
        if (s->explain == NULL || explain_selects(s->explain))
            pipeline_pass_on(s, shown);
    }
}

/* report_novelty passes what a baseline does not contain to the findings (--baseline). */
static void report_novelty(struct pipeline *s, struct novelty *novelty)
{
    const struct unusual *unusual;
    while ((unusual = novelty_next(novelty)) != NULL)
        findings_unusual(s->findings, unusual);
    const struct baseline_checks checks = novelty_check(novelty);
    findings_set_baseline(s->findings, &checks);
}

void pipeline_on_record(void *context, const struct record *record)
{
    struct pipeline *s = context;
    if (record_is_aside(record)) {
        pipeline_on_unshown(s, record);
        return;
    }
    const bool tells_link = pipeline_wants_link(s, record); /* checked before its end is passed on */
    if (s->held_up == NULL || !stall_effects_on_record(s->held_up, record))
        pipeline_pass(s, record);
    if (tells_link)
        pipeline_on_link(s, record);
    if (s->findings != NULL && !s->is_past && pipeline_get_state(s) == PIPELINE_ON)
        findings_record(s->findings, record);
    if (s->novelty != NULL)
        report_novelty(s, s->novelty);
}
