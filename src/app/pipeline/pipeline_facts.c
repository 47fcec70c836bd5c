/*
 * pipeline_facts.c - records besides the events themselves: facts of links, what waited behind
 * stalls, and events that are counted but not shown. See pipeline_parts.h.
 */
#include "app/pipeline/pipeline_parts.h"

void pipeline_on_unshown(struct pipeline *s, const struct record *record)
{
    const struct record *shown = record;
    if (s->is_past || pipeline_get_state(s) != PIPELINE_ON)
        return;
    if (s->findings != NULL)
        findings_record(s->findings, record);
    if (record->event->type == DS_EVENT_PART && record_time(record) >= s->since_ns &&
        selector_wants(s->select, record) && pipeline_redact(s, &shown))
        pipeline_set_reports_status(s, reports_record(s->reports, shown));
}

/* emit_link passes the facts of a link to the outputs that take them. */
static void emit_link(struct pipeline *s, const struct ds_event *event)
{
    const struct record record = {.event = event, .link_facts = true};
    const struct record *shown = &record;
    if (pipeline_get_state(s) == PIPELINE_ON && !s->limit_reached &&
        record_time(&record) >= s->since_ns && selector_wants(s->select, &record) &&
        pipeline_redact(s, &shown)) {
        if (s->explain != NULL)
            explain_record(s->explain, &record, shown);
        if (s->explain == NULL || explain_selects(s->explain))
            pipeline_pass_on(s, shown);
    }
}

bool pipeline_wants_link(const struct pipeline *s, const struct record *record)
{
    return s->tells_links && record->event != NULL &&
           (!s->holds_back ||
            deferred_records_is_shown(&s->held_back, record->event->conn->number));
}

void pipeline_on_link(struct pipeline *s, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (event == NULL || s->is_past || record->call != NULL || record->monitor != NULL ||
        event->conn->link == NULL || ds_event_is_raw(event))
        return;
    const struct ds_conn *conn = event->conn;
    const bool is_over = event->type == DS_EVENT_CONN && event->change.final;
    if (conn->counters[0].messages + conn->counters[1].messages == 0)
        return;
    const int64_t every_ns = s->link_every_ns;
    struct link_due *due = &s->link_due[conn->number % LINKS_DUE];
    if (due->conn != conn->number) {
        due->conn = conn->number;
        due->due_ns = event->ts_ns + every_ns;
    }
    if (!is_over && (every_ns == 0 || event->ts_ns < due->due_ns))
        return;
    due->due_ns = event->ts_ns + every_ns;
    emit_link(s, event);
}

void pipeline_on_stall_effects(void *context, const struct record *record)
{
    struct pipeline *s = context;
    const bool is_past = s->is_past; /* of the current event: this record is another one */
    s->is_past = false;
    pipeline_pass(s, record);
    if (s->findings != NULL && pipeline_get_state(s) == PIPELINE_ON)
        findings_record(s->findings, record);
    s->is_past = is_past;
}
