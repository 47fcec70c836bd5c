/*
 * diagram_step.c - see diagram_step.h.
 */
#include "output/diagram/diagram_step.h"

#include "core/duration.h"
#include "core/printable.h"
#include "core/term_show.h"

#include <distsniff/counted.h>
#include <distsniff/dissect.h>
#include <distsniff/identity.h>
#include <inttypes.h>
#include <string.h>

static const struct ds_term_print_options short_term = {
    .max_bytes = 24, .max_items = 6, .max_depth = 4, .max_len = 60};

/* The verb for each kind of control message. */
static const struct {
    const char *verb;
    bool answers;
} verbs[DS_KIND_COUNT] = {
    [DS_KIND_UNKNOWN] = {"MESSAGE", false}, [DS_KIND_OTHER] = {"MESSAGE", false},
    [DS_KIND_SEND] = {"SEND", false},       [DS_KIND_LINK] = {"LINK", false},
    [DS_KIND_UNLINK] = {"UNLINK", false},   [DS_KIND_UNLINK_ACK] = {"UNLINKED", true},
    [DS_KIND_EXIT] = {"EXIT", false},       [DS_KIND_EXIT2] = {"EXIT", false},
    [DS_KIND_MONITOR] = {"MONITOR", false}, [DS_KIND_DEMONITOR] = {"DEMONITOR", false},
    [DS_KIND_DOWN] = {"DOWN", true},        [DS_KIND_SPAWN] = {"SPAWN", false},
    [DS_KIND_SPAWNED] = {"SPAWNED", true},  [DS_KIND_LEADER] = {"GROUP LEADER", false},
};

static void clear(struct ds_buffer *buffer)
{
    buffer->len = 0;
}

/* set_node sets a node's name, if there is one. */
static void set_node(uint64_t number, struct ds_text name, struct diagram_row_end *told)
{
    const bool is_unsure = !diagram_name_is_whole(name);
    told->at = (struct diagram_row_at){.number = number,
                                       .is_unsure = is_unsure,
                                       .has_name = name.data != NULL,
                                       .is_end_unsure = is_unsure};
    clear(&told->node);
    if (told->at.has_name)
        printable_text(name, &told->node);
}

static void describe_node(const struct ds_conn *conn, unsigned side, struct diagram_row_end *told)
{
    const struct ds_endpoint *end = &conn->end[side];
    char addr[DS_ADDR_LEN];
    set_node(diagram_end_number(conn->number, side), end->node, told);
    told->at.host = hash_add_text(2, (const char *)end->addr.bytes, sizeof end->addr.bytes);
    told->at.port = hash_add_text(told->at.host, (const char *)&end->port, sizeof end->port);
    if (told->at.has_name)
        return;
    ds_addr_print(&end->addr, addr);
    ds_buffer_printf(&told->node, "%s:%u", addr, end->port);
}

/* set_identity_node sets the node in a process identifier of a message. If that is not the end's
 * node, it is not known to be at its address. */
static void set_identity_node(struct ds_text node, struct diagram_row_end *end)
{
    if (node.len != 0 && end->node.len == node.len &&
        memcmp(end->node.data, node.data, node.len) == 0)
        return;
    if (!end->at.is_unsure)
        end->at.host = end->at.port = 0;
    end->at.is_unsure = !diagram_name_is_whole(node);
    end->at.has_name = end->at.is_by_process = true;
    clear(&end->node);
    printable_text(node, &end->node);
}

/* describe_name writes a registered name: all processes that answer for it share a lane. */
static void describe_name(struct ds_text name, bool is_for, struct ds_buffer *process)
{
    if (is_for)
        ds_buffer_add_text(process, "for ");
    term_show_name(name, process);
}

/* describe_process writes the process that a term identifies; name is its registered name, if
 * known, or the name for which it answers. */
static void describe_process(const struct ds_term *term, struct ds_text name, bool is_for,
                             struct diagram_row_end *end)
{
    struct ds_identity identity;
    struct ds_text atom;
    clear(&end->process);
    if (name.data != NULL) {
        describe_name(name, is_for, &end->process);
    } else if (term->data == NULL) {
        return;
    } else if (ds_term_get_identity(term, &identity)) {
        if (identity.kind == DS_IDENTITY_REFERENCE)
            return;
        ds_buffer_add_text(&end->process, identity.kind == DS_IDENTITY_PORT ? "#Port<" : "<");
        for (uint32_t i = 0; i < identity.num_words; i++)
            ds_buffer_printf(&end->process, i == 0 ? "%" PRIu32 : ".%" PRIu32, identity.word[i]);
        ds_buffer_add_text(&end->process, ">");
        if (identity.node.data != NULL)
            set_identity_node(identity.node, end);
    } else if (ds_term_get_atom(term, &atom)) {
        term_show_name(atom, &end->process);
    }
}

/* remember_caller remembers who makes a call. */
static void remember_caller(struct diagram_step *step, uint64_t call, unsigned dir)
{
    size_t i = call % STEP_CALLS;
    const struct ds_buffer *process = &step->row.from.process;
    const size_t len = process->len < STEP_PROCESS_LEN && !process->failed ? process->len : 0;
    step->callers[i].number = call;
    step->callers[i].dir = (uint8_t)dir;
    step->callers[i].from = step->row.from.at.number;
    step->callers[i].to = step->row.to.at.number;
    if (len != 0)
        memcpy(step->callers[i].process, process->data, len);
    step->callers[i].process[len] = '\0';
}

/* describe_caller writes the process that made a call, or remembers it. */
static void describe_caller(struct diagram_step *step, const struct note *note, unsigned dir)
{
    const size_t i = note->call % STEP_CALLS;
    if (note->role == NOTE_REQUEST)
        remember_caller(step, note->call, dir);
    else if (step->callers[i].number != note->call)
        return;
    else if (note->role == NOTE_FORWARD)
        step->callers[i].to = step->row.to.at.number;
    else if (step->row.to.process.len == 0)
        ds_buffer_add_text(&step->row.to.process, step->callers[i].process);
}

/* fold_worker names a process that erpc starts for a single call by the function that it runs: each
 * call has its own, which occurs nowhere else. */
static void fold_worker(struct diagram_step *step, const struct note *note, unsigned dir)
{
    const size_t i = note->call % STEP_CALLS;
    const bool is_request = note->role == NOTE_REQUEST;
    struct ds_buffer *process =
        is_request || step->callers[i].dir == dir ? &step->row.to.process : &step->row.from.process;
    if (is_request) {
        step->callers[i].worker[0] = '\0';
        if (note->label == NULL || strncmp(note->label, "erpc:", strlen("erpc:")) != 0 ||
            note->mod.data == NULL)
            return;
        clear(process);
        note_print_function(note, process);
        if (process->len >= STEP_PROCESS_LEN || process->failed)
            return;
        memcpy(step->callers[i].worker, process->data, process->len);
        step->callers[i].worker[process->len] = '\0';
    } else if (step->callers[i].number == note->call && step->callers[i].worker[0] != '\0') {
        clear(process);
        ds_buffer_add_text(process, step->callers[i].worker);
    }
}

static const struct ds_term_print_options *limits_of(const struct diagram_step *step)
{
    return step->limits != NULL ? step->limits : &short_term;
}

static void describe_term(struct diagram_step *step, const struct ds_term *term)
{
    if (term->data != NULL)
        term_show(term, limits_of(step), &step->row.text);
}

/* describe_body writes the contents of the message. */
static void describe_body(struct diagram_step *step, const struct record *record)
{
    const struct ds_message *m = &record->event->message;
    const struct note *note = &record->note;
    if (note->mod.data != NULL) {
        note_print_mfa(note, limits_of(step)->max_len, &step->row.text);
    } else if (m->role[DS_ROLE_MFA].data != NULL) {
        describe_term(step, &m->role[DS_ROLE_MFA]);
    } else if (note->body.data != NULL) {
        describe_term(step, &note->body);
    } else if (m->payload.data != NULL) {
        describe_term(step, &m->payload);
    } else if (m->role[DS_ROLE_REASON].data != NULL) {
        describe_term(step, &m->role[DS_ROLE_REASON]);
    } else if (m->role[DS_ROLE_RESULT].data != NULL) {
        describe_term(step, &m->role[DS_ROLE_RESULT]);
    } else if (m->op == NULL) {
        describe_term(step, &m->control);
    }
    if (record->event->fault.kind != DS_FAULT_NONE)
        ds_buffer_printf(&step->row.text, "%s[%s]", step->row.text.len != 0 ? " " : "",
                         ds_fault_kind_name(record->event->fault.kind));
}

/* describe_verb writes the kind of message. */
static void describe_verb(struct diagram_step *step, const struct record *record)
{
    const struct note *note = &record->note;
    const enum ds_op_kind kind = ds_message_kind(&record->event->message);
    const char *verb = verbs[kind].verb;

    step->row.kind = verbs[kind].answers ? STEP_ANSWER : STEP_MESSAGE;
    if (note->role == NOTE_REQUEST)
        verb = "CALL";
    if (note->role == NOTE_FORWARD)
        verb = "FORWARD";
    if (note->role == NOTE_CAST)
        verb = "CAST";
    if (note->role == NOTE_REPLY || (note->role == NOTE_DOWN && note->outcome == CALL_OK)) {
        verb = note->late ? "late reply" : "reply";
        step->row.kind = STEP_ANSWER;
    }
    ds_buffer_add_text(&step->row.verb, verb);
    if (note->call != 0)
        ds_buffer_printf(&step->row.verb, " #%" PRIu64, note->call);
    if (note->has_latency) {
        ds_buffer_add_text(&step->row.verb, " after ");
        duration_print(note->latency_ns, &step->row.verb);
    }
    if (note->outcome != CALL_OPEN && note->outcome != CALL_OK)
        ds_buffer_printf(&step->row.verb, " (%s)", call_outcome_name(note->outcome));
}

static void describe_message(struct diagram_step *step, const struct record *record)
{
    const struct ds_message *m = &record->event->message;
    const struct note *note = &record->note;
    uint64_t number = record->event->conn->number;

    describe_process(&m->role[DS_ROLE_FROM], note->from_name, note->from_is_for, &step->row.from);
    describe_process(&m->role[DS_ROLE_TO], note->to_name, note->to_is_for, &step->row.to);
    if (note->call != 0)
        describe_caller(step, note, record->event->dir);
    if (note->call != 0 && step->folds_workers)
        fold_worker(step, note, record->event->dir);
    describe_verb(step, record);
    if (step->late[number % STEP_LATE] == number) {
        ds_buffer_add_text(&step->row.verb, " (the capture began after this connection)");
        step->late[number % STEP_LATE] = 0;
    }
    describe_body(step, record);
}

static bool is_late(const struct ds_conn_change *change)
{
    return change->state == DS_CONN_JOINED_LATE || change->state == DS_CONN_CONTINUED;
}

bool diagram_step_draws(const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    if (event->type == DS_EVENT_MESSAGE || event->type == DS_EVENT_GAP)
        return true;
    if (event->type != DS_EVENT_CONN || change->state == DS_CONN_OPEN || is_late(change) ||
        change->unfollowed)
        return false;
    return change->state == DS_CONN_FAILED || event->conn->end[0].node.data != NULL ||
           event->conn->end[1].node.data != NULL;
}

static void describe_conn(struct diagram_step *step, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const struct ds_conn_change *change = &event->change;
    if (is_late(change))
        step->late[conn->number % STEP_LATE] = conn->number;
    if (!diagram_step_draws(event))
        return;
    step->row.kind = STEP_NOTE;
    ds_buffer_printf(&step->row.text, "connection %" PRIu64 " %s", conn->number,
                     ds_conn_state_name(change->state));
    if (change->reason != NULL) {
        ds_buffer_add_text(&step->row.text, ": ");
        printable_text((struct ds_text){change->reason, strlen(change->reason)}, &step->row.text);
    }
}

static void describe_gap(struct diagram_step *step, const struct ds_gap *gap)
{
    step->row.kind = STEP_NOTE;
    ds_buffer_printf(&step->row.text, "%s %s missing", ds_counted(gap->bytes, "bytes").text,
                     gap->bytes == 1 ? "is" : "are");
    if (gap->messages >= 0)
        ds_buffer_printf(&step->row.text, " (%s)",
                         ds_counted((uint64_t)gap->messages, "messages").text);
}

static void describe_party(const struct party *party, uint64_t number, struct diagram_row_end *end)
{
    clear(&end->process);
    set_node(number, party->node, end);
    if (!end->at.has_name)
        ds_buffer_add_text(&end->node, "?");
    if (party->name.data != NULL)
        describe_name(party->name, party->is_for, &end->process);
    else if (party->has_pid)
        ds_buffer_printf(&end->process, "<%" PRIu32 ".%" PRIu32 ">", party->id, party->serial);
}

void diagram_step_describe_parties(struct diagram_step *step, const struct call *call)
{
    const size_t i = call->number % STEP_CALLS;
    const bool is_known = step->callers[i].number == call->number;
    describe_party(&call->caller, is_known ? step->callers[i].from : 0, &step->row.from);
    describe_party(&call->callee, is_known ? step->callers[i].to : 0, &step->row.to);
}

/* Outcomes without an answer. */
static const bool is_untold[CALL_OUTCOME_COUNT] = {
    [CALL_TIMEOUT] = true,      [CALL_ABANDONED] = true,  [CALL_ANSWERED_ELSEWHERE] = true,
    [CALL_NOCONNECTION] = true, [CALL_UNANSWERED] = true,
};

/* describe_end describes a call that ended without a message that shows it. */
static void describe_end(struct diagram_step *step, const struct call *call)
{
    if (!is_untold[call->outcome])
        return;
    diagram_step_describe_parties(step, call);
    step->row.kind = STEP_NOTE;
    ds_buffer_printf(&step->row.text, "#%" PRIu64 " %s ", call->number, call_outcome_name(call->outcome));
    call_print_span(call, &step->row.text);
}

bool diagram_step_describe(struct diagram_step *step, const struct record *record)
{
    const struct ds_event *event = record->event;

    step->row.kind = STEP_NOTHING;
    clear(&step->row.verb);
    clear(&step->row.text);
    if (record->call != NULL) {
        describe_end(step, record->call);
    } else {
        describe_node(event->conn, event->dir, &step->row.from);
        describe_node(event->conn, !event->dir, &step->row.to);
        clear(&step->row.from.process);
        clear(&step->row.to.process);
        if (event->type == DS_EVENT_MESSAGE)
            describe_message(step, record);
        else if (event->type == DS_EVENT_CONN)
            describe_conn(step, event);
        else if (event->type == DS_EVENT_GAP)
            describe_gap(step, &event->gap);
    }
    return !diagram_row_failed(&step->row);
}

void diagram_step_free(struct diagram_step *step)
{
    diagram_row_free(&step->row);
}
