/*
 * explain_keep.c - the second reading: prepares the lines to show as their records arrive. See
 * explain_parts.h.
 */
#include "explain/explain_parts.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "reports/report_finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* detach_text returns a copy of scratch and empties it. NULL if memory ran out. */
static char *detach_text(struct explain *e)
{
    ds_buffer_add(&e->scratch, "", 1);
    char *text = e->scratch.failed ? NULL : strdup(e->scratch.data);
    e->failed |= text == NULL;
    if (e->scratch.failed)
        ds_buffer_free(&e->scratch);
    e->scratch.len = 0;
    return text;
}

static void keep_line(struct explain *e, struct explain_lines *lines, size_t max, uint64_t number)
{
    char *text = detach_text(e);
    if (text == NULL)
        return;
    if (lines->num < max && lines->num < OWN_MAX) {
        lines->line[lines->num++] = (struct explain_line){number, text};
        return;
    }
    lines->num_more++;
    free(text);
}

/* put_line inserts a line in order. If lines is full, the first or the last one is dropped. */
static void put_line(struct explain_line *lines, size_t *num, bool drops_first, struct explain_line line)
{
    if (*num == NEAR_MAX) {
        const size_t drop = drops_first ? 0 : NEAR_MAX - 1;
        free(lines[drop].text);
        memmove(&lines[drop], &lines[drop + 1], (NEAR_MAX - 1 - drop) * sizeof *lines);
        (*num)--;
    }
    size_t at = *num;
    while (at > 0 && lines[at - 1].number > line.number) {
        lines[at] = lines[at - 1];
        at--;
    }
    lines[at] = line;
    (*num)++;
}

/* near_wants says whether the line with that number is nearer than those that are kept. */
static bool near_wants(const struct explain_near *near, uint64_t number, uint64_t middle)
{
    if (number < middle)
        return near->num_before < NEAR_MAX || number > near->before[0].number;
    return number > middle &&
           (near->num_after < NEAR_MAX || number < near->after[NEAR_MAX - 1].number);
}

static void keep_near(struct explain *e, struct explain_near *near, uint64_t number, uint64_t middle)
{
    const struct explain_line line = {number, detach_text(e)};
    if (line.text == NULL)
        return;
    if (number < middle)
        put_line(near->before, &near->num_before, true, line);
    else
        put_line(near->after, &near->num_after, false, line);
}

static void print_call(struct explain *e, const struct call *call)
{
    enum { SHORT = 100 };
    struct ds_buffer *out = &e->scratch;
    ds_buffer_printf(out, "call:%" PRIu64 "  ", call->number);
    report_print_time(&e->text, call->start_ns, out);
    ds_buffer_add_text(out, "  ");
    label_show(call->label, out);
    ds_buffer_printf(out, "  %s ", call_outcome_name(call->outcome));
    call_print_span(call, out);
    ds_buffer_add_text(out, "  ");
    report_print_who(call, out);
    ds_buffer_add_text(out, "  ");
    report_print_what(call, SHORT, out);
}

/* print_event writes an event with its number and time. */
static void print_event(struct explain *e, struct event_text *how, const struct record *shown)
{
    struct ds_buffer *out = &e->scratch;
    ds_buffer_printf(out, "packet:%" PRIu64 "  ", shown->event->frame);
    report_print_time(&e->text, shown->event->ts_ns, out);
    ds_buffer_add_text(out, "  ");
    if (shown->event->type == DS_EVENT_TICK)
        ds_buffer_add_text(out, "tick");
    else
        event_text_print_shown(how, shown, out);
}

static bool is_text(const char *a, size_t a_len, struct ds_text b)
{
    return a_len != 0 && b.data != NULL && a_len == (b.len < EXPLAIN_NAME ? b.len : EXPLAIN_NAME) &&
           memcmp(a, b.data, a_len) == 0;
}

/* is_party says whether two are the same process, or the same name on the same node. */
static bool is_party(const struct explain_party *a, const struct party *b)
{
    if (!is_text(a->node, a->node_len, b->node))
        return false;
    if (a->has_pid && b->has_pid)
        return a->id == b->id && a->serial == b->serial && a->creation == b->creation;
    return !b->is_for && is_text(a->name, a->name_len, b->name);
}

/* doubt_words returns why the outcome of a call is unknown. */
static const char *doubt_words(enum call_doubt doubt)
{
    static const char *const words[] = {
        [DOUBT_LIMIT] = "a limit may have been reached (--max-calls)",
        [DOUBT_LOST] = "its answer may be among missing packets, or could not be decoded",
        [DOUBT_UNREAD] = "an answer may be among messages that could not be read",
        [DOUBT_ATOMS] = "what would tell has unknown atoms",
        [DOUBT_PLACE] = "the answer may go over another connection",
    };
    return words[doubt];
}

static const char *outcome_words(enum call_outcome outcome)
{
    static const char *const words[CALL_OUTCOME_COUNT] = {
        [CALL_OPEN] = "it had not ended",
        [CALL_OK] = "it was answered",
        [CALL_ERROR] = "it ended with an error",
        [CALL_NOPROC] = "there was no such process",
        [CALL_TIMEOUT] = "the caller stopped waiting after its timeout",
        [CALL_ABANDONED] = "the caller stopped waiting, or ended",
        [CALL_ANSWERED_ELSEWHERE] = "it was answered by the caller's own node, over no connection",
        [CALL_NOCONNECTION] = "the connection was lost",
        [CALL_UNANSWERED] = "it was still open when the capture ended",
        [CALL_UNKNOWN] = "it is unknown how it ended: ",
    };
    return words[outcome];
}

static void keep_call_itself(struct explain *e, const struct call *call)
{
    struct ds_buffer *out = &e->head;
    e->outcome = call->outcome;
    ds_buffer_printf(out, "call %" PRIu64 ": ", call->number);
    label_show(call->label, out);
    ds_buffer_add_text(out, " ");
    report_print_who(call, out);
    ds_buffer_add_text(out, "  ");
    report_print_what(call, 0, out);
    ds_buffer_printf(out, "\noutcome: %s; %s%s\nwaited: ", call_outcome_name(call->outcome),
                     outcome_words(call->outcome),
                     call->outcome == CALL_UNKNOWN ? doubt_words(call->doubt) : "");
    party_print(&call->caller, out);
    ds_buffer_add_text(out, " waited ");
    if (!call_has_end(call))
        ds_buffer_add_text(out, "for at least ");
    if (call_was_sent(call))
        duration_print(call->end_ns - call->start_ns, out);
    else
        ds_buffer_add_text(out, "until before the request was sent, it is unknown for how long");
    ds_buffer_add_text(out, ", from ");
    report_print_time(&e->text, call->start_ns, out);
    ds_buffer_printf(out, " (packet %" PRIu64 ") to ", call->start_frame);
    report_print_time(&e->text, call->end_ns, out);
    if (call->end_frame != 0)
        ds_buffer_printf(out, " (packet %" PRIu64 ")", call->end_frame);
    else
        ds_buffer_add_text(out, " (the end of the capture)");
    ds_buffer_printf(out, ", on conn %" PRIu64 "\n", call->conn);
    e->parent_note = call->parent == 0         ? NULL
                     : call->parent_ambiguous  ? "not certain: the caller was serving several calls"
                     : call->parent_inferred   ? "inferred from the order of the packets"
                                               : NULL;
}

static void keep_call_near(struct explain *e, struct explain_near *near, const struct explain_party *party,
                           const struct party *who, const struct call *call)
{
    if (!is_party(party, who) || !near_wants(near, call->number, e->target.number))
        return;
    print_call(e, call);
    keep_near(e, near, call->number, e->target.number);
}

/* count_call adds a call to the counts of a connection. */
static void count_call(struct explain *e, const struct call *call)
{
    const int64_t took_ns = call->end_ns - call->start_ns;
    const bool failed = call_outcome_is_failure(call->outcome);
    e->num_calls++;
    if (failed && e->num_failed++ == 0)
        e->first_failed = call->number;
    if (e->slowest == 0 || took_ns > e->slowest_ns) {
        e->slowest = call->number;
        e->slowest_ns = took_ns;
    }
    if (failed && e->calls.num < OTHERS_MAX) {
        print_call(e, call);
        keep_line(e, &e->calls, OTHERS_MAX, call->number);
    }
}

static void keep_call(struct explain *e, const struct call *call, const struct call *shown)
{
    const struct explain_found *found = &e->found;
    const uint64_t number = e->target.number;
    if (e->target.kind == EXPLAIN_CONN && explain_is_own_conn(found, call->conn)) {
        count_call(e, shown);
        return;
    }
    if (e->target.kind != EXPLAIN_CALL) {
        e->is_selected = explain_is_listed(found->calls, found->num_calls, call->number);
        if (e->is_selected) {
            print_call(e, shown);
            keep_line(e, &e->calls, OTHERS_MAX, call->number);
        }
        return;
    }
    e->is_selected = call->number == number || call->number == found->parent || call->parent == number;
    if (call->number == number) {
        keep_call_itself(e, shown);
        return;
    }
    if (call->number == found->parent) {
        print_call(e, shown);
        keep_line(e, &e->parent, OTHERS_MAX, call->number);
    } else if (call->parent == number) {
        print_call(e, shown);
        keep_line(e, &e->children, OTHERS_MAX, call->number);
    }
    keep_call_near(e, &e->same_caller, &found->caller, &call->caller, shown);
    keep_call_near(e, &e->same_callee, &found->callee, &call->callee, shown);
}

/* is_about says whether a finding concerns the thing: its evidence includes one of the thing's
 * packets or, if the thing is a connection, that connection. */
static bool is_about(const struct explain *e, const struct finding *f)
{
    for (size_t i = 0; i < f->num_evidence; i++) {
        if (e->target.kind == EXPLAIN_CONN && explain_is_own_conn(&e->found, f->evidence[i].conn))
            return true;
        for (unsigned j = 0; j < f->evidence[i].num; j++) {
            const uint64_t frame = f->evidence[i].packet[j].frame;
            if (e->target.kind == EXPLAIN_CALL
                    ? frame == e->found.start_frame || (frame != 0 && frame == e->found.end_frame)
                    : e->target.kind != EXPLAIN_CONN && explain_is_own_frame(&e->found, frame))
                return true;
        }
    }
    return false;
}

static void keep_finding(struct explain *e, const struct finding *finding, const struct finding *shown)
{
    if (finding->kind == NULL || finding->happening != HAPPENING_NONE)
        return;
    if (e->target.kind == EXPLAIN_FINDING) {
        e->is_selected = finding->number == e->target.number;
        if (!e->is_selected)
            return;
        if (e->finding == NULL)
            e->finding = malloc(sizeof *e->finding);
        if (e->finding != NULL)
            *e->finding = *shown;
        e->failed |= e->finding == NULL;
        return;
    }
    e->is_selected = is_about(e, finding);
    for (size_t i = 0; i < e->findings.num; i++) {
        if (e->findings.line[i].number == finding->number)
            return;
    }
    if (!e->is_selected)
        return;
    ds_buffer_printf(&e->scratch, "finding:%" PRIu64 "  ", finding->number);
    report_finding_head(shown, &e->scratch);
    keep_line(e, &e->findings, OTHERS_MAX, finding->number);
}

/* keep_neighbour keeps the lines just before and after a packet or message on its connection. */
static void keep_neighbour(struct explain *e, const struct record *shown, uint64_t number, uint64_t middle)
{
    if (number == middle || !near_wants(&e->same_link, number, middle))
        return;
    print_event(e, e->brief, shown);
    keep_near(e, &e->same_link, number, middle);
}

/* keep_last keeps a line in place of the previous last one. */
static void keep_last(struct explain *e, const struct record *shown)
{
    struct explain_line *line = e->first_message.text == NULL ? &e->first_message : &e->last_message;
    print_event(e, e->brief, shown);
    free(line->text);
    *line = (struct explain_line){shown->event->frame, detach_text(e)};
}

static void keep_own(struct explain *e, const struct record *shown, struct event_text *how)
{
    if (e->own.num < OWN_MAX)
        print_event(e, how, shown);
    keep_line(e, &e->own, OWN_MAX, shown->event->frame);
}

static void keep_of_conn(struct explain *e, const struct record *record, const struct record *shown)
{
    const struct ds_event *event = record->event;
    if (!explain_is_own_conn(&e->found, event->conn->number))
        return;
    if (event->type == DS_EVENT_MESSAGE) {
        keep_last(e, shown);
        return;
    }
    if (event->type == DS_EVENT_TICK)
        return;
    e->is_selected = true;
    keep_own(e, shown, e->brief);
}

static void keep_event(struct explain *e, const struct record *record, const struct record *shown)
{
    const struct ds_event *event = record->event;
    const struct explain_found *found = &e->found;
    const uint64_t number = e->target.number;
    const bool is_message = event->type == DS_EVENT_MESSAGE;
    const bool is_conn = explain_is_own_conn(found, event->conn->number);
    e->num_messages += is_message;
    switch (e->target.kind) {
    case EXPLAIN_CALL:
        e->is_selected = is_message && record->note.call == number;
        if (e->is_selected) {
            e->has_request |= record->note.role == NOTE_REQUEST;
            e->has_reply |= record->note.role == NOTE_REPLY;
            keep_own(e, shown, e->full);
        } else if (is_message && is_conn) {
            /* Packet numbers serve as times: what came during the call is neither before nor after
             * it. */
            if (event->frame <= found->start_frame)
                keep_neighbour(e, shown, e->num_messages, UINT64_MAX);
            else if (found->end_frame != 0 && event->frame >= found->end_frame)
                keep_neighbour(e, shown, e->num_messages, 0);
        }
        break;
    case EXPLAIN_FINDING:
        e->is_selected = explain_is_own_frame(found, event->frame) &&
                         explain_is_of_packet(record, event->frame) &&
                         (found->num_conns == 0 || is_conn || event->conn->number == 0);
        if (e->is_selected) {
            if (e->first_call == 0)
                e->first_call = record->note.call;
            keep_own(e, shown, e->brief);
        }
        break;
    case EXPLAIN_CONN:
        keep_of_conn(e, record, shown);
        break;
    case EXPLAIN_MESSAGE:
        e->is_selected = is_message && e->num_messages == number;
        if (e->is_selected)
            keep_own(e, shown, e->full);
        else if (is_message && is_conn)
            keep_neighbour(e, shown, e->num_messages, number);
        break;
    case EXPLAIN_PACKET:
        e->is_selected = explain_is_of_packet(record, number);
        if (e->is_selected)
            keep_own(e, shown, e->full);
        else if ((is_conn || (found->tcp != 0 && event->conn->tcp == found->tcp)) &&
                 event->frame != number)
            keep_neighbour(e, shown, event->frame, number);
        break;
    default:
        break;
    }
}

/* keep_for_links passes on the records from which report_links is made. */
static void keep_for_links(struct explain *e, const struct record *record, const struct record *shown)
{
    if (e->links != NULL && record->event != NULL &&
        explain_is_own_conn(&e->found, record->event->conn->number) &&
        (report_links.takes & report_takes_of(record)) != 0)
        report_links.record(e->links, shown);
}

void explain_keep(struct explain *e, const struct record *record, const struct record *shown)
{
    e->is_selected = false;
    if (record->event != NULL && ds_event_is_raw(record->event))
        return;
    keep_for_links(e, record, shown);
    if (record->finding != NULL)
        keep_finding(e, record->finding, shown->finding);
    else if (record->call != NULL)
        keep_call(e, record->call, shown->call);
    else if (explain_is_event(record))
        keep_event(e, record, shown);
    else if (record->link_facts && e->target.kind == EXPLAIN_CONN)
        e->is_selected = explain_is_own_conn(&e->found, record->event->conn->number);
}
