/*
 * sink_json.c - one JSON object a line, for programs. The names of the fields are stable: add some,
 * but never rename any. The manual page lists them.
 */
#include "core/community_id.h"
#include "output/endpoint_cache.h"
#include "output/finding_json.h"
#include "output/json_write.h"
#include "output/sink.h"
#include "output/term_text_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Shorter binaries are easier to read as text, and not much longer. */
enum { BASE64_MIN = 32 };

struct json_state {
    struct endpoint_cache *endpoints;
    struct json_writer json;
    struct ds_buffer scratch;
    const struct note *note; /* of the current event */
    struct term_text_cache *cache; /* NULL: a call's terms may be shown differently from its messages */
    bool etf;
};

/* print_endpoint writes an endpoint as an object: {"addr":"10.0.0.1","port":4369,"node":"a@h"} */
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

/* print_peers writes the object of the sender, and after it the field of the receiver. */
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

static void write_token(struct json_state *w, const struct ds_token *it);

static void write_role(struct json_state *s, enum ds_role role, const struct ds_message *message)
{
    const struct ds_term *term = &message->role[role];
    if (term->data == NULL)
        return;
    if (role == DS_ROLE_TOKEN && message->token.present)
        write_token(s, &message->token);
    else if (ds_role_is_number(role))
        json_put_number_term(&s->json, role_keys[role], term);
    else
        json_put_term(&s->json, role_keys[role], term);
}

static void write_roles(struct json_state *s, const struct ds_message *message)
{
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        write_role(s, (enum ds_role)role, message);
}

/* write_payload writes the payload, and remembers the part that the record of its call will repeat:
 * the request, or the answer in the message that ends it, which nearly always comes last. */
static void write_payload(struct json_state *s, const struct ds_term *payload)
{
    const struct note *note = s->note;
    const struct ds_term *body = &note->body;
    const bool is_last = body->data != NULL && body->data >= payload->data &&
                         body->data + body->len == payload->data + payload->len;
    const bool is_of_call =
        note->call != 0 && (note->role == NOTE_REQUEST || note->outcome != CALL_OPEN);
    if (s->cache == NULL || !is_of_call || !is_last || !term_text_cache_wants(body)) {
        json_put_term(&s->json, JSON_KEY("term"), payload);
        return;
    }
    struct ds_term_part part = {.data = body->data};
    json_put_term_with(&s->json, JSON_KEY("term"), payload, &part);
    if (part.len != 0)
        term_text_cache_keep(s->cache, note->call,
                             note->role == NOTE_REQUEST ? CACHED_REQUEST : CACHED_ANSWER, body,
                             (struct ds_text){s->json.out->data + part.at, part.len});
}

/* write_call_term writes a term of a call, which its message may have contained. */
static void write_call_term(struct json_state *s, struct json_key key, const struct call *call,
                            enum cached_what what, const struct ds_term *term)
{
    const struct json_written written = {
        s->cache != NULL ? term_text_cache_find(s->cache, call->number, what,
                                                term) : (struct ds_text){0}};
    if (written.text.data != NULL)
        json_put_written(&s->json, key, written);
    else
        json_put_term(&s->json, key, term);
}

/* put_op writes the name of a control message. */
static void put_op(struct json_writer *json, const struct ds_message *m)
{
    char text[32];
    if (m->op != NULL) {
        json_put_word(json, JSON_KEY("op"), m->op->name);
        return;
    }
    snprintf(text, sizeof text, "op_%" PRId64, m->code);
    json_put_string(json, JSON_KEY("op"), m->code >= 0 ? text : "unknown");
}

static void put_second(struct json_writer *json, struct json_key key, int64_t second)
{
    char text[sizeof "-2147483648-12-31T23:59:59Z"];
    const time_t time = (time_t)second;
    struct tm parts;
    if (second != 0 && gmtime_r(&time, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) != 0)
        json_put_string(json, key, text);
}

static void put_community_id(struct json_writer *json, struct json_key key,
                             const struct ds_endpoint ends[2])
{
    char id[COMMUNITY_ID_SIZE];
    if (community_id_print(ends, id))
        json_put_string(json, key, id);
}

static void put_flags(struct json_writer *json, struct json_key key, uint64_t flags)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, flags);
    json_put_string(json, key, text);
}

static void put_addr(struct json_writer *json, struct json_key key, const struct ds_addr *from)
{
    char addr[DS_ADDR_LEN];
    ds_addr_print(from, addr);
    json_put_string(json, key, addr);
}

/* PUT_PRINTED writes what print appends to the scratch memory. */
#define PUT_PRINTED(name, print)                                                                   \
    do {                                                                                           \
        w->scratch.len = 0;                                                                        \
        print;                                                                                     \
        json_put_text(&w->json, JSON_KEY(name), buffer_text(&w->scratch));                         \
    } while (0)
#define PUT_IF(there, put)                                                                         \
    do {                                                                                           \
        if (there)                                                                                 \
            put;                                                                                   \
    } while (0)

#define WRITER struct json_state
#define KEY_TYPE struct json_key
#define KEY(name) JSON_KEY(name)
#define KEY_SPAN(name) JSON_KEY(name "_us")
#define SYNTAX w->json.limits.syntax

#define BEGIN(type) json_begin(&w->json, JSON_TYPE(type))
#define END() json_end(&w->json)
#define OPEN(key) json_put_open(&w->json, key)
#define CLOSE() json_put_close(&w->json)
#define LIST(key) json_put_list(&w->json, key)
#define LIST_END() json_put_list_end(&w->json)
#define ITEM_OPEN() json_item_open(&w->json)
#define ITEM(put) (json_item(&w->json), put)
#define ITEM_UNSIGNED(number) ITEM(json_value_unsigned(&w->json, number))
#define ITEM_STRING(text) ITEM(json_value_string(&w->json, text))
#define ITEM_TEXT(text) ITEM(json_value_text(&w->json, text))
#define ITEM_ATOM ITEM_TEXT

#define PUT_WORD(name, word) PUT_IF((word) != NULL, json_put_word(&w->json, KEY(name), word))
#define PUT_NAME PUT_STRING
#define PUT_STRING(name, text) PUT_IF((text) != NULL, json_put_string(&w->json, KEY(name), text))
#define PUT_TEXT(name, text) PUT_IF((text).data != NULL, json_put_text(&w->json, KEY(name), text))
#define PUT_TEXT_OR_NONE(name, text) json_put_text(&w->json, KEY(name), text)
#define PUT_ATOM PUT_TEXT
#define PUT_TERM(name, term) PUT_IF((term)->data != NULL, json_put_term(&w->json, KEY(name), term))
#define PUT_UNSIGNED(name, number) json_put_unsigned(&w->json, KEY(name), number)
#define PUT_SIGNED(name, number) json_put_signed(&w->json, KEY(name), number)
#define PUT_BOOL(name, value) json_put_bool(&w->json, KEY(name), value)
#define PUT_TS PUT_TIME
#define PUT_TIME(name, ns) json_put_time(&w->json, KEY(name), ns)
#define PUT_SPAN(name, ns) json_put_microseconds(&w->json, KEY_SPAN(name), ns)
#define PUT_BARE_SPAN(name, ns) json_put_microseconds(&w->json, KEY(name), ns)
#define PUT_SECOND(name, second) put_second(&w->json, KEY(name), second)
#define PUT_FLAGS(name, flags) put_flags(&w->json, KEY(name), flags)
#define PUT_DIGEST(name, digest) json_put_hex(&w->json, KEY(name), digest, sizeof(digest))
#define PUT_ADDR(name, addr) put_addr(&w->json, KEY(name), addr)
#define PUT_COMMUNITY_ID(name, ends) put_community_id(&w->json, KEY(name), ends)
#define PUT_PEERS(name, event) json_put_object(&w->json, KEY(name), get_peers(w, event))
#define PUT_OP(name, message) put_op(&w->json, message)
#define PUT_ROLES(name, message) write_roles(w, message)
#define PUT_PAYLOAD(name, term) PUT_IF((term)->data != NULL, write_payload(w, term))
#define PUT_AS_ETF(name, term)                                                                     \
    PUT_IF(w->etf && (term)->data != NULL, json_put_etf(&w->json, KEY(name), term))
#define PUT_REQUEST(name, call)                                                                    \
    PUT_IF((call)->request.data != NULL,                                                           \
           write_call_term(w, KEY(name), call, CACHED_REQUEST, &(call)->request))
#define PUT_ANSWER(name, term)                                                                     \
    PUT_IF((term)->data != NULL, write_call_term(w, KEY(name), it, CACHED_ANSWER, term))
#define PUT_UNKNOWN_ATOMS(name, event)                                                             \
    PUT_IF((event)->unknown_atoms != 0, PUT_UNSIGNED(name, (event)->unknown_atoms))
#define PUT_NOTE_MFA(name, note) PUT_PRINTED(name, note_print_mfa_as(SYNTAX, note, 0, &w->scratch))
#define PUT_CALL_MFA(name, call) PUT_PRINTED(name, call_print_mfa_as(SYNTAX, call, &w->scratch))
#define PUT_REF(name, monitor) PUT_PRINTED(name, monitor_print_ref(monitor, &w->scratch))
#define PUT_PID(name, party) PUT_PRINTED(name, party_print_pid(SYNTAX, party, &w->scratch))
#define PUT_WORDING(name, wording) PUT_PRINTED(name, wording_print(wording, &w->scratch))
#define PUT_PARAMS(name, finding) finding_params_put(finding, KEY(name), &w->json)
#define PUT_JSON_UNSIGNED PUT_UNSIGNED
#define PUT_MAP_BOOL(name, value) /* only lists of all nodes have it */
#define PUT_MAP_TERM(name, term) /* JSON has it as text in mfa */
#define PUT_MAP_ADDRESSES(name, event) /* in src and dst */
#include "output/fields_write.h"

static void write_token(struct json_state *w, const struct ds_token *it)
{
    json_put_open(&w->json, role_keys[DS_ROLE_TOKEN]);
#define TOKEN_FIELD PUT
#include "record/fields.def"
    json_put_close(&w->json);
}

static void json_record(struct sink *sink, const struct record *record)
{
    struct json_state *s = sink->state;
    s->json.out = &sink->output.buffer;
    s->json.time_digits = sink->time_digits;
    s->note = &record->note;
    write_record(s, record);
}

static void json_lost(struct sink *sink, const struct loss *loss)
{
    struct json_state *s = sink->state;
    s->json.out = &sink->output.buffer;
    s->json.time_digits = sink->time_digits;
    write_lost(s, loss);
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
    s->json.limits.memo = ds_term_memo_new();
    s->json.limits.base64_min = sink->config->json_base64 ? BASE64_MIN : 0;
    s->etf = sink->config->etf;
    if (!sink->config->redacted && (s->cache = term_text_cache_new()) == NULL) {
        endpoint_cache_free(s->endpoints);
        ds_term_memo_free(s->json.limits.memo);
        free(s);
        return false;
    }
    sink->state = s;
    return true;
}

static void json_close(struct sink *sink)
{
    struct json_state *s = sink->state;
    endpoint_cache_free(s->endpoints);
    term_text_cache_free(s->cache);
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
