/*
 * sink_maps.c - every record as a map, for Erlang (file:consult/1), for Elixir
 * (Code.eval_file/1) and in external term format ({packet, 4}). The fields are those of json,
 * where these have types of their own: terms are terms, names of nodes and processes are atoms,
 * what a peer sent as text is a binary, points and spans of time are nanoseconds. The names are
 * a promise: add, never rename. The manual page lists them.
 */
#include "core/complain.h"
#include "output/map_fields.h"
#include "output/map_link.h"
#include "output/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An end of a connection: the node's name, or while that is not known, {Address, Port} as
 * Erlang's inet has it. */
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

static void put_end(struct map_writer *map, const char *key, const char *inferred_key,
                    const struct ds_endpoint *endpoint)
{
    map_key(map, key);
    if (endpoint->node.data != NULL)
        map_put_atom(map, endpoint->node);
    else
        put_address(map, endpoint);
    map_field_true(map, inferred_key, endpoint->node.data != NULL && endpoint->node_inferred);
}

static const struct field epmd_fields[] = {
    FIELD(ds_epmd, "name", TEXT, name),
    FIELD(ds_epmd, "port", U16, port),
    FIELD(ds_epmd, "node_type", U8, node_type),
    FIELD(ds_epmd, "protocol", U8, protocol),
    FIELD(ds_epmd, "highest_version", U16, highest_version),
    FIELD(ds_epmd, "lowest_version", U16, lowest_version),
    FIELD(ds_epmd, "extra", TEXT, extra),
    FIELD(ds_epmd, "creation", U32, creation),
    FIELD(ds_epmd, "epmd_port", U32, epmd_port),
    FIELD(ds_epmd, "answer", TEXT, raw),
};

static void write_epmd(struct map_writer *map, const struct ds_event *event)
{
    static const bool has_result[DS_EPMD_COUNT] = {
        [DS_EPMD_ALIVE2_RESP] = true, [DS_EPMD_ALIVE2_X_RESP] = true, [DS_EPMD_PORT2_RESP] = true};
    const struct ds_epmd *epmd = &event->epmd;
    map_field_string(map, "op", ds_epmd_op_name(epmd->op), true);
    if (has_result[epmd->op])
        map_field_unsigned(map, "result", epmd->result);
    MAP_FIELDS(map, epmd_fields, epmd);
    if (epmd->op != DS_EPMD_NAMES_RESP && epmd->op != DS_EPMD_DUMP_RESP)
        return;
    map_key(map, "nodes");
    map_put_list(map);
    for (size_t i = 0; i < epmd->num_nodes; i++) {
        map_element(map);
        map_put_open(map);
        map_field_text(map, "name", epmd->nodes[i].name, false);
        map_field_unsigned(map, "port", epmd->nodes[i].port);
        map_field_true(map, "active", epmd->nodes[i].active);
        map_put_close(map);
    }
    map_put_list_end(map);
}

static const struct field handshake_fields[] = {
    FIELD(ds_handshake, "version", U8, version),
    FIELD(ds_handshake, "status", TEXT, status),
    FIELD(ds_handshake, "name", TEXT, name),
    FIELD(ds_handshake, "creation", U32, creation),
    FIELD(ds_handshake, "cookie_note", SAY, cookie_note),
};

static void write_handshake(struct map_writer *map, const struct ds_event *event)
{
    const struct ds_handshake *h = &event->handshake;
    map_field_string(map, "step", ds_handshake_step_name(h->step), true);
    MAP_FIELDS(map, handshake_fields, h);
    if (h->has_flags)
        map_field_unsigned(map, "flags", h->flags);
    if (h->has_challenge)
        map_field_unsigned(map, "challenge", h->challenge);
    if (h->has_digest)
        map_field_text(map, "digest", (struct ds_text){(const char *)h->digest, sizeof h->digest},
                       false);
    if (h->cookie != DS_COOKIE_UNCHECKED)
        map_field_string(map, "cookie_ok", h->cookie == DS_COOKIE_OK ? "true" : "false", true);
}

static const struct field counter_fields[] = {
    FIELD(ds_counters, "bytes", COUNT, bytes),
    FIELD(ds_counters, "frames", COUNT, frames),
    FIELD(ds_counters, "messages", COUNT, messages),
    FIELD(ds_counters, "ticks", COUNT, ticks),
    FIELD(ds_counters, "gaps", COUNT, gaps),
    FIELD(ds_counters, "gap_bytes", COUNT, gap_bytes),
    FIELD(ds_counters, "faults", COUNT, faults),
    FIELD(ds_counters, "unknown_atoms", COUNT, unknown_atoms),
};

static void put_counters(struct map_writer *map, const char *key,
                         const struct ds_counters *counters)
{
    map_key(map, key);
    map_put_open(map);
    MAP_FIELDS(map, counter_fields, counters);
    map_field_nonzero(map, "ignored", counters->ignored);
    map_put_close(map);
}

static const struct field tls_fields[] = {
    FIELD(ds_tls, "suite", SAY, suite_name),
    FIELD(ds_tls, "group", SAY, group),
    FIELD(ds_tls, "sni", TEXT, sni),
};

static void write_tls(struct map_writer *map, const struct ds_event *event)
{
    static const struct {
        const char *certificate, *until, *packed, *alert, *renewals;
    } keys[] = {{"src_certificate", "src_certificate_until", "src_certificate_packed", "src_alert",
                 "src_renewals"},
                {"dst_certificate", "dst_certificate_until", "dst_certificate_packed", "dst_alert",
                 "dst_renewals"}};
    const struct ds_tls *tls = event->conn->tls;
    if (tls == NULL)
        return;
    map_key(map, "tls");
    map_put_open(map);
    map_field_string(map, "version", ds_tls_version_name(tls->version), false);
    MAP_FIELDS(map, tls_fields, tls);
    map_field_true(map, "ech", tls->has_ech);
    map_field_string(map, "keys", ds_tls_keys_name(tls->keys), true);
    for (int end = 0; end < 2; end++) {
        const int dir = end == 0 ? event->dir : !event->dir;
        map_field_text(map, keys[end].certificate, tls->certificate[dir], false);
        int64_t until_ns; /* the year 9999 stands for never */
        if (tls->valid_until[dir] != 0 &&
            !__builtin_mul_overflow(tls->valid_until[dir], 1000000000, &until_ns))
            map_field_signed(map, keys[end].until, until_ns);
        map_field_string(map, keys[end].packed, tls->packed[dir], false);
        map_field_string(map, keys[end].alert, tls->alert[dir], false);
        map_field_nonzero(map, keys[end].renewals, tls->key_updates[dir]);
    }
    map_put_close(map);
}

static void write_conn(struct map_writer *map, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    const struct ds_conn *conn = event->conn;
    map_key(map, "src_addr");
    put_address(map, &conn->end[event->dir]);
    map_key(map, "dst_addr");
    put_address(map, &conn->end[!event->dir]);
    map_field_string(map, "state", ds_conn_state_name(change->state), true);
    map_field_string(map, "reason", change->reason, false);
    if (change->from.family != 0) {
        char addr[DS_ADDR_LEN];
        ds_addr_print(&change->from, addr);
        map_field_string(map, "icmp_from", addr, false);
    }
    write_tls(map, event);
    if (change->final) {
        put_counters(map, "src_sent", &conn->counters[event->dir]);
        put_counters(map, "dst_sent", &conn->counters[!event->dir]);
    }
}

static void write_message(struct map_writer *map, const struct ds_event *event)
{
    const struct ds_message *m = &event->message;
    if (m->op != NULL) {
        map_field_string(map, "op", m->op->name, true);
        for (int role = 0; role < DS_ROLE_COUNT; role++)
            map_field_term(map, ds_role_name((enum ds_role)role), &m->role[role]);
    } else {
        char text[32];
        snprintf(text, sizeof text, "op_%" PRId64, m->code);
        map_field_string(map, "op", m->code >= 0 ? text : "unknown", true);
        map_field_term(map, "control", &m->control);
    }
    map_field_term(map, "term", &m->payload);
    map_field_unsigned(map, "size", m->size);
    if (m->fragments > 1)
        map_field_unsigned(map, "fragments", m->fragments);
}

static void write_gap(struct map_writer *map, const struct ds_event *event)
{
    map_field_unsigned(map, "bytes", event->gap.bytes);
    if (event->gap.messages >= 0)
        map_field_signed(map, "messages", event->gap.messages);
}

static void write_stall(struct map_writer *map, const struct ds_event *event)
{
    const struct ds_stall *stall = &event->stall;
    map_field_string(map, "why", ds_stall_why_name(stall->why), true);
    map_field_true(map, "over", stall->is_over);
    map_field_signed(map, "start", stall->start_ns);
    map_field_signed(map, "duration", stall->duration_ns);
    map_field_unsigned(map, "in_flight", stall->in_flight);
    if (stall->message_size != 0) {
        map_field_unsigned(map, "message_size", stall->message_size);
        map_field_unsigned(map, "message_passed", stall->message_passed);
    }
}

static const struct {
    const char *name;
    void (*write)(struct map_writer *, const struct ds_event *);
} types[] = {
    [DS_EVENT_EPMD] = {"epmd", write_epmd}, [DS_EVENT_HANDSHAKE] = {"handshake", write_handshake},
    [DS_EVENT_CONN] = {"conn", write_conn}, [DS_EVENT_MESSAGE] = {"message", write_message},
    [DS_EVENT_TICK] = {"tick", NULL},       [DS_EVENT_GAP] = {"gap", write_gap},
    [DS_EVENT_STALL] = {"stall", write_stall},
};

static void write_trouble(struct map_writer *map, const struct ds_event *event)
{
    if (event->fault.kind != DS_FAULT_NONE) {
        map_key(map, "fault");
        map_put_open(map);
        map_field_string(map, "kind", ds_fault_kind_name(event->fault.kind), true);
        map_field_unsigned(map, "offset", event->fault.offset);
        map_field_string(map, "what", event->fault.what, false);
        map_put_close(map);
    }
    /* No guesses in a file that is read back. */
    map_field_nonzero(map, "unknown_atoms", event->unknown_atoms + event->likely_atoms);
    map_field_nonzero(map, "inferred_atoms", event->inferred_atoms);
}

static void put_titles(struct map_writer *map, const char *key, const struct titles *titles)
{
    if (titles == NULL)
        return;
    map_key(map, key);
    map_put_list(map);
    for (size_t i = 0; i < titles->num; i++) {
        map_element(map);
        map_put_binary(map, titles->text[i]);
    }
    map_put_list_end(map);
}

static const struct field note_fields[] = {
    FIELD(note, "call", U64, call),
    FIELD(note, "label", WORD, label),
    FIELD(note, "late", BOOL, late),
};

static void write_note(struct map_writer *map, const struct note *note)
{
    if (note->role == NOTE_NONE)
        return;
    map_field_string(map, "role", note_role_name(note->role), true);
    MAP_FIELDS(map, note_fields, note);
    map_field_text(map, note->from_is_for ? "from_for" : "from_name", note->from_name, true);
    map_field_text(map, note->to_is_for ? "to_for" : "to_name", note->to_name, true);
    if (note->has_latency)
        map_field_signed(map, "latency", note->latency_ns);
    put_titles(map, "from_titles", note->from_titles);
    put_titles(map, "to_titles", note->to_titles);
}

static void put_party(struct map_writer *map, const char *key, const struct party *party)
{
    map_key(map, key);
    map_put_open(map);
    map_field_text(map, "node", party->node, true);
    map_field_text(map, party->is_for ? "for" : "name", party->name, true);
    if (party->has_pid && party->node.data != NULL) {
        map_key(map, "pid");
        map_put_pid(map, party->node, party->id, party->serial, party->creation);
    }
    put_titles(map, "titles", party->titles);
    map_put_close(map);
}

static const struct field call_fields[] = {
    FIELD(call, "mfa", TEXT, mfa),
    FIELD(call, "module", TERM, mod),
    FIELD(call, "function", TERM, fun),
    FIELD(call, "args", TERM, args),
    FIELD(call, "request", TERM, request),
    FIELD(call, "result", TERM, result),
    FIELD(call, "class", WORD, error_class),
    FIELD(call, "reason", TERM, reason),
    FIELD(call, "start", I64, start_ns),
    FIELD(call, "start_frame", U64, start_frame),
    FIELD(call, "parent", U64, parent),
    FIELD(call, "parent_ambiguous", BOOL, parent_ambiguous),
    FIELD(call, "parent_inferred", BOOL, parent_inferred),
};

static void write_call(struct map_writer *map, const struct call *call)
{
    map_key(map, "type");
    map_put_word(map, "call");
    map_field_unsigned(map, "conn", call->conn);
    map_field_signed(map, "time", call->end_ns);
    map_field_unsigned(map, "frame", call->end_frame);
    map_field_unsigned(map, "call", call->number);
    map_field_string(map, "label", call->label, true);
    map_field_string(map, "outcome", call_outcome_name(call->outcome), true);
    if (call->certainty != CERTAINTY_SURE)
        map_field_string(map, "certainty", certainty_name(call->certainty), true);
    map_field_nonzero(map, "likely_atoms", call->likely_atoms);
    put_party(map, "caller", &call->caller);
    put_party(map, "callee", &call->callee);
    MAP_FIELDS(map, call_fields, call);
    if (call->request.data == NULL)
        map_field_unsigned(map, "request_bytes", call->request_len);
    map_field_signed(map, "latency", call->end_ns - call->start_ns);
    if (call->num_children == 0)
        return;
    map_key(map, "children");
    map_put_list(map);
    for (size_t i = 0; i < call->num_children; i++) {
        map_element(map);
        map_put_unsigned(map, call->children[i]);
    }
    map_put_list_end(map);
}

static const struct field monitor_fields[] = {
    FIELD(monitor_end, "start", I64, start_ns),
    FIELD(monitor_end, "start_frame", U64, start_frame),
};

static void write_monitor(struct map_writer *map, const struct monitor_end *m)
{
    map_key(map, "type");
    map_put_word(map, m->is_link ? "link" : "monitor");
    map_field_unsigned(map, "conn", m->conn);
    map_field_signed(map, "time", m->end_ns);
    map_field_unsigned(map, "frame", m->end_frame);
    put_party(map, "watcher", &m->watcher);
    put_party(map, "target", &m->target);
    if (m->num_ref_words != 0 && m->watcher.node.data != NULL) {
        map_key(map, "ref");
        map_put_reference(map, m->watcher.node, m->ref, m->num_ref_words, m->ref_creation);
    }
    map_field_string(map, "outcome", monitor_outcome_name(m->outcome), true);
    map_field_term(map, "reason", &m->reason);
    MAP_FIELDS(map, monitor_fields, m);
    map_field_signed(map, "duration", m->end_ns - m->start_ns);
}

static void write_event(struct map_writer *map, const struct record *record)
{
    const struct ds_event *event = record->event;
    map_key(map, "type");
    map_put_word(map, record->link_facts ? "link_facts" : types[event->type].name);
    map_field_unsigned(map, "conn", event->conn->number);
    map_field_signed(map, "time", event->ts_ns);
    map_field_unsigned(map, "frame", event->frame);
    put_end(map, "src", "src_inferred", &event->conn->end[event->dir]);
    put_end(map, "dst", "dst_inferred", &event->conn->end[!event->dir]);
    if (record->link_facts) {
        map_link_write(map, event);
        return;
    }
    if (types[event->type].write != NULL)
        types[event->type].write(map, event);
    write_note(map, &record->note);
    write_trouble(map, event);
}

static void maps_record(struct sink *sink, const struct record *record)
{
    struct map_writer *map = sink->state;
    map->out = &sink->output.buffer;
    map_begin(map);
    if (record->call != NULL)
        write_call(map, record->call);
    else if (record->monitor != NULL)
        write_monitor(map, record->monitor);
    else
        write_event(map, record);
    map_end(map);
}

static void maps_lost(struct sink *sink, const struct loss *loss)
{
    struct map_writer *map = sink->state;
    map->out = &sink->output.buffer;
    map_begin(map);
    map_field_string(map, "type", "lost", true);
    map_field_signed(map, "time", loss->first_ns);
    map_field_signed(map, "until", loss->last_ns);
    map_field_string(map, "cause", loss_cause_name(loss->cause), true);
    map_field_unsigned(map, loss_unit(loss->cause), loss->count);
    map_field_nonzero(map, "messages", loss->messages);
    map_end(map);
}

static bool maps_open(struct sink *sink, enum map_form form, const char *begin)
{
    uint64_t max_depth = sink->config->limits[DS_LIMIT_DEPTH];
    struct map_writer *map = calloc(1, sizeof *map);
    if (map == NULL)
        return false;
    map->form = form;
    map->max_depth = max_depth < UINT32_MAX ? (uint32_t)max_depth : UINT32_MAX;
    sink->state = map;
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

/* etf_check: no terminal is to be sent bytes that it would obey. */
static bool etf_check(const char *file)
{
    if (file != NULL || !isatty(STDOUT_FILENO))
        return true;
    complain("-T etf is not text: write to a file, -T etf=FILE, or to a pipe");
    return false;
}

static void maps_close(struct sink *sink)
{
    free(sink->state);
}

static bool maps_are_by_themselves(const struct sink_config *config)
{
    (void)config;
    return true;
}

const struct sink_kind sink_erl = {
    .name = "erl",
    .help = "Erlang terms for file:consult/1",
    .read_back = true,
    .open = erl_open,
    .record = maps_record,
    .lost = maps_lost,
    .close = maps_close,
    .stateless = maps_are_by_themselves,
    .takes_monitors = true,
    .takes_links = true,
};

const struct sink_kind sink_ex = {
    .name = "ex",
    .help = "Elixir terms for Code.eval_file/1",
    .read_back = true,
    .open = ex_open,
    .record = maps_record,
    .lost = maps_lost,
    .end = ex_end,
    .close = maps_close,
    .stateless = maps_are_by_themselves,
    .takes_monitors = true,
    .takes_links = true,
};

const struct sink_kind sink_etf = {
    .name = "etf",
    .help = "external terms for binary_to_term/1",
    .read_back = true,
    .open = etf_open,
    .record = maps_record,
    .lost = maps_lost,
    .close = maps_close,
    .stateless = maps_are_by_themselves,
    .takes_monitors = true,
    .takes_links = true,
    .check = etf_check,
};
