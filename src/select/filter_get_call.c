/*
 * filter_get_call.c - fields of calls, monitors and links, and of the correlation's note on a message.
 */
#include "select/filter_get.h"

static void get_note_role(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->note.role != NOTE_NONE)
        probe_offer_string(probe, note_role_name(record->note.role));
}

static void get_call(struct filter_probe *probe, const struct record *record, int which)
{
    const uint64_t number = record->call != NULL ? record->call->number : record->note.call;
    (void)which;
    if (number != 0)
        probe_offer_unsigned(probe, number);
}

enum { LABEL, GROUP };

static void get_label(struct filter_probe *probe, const struct record *record, int which)
{
    const struct call *call = record->call;
    const struct note *note = &record->note;
    if (which == LABEL)
        probe_offer_string(probe, call != NULL ? call->label : note->label);
    else
        probe_offer_string(probe, call != NULL ? call->group : note->group);
}

static void get_latency(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->call != NULL && call_was_sent(record->call))
        probe_offer_number(probe, record->call->end_ns - record->call->start_ns);
    else if (record->call == NULL && record->note.has_latency)
        probe_offer_number(probe, record->note.latency_ns);
}

static void get_late(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record_is_message(record))
        probe_offer_number(probe, record->note.late);
}

static void get_outcome(struct filter_probe *probe, const struct record *record, int which)
{
    const enum call_outcome outcome =
        record->call != NULL ? record->call->outcome : record->note.outcome;
    (void)which;
    if (record->monitor != NULL)
        probe_offer_string(probe, monitor_outcome_name(record->monitor->outcome));
    if (outcome != CALL_OPEN)
        probe_offer_string(probe, call_outcome_name(outcome));
    if (call_outcome_is_failure(outcome))
        probe_offer_string(probe, "failed");
}

enum party_role { CALLER, CALLEE, WATCHER, TARGET };

static const struct party *party_of(const struct record *record, int which)
{
    const struct call *call = record->call;
    const struct monitor_end *monitor = record->monitor;
    switch ((enum party_role)which) {
    case CALLER:
        return call != NULL ? &call->caller : NULL;
    case CALLEE:
        return call != NULL ? &call->callee : NULL;
    case WATCHER:
        return monitor != NULL ? &monitor->watcher : NULL;
    case TARGET:
        return monitor != NULL ? &monitor->target : NULL;
    }
    return NULL;
}

static void get_party_node(struct filter_probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party != NULL)
        probe_offer_text(probe, party->node);
}

static void get_party_name(struct filter_probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party != NULL)
        probe_offer_text(probe, party->name);
}

static void get_party_pid(struct filter_probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party == NULL || !party->has_pid)
        return;
    struct ds_buffer *text = probe_scratch(probe);
    party_print_pid(DS_SYNTAX_ERLANG, party, text);
    if (!text->failed)
        probe_offer_text(probe, (struct ds_text){text->data, text->len});
}

static void get_party(struct filter_probe *probe, const struct record *record, int which)
{
    get_party_name(probe, record, which);
    get_party_pid(probe, record, which);
}

static void get_party_titles(struct filter_probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party != NULL)
        probe_offer_titles(probe, party->titles);
}

static void get_party_creation(struct filter_probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party != NULL && party->has_pid)
        probe_offer_number(probe, party->creation);
}

enum call_field_part { CALL_REQUEST, CALL_REQUEST_BYTES, CALL_START, CALL_START_FRAME, CALL_CLASS,
                       CALL_PARENT, CALL_AMBIGUOUS, CALL_INFERRED, CALL_CHILDREN };

/* Fields that monitors and links have as well. */
static void get_of_monitor(struct filter_probe *probe, const struct monitor_end *monitor, int which)
{
    if (monitor == NULL)
        return;
    if (which == CALL_START)
        probe_offer_number(probe, monitor->start_ns);
    else if (which == CALL_START_FRAME)
        probe_offer_unsigned(probe, monitor->start_frame);
}

static void get_duration(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->monitor != NULL)
        probe_offer_number(probe, record->monitor->end_ns - record->monitor->start_ns);
}

static void get_of_call(struct filter_probe *probe, const struct record *record, int which)
{
    const struct call *call = record->call;
    if (call == NULL) {
        get_of_monitor(probe, record->monitor, which);
        return;
    }
    switch ((enum call_field_part)which) {
    case CALL_REQUEST:
        probe_offer_term(probe, &call->request);
        break;
    case CALL_REQUEST_BYTES:
        probe_offer_unsigned(probe, call->request_len);
        break;
    case CALL_START:
        probe_offer_number(probe, call->start_ns);
        break;
    case CALL_START_FRAME:
        probe_offer_unsigned(probe, call->start_frame);
        break;
    case CALL_CLASS:
        probe_offer_string(probe, call->error_class);
        break;
    case CALL_PARENT:
        if (call->parent != 0)
            probe_offer_unsigned(probe, call->parent);
        break;
    case CALL_AMBIGUOUS:
        probe_offer_number(probe, call->parent_ambiguous);
        break;
    case CALL_INFERRED:
        probe_offer_number(probe, call->parent_inferred);
        break;
    case CALL_CHILDREN:
        for (size_t i = 0; i < call->num_children; i++)
            probe_offer_unsigned(probe, call->children[i]);
        break;
    }
}

#define PARTY(name, which)                                                                         \
    {name, FIELD_TEXT, get_party, which, NULL},                                                    \
    {name ".node", FIELD_TEXT, get_party_node, which, NULL},                                       \
    {name ".name", FIELD_TEXT, get_party_name, which, NULL},                                       \
    {name ".titles", FIELD_TEXT, get_party_titles, which, NULL},                                   \
    {name ".pid", FIELD_TEXT, get_party_pid, which, NULL},                                         \
    {name ".creation", FIELD_NUMBER, get_party_creation, which, NULL}

static const struct filter_field fields[] = {
    {"role", FIELD_TEXT, get_note_role, 0, filter_word_of_role},
    {"call", FIELD_NUMBER, get_call, 0, NULL},
    {"label", FIELD_TEXT, get_label, LABEL, filter_word_of_label},
    {"group", FIELD_TEXT, get_label, GROUP, filter_word_of_group},
    {"latency", FIELD_DURATION, get_latency, 0, NULL},
    {"latency_us", FIELD_MICROSECONDS, get_latency, 0, NULL},
    {"late", FIELD_BOOL, get_late, 0, NULL},
    {"outcome", FIELD_TEXT, get_outcome, 0, filter_word_of_outcome},
    PARTY("caller", CALLER),
    PARTY("callee", CALLEE),
    PARTY("watcher", WATCHER),
    PARTY("target", TARGET),
    {"duration", FIELD_DURATION, get_duration, 0, NULL},
    {"duration_us", FIELD_MICROSECONDS, get_duration, 0, NULL},
    {"request", FIELD_TERM, get_of_call, CALL_REQUEST, NULL},
    {"request_bytes", FIELD_SIZE, get_of_call, CALL_REQUEST_BYTES, NULL},
    {"start", FIELD_TIME, get_of_call, CALL_START, NULL},
    {"start_frame", FIELD_NUMBER, get_of_call, CALL_START_FRAME, NULL},
    {"class", FIELD_TEXT, get_of_call, CALL_CLASS, filter_word_of_class},
    {"parent", FIELD_NUMBER, get_of_call, CALL_PARENT, NULL},
    {"parent_ambiguous", FIELD_BOOL, get_of_call, CALL_AMBIGUOUS, NULL},
    {"parent_inferred", FIELD_BOOL, get_of_call, CALL_INFERRED, NULL},
    {"children", FIELD_NUMBER, get_of_call, CALL_CHILDREN, NULL},
};

const struct field_group filter_call_fields = {fields, sizeof fields / sizeof fields[0], true};
