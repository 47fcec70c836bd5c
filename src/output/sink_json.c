/*
 * sink_json.c - one JSON object a line, for programs. The names of the fields are a promise:
 * add, never rename. The manual page lists them.
 */
#include "output/endpoint_cache.h"
#include "output/json_event.h"
#include "output/json_link.h"
#include "output/json_write.h"
#include "output/sink.h"
#include "output/term_text_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* As text, shorter binaries are easier to read, and not much longer. */
enum { BASE64_MIN = 32 };

/* A message that takes less on the wire came at once. */
#define LONG_WIRE_NS INT64_C(10000000)

struct json_state {
    struct endpoint_cache *endpoints;
    struct json_writer json;
    struct ds_buffer scratch;
    const struct note *note; /* on the event at hand */
    struct term_text_cache *said; /* NULL: what is shown of a call may be something else */
    bool etf;
};

/* An endpoint as a finished object: {"addr":"10.0.0.1","port":4369,"node":"a@h"} */
static void print_endpoint(const struct ds_endpoint *endpoint, struct ds_buffer *out)
{
    char addr[DS_ADDR_LEN];
    struct json_writer json = {.out = out};
    ds_addr_print(&endpoint->addr, addr);
    json_begin_object(&json);
    json_put_string(&json, JSON_KEY("addr"), addr);
    json_put_unsigned(&json, JSON_KEY("port"), endpoint->port);
    if (endpoint->node.data != NULL)
        json_put_text(&json, JSON_KEY("node"), endpoint->node);
    if (endpoint->node.data != NULL && endpoint->node_inferred)
        json_put_bool(&json, JSON_KEY("node_inferred"), true);
    json_end_object(&json);
    json_writer_free(&json);
}

/* print_peers prints the object of the end that sends, and behind it the field of the other one. */
static void print_peers(const struct ds_conn *conn, unsigned from, struct ds_buffer *out)
{
    print_endpoint(&conn->end[from], out);
    ds_buffer_add_text(out, ",\"dst\":");
    print_endpoint(&conn->end[!from], out);
}

static struct json_object get_peers(const struct json_state *s, const struct ds_event *event)
{
    return (struct json_object){endpoint_cache_get(s->endpoints, event->conn, event->dir)};
}

static struct ds_text buffer_text(const struct ds_buffer *buffer)
{
    return (struct ds_text){buffer->data, buffer->len};
}

static const struct json_key role_keys[DS_ROLE_COUNT] = {
#define ROLE(letter, id, key, is) [DS_ROLE_##id] = JSON_KEY_INIT(key),
#include <distsniff/roles.def>
#undef ROLE
};

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
    json_put_tree(json, role_keys[DS_ROLE_TOKEN], object);
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
        json_put_number_term(json, role_keys[role], term);
    else
        json_put_term(json, role_keys[role], term);
}

/* write_payload writes what was sent, and remembers what of it the record of its call will say
 * again: what was asked, or answered by the message that ends it, stands last, nearly always. */
static void write_payload(struct json_state *s, const struct ds_term *payload)
{
    const struct note *note = s->note;
    const struct ds_term *body = &note->body;
    const bool is_last = body->data != NULL && body->data >= payload->data &&
                         body->data + body->len == payload->data + payload->len;
    const bool is_of_call =
        note->call != 0 && (note->role == NOTE_REQUEST || note->outcome != CALL_OPEN);
    if (s->said == NULL || !is_of_call || !is_last || !term_text_cache_wants(body)) {
        json_put_term(&s->json, JSON_KEY("term"), payload);
        return;
    }
    struct ds_term_part part = {.data = body->data};
    json_put_term_with(&s->json, JSON_KEY("term"), payload, &part);
    if (part.len != 0)
        term_text_cache_keep(s->said, note->call,
                             note->role == NOTE_REQUEST ? CACHED_REQUEST : CACHED_ANSWER, body,
                             (struct ds_text){s->json.out->data + part.at, part.len});
}

/* write_said writes a term of a call, which its message may have said. */
static void write_said(struct json_state *s, struct json_key key, const struct call *call,
                       enum cached_what what, const struct ds_term *term)
{
    const struct json_written written = {
        s->said != NULL ? term_text_cache_find(s->said, call->number, what,
                                               term) : (struct ds_text){0}};
    if (written.text.data != NULL)
        json_put_written(&s->json, key, written);
    else
        json_put_term(&s->json, key, term);
}

static void write_message(struct json_state *s, const struct ds_event *event)
{
    struct json_writer *json = &s->json;
    const struct ds_message *m = &event->message;
    if (m->op != NULL) {
        json_put_word(json, JSON_KEY("op"), m->op->name);
        for (int role = 0; role < DS_ROLE_COUNT; role++)
            write_role(json, (enum ds_role)role, m);
    } else {
        char text[32];
        snprintf(text, sizeof text, "op_%" PRId64, m->code);
        json_put_string(json, JSON_KEY("op"), m->code >= 0 ? text : "unknown");
        if (m->control.data != NULL)
            json_put_term(json, JSON_KEY("control"), &m->control);
    }
    if (m->payload.data != NULL)
        write_payload(s, &m->payload);
    json_put_unsigned(json, JSON_KEY("size"), m->size);
    if (m->fragments > 1)
        json_put_unsigned(json, JSON_KEY("fragments"), m->fragments);
    if (m->wire_ns >= LONG_WIRE_NS || m->stalled_ns != 0)
        json_put_microseconds(json, JSON_KEY("wire_time_us"), m->wire_ns);
    if (m->stalled_ns != 0)
        json_put_microseconds(json, JSON_KEY("stalled_us"), m->stalled_ns);
    if (s->etf) {
        if (m->control.data != NULL)
            json_put_etf(json, JSON_KEY("ctl"), &m->control);
        if (m->payload.data != NULL)
            json_put_etf(json, JSON_KEY("msg"), &m->payload);
    }
}

/* The types of records, in the order of enum ds_event_type. */
static const struct {
    struct json_type begin;
    void (*write)(struct json_writer *, const struct ds_event *); /* NULL: a message, or nothing */
} types[] = {
    [DS_EVENT_EPMD] = {JSON_TYPE_INIT("epmd"), json_event_epmd},
    [DS_EVENT_HANDSHAKE] = {JSON_TYPE_INIT("handshake"), json_event_handshake},
    [DS_EVENT_CONN] = {JSON_TYPE_INIT("conn"), json_event_conn},
    [DS_EVENT_MESSAGE] = {JSON_TYPE_INIT("message"), NULL},
    [DS_EVENT_TICK] = {JSON_TYPE_INIT("tick"), NULL},
    [DS_EVENT_GAP] = {JSON_TYPE_INIT("gap"), json_event_gap},
    [DS_EVENT_STALL] = {JSON_TYPE_INIT("stall"), json_event_stall},
};

/* write_guesses writes what unknown atoms may be. */
static void write_guesses(struct json_writer *json, const struct ds_message *message)
{
    cJSON *guesses = json_tree_array();
    for (uint32_t i = 0; i < message->num_guesses; i++) {
        const struct ds_guess *guess = &message->guesses[i];
        cJSON *object = json_append_object(guesses);
        json_add_unsigned(object, "slot", guess->slot);
        cJSON *atoms = json_add_array(object, "atoms");
        for (unsigned a = 0; a < guess->num; a++) {
            cJSON *atom = json_append_object(atoms);
            json_add_text(atom, "atom", guess->atom[a].text);
            json_add_unsigned(atom, "percent", guess->atom[a].percent);
        }
    }
    json_put_tree(json, JSON_KEY("guesses"), guesses);
}

static void write_trouble(struct json_writer *json, const struct ds_event *event)
{
    if (event->fault.kind != DS_FAULT_NONE) {
        cJSON *fault = json_tree_object();
        json_add_string(fault, "kind", ds_fault_kind_name(event->fault.kind));
        json_add_unsigned(fault, "offset", event->fault.offset);
        json_add_string(fault, "what", event->fault.what != NULL ? event->fault.what : "");
        json_put_tree(json, JSON_KEY("fault"), fault);
    }
    if (event->unknown_atoms != 0)
        json_put_unsigned(json, JSON_KEY("unknown_atoms"), event->unknown_atoms);
    if (event->inferred_atoms != 0)
        json_put_unsigned(json, JSON_KEY("inferred_atoms"), event->inferred_atoms);
    if (event->likely_atoms != 0)
        json_put_unsigned(json, JSON_KEY("likely_atoms"), event->likely_atoms);
    if (event->type == DS_EVENT_MESSAGE && event->message.num_guesses != 0)
        write_guesses(json, &event->message);
}

static void write_titles(struct json_writer *json, struct json_key key,
                         const struct titles *titles)
{
    if (titles == NULL)
        return;
    cJSON *array = json_tree_array();
    for (size_t i = 0; i < titles->num; i++)
        json_append_text(array, titles_text(titles, i, json->limits.syntax));
    json_put_tree(json, key, array);
}

/* write_held writes what waited behind a stall. */
static void write_held(struct json_writer *json, const struct waited *held)
{
    json_put_open(json, JSON_KEY("waited"));
    json_put_unsigned(json, JSON_KEY("messages"), held->num_messages);
    json_put_unsigned(json, JSON_KEY("bytes"), held->num_bytes);
    json_put_unsigned(json, JSON_KEY("calls"), held->num_calls);
    json_put_bool(json, JSON_KEY("head"), held->has_head);
    json_put_list(json, JSON_KEY("first"));
    for (unsigned i = 0; i < held->num; i++) {
        const struct waited_message *m = &held->message[i];
        json_item_open(json);
        json_put_unsigned(json, JSON_KEY("frame"), m->frame);
        json_put_unsigned(json, JSON_KEY("size"), m->size);
        if (m->op != NULL)
            json_put_string(json, JSON_KEY("op"), m->op);
        if (m->role != NOTE_NONE)
            json_put_string(json, JSON_KEY("role"), note_role_name(m->role));
        if (m->label != NULL)
            json_put_string(json, JSON_KEY("label"), m->label);
        if (m->call != 0)
            json_put_unsigned(json, JSON_KEY("call"), m->call);
        json_put_close(json);
    }
    json_put_list_end(json);
    json_put_close(json);
}

static void write_note(struct json_state *s, const struct record *given)
{
    struct json_writer *json = &s->json;
    const struct note *note = &given->note;
    if (note->held != NULL)
        write_held(json, note->held);
    if (note->role == NOTE_NONE)
        return;
    json_put_word(json, JSON_KEY("role"), note_role_name(note->role));
    if (note->call != 0)
        json_put_unsigned(json, JSON_KEY("call"), note->call);
    if (note->label != NULL)
        json_put_string(json, JSON_KEY("label"), note->label);
    if (note->has_latency)
        json_put_microseconds(json, JSON_KEY("latency_us"), note->latency_ns);
    if (note->late)
        json_put_bool(json, JSON_KEY("late"), true);
    if (note->mod.data != NULL && given->event->message.role[DS_ROLE_MFA].data == NULL) {
        s->scratch.len = 0;
        note_print_mfa_as(s->json.limits.syntax, note, 0, &s->scratch);
        json_put_text(json, JSON_KEY("mfa"), buffer_text(&s->scratch));
    }
    if (note->from_name.data != NULL)
        json_put_text(json, note->from_is_for ? JSON_KEY("from_for") : JSON_KEY("from_name"),
                      note->from_name);
    if (note->to_name.data != NULL)
        json_put_text(json, note->to_is_for ? JSON_KEY("to_for") : JSON_KEY("to_name"),
                      note->to_name);
    write_titles(json, JSON_KEY("from_titles"), note->from_titles);
    write_titles(json, JSON_KEY("to_titles"), note->to_titles);
}

static void write_party(struct json_state *s, struct json_key key, const struct party *party)
{
    struct json_writer *json = &s->json;
    json_put_open(json, key);
    if (party->node.data != NULL)
        json_put_text(json, JSON_KEY("node"), party->node);
    if (party->name.data != NULL)
        json_put_text(json, party->is_for ? JSON_KEY("for") : JSON_KEY("name"), party->name);
    if (party->has_pid) {
        struct party pid = *party;
        pid.name.data = NULL;
        pid.titles = NULL;
        s->scratch.len = 0;
        party_print_as(s->json.limits.syntax, &pid, &s->scratch);
        json_put_text(json, JSON_KEY("pid"), buffer_text(&s->scratch));
        json_put_unsigned(json, JSON_KEY("creation"), party->creation);
    }
    write_titles(json, JSON_KEY("titles"), party->titles);
    json_put_close(json);
}

static void write_mfa(struct json_state *s, const struct call *call)
{
    s->scratch.len = 0;
    call_print_mfa_as(s->json.limits.syntax, call, &s->scratch);
    json_put_text(&s->json, JSON_KEY("mfa"), buffer_text(&s->scratch));
}

static void write_call(struct json_state *s, const struct call *call)
{
    struct json_writer *json = &s->json;
    json_begin(json, JSON_TYPE("call"));
    json_put_time(json, JSON_KEY("ts"), call->end_ns);
    json_put_unsigned(json, JSON_KEY("frame"), call->end_frame);
    json_put_unsigned(json, JSON_KEY("conn"), call->conn);
    json_put_unsigned(json, JSON_KEY("call"), call->number);
    json_put_string(json, JSON_KEY("label"), call->label);
    write_party(s, JSON_KEY("caller"), &call->caller);
    write_party(s, JSON_KEY("callee"), &call->callee);
    if (call->mfa.data != NULL)
        write_mfa(s, call);
    if (call->request.data != NULL)
        write_said(s, JSON_KEY("request"), call, CACHED_REQUEST, &call->request);
    else
        json_put_unsigned(json, JSON_KEY("request_bytes"), call->request_len);
    if (call->result.data != NULL)
        write_said(s, JSON_KEY("result"), call, CACHED_ANSWER, &call->result);
    json_put_time(json, JSON_KEY("start"), call->start_ns);
    json_put_unsigned(json, JSON_KEY("start_frame"), call->start_frame);
    json_put_microseconds(json, JSON_KEY("latency_us"), call->end_ns - call->start_ns);
    json_put_word(json, JSON_KEY("outcome"), call_outcome_name(call->outcome));
    if (call->certainty != CERTAINTY_SURE)
        json_put_word(json, JSON_KEY("certainty"), certainty_name(call->certainty));
    if (call->error_class != NULL)
        json_put_string(json, JSON_KEY("class"), call->error_class);
    if (call->reason.data != NULL)
        write_said(s, JSON_KEY("reason"), call, CACHED_ANSWER, &call->reason);
    if (call->parent != 0)
        json_put_unsigned(json, JSON_KEY("parent"), call->parent);
    if (call->parent_ambiguous)
        json_put_bool(json, JSON_KEY("parent_ambiguous"), true);
    if (call->parent_inferred)
        json_put_bool(json, JSON_KEY("parent_inferred"), true);
    if (call->likely_atoms != 0)
        json_put_unsigned(json, JSON_KEY("likely_atoms"), call->likely_atoms);
    if (call->num_children != 0) {
        cJSON *children = json_tree_array();
        for (size_t i = 0; i < call->num_children; i++)
            json_append_unsigned(children, call->children[i]);
        json_put_tree(json, JSON_KEY("children"), children);
    }
    json_end(json);
}

static void write_monitor(struct json_state *s, const struct monitor_end *m)
{
    struct json_writer *json = &s->json;
    json_begin(json, m->is_link ? JSON_TYPE("link") : JSON_TYPE("monitor"));
    json_put_time(json, JSON_KEY("ts"), m->end_ns);
    json_put_unsigned(json, JSON_KEY("frame"), m->end_frame);
    json_put_unsigned(json, JSON_KEY("conn"), m->conn);
    write_party(s, JSON_KEY("watcher"), &m->watcher);
    write_party(s, JSON_KEY("target"), &m->target);
    if (m->num_ref_words != 0) {
        s->scratch.len = 0;
        monitor_print_ref(m, &s->scratch);
        json_put_text(json, JSON_KEY("ref"), buffer_text(&s->scratch));
    }
    json_put_time(json, JSON_KEY("start"), m->start_ns);
    json_put_unsigned(json, JSON_KEY("start_frame"), m->start_frame);
    json_put_microseconds(json, JSON_KEY("duration_us"), m->end_ns - m->start_ns);
    json_put_string(json, JSON_KEY("outcome"), monitor_outcome_name(m->outcome));
    if (m->reason.data != NULL)
        json_put_term(json, JSON_KEY("reason"), &m->reason);
    json_end(json);
}

/* write_words writes a text whose names are escaped. */
static void write_words(struct json_state *s, struct json_key key, const struct wording *wording)
{
    s->scratch.len = 0;
    wording_print(wording, &s->scratch);
    json_put_text(&s->json, key, buffer_text(&s->scratch));
}

static void write_evidence(struct json_writer *json, const struct finding *f)
{
    cJSON *array = json_tree_array();
    for (size_t i = 0; i < f->num_evidence; i++) {
        const struct evidence *e = &f->evidence[i];
        for (unsigned j = 0; j < e->num; j++) {
            cJSON *packet = json_append_object(array);
            json_add_unsigned(packet, "conn", e->conn);
            json_add_unsigned(packet, "frame", e->packet[j].frame);
            json_add_string(packet, "what", e->packet[j].what);
        }
    }
    json_put_tree(json, JSON_KEY("evidence"), array);
}

static void write_numbers(struct json_writer *json, const struct finding *f)
{
    cJSON *array = json_tree_array();
    for (size_t i = 0; i < f->num_evidence; i++) {
        if (f->evidence[i].conn != 0) /* else it is of none */
            json_append_unsigned(array, f->evidence[i].conn);
    }
    json_put_tree(json, JSON_KEY("conns"), array);
    array = json_tree_array();
    for (size_t i = 0; i < f->num_evidence; i++) {
        for (unsigned j = 0; j < f->evidence[i].num; j++)
            json_append_unsigned(array, f->evidence[i].packet[j].frame);
    }
    json_put_tree(json, JSON_KEY("frames"), array);
}

static void write_nodes(struct json_writer *json, const struct finding *f)
{
    cJSON *nodes = json_tree_array();
    for (int i = 0; i < 2; i++) {
        if (f->node[i].len != 0)
            json_append_text(nodes, finding_node(f, i));
    }
    json_put_tree(json, JSON_KEY("nodes"), nodes);
}

static void write_finding(struct json_state *s, const struct finding *f)
{
    struct json_writer *json = &s->json;
    json_begin(json, JSON_TYPE("finding"));
    json_put_time(json, JSON_KEY("ts"), f->last_ns);
    json_put_string(json, JSON_KEY("code"), f->kind->code);
    json_put_string(json, JSON_KEY("severity"), severity_name(f->severity));
    json_put_string(json, JSON_KEY("certainty"), certainty_name(f->certainty));
    if (f->proof != NULL)
        json_put_string(json, JSON_KEY("proof"), f->proof);
    json_put_string(json, JSON_KEY("title"), f->kind->title);
    write_words(s, JSON_KEY("text"), &f->sentence);
    if (f->detail.len != 0)
        write_words(s, JSON_KEY("detail"), &f->detail);
    json_put_string(json, JSON_KEY("advice"), finding_advice(f));
    json_put_unsigned(json, JSON_KEY("count"), f->count);
    json_put_time(json, JSON_KEY("first"), f->first_ns);
    write_nodes(json, f);
    write_numbers(json, f);
    write_evidence(json, f);
    json_end(json);
}

/* write_moment writes a line of the timeline. */
static void write_moment(struct json_state *s, const struct finding *f)
{
    struct json_writer *json = &s->json;
    json_begin(json, JSON_TYPE("timeline"));
    json_put_time(json, JSON_KEY("ts"), f->first_ns);
    json_put_string(json, JSON_KEY("what"), happening_name(f->happening));
    json_put_time(json, JSON_KEY("from"), f->first_ns);
    json_put_time(json, JSON_KEY("to"), f->last_ns);
    write_words(s, JSON_KEY("text"), &f->sentence);
    json_put_unsigned(json, JSON_KEY("count"), f->count);
    write_nodes(json, f);
    write_numbers(json, f);
    json_end(json);
}

static void json_record(struct sink *sink, const struct record *given)
{
    struct json_state *s = sink->state;
    struct json_writer *json = &s->json;
    const struct ds_event *event = given->event;

    json->out = &sink->output.buffer;
    json->time_digits = sink->time_digits;
    if (given->finding != NULL && given->finding->happening != HAPPENING_NONE) {
        write_moment(s, given->finding);
        return;
    }
    if (given->finding != NULL) {
        write_finding(s, given->finding);
        return;
    }
    if (given->call != NULL) {
        write_call(s, given->call);
        return;
    }
    if (given->monitor != NULL) {
        write_monitor(s, given->monitor);
        return;
    }
    json_begin(json, given->link_facts ? JSON_TYPE("link_facts") : types[event->type].begin);
    json_put_time(json, JSON_KEY("ts"), event->ts_ns);
    json_put_unsigned(json, JSON_KEY("frame"), event->frame);
    json_put_unsigned(json, JSON_KEY("conn"), event->conn->number);
    json_put_object(json, JSON_KEY("src"), get_peers(s, event)); /* and "dst" */
    s->note = &given->note;
    if (given->link_facts)
        json_link_write(event, json);
    else if (event->type == DS_EVENT_MESSAGE)
        write_message(s, event);
    else if (types[event->type].write != NULL)
        types[event->type].write(json, event);
    if (!given->link_facts) {
        write_note(s, given);
        write_trouble(json, event);
    }
    json_end(json);
}

static const struct json_key loss_keys[LOSS_CAUSE_COUNT] = {
#define LOSS(id, name, unit, text) [LOSS_##id] = JSON_KEY_INIT(unit),
#include "record/losses.def"
#undef LOSS
};

static void json_lost(struct sink *sink, const struct loss *loss)
{
    struct json_writer *json = &((struct json_state *)sink->state)->json;
    json->out = &sink->output.buffer;
    json->time_digits = sink->time_digits;
    json_begin(json, JSON_TYPE("lost"));
    json_put_time(json, JSON_KEY("ts"), loss->first_ns);
    json_put_time(json, JSON_KEY("until"), loss->last_ns);
    json_put_string(json, JSON_KEY("cause"), loss_cause_name(loss->cause));
    json_put_unsigned(json, loss_keys[loss->cause], loss->count);
    if (loss->messages != 0)
        json_put_unsigned(json, JSON_KEY("messages"), loss->messages);
    json_end(json);
}

static bool json_open(struct sink *sink)
{
    struct json_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return false;
    s->endpoints = endpoint_cache_new(print_peers);
    if (s->endpoints == NULL) {
        free(s);
        return false;
    }
    uint64_t max_depth = sink->config->limits[DS_LIMIT_DEPTH];
    s->json.limits.max_depth = max_depth < UINT32_MAX ? (uint32_t)max_depth : UINT32_MAX;
    s->json.limits.syntax = sink->config->json_syntax;
    s->json.tree.syntax = sink->config->json_syntax;
    s->json.limits.memo = ds_term_memo_new();
    s->json.limits.base64_min = sink->config->json_base64 ? BASE64_MIN : 0;
    s->etf = sink->config->etf;
    if (!sink->config->redacted && (s->said = term_text_cache_new()) == NULL) {
        endpoint_cache_free(s->endpoints);
        ds_term_memo_free(s->json.limits.memo);
        free(s);
        return false;
    }
    sink->state = s;
    json_tree_start();
    return true;
}

static void json_close(struct sink *sink)
{
    struct json_state *s = sink->state;
    endpoint_cache_free(s->endpoints);
    term_text_cache_free(s->said);
    ds_term_memo_free(s->json.limits.memo);
    json_writer_free(&s->json);
    ds_buffer_free(&s->scratch);
    free(s);
}

static bool json_is_stateless(const struct sink_config *config)
{
    (void)config;
    return true;
}

const struct sink_kind sink_json = {
    .name = "json",
    .help = "one JSON object a line, for programs",
    .open = json_open,
    .record = json_record,
    .lost = json_lost,
    .close = json_close,
    .stateless = json_is_stateless,
    .takes_links = true,
    .takes_monitors = true,
    .takes_findings = true,
    .takes_timeline = true,
};
