/*
 * sink_maps.c - every record as a map, for Erlang (file:consult/1), for Elixir (Code.eval_file/1)
 * and in external term format ({packet, 4}). The fields are the same as in json, with Erlang's own
 * types: terms are terms, names of nodes and processes are atoms, text from peers is a binary,
 * points and spans of time are nanoseconds. The names are stable: add some, but never rename any.
 * The manual page lists them.
 */
#include "core/complain.h"
#include "core/community_id.h"
#include "output/map_write.h"
#include "output/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct maps_state {
    struct map_writer map;
    struct ds_buffer scratch;
};

/* put_address writes an end of a connection: the node's name, or if unknown, {Address, Port} as in
 * Erlang's inet. */
static void put_address(struct map_writer *map, const struct ds_endpoint *endpoint)
{
    const struct ds_addr *addr = &endpoint->addr;
    uint8_t num = addr->family == 4 ? 4 : 8;
    map_put_tuple(map, 2);
    map_put_tuple(map, num);
    for (uint8_t i = 0; i < num; i++) {
        if (i != 0)
            map_put_next(map);
        map_put_unsigned(map, num == 4
                                  ? addr->bytes[i]
                                  : (unsigned)addr->bytes[2 * i] << 8 | addr->bytes[2 * i + 1]);
    }
    map_put_tuple_end(map);
    map_put_next(map);
    map_put_unsigned(map, endpoint->port);
    map_put_tuple_end(map);
}

static void put_addresses(struct map_writer *map, const struct ds_event *event)
{
    map_key(map, "src_addr");
    put_address(map, &event->conn->end[event->dir]);
    map_key(map, "dst_addr");
    put_address(map, &event->conn->end[!event->dir]);
}

static void put_end(struct map_writer *map, const char *key, const char *inferred_key,
                    const struct ds_endpoint *endpoint)
{
    map_key(map, key);
    if (endpoint->node.data != NULL)
        map_put_atom(map, endpoint->node);
    else
        put_address(map, endpoint);
    if (endpoint->node.data != NULL && endpoint->node_inferred)
        map_field_bool(map, inferred_key, true);
}

static void put_peers(struct map_writer *map, const struct ds_event *event)
{
    put_end(map, "src", "src_inferred", &event->conn->end[event->dir]);
    put_end(map, "dst", "dst_inferred", &event->conn->end[!event->dir]);
}

/* put_second writes a second; the year 9999 means never. */
static void put_second(struct map_writer *map, const char *key, int64_t second)
{
    int64_t ns;
    if (second != 0 && !__builtin_mul_overflow(second, 1000000000, &ns))
        map_field_signed(map, key, ns);
}

static void put_ip(struct map_writer *map, const char *key, const struct ds_addr *from)
{
    char addr[DS_ADDR_LEN];
    ds_addr_print(from, addr);
    map_field_string(map, key, addr);
}

static void put_community_id(struct map_writer *map, const char *key, const struct ds_endpoint ends[2])
{
    char id[COMMUNITY_ID_SIZE];
    if (community_id_print(ends, id))
        map_field_string(map, key, id);
}

static void put_op(struct map_writer *map, const struct ds_message *m)
{
    char text[32];
    snprintf(text, sizeof text, "op_%" PRId64, m->code);
    map_field_word(map, "op", m->op != NULL ? m->op->name : m->code >= 0 ? text : "unknown");
}

static void put_roles(struct map_writer *map, const struct ds_message *m)
{
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        map_field_term(map, ds_role_name((enum ds_role)role), &m->role[role]);
}

/* put_unknown_atoms counts likely atoms as unknown in a file that is read back, as they are written
 * so. */
static void put_unknown_atoms(struct map_writer *map, const char *key, const struct ds_event *event)
{
    if (event->unknown_atoms + event->likely_atoms != 0)
        map_field_unsigned(map, key, event->unknown_atoms + event->likely_atoms);
}

static void put_pid(struct map_writer *map, const char *key, const struct party *party)
{
    if (party->node.data == NULL)
        return;
    map_key(map, key);
    map_put_pid(map, party->node, party->id, party->serial, party->creation);
}

static void put_ref(struct map_writer *map, const char *key, const struct monitor_end *m)
{
    if (m->watcher.node.data == NULL)
        return;
    map_key(map, key);
    map_put_reference(map, m->watcher.node, m->ref, m->num_ref_words, m->ref_creation);
}

/* PUT_PRINTED writes what print appends to the scratch memory. */
#define PUT_PRINTED(name, print)                                                                   \
    do {                                                                                           \
        w->scratch.len = 0;                                                                        \
        print;                                                                                     \
        w->map.failed |= w->scratch.failed;                                                        \
        map_field_text(&w->map, name, (struct ds_text){w->scratch.data, w->scratch.len});                \
    } while (0)

#define WRITER struct maps_state
#define KEY_TYPE const char *
#define KEY(name) name
#define KEY_SPAN(name) name
#define SYNTAX DS_SYNTAX_ERLANG

#define BEGIN(type) (map_begin(&w->map), map_field_word(&w->map, "type", type))
#define END() map_end(&w->map)
#define OPEN(key) (map_key(&w->map, key), map_put_open(&w->map))
#define CLOSE() map_put_close(&w->map)
#define LIST(key) (map_key(&w->map, key), map_put_list(&w->map))
#define LIST_END() map_put_list_end(&w->map)
#define ITEM_OPEN() (map_element(&w->map), map_put_open(&w->map))
#define ITEM_UNSIGNED(number) (map_element(&w->map), map_put_unsigned(&w->map, number))
#define ITEM_STRING(text) ITEM_ATOM(((struct ds_text){text, strlen(text)}))
#define ITEM_TEXT(text) (map_element(&w->map), map_put_binary(&w->map, text))
#define ITEM_ATOM(atom) (map_element(&w->map), map_put_atom(&w->map, atom))

#define PUT_WORD(name, word) map_field_word(&w->map, name, word)
#define PUT_NAME PUT_WORD
#define PUT_STRING(name, text) map_field_string(&w->map, name, text)
#define PUT_TEXT(name, text) map_field_text(&w->map, name, text)
#define PUT_TEXT_OR_NONE PUT_TEXT
#define PUT_ATOM(name, atom) map_field_atom(&w->map, name, atom)
#define PUT_TERM(name, term) map_field_term(&w->map, name, term)
#define PUT_UNSIGNED(name, number) map_field_unsigned(&w->map, name, number)
#define PUT_SIGNED(name, number) map_field_signed(&w->map, name, number)
#define PUT_BOOL(name, value) map_field_bool(&w->map, name, value)
#define PUT_TS(name, ns) PUT_SIGNED("time", ns)
#define PUT_TIME PUT_SIGNED
#define PUT_SPAN PUT_SIGNED
#define PUT_BARE_SPAN PUT_SIGNED
#define PUT_SECOND(name, second) put_second(&w->map, name, second)
#define PUT_FLAGS PUT_UNSIGNED
#define PUT_DIGEST(name, digest)                                                                   \
    map_field_text(&w->map, name, (struct ds_text){(const char *)(digest), sizeof(digest)})
#define PUT_ADDR(name, addr) put_ip(&w->map, name, addr)
#define PUT_COMMUNITY_ID(name, ends) put_community_id(&w->map, name, ends)
#define PUT_PEERS(name, event) put_peers(&w->map, event)
#define PUT_OP(name, message) put_op(&w->map, message)
#define PUT_ROLES(name, message) put_roles(&w->map, message)
#define PUT_PAYLOAD PUT_TERM
#define PUT_AS_ETF(name, term) /* the map has the term itself */
#define PUT_REQUEST(name, call) PUT_TERM(name, &(call)->request)
#define PUT_ANSWER PUT_TERM
#define PUT_UNKNOWN_ATOMS(name, event) put_unknown_atoms(&w->map, name, event)
#define PUT_NOTE_MFA(name, note) PUT_PRINTED(name, note_print_mfa_as(SYNTAX, note, 0, &w->scratch))
#define PUT_CALL_MFA(name, call) PUT_TEXT(name, (call)->mfa)
#define PUT_REF(name, monitor) put_ref(&w->map, name, monitor)
#define PUT_PID(name, party) put_pid(&w->map, name, party)
#define PUT_WORDING(name, wording) PUT_PRINTED(name, wording_print(wording, &w->scratch))
#define PUT_JSON_UNSIGNED(name, number) /* in the pid */
#define PUT_MAP_BOOL PUT_BOOL
#define PUT_MAP_TERM PUT_TERM
#define PUT_MAP_ADDRESSES(name, event) put_addresses(&w->map, event)
#include "output/params_write.h"
#define PUT_PARAMS(name, finding) (OPEN(name), write_params(w, finding), CLOSE())
#include "output/fields_write.h"

static void maps_record(struct sink *sink, const struct record *record)
{
    struct maps_state *s = sink->state;
    s->map.out = &sink->output.buffer;
    write_record(s, record);
}

static void maps_lost(struct sink *sink, const struct loss *loss)
{
    struct maps_state *s = sink->state;
    s->map.out = &sink->output.buffer;
    write_lost(s, loss);
}

static bool maps_open(struct sink *sink, enum map_form form, const char *begin)
{
    uint64_t max_depth = sink->config->limits[DS_LIMIT_DEPTH];
    struct maps_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return false;
    s->map.form = form;
    s->map.max_depth = max_depth < UINT32_MAX ? (uint32_t)max_depth : UINT32_MAX;
    sink->state = s;
    ds_buffer_add_text(&sink->output.buffer, begin);
    return true;
}

static bool erl_open(struct sink *sink)
{
    return maps_open(sink, MAP_ERLANG, "%% coding: utf-8; for file:consult/1\n");
}

static bool ex_open(struct sink *sink)
{
    return maps_open(sink, MAP_ELIXIR, "# for Code.eval_file/1\n[\n");
}

static void ex_end(struct sink *sink)
{
    ds_buffer_add_text(&sink->output.buffer, "]\n");
}

static bool etf_open(struct sink *sink)
{
    return maps_open(sink, MAP_ETF, "");
}

/* etf_check refuses to write to a terminal, which could interpret the bytes. */
static bool etf_check(const char *file)
{
    if (file != NULL || !isatty(STDOUT_FILENO))
        return true;
    complain("-T etf is not text: write to a file, -T etf=FILE, or to a pipe");
    return false;
}

static void maps_close(struct sink *sink)
{
    struct maps_state *s = sink->state;
    ds_buffer_free(&s->scratch);
    free(s);
}

static bool maps_are_by_themselves(const struct sink_config *config)
{
    (void)config;
    return true;
}

/* MAPS is the common part of the three formats. */
#define MAPS                                                                                       \
    .read_back = true, .record = maps_record, .lost = maps_lost, .close = maps_close,              \
    .stateless = maps_are_by_themselves, .takes_monitors = true, .takes_links = true,              \
    .takes_findings = true, .takes_timeline = true

const struct sink_kind sink_erl = {
    MAPS, .name = "erl", .help = "Erlang terms for file:consult/1", .open = erl_open};

const struct sink_kind sink_ex = {
    MAPS, .name = "ex", .help = "Elixir terms for Code.eval_file/1", .open = ex_open, .end = ex_end};

const struct sink_kind sink_etf = {
    MAPS, .name = "etf", .help = "external terms for binary_to_term/1", .open = etf_open,
    .check = etf_check};
