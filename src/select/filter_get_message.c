/*
 * filter_get_message.c - fields of messages, and fields of all records.
 */
#include "select/filter_get.h"

#include <distsniff/dissect.h>
#include <stdio.h>

static void get_type(struct filter_probe *probe, const struct record *record, int which)
{
    const struct monitor_end *monitor = record->monitor;
    (void)which;
    probe_offer_string(probe, record->call != NULL      ? "call"
                              : record->finding != NULL && record->finding->happening != HAPPENING_NONE
                                  ? "timeline"
                              : record->finding != NULL ? "finding"
                              : record->link_facts ? "link_facts"
                              : monitor == NULL    ? record_type_name(record->event->type)
                              : monitor->is_link   ? "link"
                                                   : "monitor");
}

static void get_ts(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    probe_offer_number(probe, record_time(record));
}

static void get_frame(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->finding != NULL && record->finding->num_evidence == 0)
        return;
    if (record->finding != NULL) {
        const struct evidence *last = &record->finding->evidence[record->finding->num_evidence - 1];
        for (unsigned i = 0; i < last->num; i++)
            probe_offer_unsigned(probe, last->packet[i].frame);
        return;
    }
    probe_offer_unsigned(probe, record->call != NULL      ? record->call->end_frame
                                : record->monitor != NULL ? record->monitor->end_frame
                                                          : record->event->frame);
}

static void get_conn(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->finding != NULL) {
        for (size_t i = 0; i < record->finding->num_evidence; i++)
            probe_offer_unsigned(probe, record->finding->evidence[i].conn);
        return;
    }
    probe_offer_unsigned(probe, record->call != NULL      ? record->call->conn
                                : record->monitor != NULL ? record->monitor->conn
                                                          : record->event->conn->number);
}

/* Ends of the connection. */
enum { SRC = 1, DST = 2, EITHER = SRC | DST };

static const struct ds_endpoint *end_of(const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    return event != NULL ? &event->conn->end[event->dir ^ (which == DST)] : NULL;
}

static void get_addr(struct filter_probe *probe, const struct record *record, int which)
{
    for (int side = SRC; side <= DST; side++) {
        const struct ds_endpoint *end = (which & side) != 0 ? end_of(record, side) : NULL;
        char addr[DS_ADDR_LEN];
        if (end == NULL)
            continue;
        ds_addr_print(&end->addr, addr);
        probe_offer_string(probe, addr);
    }
}

static void get_port(struct filter_probe *probe, const struct record *record, int which)
{
    for (int side = SRC; side <= DST; side++) {
        const struct ds_endpoint *end = (which & side) != 0 ? end_of(record, side) : NULL;
        if (end != NULL)
            probe_offer_number(probe, end->port);
    }
    const struct ds_event *event = record_event_of(record, DS_EVENT_EPMD);
    if (which == EITHER && event != NULL && event->epmd.port != 0)
        probe_offer_number(probe, event->epmd.port);
}

static void get_proto(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    (void)which;
    if (event != NULL && event->conn->proto != NULL)
        probe_offer_string(probe, event->conn->proto);
}

static void get_node(struct filter_probe *probe, const struct record *record, int which)
{
    for (int side = SRC; side <= DST; side++) {
        const struct ds_endpoint *end = (which & side) != 0 ? end_of(record, side) : NULL;
        if (end != NULL)
            probe_offer_text(probe, end->node);
    }
    if (which == EITHER && record->finding != NULL) {
        probe_offer_text(probe, finding_node(record->finding, 0));
        probe_offer_text(probe, finding_node(record->finding, 1));
    }
    if (which == EITHER && record->call != NULL) {
        probe_offer_text(probe, record->call->caller.node);
        probe_offer_text(probe, record->call->callee.node);
    }
    if (which == EITHER && record->monitor != NULL) {
        probe_offer_text(probe, record->monitor->watcher.node);
        probe_offer_text(probe, record->monitor->target.node);
    }
}

static void get_node_inferred(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_endpoint *end = end_of(record, which);
    if (end != NULL && end->node.data != NULL)
        probe_offer_number(probe, end->node_inferred);
}

static void get_op(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    char text[32];
    (void)which;
    if (event == NULL)
        return;
    if (event->type == DS_EVENT_EPMD) {
        probe_offer_string(probe, ds_epmd_op_name(event->epmd.op));
    } else if (event->type == DS_EVENT_MESSAGE && event->message.op != NULL) {
        probe_offer_string(probe, event->message.op->name);
    } else if (event->type == DS_EVENT_MESSAGE) {
        snprintf(text, sizeof text, "op_%lld", (long long)event->message.code);
        probe_offer_string(probe, event->message.code >= 0 ? text : "unknown");
    }
}

static void get_role_term(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_MESSAGE);
    if (event != NULL)
        probe_offer_term(probe, &event->message.role[which]);
}

static void get_ref(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->monitor == NULL) {
        get_role_term(probe, record, DS_ROLE_REF);
        return;
    }
    struct ds_buffer *text = probe_scratch(probe);
    monitor_print_ref(record->monitor, text);
    if (!text->failed && text->len != 0)
        probe_offer_text(probe, (struct ds_text){text->data, text->len});
}

/* offer_named offers the pid of the process that has the name or alias to which a message is sent. */
static void offer_named(struct filter_probe *probe, const struct record *record)
{
    const struct party party = {.node = record->event->conn->end[!record->event->dir].node,
                                .has_pid = true,
                                .id = record->note.to_id,
                                .serial = record->note.to_serial};
    struct ds_buffer *text = probe_scratch(probe);
    party_print_pid(DS_SYNTAX_ERLANG, &party, text);
    if (!text->failed)
        probe_offer_text(probe, (struct ds_text){text->data, text->len});
}

/* get_process offers the values of from and to: the pid, name or alias in the message; if known, the name
 * of the pid, and the pid that has the name or alias. */
static void get_process(struct filter_probe *probe, const struct record *record, int which)
{
    if (record_event_of(record, DS_EVENT_MESSAGE) != NULL) {
        probe_offer_text(probe, which == DS_ROLE_FROM ? record->note.from_name
                                                      : record->note.to_name);
        if (which == DS_ROLE_TO && record->note.has_to_pid)
            offer_named(probe, record);
    }
    get_role_term(probe, record, which);
}

static void get_note_name(struct filter_probe *probe, const struct record *record, int which)
{
    if (record_event(record) != NULL)
        probe_offer_text(probe, which == DS_ROLE_FROM ? record->note.from_name
                                                      : record->note.to_name);
}

static void get_titles(struct filter_probe *probe, const struct record *record, int which)
{
    if (record_event(record) != NULL)
        probe_offer_titles(probe, which == DS_ROLE_FROM ? record->note.from_titles
                                                        : record->note.to_titles);
}

static void get_flags(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_HANDSHAKE);
    (void)which;
    if (event != NULL && event->handshake.has_flags)
        probe_offer_unsigned(probe, event->handshake.flags);
    else
        get_role_term(probe, record, DS_ROLE_FLAGS);
}

static void get_mfa(struct filter_probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->call != NULL) {
        probe_offer_text(probe, record->call->mfa);
        return;
    }
    get_role_term(probe, record, DS_ROLE_MFA);
    if (record->note.mod.data != NULL) {
        struct ds_buffer *text = probe_scratch(probe);
        note_print_mfa_as(DS_SYNTAX_ERLANG, &record->note, 0, text);
        if (!text->failed)
            probe_offer_text(probe, (struct ds_text){text->data, text->len});
    }
}

static void get_result(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_EPMD);
    (void)which;
    if (record->call != NULL)
        probe_offer_term(probe, &record->call->result);
    else if (event == NULL)
        get_role_term(probe, record, DS_ROLE_RESULT);
    else if (event->epmd.op == DS_EPMD_ALIVE2_RESP || event->epmd.op == DS_EPMD_ALIVE2_X_RESP ||
             event->epmd.op == DS_EPMD_PORT2_RESP)
        probe_offer_number(probe, event->epmd.result);
}

static void get_reason(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_CONN);
    (void)which;
    if (record->call != NULL)
        probe_offer_term(probe, &record->call->reason);
    else if (record->monitor != NULL)
        probe_offer_term(probe, &record->monitor->reason);
    else if (event != NULL)
        probe_offer_string(probe, event->change.reason);
    else
        get_role_term(probe, record, DS_ROLE_REASON);
}

enum token_part { TOKEN_FLAGS, TOKEN_LABEL, TOKEN_SERIAL, TOKEN_FROM, TOKEN_PREVIOUS };

static void get_token(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_MESSAGE);
    if (event == NULL || !event->message.token.present)
        return;
    const struct ds_token *token = &event->message.token;
    switch ((enum token_part)which) {
    case TOKEN_FLAGS:
        probe_offer_number(probe, token->flags);
        break;
    case TOKEN_LABEL:
        probe_offer_term(probe, &token->label);
        break;
    case TOKEN_SERIAL:
        probe_offer_number(probe, token->serial);
        break;
    case TOKEN_FROM:
        probe_offer_term(probe, &token->from);
        break;
    case TOKEN_PREVIOUS:
        probe_offer_number(probe, token->previous);
        break;
    }
}

enum message_part { MESSAGE_TERM, MESSAGE_CONTROL, MESSAGE_SIZE, MESSAGE_FRAGMENTS };

static void get_message(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_MESSAGE);
    if (event == NULL)
        return;
    const struct ds_message *message = &event->message;
    if (which == MESSAGE_TERM)
        probe_offer_term(probe, &message->payload);
    else if (which == MESSAGE_CONTROL)
        probe_offer_term(probe, &message->control);
    else if (which == MESSAGE_SIZE)
        probe_offer_unsigned(probe, message->size);
    else if (message->fragments > 1)
        probe_offer_number(probe, message->fragments);
}

static const struct filter_field fields[] = {
    {"type", FIELD_TEXT, get_type, 0, filter_word_of_type},
    {"ts", FIELD_TIME, get_ts, 0, NULL},
    {"frame", FIELD_NUMBER, get_frame, 0, NULL},
    {"packet", FIELD_NUMBER, get_frame, 0, NULL}, /* what people usually call it */
    {"conn", FIELD_NUMBER, get_conn, 0, NULL},
    {"proto", FIELD_TEXT, get_proto, 0, filter_word_of_proto},
    {"node", FIELD_TEXT, get_node, EITHER, NULL},
    {"addr", FIELD_TEXT, get_addr, EITHER, NULL},
    {"port", FIELD_NUMBER, get_port, EITHER, NULL},
    {"src.node", FIELD_TEXT, get_node, SRC, NULL},
    {"src.addr", FIELD_TEXT, get_addr, SRC, NULL},
    {"src.port", FIELD_NUMBER, get_port, SRC, NULL},
    {"src.node_inferred", FIELD_BOOL, get_node_inferred, SRC, NULL},
    {"dst.node", FIELD_TEXT, get_node, DST, NULL},
    {"dst.addr", FIELD_TEXT, get_addr, DST, NULL},
    {"dst.port", FIELD_NUMBER, get_port, DST, NULL},
    {"dst.node_inferred", FIELD_BOOL, get_node_inferred, DST, NULL},
    {"op", FIELD_TEXT, get_op, 0, filter_word_of_op},
    {"from", FIELD_TERM, get_process, DS_ROLE_FROM, NULL},
    {"to", FIELD_TERM, get_process, DS_ROLE_TO, NULL},
    {"ref", FIELD_TERM, get_ref, 0, NULL},
    {"flags", FIELD_TERM, get_flags, 0, NULL},
    {"mfa", FIELD_TERM, get_mfa, 0, NULL},
    {"opts", FIELD_TERM, get_role_term, DS_ROLE_OPTS, NULL},
    {"group_leader", FIELD_TERM, get_role_term, DS_ROLE_LEADER, NULL},
    {"id", FIELD_TERM, get_role_term, DS_ROLE_ID, NULL},
    {"result", FIELD_TERM, get_result, 0, NULL},
    {"reason", FIELD_TERM, get_reason, 0, NULL},
    {"token", FIELD_TERM, get_role_term, DS_ROLE_TOKEN, NULL},
    {"token.flags", FIELD_NUMBER, get_token, TOKEN_FLAGS, NULL},
    {"token.label", FIELD_TERM, get_token, TOKEN_LABEL, NULL},
    {"token.serial", FIELD_NUMBER, get_token, TOKEN_SERIAL, NULL},
    {"token.from", FIELD_TERM, get_token, TOKEN_FROM, NULL},
    {"token.previous", FIELD_NUMBER, get_token, TOKEN_PREVIOUS, NULL},
    {"control", FIELD_TERM, get_message, MESSAGE_CONTROL, NULL},
    {"term", FIELD_TERM, get_message, MESSAGE_TERM, NULL},
    {"size", FIELD_SIZE, get_message, MESSAGE_SIZE, NULL},
    {"fragments", FIELD_NUMBER, get_message, MESSAGE_FRAGMENTS, NULL},
};

const struct field_group filter_message_fields = {fields, sizeof fields / sizeof fields[0], false};

static const struct filter_field note_fields[] = {
    {"from_name", FIELD_TEXT, get_note_name, DS_ROLE_FROM, NULL},
    {"to_name", FIELD_TEXT, get_note_name, DS_ROLE_TO, NULL},
    {"from_titles", FIELD_TEXT, get_titles, DS_ROLE_FROM, NULL},
    {"to_titles", FIELD_TEXT, get_titles, DS_ROLE_TO, NULL},
};

const struct field_group filter_note_fields = {note_fields,
                                               sizeof note_fields / sizeof note_fields[0], true};
