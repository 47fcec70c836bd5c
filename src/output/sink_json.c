/*
 * sink_json.c - one JSON object a line, for programs. The names of the fields are a promise:
 * add, never rename. The manual page lists them.
 */
#include "endpoint_cache.h"
#include "json_write.h"
#include "printable.h"
#include "sink.h"

#include <inttypes.h>
#include <stdlib.h>

struct json_state {
    struct endpoint_cache *endpoints;
    struct json_writer json;
    struct ds_buffer scratch;
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
        printable_json(endpoint->node, &name);
        ds_buffer_add_text(out, ",\"node\":\"");
        json_escape(name.data, name.len, out);
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

static void write_epmd_nodes(struct json_writer *json, const struct ds_epmd *epmd)
{
    cJSON *nodes = json_tree_array();
    for (size_t i = 0; i < epmd->num_nodes; i++) {
        cJSON *node = json_append_object(nodes);
        json_add_text(node, "name", epmd->nodes[i].name);
        json_add_unsigned(node, "port", epmd->nodes[i].port);
        if (epmd->op == DS_EPMD_DUMP_RESP) {
            json_add_signed(node, "fd", epmd->nodes[i].fd);
            json_add_bool(node, "active", epmd->nodes[i].active);
        }
    }
    json_put_tree(json, "nodes", nodes);
}

static void write_epmd(struct json_state *s, const struct ds_event *event)
{
    struct json_writer *json = &s->json;
    const struct ds_epmd *epmd = &event->epmd;
    unsigned fields = epmd_fields[epmd->op];
    if ((fields & HAS_RESULT) != 0 && epmd->result != 0)
        fields = HAS_RESULT;
    json_put_string(json, "op", ds_epmd_op_name(epmd->op));
    if ((fields & HAS_RESULT) != 0)
        json_put_unsigned(json, "result", epmd->result);
    if (epmd->name.data != NULL)
        json_put_text(json, "name", epmd->name);
    if ((fields & HAS_PORT) != 0) {
        json_put_unsigned(json, "port", epmd->port);
        json_put_unsigned(json, "node_type", epmd->node_type);
        json_put_unsigned(json, "protocol", epmd->protocol);
        json_put_unsigned(json, "highest_version", epmd->highest_version);
        json_put_unsigned(json, "lowest_version", epmd->lowest_version);
        json_put_text(json, "extra", epmd->extra);
    }
    if ((fields & HAS_CREATION) != 0)
        json_put_unsigned(json, "creation", epmd->creation);
    if ((fields & HAS_NODES) != 0) {
        json_put_unsigned(json, "epmd_port", epmd->epmd_port);
        write_epmd_nodes(json, epmd);
    }
    if (epmd->raw.data != NULL)
        json_put_text(json, "answer", epmd->raw);
}

static void write_flags(struct json_writer *json, uint64_t flags)
{
    char text[32];
    char unknown[64][8];
    snprintf(text, sizeof text, "0x%" PRIx64, flags);
    json_put_string(json, "flags", text);
    cJSON *names = json_tree_array();
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((flags >> bit & 1) == 0)
            continue;
        const char *name = ds_flag_name(bit);
        if (name == NULL) {
            snprintf(unknown[bit], sizeof unknown[bit], "bit_%u", bit);
            name = unknown[bit];
        }
        json_append_string(names, name);
    }
    json_put_tree(json, "flag_names", names);
    const char *release = ds_flags_release(flags);
    if (release != NULL)
        json_put_string(json, "release", release);
}

static void write_handshake(struct json_state *s, const struct ds_event *event)
{
    struct json_writer *json = &s->json;
    const struct ds_handshake *h = &event->handshake;
    json_put_string(json, "step", ds_handshake_step_name(h->step));
    if (h->version != 0)
        json_put_unsigned(json, "version", h->version);
    if (h->status.data != NULL)
        json_put_text(json, "status", h->status);
    if (h->name.data != NULL)
        json_put_text(json, "name", h->name);
    if (h->creation != 0 || h->version == 6 || h->step == DS_STEP_COMPLEMENT)
        json_put_unsigned(json, "creation", h->creation);
    if (h->has_challenge)
        json_put_unsigned(json, "challenge", h->challenge);
    if (h->has_digest)
        json_put_hex(json, "digest", h->digest, sizeof h->digest);
    if (h->cookie != DS_COOKIE_UNCHECKED)
        json_put_bool(json, "cookie_ok", h->cookie == DS_COOKIE_OK);
    if (h->cookie_note != NULL)
        json_put_string(json, "cookie_note", h->cookie_note);
    if (h->has_flags)
        write_flags(json, h->flags);
}

static void write_counters(struct json_writer *json, const char *key,
                           const struct ds_counters *counters)
{
    cJSON *object = json_tree_object();
    json_add_unsigned(object, "bytes", counters->bytes);
    json_add_unsigned(object, "frames", counters->frames);
    json_add_unsigned(object, "messages", counters->messages);
    json_add_unsigned(object, "ticks", counters->ticks);
    json_add_unsigned(object, "gaps", counters->gaps);
    json_add_unsigned(object, "gap_bytes", counters->gap_bytes);
    json_add_unsigned(object, "faults", counters->faults);
    json_add_unsigned(object, "unknown_atoms", counters->unknown_atoms);
    json_put_tree(json, key, object);
}

static void write_conn(struct json_state *s, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    json_put_string(&s->json, "state", ds_conn_state_name(change->state));
    if (change->reason != NULL)
        json_put_string(&s->json, "reason", change->reason);
    if (change->final) {
        write_counters(&s->json, "src_sent", &event->conn->counters[event->dir]);
        write_counters(&s->json, "dst_sent", &event->conn->counters[!event->dir]);
    }
}

static void write_token(struct json_writer *json, const struct ds_token *token)
{
    cJSON *object = json_tree_object();
    if (token->label.data != NULL)
        json_add_term(object, "label", &token->label);
    json_add_signed(object, "serial", token->serial);
    if (token->from.data != NULL)
        json_add_term(object, "from", &token->from);
    json_add_signed(object, "flags", token->flags);
    json_add_signed(object, "previous", token->previous);
    json_put_tree(json, ds_role_name(DS_ROLE_TOKEN), object);
}

static void write_role(struct json_writer *json, enum ds_role role,
                       const struct ds_message *message)
{
    const struct ds_term *term = &message->role[role];
    if (term->data == NULL)
        return;
    if (role == DS_ROLE_TOKEN && message->token.present)
        write_token(json, &message->token);
    else if (role == DS_ROLE_FLAGS || role == DS_ROLE_ID)
        json_put_number_term(json, ds_role_name(role), term);
    else
        json_put_term(json, ds_role_name(role), term);
}

static void write_message(struct json_state *s, const struct ds_event *event)
{
    struct json_writer *json = &s->json;
    const struct ds_message *m = &event->message;
    if (m->op != NULL) {
        json_put_string(json, "op", m->op->name);
        for (int role = 0; role < DS_ROLE_COUNT; role++)
            write_role(json, (enum ds_role)role, m);
    } else {
        char text[32];
        snprintf(text, sizeof text, "op_%" PRId64, m->code);
        json_put_string(json, "op", m->code >= 0 ? text : "unknown");
        if (m->control.data != NULL)
            json_put_term(json, "control", &m->control);
    }
    if (m->payload.data != NULL)
        json_put_term(json, "term", &m->payload);
    json_put_unsigned(json, "size", m->size);
    if (m->fragments > 1)
        json_put_unsigned(json, "fragments", m->fragments);
    if (s->etf) {
        if (m->control.data != NULL)
            json_put_etf(json, "ctl", &m->control);
        if (m->payload.data != NULL)
            json_put_etf(json, "msg", &m->payload);
    }
}

static void write_gap(struct json_state *s, const struct ds_event *event)
{
    json_put_unsigned(&s->json, "bytes", event->gap.bytes);
    if (event->gap.messages >= 0)
        json_put_signed(&s->json, "messages", event->gap.messages);
}

/* The types of records, in the order of enum ds_event_type. */
static const struct {
    const char *name;
    void (*write)(struct json_state *, const struct ds_event *);
} types[] = {
    [DS_EVENT_EPMD] = {"epmd", write_epmd},
    [DS_EVENT_HANDSHAKE] = {"handshake", write_handshake},
    [DS_EVENT_CONN] = {"conn", write_conn},
    [DS_EVENT_MESSAGE] = {"message", write_message},
    [DS_EVENT_TICK] = {"tick", NULL},
    [DS_EVENT_GAP] = {"gap", write_gap},
};

static void write_trouble(struct json_writer *json, const struct ds_event *event)
{
    if (event->fault.kind != DS_FAULT_NONE) {
        cJSON *fault = json_tree_object();
        json_add_string(fault, "kind", ds_fault_kind_name(event->fault.kind));
        json_add_unsigned(fault, "offset", event->fault.offset);
        json_add_string(fault, "what", event->fault.what != NULL ? event->fault.what : "");
        json_put_tree(json, "fault", fault);
    }
    if (event->unknown_atoms != 0)
        json_put_unsigned(json, "unknown_atoms", event->unknown_atoms);
    if (event->inferred_atoms != 0)
        json_put_unsigned(json, "inferred_atoms", event->inferred_atoms);
}

static struct ds_text buffer_text(const struct ds_buffer *buffer)
{
    return (struct ds_text){buffer->data, buffer->len};
}

static void write_titles(struct json_writer *json, const char *key, const struct titles *titles)
{
    if (titles == NULL)
        return;
    cJSON *array = json_tree_array();
    for (size_t i = 0; i < titles->num; i++)
        json_append_text(array, titles->text[i]);
    json_put_tree(json, key, array);
}

/* What the correlation knows. */
static void write_note(struct json_state *s, const struct record *given)
{
    struct json_writer *json = &s->json;
    const struct note *note = &given->note;
    if (note->role == NOTE_NONE)
        return;
    json_put_string(json, "role", note_role_name(note->role));
    if (note->call != 0)
        json_put_unsigned(json, "call", note->call);
    if (note->label != NULL)
        json_put_string(json, "label", note->label);
    if (note->has_latency)
        json_put_microseconds(json, "latency_us", note->latency_ns);
    if (note->mod.data != NULL && given->event->message.role[DS_ROLE_MFA].data == NULL) {
        s->scratch.len = 0;
        note_print_mfa(note, 0, &s->scratch);
        json_put_text(json, "mfa", buffer_text(&s->scratch));
    }
    if (note->from_name.data != NULL)
        json_put_text(json, "from_name", note->from_name);
    if (note->to_name.data != NULL)
        json_put_text(json, "to_name", note->to_name);
    write_titles(json, "from_titles", note->from_titles);
    write_titles(json, "to_titles", note->to_titles);
}

static void write_party(struct json_state *s, const char *key, const struct party *party)
{
    struct json_writer *json = &s->json;
    json_put_open(json, key);
    if (party->node.data != NULL)
        json_put_text(json, "node", party->node);
    if (party->name.data != NULL)
        json_put_text(json, "name", party->name);
    if (party->has_pid) {
        struct party pid = *party;
        pid.name.data = NULL;
        pid.titles = NULL;
        s->scratch.len = 0;
        party_print(&pid, &s->scratch);
        json_put_text(json, "pid", buffer_text(&s->scratch));
        json_put_unsigned(json, "creation", party->creation);
    }
    write_titles(json, "titles", party->titles);
    json_put_close(json);
}

static void write_call(struct json_state *s, const struct call *call)
{
    struct json_writer *json = &s->json;
    json_begin(json, "call");
    json_put_time(json, "ts", call->end_ns);
    json_put_unsigned(json, "frame", call->end_frame);
    json_put_unsigned(json, "conn", call->conn);
    json_put_unsigned(json, "call", call->number);
    json_put_string(json, "label", call->label);
    write_party(s, "caller", &call->caller);
    write_party(s, "callee", &call->callee);
    if (call->mfa.data != NULL)
        json_put_text(json, "mfa", call->mfa);
    if (call->request.data != NULL)
        json_put_term(json, "request", &call->request);
    else
        json_put_unsigned(json, "request_bytes", call->request_len);
    if (call->result.data != NULL)
        json_put_term(json, "result", &call->result);
    json_put_time(json, "start", call->start_ns);
    json_put_unsigned(json, "start_frame", call->start_frame);
    json_put_microseconds(json, "latency_us", call->end_ns - call->start_ns);
    json_put_string(json, "outcome", call_outcome_name(call->outcome));
    if (call->error_class != NULL)
        json_put_string(json, "class", call->error_class);
    if (call->reason.data != NULL)
        json_put_term(json, "reason", &call->reason);
    if (call->parent != 0)
        json_put_unsigned(json, "parent", call->parent);
    if (call->parent_ambiguous)
        json_put_bool(json, "parent_ambiguous", true);
    if (call->num_children != 0) {
        cJSON *children = json_tree_array();
        for (size_t i = 0; i < call->num_children; i++)
            json_append_unsigned(children, call->children[i]);
        json_put_tree(json, "children", children);
    }
    json_end(json);
}

static void write_monitor(struct json_state *s, const struct monitor_end *m)
{
    struct json_writer *json = &s->json;
    json_begin(json, m->is_link ? "link" : "monitor");
    json_put_time(json, "ts", m->end_ns);
    json_put_unsigned(json, "frame", m->end_frame);
    json_put_unsigned(json, "conn", m->conn);
    write_party(s, "watcher", &m->watcher);
    write_party(s, "target", &m->target);
    if (m->num_ref_words != 0) {
        s->scratch.len = 0;
        monitor_print_ref(m, &s->scratch);
        json_put_text(json, "ref", buffer_text(&s->scratch));
    }
    json_put_time(json, "start", m->start_ns);
    json_put_unsigned(json, "start_frame", m->start_frame);
    json_put_microseconds(json, "duration_us", m->end_ns - m->start_ns);
    json_put_string(json, "outcome", monitor_outcome_name(m->outcome));
    if (m->reason.data != NULL)
        json_put_term(json, "reason", &m->reason);
    json_end(json);
}

static void json_record(struct sink *sink, const struct record *given)
{
    struct json_state *s = sink->state;
    struct json_writer *json = &s->json;
    const struct ds_event *event = given->event;

    json->out = &sink->output.buffer;
    json->time_digits = sink->time_digits;
    if (given->call != NULL) {
        write_call(s, given->call);
        return;
    }
    if (given->monitor != NULL) {
        write_monitor(s, given->monitor);
        return;
    }
    json_begin(json, types[event->type].name);
    json_put_time(json, "ts", event->ts_ns);
    json_put_unsigned(json, "frame", event->frame);
    json_put_unsigned(json, "conn", event->conn->number);
    json_put_raw(json, "src", endpoint_cache_get(s->endpoints, event->conn, event->dir));
    json_put_raw(json, "dst", endpoint_cache_get(s->endpoints, event->conn, !event->dir));
    if (types[event->type].write != NULL)
        types[event->type].write(s, event);
    write_note(s, given);
    write_trouble(json, event);
    json_end(json);
}

static void json_lost(struct sink *sink, const struct loss *loss)
{
    struct json_writer *json = &((struct json_state *)sink->state)->json;
    json->out = &sink->output.buffer;
    json->time_digits = sink->time_digits;
    json_begin(json, "lost");
    json_put_time(json, "ts", loss->first_ns);
    json_put_time(json, "until", loss->last_ns);
    json_put_string(json, "cause", loss_cause_name(loss->cause));
    json_put_unsigned(json, loss_unit(loss->cause), loss->count);
    if (loss->messages != 0)
        json_put_unsigned(json, "messages", loss->messages);
    json_end(json);
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
    uint64_t max_depth = sink->config->limits[DS_LIMIT_DEPTH];
    s->json.limits.max_depth = max_depth < UINT32_MAX ? (uint32_t)max_depth : UINT32_MAX;
    s->etf = sink->config->etf;
    sink->state = s;
    json_tree_start();
    return true;
}

static void json_close(struct sink *sink)
{
    struct json_state *s = sink->state;
    endpoint_cache_free(s->endpoints);
    json_writer_free(&s->json);
    ds_buffer_free(&s->scratch);
    free(s);
    json_tree_stop();
}

const struct sink_kind sink_json = {
    .name = "json",
    .help = "one JSON object a line, for programs",
    .open = json_open,
    .record = json_record,
    .lost = json_lost,
    .close = json_close,
    .takes_monitors = true,
};
