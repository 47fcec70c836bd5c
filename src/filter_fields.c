/*
 * filter_fields.c - what a field filter can ask for: one line a field. The names are those of
 * JSON, and some that stand for several of them: node, addr and port mean either end.
 */
#include "filter_program.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>
#include <stdio.h>
#include <string.h>

/* A record that is the end of a call has an event only by the way: see record.h. */
static const struct ds_event *event_of(const struct record *record)
{
    return record->call == NULL ? record->event : NULL;
}

static const struct ds_event *event_if(const struct record *record, enum ds_event_type type)
{
    const struct ds_event *event = event_of(record);
    return event != NULL && event->type == type ? event : NULL;
}

static void get_type(struct probe *probe, const struct record *record, int which)
{
    static const char *const names[] = {
        [DS_EVENT_EPMD] = "epmd",       [DS_EVENT_HANDSHAKE] = "handshake",
        [DS_EVENT_CONN] = "conn",       [DS_EVENT_MESSAGE] = "message",
        [DS_EVENT_TICK] = "tick",       [DS_EVENT_GAP] = "gap",
    };
    (void)which;
    probe_offer_string(probe, record->call != NULL ? "call" : names[record->event->type]);
}

static void get_ts(struct probe *probe, const struct record *record, int which)
{
    (void)which;
    probe_offer_number(probe, record->call != NULL ? record->call->end_ns
                                                   : record->event->ts_ns);
}

static void get_frame(struct probe *probe, const struct record *record, int which)
{
    (void)which;
    probe_offer_unsigned(probe, record->call != NULL ? record->call->end_frame
                                                     : record->event->frame);
}

static void get_conn(struct probe *probe, const struct record *record, int which)
{
    (void)which;
    probe_offer_unsigned(probe, record->call != NULL ? record->call->conn
                                                     : record->event->conn->number);
}

/* Ends of the connection. */
enum { SRC = 1, DST = 2, EITHER = SRC | DST };

static const struct ds_endpoint *end_of(const struct record *record, int which)
{
    const struct ds_event *event = event_of(record);
    return event != NULL ? &event->conn->end[event->dir ^ (which == DST)] : NULL;
}

static void get_addr(struct probe *probe, const struct record *record, int which)
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

static void get_port(struct probe *probe, const struct record *record, int which)
{
    for (int side = SRC; side <= DST; side++) {
        const struct ds_endpoint *end = (which & side) != 0 ? end_of(record, side) : NULL;
        if (end != NULL)
            probe_offer_number(probe, end->port);
    }
    const struct ds_event *event = event_if(record, DS_EVENT_EPMD);
    if (which == EITHER && event != NULL && event->epmd.port != 0)
        probe_offer_number(probe, event->epmd.port);
}

static void get_node(struct probe *probe, const struct record *record, int which)
{
    for (int side = SRC; side <= DST; side++) {
        const struct ds_endpoint *end = (which & side) != 0 ? end_of(record, side) : NULL;
        if (end != NULL)
            probe_offer_text(probe, end->node);
    }
    if (which == EITHER && record->call != NULL) {
        probe_offer_text(probe, record->call->caller.node);
        probe_offer_text(probe, record->call->callee.node);
    }
}

static void get_node_inferred(struct probe *probe, const struct record *record, int which)
{
    const struct ds_endpoint *end = end_of(record, which);
    if (end != NULL && end->node.data != NULL)
        probe_offer_number(probe, end->node_inferred);
}

static void get_op(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_of(record);
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

static void get_role_term(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_MESSAGE);
    if (event != NULL)
        probe_offer_term(probe, &event->message.role[which]);
}

/* from and to: the pid or name in the message, and the name of the pid where it is known. */
static void get_process(struct probe *probe, const struct record *record, int which)
{
    if (event_if(record, DS_EVENT_MESSAGE) != NULL)
        probe_offer_text(probe, which == DS_ROLE_FROM ? record->note.from_name
                                                      : record->note.to_name);
    get_role_term(probe, record, which);
}

static void get_note_name(struct probe *probe, const struct record *record, int which)
{
    if (event_of(record) != NULL)
        probe_offer_text(probe, which == DS_ROLE_FROM ? record->note.from_name
                                                      : record->note.to_name);
}

static void get_flags(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_HANDSHAKE);
    (void)which;
    if (event != NULL && event->handshake.has_flags)
        probe_offer_unsigned(probe, event->handshake.flags);
    else
        get_role_term(probe, record, DS_ROLE_FLAGS);
}

static void get_flag_names(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_HANDSHAKE);
    const uint64_t flags =
        event != NULL && event->handshake.has_flags ? event->handshake.flags : 0;
    (void)which;
    for (unsigned bit = 0; bit < 64; bit++) {
        char unknown[16];
        const char *name = ds_flag_name(bit);
        snprintf(unknown, sizeof unknown, "bit_%u", bit);
        if ((flags >> bit & 1) != 0)
            probe_offer_string(probe, name != NULL ? name : unknown);
    }
}

static void get_release(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_HANDSHAKE);
    (void)which;
    if (event != NULL && event->handshake.has_flags)
        probe_offer_string(probe, ds_flags_release(event->handshake.flags));
}

static void get_mfa(struct probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->call != NULL) {
        probe_offer_text(probe, record->call->mfa);
        return;
    }
    get_role_term(probe, record, DS_ROLE_MFA);
    if (record->note.mod.data != NULL) {
        struct ds_buffer *text = probe_scratch(probe);
        note_print_mfa(&record->note, 0, text);
        if (!text->failed)
            probe_offer_text(probe, (struct ds_text){text->data, text->len});
    }
}

static void get_result(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_EPMD);
    (void)which;
    if (record->call != NULL)
        probe_offer_term(probe, &record->call->result);
    else if (event == NULL)
        get_role_term(probe, record, DS_ROLE_RESULT);
    else if (event->epmd.op == DS_EPMD_ALIVE2_RESP || event->epmd.op == DS_EPMD_ALIVE2_X_RESP ||
             event->epmd.op == DS_EPMD_PORT2_RESP)
        probe_offer_number(probe, event->epmd.result);
}

static void get_reason(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_CONN);
    (void)which;
    if (record->call != NULL)
        probe_offer_term(probe, &record->call->reason);
    else if (event != NULL)
        probe_offer_string(probe, event->change.reason);
    else
        get_role_term(probe, record, DS_ROLE_REASON);
}

enum token_part { TOKEN_FLAGS, TOKEN_LABEL, TOKEN_SERIAL, TOKEN_FROM, TOKEN_PREVIOUS };

static void get_token(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_MESSAGE);
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

static void get_message(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_MESSAGE);
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

static void get_note_role(struct probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->note.role != NOTE_NONE)
        probe_offer_string(probe, note_role_name(record->note.role));
}

static void get_call(struct probe *probe, const struct record *record, int which)
{
    const uint64_t number = record->call != NULL ? record->call->number : record->note.call;
    (void)which;
    if (number != 0)
        probe_offer_unsigned(probe, number);
}

enum { LABEL, GROUP };

static void get_label(struct probe *probe, const struct record *record, int which)
{
    const struct call *call = record->call;
    const struct note *note = &record->note;
    if (which == LABEL)
        probe_offer_string(probe, call != NULL ? call->label : note->label);
    else
        probe_offer_string(probe, call != NULL ? call->group : note->group);
}

static void get_latency(struct probe *probe, const struct record *record, int which)
{
    (void)which;
    if (record->call != NULL)
        probe_offer_number(probe, record->call->end_ns - record->call->start_ns);
    else if (record->note.has_latency)
        probe_offer_number(probe, record->note.latency_ns);
}

static void get_outcome(struct probe *probe, const struct record *record, int which)
{
    const enum call_outcome outcome =
        record->call != NULL ? record->call->outcome : record->note.outcome;
    (void)which;
    if (outcome != CALL_OPEN)
        probe_offer_string(probe, call_outcome_name(outcome));
}

enum { CALLER, CALLEE };

static const struct party *party_of(const struct record *record, int which)
{
    if (record->call == NULL)
        return NULL;
    return which == CALLER ? &record->call->caller : &record->call->callee;
}

static void get_party_node(struct probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party != NULL)
        probe_offer_text(probe, party->node);
}

static void get_party_name(struct probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party != NULL)
        probe_offer_text(probe, party->name);
}

static void get_party_pid(struct probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party == NULL || !party->has_pid)
        return;
    struct ds_buffer *text = probe_scratch(probe);
    struct party pid = *party;
    pid.name.data = NULL;
    party_print(&pid, text);
    if (!text->failed)
        probe_offer_text(probe, (struct ds_text){text->data, text->len});
}

static void get_party(struct probe *probe, const struct record *record, int which)
{
    get_party_name(probe, record, which);
    get_party_pid(probe, record, which);
}

static void get_party_creation(struct probe *probe, const struct record *record, int which)
{
    const struct party *party = party_of(record, which);
    if (party != NULL && party->has_pid)
        probe_offer_number(probe, party->creation);
}

enum call_part { CALL_REQUEST, CALL_REQUEST_BYTES, CALL_START, CALL_START_FRAME, CALL_CLASS,
                 CALL_PARENT, CALL_AMBIGUOUS, CALL_CHILDREN };

static void get_of_call(struct probe *probe, const struct record *record, int which)
{
    const struct call *call = record->call;
    if (call == NULL)
        return;
    switch ((enum call_part)which) {
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
    case CALL_CHILDREN:
        for (size_t i = 0; i < call->num_children; i++)
            probe_offer_unsigned(probe, call->children[i]);
        break;
    }
}

enum handshake_part { SHAKE_STEP, SHAKE_VERSION, SHAKE_STATUS, SHAKE_CHALLENGE, SHAKE_DIGEST,
                      SHAKE_COOKIE_OK, SHAKE_COOKIE_NOTE };

static void offer_digest(struct probe *probe, const uint8_t *digest)
{
    char text[2 * 16 + 1];
    for (int i = 0; i < 16; i++)
        snprintf(&text[2 * i], 3, "%02x", digest[i]);
    probe_offer_string(probe, text);
}

static void get_handshake(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_HANDSHAKE);
    if (event == NULL)
        return;
    const struct ds_handshake *h = &event->handshake;
    switch ((enum handshake_part)which) {
    case SHAKE_STEP:
        probe_offer_string(probe, ds_handshake_step_name(h->step));
        break;
    case SHAKE_VERSION:
        if (h->version != 0)
            probe_offer_number(probe, h->version);
        break;
    case SHAKE_STATUS:
        probe_offer_text(probe, h->status);
        break;
    case SHAKE_CHALLENGE:
        if (h->has_challenge)
            probe_offer_number(probe, h->challenge);
        break;
    case SHAKE_DIGEST:
        if (h->has_digest)
            offer_digest(probe, h->digest);
        break;
    case SHAKE_COOKIE_OK:
        if (h->cookie != DS_COOKIE_UNCHECKED)
            probe_offer_number(probe, h->cookie == DS_COOKIE_OK);
        break;
    case SHAKE_COOKIE_NOTE:
        probe_offer_string(probe, h->cookie_note);
        break;
    }
}

/* The name that EPMD or a handshake speaks of. */
static void get_name(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_of(record);
    (void)which;
    if (event != NULL && event->type == DS_EVENT_EPMD)
        probe_offer_text(probe, event->epmd.name);
    else if (event != NULL && event->type == DS_EVENT_HANDSHAKE)
        probe_offer_text(probe, event->handshake.name);
}

static void get_creation(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_of(record);
    (void)which;
    if (event != NULL && event->type == DS_EVENT_EPMD && event->epmd.creation != 0)
        probe_offer_number(probe, event->epmd.creation);
    else if (event != NULL && event->type == DS_EVENT_HANDSHAKE && event->handshake.creation != 0)
        probe_offer_number(probe, event->handshake.creation);
}

enum epmd_part { EPMD_NODE_TYPE, EPMD_PROTOCOL, EPMD_HIGHEST, EPMD_LOWEST, EPMD_EXTRA, EPMD_PORT,
                 EPMD_NODES, EPMD_ANSWER };

static void get_epmd(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_EPMD);
    if (event == NULL)
        return;
    const struct ds_epmd *epmd = &event->epmd;
    const bool registers = epmd->op == DS_EPMD_ALIVE2_REQ ||
                           (epmd->op == DS_EPMD_PORT2_RESP && epmd->result == 0);
    const bool lists = epmd->op == DS_EPMD_NAMES_RESP || epmd->op == DS_EPMD_DUMP_RESP;
    switch ((enum epmd_part)which) {
    case EPMD_NODE_TYPE:
        if (registers)
            probe_offer_number(probe, epmd->node_type);
        break;
    case EPMD_PROTOCOL:
        if (registers)
            probe_offer_number(probe, epmd->protocol);
        break;
    case EPMD_HIGHEST:
        if (registers)
            probe_offer_number(probe, epmd->highest_version);
        break;
    case EPMD_LOWEST:
        if (registers)
            probe_offer_number(probe, epmd->lowest_version);
        break;
    case EPMD_EXTRA:
        if (registers)
            probe_offer_text(probe, epmd->extra);
        break;
    case EPMD_PORT:
        if (lists)
            probe_offer_number(probe, epmd->epmd_port);
        break;
    case EPMD_NODES:
        for (size_t i = 0; lists && i < epmd->num_nodes; i++)
            probe_offer_text(probe, epmd->nodes[i].name);
        break;
    case EPMD_ANSWER:
        probe_offer_text(probe, epmd->raw);
        break;
    }
}

static void get_state(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_CONN);
    (void)which;
    if (event != NULL)
        probe_offer_string(probe, ds_conn_state_name(event->change.state));
}

/* The counters of a connection that ended: a part, and the end that sent it. */
enum counter { COUNT_BYTES, COUNT_FRAMES, COUNT_MESSAGES, COUNT_TICKS, COUNT_GAPS,
               COUNT_GAP_BYTES, COUNT_FAULTS, COUNT_UNKNOWN_ATOMS, COUNT_DST = 8 };

static void get_counter(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_CONN);
    if (event == NULL || !event->change.final)
        return;
    const struct ds_counters *c =
        &event->conn->counters[event->dir ^ ((which & COUNT_DST) != 0)];
    const uint64_t counts[] = {
        [COUNT_BYTES] = c->bytes,         [COUNT_FRAMES] = c->frames,
        [COUNT_MESSAGES] = c->messages,   [COUNT_TICKS] = c->ticks,
        [COUNT_GAPS] = c->gaps,           [COUNT_GAP_BYTES] = c->gap_bytes,
        [COUNT_FAULTS] = c->faults,       [COUNT_UNKNOWN_ATOMS] = c->unknown_atoms,
    };
    probe_offer_unsigned(probe, counts[which & (COUNT_DST - 1)]);
}

enum { GAP_BYTES, GAP_MESSAGES };

static void get_gap(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_if(record, DS_EVENT_GAP);
    if (event == NULL)
        return;
    if (which == GAP_BYTES)
        probe_offer_unsigned(probe, event->gap.bytes);
    else if (event->gap.messages >= 0)
        probe_offer_number(probe, event->gap.messages);
}

enum { FAULT_KIND, FAULT_OFFSET, FAULT_WHAT };

static void get_fault(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_of(record);
    if (event == NULL || event->fault.kind == DS_FAULT_NONE)
        return;
    if (which == FAULT_KIND)
        probe_offer_string(probe, ds_fault_kind_name(event->fault.kind));
    else if (which == FAULT_OFFSET)
        probe_offer_unsigned(probe, event->fault.offset);
    else
        probe_offer_string(probe, event->fault.what);
}

enum { ATOMS_UNKNOWN, ATOMS_INFERRED };

static void get_atoms(struct probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = event_of(record);
    if (event == NULL)
        return;
    const uint32_t num = which == ATOMS_UNKNOWN ? event->unknown_atoms : event->inferred_atoms;
    if (num != 0)
        probe_offer_number(probe, num);
}

#define COUNTERS(side, end)                                                                        \
    {side "_sent.bytes", FIELD_SIZE, get_counter, COUNT_BYTES | (end)},                            \
    {side "_sent.frames", FIELD_NUMBER, get_counter, COUNT_FRAMES | (end)},                        \
    {side "_sent.messages", FIELD_NUMBER, get_counter, COUNT_MESSAGES | (end)},                    \
    {side "_sent.ticks", FIELD_NUMBER, get_counter, COUNT_TICKS | (end)},                          \
    {side "_sent.gaps", FIELD_NUMBER, get_counter, COUNT_GAPS | (end)},                            \
    {side "_sent.gap_bytes", FIELD_SIZE, get_counter, COUNT_GAP_BYTES | (end)},                    \
    {side "_sent.faults", FIELD_NUMBER, get_counter, COUNT_FAULTS | (end)},                        \
    {side "_sent.unknown_atoms", FIELD_NUMBER, get_counter, COUNT_UNKNOWN_ATOMS | (end)}

#define PARTY(name, which)                                                                         \
    {name, FIELD_TEXT, get_party, which},                                                          \
    {name ".node", FIELD_TEXT, get_party_node, which},                                             \
    {name ".name", FIELD_TEXT, get_party_name, which},                                             \
    {name ".pid", FIELD_TEXT, get_party_pid, which},                                               \
    {name ".creation", FIELD_NUMBER, get_party_creation, which}

const struct field filter_fields[] = {
    {"type", FIELD_TEXT, get_type, 0},
    {"ts", FIELD_TIME, get_ts, 0},
    {"frame", FIELD_NUMBER, get_frame, 0},
    {"conn", FIELD_NUMBER, get_conn, 0},
    {"node", FIELD_TEXT, get_node, EITHER},
    {"addr", FIELD_TEXT, get_addr, EITHER},
    {"port", FIELD_NUMBER, get_port, EITHER},
    {"src.node", FIELD_TEXT, get_node, SRC},
    {"src.addr", FIELD_TEXT, get_addr, SRC},
    {"src.port", FIELD_NUMBER, get_port, SRC},
    {"src.node_inferred", FIELD_BOOL, get_node_inferred, SRC},
    {"dst.node", FIELD_TEXT, get_node, DST},
    {"dst.addr", FIELD_TEXT, get_addr, DST},
    {"dst.port", FIELD_NUMBER, get_port, DST},
    {"dst.node_inferred", FIELD_BOOL, get_node_inferred, DST},
    {"op", FIELD_TEXT, get_op, 0},
    {"from", FIELD_TERM, get_process, DS_ROLE_FROM},
    {"to", FIELD_TERM, get_process, DS_ROLE_TO},
    {"from_name", FIELD_TEXT, get_note_name, DS_ROLE_FROM},
    {"to_name", FIELD_TEXT, get_note_name, DS_ROLE_TO},
    {"ref", FIELD_TERM, get_role_term, DS_ROLE_REF},
    {"flags", FIELD_TERM, get_flags, 0},
    {"mfa", FIELD_TERM, get_mfa, 0},
    {"opts", FIELD_TERM, get_role_term, DS_ROLE_OPTS},
    {"group_leader", FIELD_TERM, get_role_term, DS_ROLE_LEADER},
    {"id", FIELD_TERM, get_role_term, DS_ROLE_ID},
    {"result", FIELD_TERM, get_result, 0},
    {"reason", FIELD_TERM, get_reason, 0},
    {"token", FIELD_TERM, get_role_term, DS_ROLE_TOKEN},
    {"token.flags", FIELD_NUMBER, get_token, TOKEN_FLAGS},
    {"token.label", FIELD_TERM, get_token, TOKEN_LABEL},
    {"token.serial", FIELD_NUMBER, get_token, TOKEN_SERIAL},
    {"token.from", FIELD_TERM, get_token, TOKEN_FROM},
    {"token.previous", FIELD_NUMBER, get_token, TOKEN_PREVIOUS},
    {"control", FIELD_TERM, get_message, MESSAGE_CONTROL},
    {"term", FIELD_TERM, get_message, MESSAGE_TERM},
    {"size", FIELD_SIZE, get_message, MESSAGE_SIZE},
    {"fragments", FIELD_NUMBER, get_message, MESSAGE_FRAGMENTS},
    {"role", FIELD_TEXT, get_note_role, 0},
    {"call", FIELD_NUMBER, get_call, 0},
    {"label", FIELD_TEXT, get_label, LABEL},
    {"group", FIELD_TEXT, get_label, GROUP},
    {"latency", FIELD_DURATION, get_latency, 0},
    {"latency_us", FIELD_MICROSECONDS, get_latency, 0},
    {"outcome", FIELD_TEXT, get_outcome, 0},
    PARTY("caller", CALLER),
    PARTY("callee", CALLEE),
    {"request", FIELD_TERM, get_of_call, CALL_REQUEST},
    {"request_bytes", FIELD_SIZE, get_of_call, CALL_REQUEST_BYTES},
    {"start", FIELD_TIME, get_of_call, CALL_START},
    {"start_frame", FIELD_NUMBER, get_of_call, CALL_START_FRAME},
    {"class", FIELD_TEXT, get_of_call, CALL_CLASS},
    {"parent", FIELD_NUMBER, get_of_call, CALL_PARENT},
    {"parent_ambiguous", FIELD_BOOL, get_of_call, CALL_AMBIGUOUS},
    {"children", FIELD_NUMBER, get_of_call, CALL_CHILDREN},
    {"step", FIELD_TEXT, get_handshake, SHAKE_STEP},
    {"version", FIELD_NUMBER, get_handshake, SHAKE_VERSION},
    {"status", FIELD_TEXT, get_handshake, SHAKE_STATUS},
    {"name", FIELD_TEXT, get_name, 0},
    {"creation", FIELD_NUMBER, get_creation, 0},
    {"challenge", FIELD_NUMBER, get_handshake, SHAKE_CHALLENGE},
    {"digest", FIELD_TEXT, get_handshake, SHAKE_DIGEST},
    {"cookie_ok", FIELD_BOOL, get_handshake, SHAKE_COOKIE_OK},
    {"cookie_note", FIELD_TEXT, get_handshake, SHAKE_COOKIE_NOTE},
    {"flag_names", FIELD_TEXT, get_flag_names, 0},
    {"release", FIELD_TEXT, get_release, 0},
    {"node_type", FIELD_NUMBER, get_epmd, EPMD_NODE_TYPE},
    {"protocol", FIELD_NUMBER, get_epmd, EPMD_PROTOCOL},
    {"highest_version", FIELD_NUMBER, get_epmd, EPMD_HIGHEST},
    {"lowest_version", FIELD_NUMBER, get_epmd, EPMD_LOWEST},
    {"extra", FIELD_TEXT, get_epmd, EPMD_EXTRA},
    {"epmd_port", FIELD_NUMBER, get_epmd, EPMD_PORT},
    {"nodes", FIELD_TEXT, get_epmd, EPMD_NODES},
    {"answer", FIELD_TEXT, get_epmd, EPMD_ANSWER},
    {"state", FIELD_TEXT, get_state, 0},
    COUNTERS("src", 0),
    COUNTERS("dst", COUNT_DST),
    {"bytes", FIELD_SIZE, get_gap, GAP_BYTES},
    {"messages", FIELD_NUMBER, get_gap, GAP_MESSAGES},
    {"fault", FIELD_TEXT, get_fault, FAULT_KIND},
    {"fault.kind", FIELD_TEXT, get_fault, FAULT_KIND},
    {"fault.offset", FIELD_NUMBER, get_fault, FAULT_OFFSET},
    {"fault.what", FIELD_TEXT, get_fault, FAULT_WHAT},
    {"unknown_atoms", FIELD_NUMBER, get_atoms, ATOMS_UNKNOWN},
    {"inferred_atoms", FIELD_NUMBER, get_atoms, ATOMS_INFERRED},
};

const size_t filter_num_fields = sizeof filter_fields / sizeof filter_fields[0];

const struct field *filter_field_find(struct ds_text name)
{
    for (size_t i = 0; i < filter_num_fields; i++) {
        const char *known = filter_fields[i].name;
        if (strlen(known) == name.len && memcmp(known, name.data, name.len) == 0)
            return &filter_fields[i];
    }
    return NULL;
}

enum { MAX_NAME = 32 };

/* How many letters must be changed, left out or added to make one name of the other. */
static size_t name_distance(struct ds_text a, const char *b)
{
    size_t row[MAX_NAME + 1];
    const size_t b_len = strlen(b);
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 0; i < a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b_len; j++) {
            const size_t above = row[j + 1];
            size_t least = diagonal + (a.data[i] != b[j]);
            if (above + 1 < least)
                least = above + 1;
            if (row[j] + 1 < least)
                least = row[j] + 1;
            row[j + 1] = least;
            diagonal = above;
        }
    }
    return row[b_len];
}

const struct field *filter_field_nearest(struct ds_text name)
{
    const struct field *nearest = NULL;
    size_t least = 1 + (name.len + 2) / 3;
    for (size_t i = 0; i < filter_num_fields && name.len <= MAX_NAME; i++) {
        size_t distance = name_distance(name, filter_fields[i].name);
        if (distance < least) {
            least = distance;
            nearest = &filter_fields[i];
        }
    }
    return nearest;
}

const char *filter_type_name(enum field_type type)
{
    static const char *const names[] = {
        [FIELD_TEXT] = "text",         [FIELD_NUMBER] = "number",
        [FIELD_SIZE] = "size",         [FIELD_DURATION] = "duration",
        [FIELD_MICROSECONDS] = "duration", [FIELD_TIME] = "time",
        [FIELD_BOOL] = "bool",         [FIELD_TERM] = "term",
    };
    _Static_assert(sizeof names / sizeof names[0] == FIELD_TYPE_COUNT, "a name for each");
    return names[type];
}

void filter_list_fields(FILE *out)
{
    for (size_t i = 0; i < filter_num_fields; i++)
        fprintf(out, "%-24s %s\n", filter_fields[i].name, filter_type_name(filter_fields[i].type));
}
