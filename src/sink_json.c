/*
 * sink_json.c - one JSON object a line, for programs. The names of the fields are a promise:
 * add, never rename. The manual page lists them.
 */
#include "endpoint_cache.h"
#include "peer_text.h"
#include "json_build.h"
#include "sink.h"
#include "timestamp.h"

#include <inttypes.h>
#include <stdlib.h>

struct json_state {
    struct endpoint_cache *endpoints;
    struct timestamp_cache clock;
    struct ds_buffer head, scratch;
    bool etf;
};

/* An endpoint as a finished object: {"addr":"10.0.0.1","port":4369,"node":"a@h"} */
static void print_endpoint(const struct ds_endpoint *endpoint, struct ds_buffer *out)
{
    char addr[DS_ADDR_LEN];
    ds_addr_print(&endpoint->addr, addr);
    ds_buffer_printf(out, "{\"addr\":\"%s\",\"port\":%u", addr, endpoint->port);
    if (endpoint->node.data != NULL) {
        struct ds_buffer name = {0};
        peer_text_print_json(endpoint->node, &name);
        ds_buffer_add_text(out, ",\"node\":\"");
        for (size_t i = 0; i < name.len; i++) {
            unsigned char c = (unsigned char)name.data[i];
            if (c == '"' || c == '\\')
                ds_buffer_printf(out, "\\%c", c);
            else if (c < 0x20)
                ds_buffer_printf(out, "\\u%04x", c);
            else
                ds_buffer_add(out, &name.data[i], 1);
        }
        ds_buffer_add_text(out, endpoint->node_inferred ? "\",\"node_inferred\":true" : "\"");
        out->failed = out->failed || name.failed;
        ds_buffer_free(&name);
    }
    ds_buffer_add(out, "}", 1);
}

/* What the messages of EPMD have to say. */
enum {
    HAS_NAME = 1,
    HAS_PORT = 2, /* and all that a registration holds */
    HAS_RESULT = 4,
    HAS_CREATION = 8,
    HAS_NODES = 16,
};

static const uint8_t epmd_fields[DS_EPMD_COUNT] = {
    [DS_EPMD_ALIVE2_REQ] = HAS_NAME | HAS_PORT,
    [DS_EPMD_ALIVE2_RESP] = HAS_RESULT | HAS_CREATION,
    [DS_EPMD_ALIVE2_X_RESP] = HAS_RESULT | HAS_CREATION,
    [DS_EPMD_PORT_PLEASE2_REQ] = HAS_NAME,
    [DS_EPMD_PORT2_RESP] = HAS_NAME | HAS_PORT | HAS_RESULT,
    [DS_EPMD_NAMES_RESP] = HAS_NODES,
    [DS_EPMD_DUMP_RESP] = HAS_NODES,
    [DS_EPMD_STOP_REQ] = HAS_NAME,
};

static void write_epmd(struct json_state *s, cJSON *record, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    unsigned fields = epmd_fields[epmd->op];
    (void)s;
    if ((fields & HAS_RESULT) != 0 && epmd->result != 0)
        fields = HAS_RESULT;
    json_add_string(record, "op", ds_epmd_op_name(epmd->op));
    if ((fields & HAS_RESULT) != 0)
        json_add_unsigned(record, "result", epmd->result);
    if (epmd->name.data != NULL)
        json_add_text(record, "name", epmd->name);
    if ((fields & HAS_PORT) != 0) {
        json_add_unsigned(record, "port", epmd->port);
        json_add_unsigned(record, "node_type", epmd->node_type);
        json_add_unsigned(record, "protocol", epmd->protocol);
        json_add_unsigned(record, "highest_version", epmd->highest_version);
        json_add_unsigned(record, "lowest_version", epmd->lowest_version);
        json_add_text(record, "extra", epmd->extra);
    }
    if ((fields & HAS_CREATION) != 0)
        json_add_unsigned(record, "creation", epmd->creation);
    if ((fields & HAS_NODES) != 0) {
        json_add_unsigned(record, "epmd_port", epmd->epmd_port);
        cJSON *nodes = json_add_array(record, "nodes");
        for (size_t i = 0; i < epmd->num_nodes; i++) {
            cJSON *node = json_append_object(nodes);
            json_add_text(node, "name", epmd->nodes[i].name);
            json_add_unsigned(node, "port", epmd->nodes[i].port);
            if (epmd->op == DS_EPMD_DUMP_RESP) {
                json_add_signed(node, "fd", epmd->nodes[i].fd);
                json_add_bool(node, "active", epmd->nodes[i].active);
            }
        }
    }
    if (epmd->raw.data != NULL)
        json_add_text(record, "answer", epmd->raw);
}

static void write_flags(cJSON *record, uint64_t flags)
{
    char text[32];
    int len = snprintf(text, sizeof text, "0x%" PRIx64, flags);
    json_add_string(record, "flags", json_keep(text, (size_t)len));
    cJSON *names = json_add_array(record, "flag_names");
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((flags >> bit & 1) == 0)
            continue;
        const char *name = ds_flag_name(bit);
        if (name == NULL) {
            len = snprintf(text, sizeof text, "bit_%u", bit);
            name = json_keep(text, (size_t)len);
        }
        json_append_string(names, name);
    }
    const char *release = ds_flags_release(flags);
    if (release != NULL)
        json_add_string(record, "release", release);
}

static void write_handshake(struct json_state *s, cJSON *record, const struct ds_event *event)
{
    const struct ds_handshake *h = &event->handshake;
    (void)s;
    json_add_string(record, "step", ds_handshake_step_name(h->step));
    if (h->version != 0)
        json_add_unsigned(record, "version", h->version);
    if (h->status.data != NULL)
        json_add_text(record, "status", h->status);
    if (h->name.data != NULL)
        json_add_text(record, "name", h->name);
    if (h->creation != 0 || h->version == 6 || h->step == DS_STEP_COMPLEMENT)
        json_add_unsigned(record, "creation", h->creation);
    if (h->has_challenge)
        json_add_unsigned(record, "challenge", h->challenge);
    if (h->has_digest)
        json_add_hex(record, "digest", h->digest, sizeof h->digest);
    if (h->cookie != DS_COOKIE_UNCHECKED)
        json_add_bool(record, "cookie_ok", h->cookie == DS_COOKIE_OK);
    if (h->cookie_note != NULL)
        json_add_string(record, "cookie_note", h->cookie_note);
    if (h->has_flags)
        write_flags(record, h->flags);
}

static void write_counters(cJSON *record, const char *key, const struct ds_counters *counters)
{
    cJSON *object = json_add_object(record, key);
    json_add_unsigned(object, "bytes", counters->bytes);
    json_add_unsigned(object, "frames", counters->frames);
    json_add_unsigned(object, "messages", counters->messages);
    json_add_unsigned(object, "ticks", counters->ticks);
    json_add_unsigned(object, "gaps", counters->gaps);
    json_add_unsigned(object, "gap_bytes", counters->gap_bytes);
    json_add_unsigned(object, "faults", counters->faults);
    json_add_unsigned(object, "unknown_atoms", counters->unknown_atoms);
}

static void write_conn(struct json_state *s, cJSON *record, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    (void)s;
    json_add_string(record, "state", ds_conn_state_name(change->state));
    if (change->reason != NULL)
        json_add_string(record, "reason", change->reason);
    if (change->final) {
        write_counters(record, "src_sent", &event->conn->counters[event->dir]);
        write_counters(record, "dst_sent", &event->conn->counters[!event->dir]);
    }
}

static void write_token(cJSON *record, const struct ds_token *token)
{
    cJSON *object = json_add_object(record, ds_role_name(DS_ROLE_TOKEN));
    if (token->label.data != NULL)
        json_add_term(object, "label", &token->label);
    json_add_signed(object, "serial", token->serial);
    if (token->from.data != NULL)
        json_add_term(object, "from", &token->from);
    json_add_signed(object, "flags", token->flags);
    json_add_signed(object, "previous", token->previous);
}

static void write_role(cJSON *record, enum ds_role role, const struct ds_message *message)
{
    const struct ds_term *term = &message->role[role];
    if (term->data == NULL)
        return;
    if (role == DS_ROLE_TOKEN && message->token.present)
        write_token(record, &message->token);
    else if (role == DS_ROLE_FLAGS || role == DS_ROLE_ID)
        json_add_number_term(record, ds_role_name(role), term);
    else
        json_add_term(record, ds_role_name(role), term);
}

static void write_message(struct json_state *s, cJSON *record, const struct ds_event *event)
{
    const struct ds_message *m = &event->message;
    if (m->op != NULL) {
        json_add_string(record, "op", m->op->name);
        for (int role = 0; role < DS_ROLE_COUNT; role++)
            write_role(record, (enum ds_role)role, m);
    } else {
        char text[32];
        int len = snprintf(text, sizeof text, "op_%" PRId64, m->code);
        json_add_string(record, "op", m->code >= 0 ? json_keep(text, (size_t)len) : "unknown");
        if (m->control.data != NULL)
            json_add_term(record, "control", &m->control);
    }
    if (m->payload.data != NULL)
        json_add_term(record, "term", &m->payload);
    json_add_unsigned(record, "size", m->size);
    if (m->fragments > 1)
        json_add_unsigned(record, "fragments", m->fragments);
    if (s->etf) {
        if (m->control.data != NULL)
            json_add_etf(record, "ctl", &m->control);
        if (m->payload.data != NULL)
            json_add_etf(record, "msg", &m->payload);
    }
}

static void write_gap(struct json_state *s, cJSON *record, const struct ds_event *event)
{
    (void)s;
    json_add_unsigned(record, "bytes", event->gap.bytes);
    if (event->gap.messages >= 0)
        json_add_signed(record, "messages", event->gap.messages);
}

/* The types of records, in the order of enum ds_event_type. */
static const struct {
    const char *name; /* as JSON */
    void (*write)(struct json_state *, cJSON *record, const struct ds_event *);
} types[] = {
    [DS_EVENT_EPMD] = {"\"epmd\"", write_epmd},
    [DS_EVENT_HANDSHAKE] = {"\"handshake\"", write_handshake},
    [DS_EVENT_CONN] = {"\"conn\"", write_conn},
    [DS_EVENT_MESSAGE] = {"\"message\"", write_message},
    [DS_EVENT_TICK] = {"\"tick\"", NULL},
    [DS_EVENT_GAP] = {"\"gap\"", write_gap},
};

static void write_trouble(cJSON *record, const struct ds_event *event)
{
    if (event->fault.kind != DS_FAULT_NONE) {
        cJSON *fault = json_add_object(record, "fault");
        json_add_string(fault, "kind", ds_fault_kind_name(event->fault.kind));
        json_add_unsigned(fault, "offset", event->fault.offset);
        json_add_string(fault, "what", event->fault.what != NULL ? event->fault.what : "");
    }
    if (event->unknown_atoms != 0)
        json_add_unsigned(record, "unknown_atoms", event->unknown_atoms);
    if (event->inferred_atoms != 0)
        json_add_unsigned(record, "inferred_atoms", event->inferred_atoms);
}

static void add_digits(struct ds_buffer *out, uint64_t number)
{
    char digits[20];
    char *at = digits + sizeof digits;
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    ds_buffer_add(out, at, (size_t)(digits + sizeof digits - at));
}

static void add_endpoint(struct json_state *s, const struct ds_conn *conn, unsigned end)
{
    struct ds_text text = endpoint_cache_get(s->endpoints, conn, end);
    if (text.data != NULL)
        ds_buffer_add(&s->head, text.data, text.len);
    else
        s->head.failed = true;
}

#define ADD_CONSTANT(out, text) ds_buffer_add((out), (text), sizeof(text) - 1)

/* The six fields that every record begins with are written as one value, that of the first
 * of them: libcjson's work is by the field, and these are half of them. */
static void write_head(struct json_state *s, unsigned time_digits, cJSON *record,
                       const struct ds_event *event)
{
    struct ds_buffer *head = &s->head;
    head->len = 0;
    ds_buffer_add_text(head, types[event->type].name);
    ADD_CONSTANT(head, ",\"ts\":\"");
    timestamp_print_utc(&s->clock, event->ts_ns, time_digits, head);
    ADD_CONSTANT(head, "\",\"frame\":");
    add_digits(head, event->frame);
    ADD_CONSTANT(head, ",\"conn\":");
    add_digits(head, event->conn->number);
    ADD_CONSTANT(head, ",\"src\":");
    add_endpoint(s, event->conn, event->dir);
    ADD_CONSTANT(head, ",\"dst\":");
    add_endpoint(s, event->conn, !event->dir);
    ds_buffer_add(head, "", 1);
    json_add_raw(record, "type", head->failed ? NULL : head->data);
}

static struct ds_text buffer_text(const struct ds_buffer *buffer)
{
    return (struct ds_text){buffer->data, buffer->len};
}

static void write_time(struct json_state *s, const struct sink *sink, cJSON *record,
                       const char *key, int64_t ns)
{
    s->scratch.len = 0;
    ds_buffer_add(&s->scratch, "\"", 1);
    timestamp_print_utc(&s->clock, ns, sink->time_digits, &s->scratch);
    ds_buffer_add(&s->scratch, "\"", 1);
    json_add_raw(record, key, json_keep(s->scratch.data, s->scratch.len));
}

/* Microseconds, with a fraction where the capture has nanoseconds. */
static void write_latency(cJSON *record, int64_t ns)
{
    char text[32];
    int len = ns % 1000 == 0
                  ? snprintf(text, sizeof text, "%" PRId64, ns / 1000)
                  : snprintf(text, sizeof text, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
    json_add_raw(record, "latency_us", json_keep(text, (size_t)len));
}

static void add_number(struct ds_buffer *out, const char *key, uint64_t number)
{
    ds_buffer_add_text(out, key);
    add_digits(out, number);
}

/* What the correlation knows. As with the head, four fields are written as one value. */
static void write_note(struct json_state *s, cJSON *record, const struct record *given)
{
    const struct note *note = &given->note;
    if (note->role == NOTE_NONE)
        return;
    struct ds_buffer *text = &s->scratch;
    text->len = 0;
    ADD_CONSTANT(text, "\"");
    ds_buffer_add_text(text, note_role_name(note->role));
    ADD_CONSTANT(text, "\"");
    if (note->call != 0)
        add_number(text, ",\"call\":", note->call);
    if (note->label != NULL) {
        ADD_CONSTANT(text, ",\"label\":\"");
        ds_buffer_add_text(text, note->label);
        ADD_CONSTANT(text, "\"");
    }
    if (note->has_latency) {
        add_number(text, ",\"latency_us\":", (uint64_t)note->latency_ns / 1000);
        if (note->latency_ns % 1000 != 0)
            ds_buffer_printf(text, ".%03d", (int)(note->latency_ns % 1000));
    }
    json_add_raw(record, "role", json_keep(text->data, text->len));
    if (note->mod.data != NULL && given->event->message.role[DS_ROLE_MFA].data == NULL) {
        text->len = 0;
        note_print_mfa(note, 0, text);
        json_add_text(record, "mfa", buffer_text(text));
    }
    if (note->from_name.data != NULL)
        json_add_text(record, "from_name", note->from_name);
    if (note->to_name.data != NULL)
        json_add_text(record, "to_name", note->to_name);
}

static void write_party(struct json_state *s, cJSON *record, const char *key,
                        const struct party *party)
{
    cJSON *object = json_add_object(record, key);
    if (party->node.data != NULL)
        json_add_text(object, "node", party->node);
    if (party->name.data != NULL)
        json_add_text(object, "name", party->name);
    if (!party->has_pid)
        return;
    const struct party pid = {.node = party->node, .has_pid = true, .id = party->id,
                              .serial = party->serial};
    s->scratch.len = 0;
    party_print(&pid, &s->scratch);
    json_add_text(object, "pid", buffer_text(&s->scratch));
    json_add_unsigned(object, "creation", party->creation);
}

static void write_call(struct json_state *s, struct sink *sink, const struct call *call)
{
    cJSON *record = json_new();
    json_add_raw(record, "type", "\"call\"");
    write_time(s, sink, record, "ts", call->end_ns);
    json_add_unsigned(record, "frame", call->end_frame);
    json_add_unsigned(record, "conn", call->conn);
    json_add_unsigned(record, "call", call->number);
    json_add_string(record, "label", call->label);
    write_party(s, record, "caller", &call->caller);
    write_party(s, record, "callee", &call->callee);
    if (call->mfa.data != NULL)
        json_add_text(record, "mfa", call->mfa);
    if (call->request.data != NULL)
        json_add_term(record, "request", &call->request);
    else
        json_add_unsigned(record, "request_bytes", call->request_len);
    if (call->result.data != NULL)
        json_add_term(record, "result", &call->result);
    write_time(s, sink, record, "start", call->start_ns);
    json_add_unsigned(record, "start_frame", call->start_frame);
    write_latency(record, call->end_ns - call->start_ns);
    json_add_string(record, "outcome", call_outcome_name(call->outcome));
    if (call->error_class != NULL)
        json_add_string(record, "class", call->error_class);
    if (call->reason.data != NULL)
        json_add_term(record, "reason", &call->reason);
    if (call->parent != 0)
        json_add_unsigned(record, "parent", call->parent);
    if (call->parent_ambiguous)
        json_add_bool(record, "parent_ambiguous", true);
    if (call->num_children != 0) {
        cJSON *children = json_add_array(record, "children");
        for (size_t i = 0; i < call->num_children; i++)
            json_append_unsigned(children, call->children[i]);
    }
    if (!json_finish(record, &sink->output.buffer))
        sink->output.buffer.failed = true;
}

static void json_record(struct sink *sink, const struct record *given)
{
    struct json_state *s = sink->state;
    const struct ds_event *event = given->event;

    if (given->call != NULL) {
        write_call(s, sink, given->call);
        return;
    }
    cJSON *record = json_new();

    write_head(s, sink->time_digits, record, event);
    if (types[event->type].write != NULL)
        types[event->type].write(s, record, event);
    write_note(s, record, given);
    write_trouble(record, event);
    if (!json_finish(record, &sink->output.buffer))
        sink->output.buffer.failed = true;
}

static bool json_open(struct sink *sink)
{
    struct json_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return false;
    s->endpoints = endpoint_cache_new(print_endpoint);
    if (s->endpoints == NULL) {
        free(s);
        return false;
    }
    s->etf = sink->options->etf;
    sink->state = s;
    json_start();
    return true;
}

static void json_close(struct sink *sink)
{
    struct json_state *s = sink->state;
    endpoint_cache_free(s->endpoints);
    ds_buffer_free(&s->head);
    ds_buffer_free(&s->scratch);
    free(s);
    json_stop();
}

const struct sink_kind sink_json = {
    "json", "one JSON object a line, for programs", json_open, json_record, NULL, json_close,
};
