/*
 * tui_record.c - see tui_record.h.
 */
#include "ui/tui/tui_record.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "core/line_fit.h"
#include "core/timestamp.h"
#include "output/event_text.h"
#include "output/line_compact.h"
#include "output/sink.h"
#include "reports/report.h"
#include "reports/report_finding.h"
#include "ui/tui/cells.h"

#include <inttypes.h>
#include <string.h>

enum { WHAT_LEN = 100, WIDE = 110, TIME_COLUMNS = 11 /* without the digits after the point */ };

bool tui_record_is_listed(const struct record *record)
{
    static const struct sink_config as_text = {.verbose = 0};
    return record->event != NULL && record->call == NULL && record->finding == NULL &&
           !sink_text.skips(&as_text, record);
}

static void print_call(const struct call *call, struct ds_buffer *out)
{
    ds_buffer_printf(out, "call #%" PRIu64 " ", call->number);
    label_show(call->label, out);
    ds_buffer_printf(out, " %s ", call_outcome_name(call->outcome));
    call_print_span(call, out);
    ds_buffer_add_text(out, "  ");
    report_print_who(call, out);
    ds_buffer_add_text(out, "  ");
    report_print_what(call, WHAT_LEN, out);
}

void tui_record_print(const struct tui_facts *facts, const struct record *record, struct ds_buffer *out)
{
    if (record->finding != NULL)
        report_finding_head(record->finding, out);
    else if (record->call != NULL)
        print_call(record->call, out);
    else
        event_text_print_shown(facts->brief, record, out);
    while (out->len != 0 && out->data[out->len - 1] == '\n')
        out->len--;
}

void tui_record_print_line(const struct tui_facts *facts, const struct record *record,
                           struct ds_buffer *out)
{
    struct timestamp_cache clock = {0};
    timestamp_print_local(&clock, record_time(record), facts->time_digits, false, out);
    ds_buffer_add_text(out, "  ");
    tui_record_print(facts, record, out);
}

/* compact removes the least important parts of an event's text, like text output on a terminal, and
 * further ones if it is still too wide. */
static void compact(struct ds_buffer *text, unsigned columns)
{
    struct ds_buffer shorter = {0}, shortest = {0};
    if (text->failed || line_columns((struct ds_text){text->data, text->len}) <= columns)
        return;
    line_compact((struct ds_text){text->data, text->len}, &shorter);
    if (!shorter.failed && line_columns((struct ds_text){shorter.data, shorter.len}) > columns)
        line_compact_more((struct ds_text){shorter.data, shorter.len}, &shortest);
    struct ds_buffer *chosen = shortest.len != 0 ? &shortest : &shorter;
    if (!chosen->failed && chosen->len != 0) {
        struct ds_buffer whole = *text;
        *text = *chosen;
        *chosen = whole;
    }
    ds_buffer_free(&shorter);
    ds_buffer_free(&shortest);
}

void tui_record_print_fit(const struct tui_facts *facts, const struct record *record, unsigned columns,
                          struct ds_buffer *out)
{
    struct timestamp_cache clock = {0};
    struct ds_buffer text = {0};
    const unsigned digits = columns < WIDE && facts->time_digits > 6 ? 6 : facts->time_digits;
    timestamp_print_local(&clock, record_time(record), digits, false, out);
    ds_buffer_add_text(out, "  ");
    tui_record_print(facts, record, &text);
    const unsigned taken = TIME_COLUMNS + digits;
    if (record->event != NULL && record->call == NULL && text.len != 0)
        compact(&text, columns > taken ? columns - taken : 0);
    ds_buffer_add(out, text.data, text.len);
    out->failed |= text.failed;
    ds_buffer_free(&text);
}

enum style tui_record_style(const struct record *record)
{
    const struct ds_event *event = record->event;
    if (record->finding != NULL)
        return STYLE_WARNING;
    if (record->call != NULL)
        return call_outcome_is_failure(record->call->outcome) ? STYLE_WARNING : STYLE_PLAIN;
    if (event->fault.kind != DS_FAULT_NONE || event->type == DS_EVENT_GAP || event->type == DS_EVENT_STALL)
        return STYLE_WARNING;
    if (event->type != DS_EVENT_MESSAGE)
        return STYLE_NAME;
    if (record->note.outcome != CALL_OPEN && call_outcome_is_failure(record->note.outcome))
        return STYLE_WARNING;
    return record->note.group != NULL && strcmp(record->note.group, "otp") == 0 ? STYLE_DIM : STYLE_PLAIN;
}
