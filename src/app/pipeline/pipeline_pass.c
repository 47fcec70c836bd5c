/*
 * pipeline_pass.c - takes a record from the correlation to the outputs: it is selected, held back
 * if no message of its connection was shown, redacted, counted. See pipeline_parts.h.
 */
#include "app/pipeline/pipeline_parts.h"

#include "core/complain.h"
#include "core/signals.h"

bool pipeline_pass_on(struct pipeline *s, const struct record *record)
{
    if (!outputs_want(&s->outputs, record))
        return true;
    if (s->queue == NULL)
        return outputs_record(&s->outputs, record);
    const uint64_t num_lost = record_queue_num_lost(s->queue);
    if (!record_queue_record(s->queue, record) && !stop_is_overdue() &&
        pipeline_get_state(s) == PIPELINE_ON)
        pipeline_set_state(s, PIPELINE_FAILED);
    return record_queue_num_lost(s->queue) == num_lost;
}

/* count counts a selected message, whether passed on or lost. */
static void count(struct pipeline *s, const struct ds_event *event, bool passed)
{
    s->num_shown += passed;
    if (passed && s->num_shown == s->options->ending.max_messages)
        s->limit_reached = true;
    if (rate_limit_exceeded(&s->rate_limit, event->ts_ns))
        pipeline_set_state(s, PIPELINE_RATE_EXCEEDED);
}

/* fail_redaction stops the run; but if the user has asked to end, a record that takes too long is
 * only left out. */
static void fail_redaction(struct pipeline *s)
{
    if (stop_is_overdue()) {
        s->num_cut++;
        return;
    }
    complain("out of memory: records that cannot be redacted are not shown");
    pipeline_set_state(s, PIPELINE_FAILED);
}

bool pipeline_redact(struct pipeline *s, const struct record **record)
{
    const enum redact_status status =
        s->redact != NULL ? redact_record(s->redact, *record, record) : REDACT_OK;
    if (status == REDACT_FAILED)
        fail_redaction(s);
    return status == REDACT_OK;
}

/* pass_on_frame passes on the frame that was rebuilt from a redacted record. */
static __attribute__((noinline)) bool pass_on_frame(struct pipeline *s)
{
    const struct record *frame = redact_get_frame(s->redact);
    if (frame == NULL && redact_failed(s->redact))
        fail_redaction(s);
    return frame == NULL || pipeline_pass_on(s, frame);
}

/* pass_on_all passes on a record in the form that may be shown, and its rebuilt frame. */
static inline bool pass_on_all(struct pipeline *s, const struct record *shown)
{
    const bool passed = pipeline_pass_on(s, shown);
    return (s->redact == NULL || pass_on_frame(s)) && passed;
}

/* leave_out passes a record that was not selected to outputs and reports that want whole
 * connections; is_before: it is from before --since. */
static void leave_out(struct pipeline *s, const struct record *record, bool is_before)
{
    struct record left_out = *record;
    const struct record *shown = &left_out;
    left_out.left_out = true;
    if ((!s->wants_unselected && !s->counts_unselected) || !pipeline_redact(s, &shown))
        return;
    if (s->counts_unselected)
        reports_leave_out(s->reports, shown, is_before);
    if (s->wants_unselected)
        pass_on_all(s, shown);
}

/* is_past_limit ends the run when all records of the message that -c ends with have come: first the
 * calls that it ended, then its frame. */
static bool is_past_limit(struct pipeline *s, const struct record *record)
{
    if (!s->limit_reached || record->call != NULL || record->monitor != NULL ||
        record->finding != NULL || (s->raw && record->event->type == DS_EVENT_FRAME))
        return false;
    pipeline_set_state(s, PIPELINE_FULL);
    return true;
}

static inline void show(struct pipeline *s, const struct record *record)
{
    const bool is_raw = record->event != NULL && ds_event_is_raw(record->event);
    const struct record *shown = record;
    if (pipeline_get_state(s) != PIPELINE_ON || !pipeline_redact(s, &shown))
        return;
    if (!is_raw)
        pipeline_set_reports_status(s, reports_record(s->reports, shown));
    if (!is_raw && s->metrics != NULL)
        metrics_record(s->metrics, shown);
    if (s->explain != NULL)
        explain_record(s->explain, record, shown);
    if (s->explain != NULL && !explain_selects(s->explain))
        return;
    /* The monitor of a call is only counted. */
    const bool passed =
        record->monitor == NULL || !record->monitor->of_call ? pass_on_all(s, shown) : true;
    if (record_is_message(record))
        count(s, record->event, passed);
    if (is_raw && s->limit_reached)
        pipeline_set_state(s, PIPELINE_FULL);
}

void pipeline_show_record(void *context, const struct record *record)
{
    show(context, record);
}

/* is_held_back keeps a record that has to wait for the first message of its connection. A message
 * releases the records that wait for it. */
static bool is_held_back(struct pipeline *s, const struct record *record)
{
    if (!s->holds_back || record->call != NULL || record->monitor != NULL ||
        record->finding != NULL)
        return false;
    if (record->event->type != DS_EVENT_MESSAGE)
        return deferred_records_add(&s->held_back, record);
    deferred_records_release(&s->held_back, record->event->conn, pipeline_show_record, s);
    return false;
}

/* is_all_before says whether a record is entirely from before the capture: it was open then and
 * still is. */
static bool is_all_before(const struct record *record)
{
    if (record->call != NULL)
        return record->call->began_before &&
               (record->call->outcome == CALL_UNANSWERED || record->call->outcome == CALL_UNKNOWN ||
                record->call->outcome == CALL_OPEN);
    return record->monitor != NULL && record->monitor->began_before &&
           record->monitor->outcome == MONITOR_OPEN;
}

/* note adds a record to the comments of its packet, if there are any. */
static inline void note(struct pipeline *s, const struct record *record)
{
    if ((s->annotated == NULL && s->num_notes == 0) || record->monitor != NULL ||
        (record->event != NULL && ds_event_is_raw(record->event)))
        return;
    if (s->annotated != NULL)
        annotated_record(s->annotated, record);
    for (size_t i = 0; i < s->num_notes; i++)
        packet_notes_record(s->notes[i], record);
}

/* is_since says whether a record is from the requested time. */
static bool is_since(const struct pipeline *s, const struct record *record)
{
    return record->finding != NULL ? finding_is_since(record->finding, s->since_ns)
                                   : record_time(record) >= s->since_ns;
}

/* choose passes on selected records. Not inline, so that its caller has few registers to save if
 * there is nothing to choose. */
static __attribute__((noinline)) void choose(struct pipeline *s, const struct record *record)
{
    if (is_past_limit(s, record))
        return;
    /* The selection also sees records from before --since: a request there may have its reply after
     * it. */
    const bool is_of_time = is_since(s, record);
    const bool wanted = selector_wants(s->select, record) && is_of_time;
    if (s->recorder != NULL)
        recorder_record(s->recorder, record, wanted);
    if (!wanted) {
        leave_out(s, record, !is_of_time);
        return;
    }
    note(s, record);
    s->num_errors += record->finding != NULL ? record->finding->error_change : 0;
    if (!is_held_back(s, record))
        show(s, record);
}

/* pass_to_reports does the remaining work for a record that only reports need. */
static void pass_to_reports(struct pipeline *s, const struct record *record)
{
    if (!is_since(s, record)) {
        leave_out(s, record, true);
        return;
    }
    s->num_errors += record->finding != NULL ? record->finding->error_change : 0;
    s->num_shown += record_is_message(record);
    if (record->event == NULL || !ds_event_is_raw(record->event))
        pipeline_set_reports_status(s, reports_record(s->reports, record));
}

static inline void pass(struct pipeline *s, const struct record *record)
{
    if (pipeline_get_state(s) != PIPELINE_ON || is_all_before(record))
        return;
    if (stop_is_overdue()) {
        s->num_cut++;
        return;
    }
    if (s->is_past) {
        selector_wants(s->select, record); /* its answer may be selected */
        return;
    }
    if (s->only_reports)
        pass_to_reports(s, record);
    else
        choose(s, record);
}

void pipeline_pass(struct pipeline *s, const struct record *record)
{
    pass(s, record);
}
