/*
 * channel_harness.h - a connection made of two channels (or of dist.c, handshake and all),
 * fed by hand; what comes out is written down, one line an event.
 *
 *     > message send_sender size=46 from=<alice@a.1.0> to=... payload=...
 *     < gap 12 fault=gap: packets are missing
 */
#ifndef TESTS_CHANNEL_HARNESS_H
#define TESTS_CHANNEL_HARNESS_H

#include "conn/conn.h"
#include "dist/dist.h"
#include "dist/dist_stream.h"
#include "dist/registry.h"
#include "known_conn.h"

#include <stdlib.h>

struct harness {
    struct dissect_ctx env;
    struct conn conn;
    struct tcp_conn_view tcp;
    struct dist_stream *channel[2]; /* NULL: through dist.c */
    struct ds_buffer out;
    struct known_conn known;
    bool broken; /* no memory to begin with */
};

static inline void harness_write_term(struct harness *h, const char *key, const struct ds_term *term)
{
    static const struct ds_term_print_options options = {.max_bytes = 64, .max_len = 4000};
    if (term->data == NULL)
        return;
    ds_buffer_printf(&h->out, " %s=", key);
    ds_term_print(term, &options, &h->out);
    if (term->damaged)
        ds_buffer_add_text(&h->out, " (damaged)");
}

static inline void harness_write_message(struct harness *h, const struct ds_message *message)
{
    if (message->op != NULL)
        ds_buffer_printf(&h->out, "message %s", message->op->name);
    else
        ds_buffer_printf(&h->out, "message op_%lld", (long long)message->code);
    ds_buffer_printf(&h->out, " size=%llu", (unsigned long long)message->size);
    if (message->fragments != 1)
        ds_buffer_printf(&h->out, " fragments=%u", message->fragments);
    if (message->op == NULL)
        harness_write_term(h, "control", &message->control);
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        harness_write_term(h, ds_role_name((enum ds_role)role), &message->role[role]);
    if (message->token.present) {
        ds_buffer_printf(&h->out, " token.flags=%lld token.serial=%lld token.previous=%lld",
                         (long long)message->token.flags, (long long)message->token.serial,
                         (long long)message->token.previous);
        harness_write_term(h, "token.label", &message->token.label);
        harness_write_term(h, "token.from", &message->token.from);
    }
    harness_write_term(h, "payload", &message->payload);
}

static inline void harness_write_frame(struct harness *h, const struct ds_event *event)
{
    const struct ds_frame *frame = &event->frame_sent;
    ds_buffer_printf(&h->out, "frame %s size=%llu", ds_frame_kind_name(frame->kind),
                     (unsigned long long)frame->size);
    if (frame->fragment != 0)
        ds_buffer_printf(&h->out, " sequence=%llu fragment=%llu",
                         (unsigned long long)frame->sequence,
                         (unsigned long long)frame->fragment);
    ds_buffer_add_text(&h->out, frame->completes ? " bytes=" : " goes on bytes=");
    for (size_t i = 0; i < event->bytes_len; i++)
        ds_buffer_printf(&h->out, "%02x", event->bytes[i]);
}

static inline void harness_on_event(void *context, const struct ds_event *event)
{
    struct harness *h = context;
    known_conn_check(&h->known, event->conn);
    ds_buffer_add_text(&h->out, event->dir == 0 ? "> " : "< ");
    switch (event->type) {
    case DS_EVENT_MESSAGE:
        harness_write_message(h, &event->message);
        break;
    case DS_EVENT_TICK:
        ds_buffer_add_text(&h->out, "tick");
        break;
    case DS_EVENT_GAP:
        ds_buffer_printf(&h->out, "gap %llu", (unsigned long long)event->gap.bytes);
        break;
    case DS_EVENT_HANDSHAKE:
        ds_buffer_printf(&h->out, "handshake %s", ds_handshake_step_name(event->handshake.step));
        break;
    case DS_EVENT_CONN:
        ds_buffer_printf(&h->out, "conn %s", ds_conn_state_name(event->change.state));
        break;
    case DS_EVENT_EPMD:
        ds_buffer_add_text(&h->out, "epmd");
        break;
    case DS_EVENT_FRAME:
        harness_write_frame(h, event);
        break;
    case DS_EVENT_STALL:
    case DS_EVENT_STREAM:
    case DS_EVENT_LOOKUP:
    case DS_EVENT_PART:
    case DS_EVENT_DATA:
        break; /* of the session */
    }
    if (event->unknown_atoms != 0)
        ds_buffer_printf(&h->out, " unknown_atoms=%u", event->unknown_atoms);
    if (event->address_atoms != 0)
        ds_buffer_printf(&h->out, " address_atoms=%u", event->address_atoms);
    if (event->inferred_atoms != 0)
        ds_buffer_printf(&h->out, " inferred_atoms=%u", event->inferred_atoms);
    if (event->likely_atoms != 0)
        ds_buffer_printf(&h->out, " likely_atoms=%u", event->likely_atoms);
    if (event->fault.kind != DS_FAULT_NONE)
        ds_buffer_printf(&h->out, " fault=%s at %llu: %s", ds_fault_kind_name(event->fault.kind),
                         (unsigned long long)event->fault.offset, event->fault.what);
    ds_buffer_add_text(&h->out, "\n");
}

/* harness_init begins a connection with default limits. */
static inline void harness_init(struct harness *h)
{
    *h = (struct harness){0};
    ds_config_init(&h->env.config);
    h->env.config.on_event = harness_on_event;
    h->env.config.context = h;
    h->env.memcap.max = h->env.config.limits[DS_LIMIT_MEMORY];
    h->conn.tcp = &h->tcp;
    h->tcp.frame = 1;
    for (int end = 0; end < 2; end++) {
        h->conn.view.end[end].port = h->tcp.port[end] = (uint16_t)(40000 + end);
        h->conn.view.end[end].addr = h->tcp.addr[end] =
            (struct ds_addr){4, {127, 0, 0, (uint8_t)(end + 1)}};
        h->tcp.syn_seen[end] = true;
    }
}

/* harness_open_channels makes two channels without a handshake. */
static inline void harness_open_channels(struct harness *h, bool late, bool latin1)
{
    for (int dir = 0; dir < 2; dir++) {
        h->channel[dir] = dist_stream_new(&h->env, &h->conn, dir, late);
        if (h->channel[dir] == NULL)
            h->broken = true;
        else if (latin1)
            dist_stream_use_latin1(h->channel[dir]);
    }
}

/* harness_open_connection makes a distribution connection that starts with its SYN. */
static inline void harness_open_connection(struct harness *h)
{
    h->env.registry = registry_new(h->env.config.limits[DS_LIMIT_NODES]);
    h->conn.proto = &dist_proto;
    h->broken = h->env.registry == NULL || !dist_proto.start(&h->env, &h->conn);
}

static inline void harness_feed(struct harness *h, int dir, const void *bytes, size_t len)
{
    if (h->broken || len == 0)
        return;
    if (h->conn.proto != NULL)
        h->conn.proto->feed(&h->env, &h->conn, dir, cursor_make(bytes, len));
    else
        dist_stream_feed(h->channel[dir], cursor_make(bytes, len));
}

static inline void harness_gap(struct harness *h, int dir, uint64_t len, enum tcp_gap why)
{
    if (h->broken)
        return;
    if (h->conn.proto != NULL)
        h->conn.proto->gap(&h->env, &h->conn, dir, len, why);
    else
        dist_stream_gap(h->channel[dir], len, why);
}

/* harness_end ends both directions and logs which nodes are at the ends. */
static inline void harness_end(struct harness *h)
{
    if (!h->broken && h->conn.proto != NULL) {
        h->conn.proto->close(&h->env, &h->conn, TCP_CLOSE_CAPTURE);
    } else if (!h->broken) {
        for (int dir = 0; dir < 2; dir++)
            dist_stream_end(h->channel[dir]);
    }
    for (int end = 0; end < 2; end++) {
        const struct ds_endpoint *endpoint = &h->conn.view.end[end];
        if (endpoint->node.data == NULL)
            continue;
        ds_buffer_printf(&h->out, "%c node %.*s%s creation=%u\n", end == 0 ? '>' : '<',
                         (int)endpoint->node.len, endpoint->node.data,
                         endpoint->node_inferred ? " (inferred)" : "", endpoint->creation);
    }
}

/* harness_free releases everything and returns the bytes that the meter still counts, which must be
 * 0. */
static inline uint64_t harness_free(struct harness *h)
{
    for (int dir = 0; dir < 2; dir++)
        dist_stream_free(h->channel[dir]);
    registry_free(h->env.registry);
    conn_forget_nodes(&h->conn);
    arena_free(&h->env.arena);
    ds_buffer_free(&h->out);
    return h->env.memcap.used;
}

#endif
