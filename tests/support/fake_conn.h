/*
 * fake_conn.h - a connection without TCP beneath it, for tests of protocols: what is sent
 * is given by hand, and every event becomes a line of text.
 *
 * A line is the sender ('>' the end that opened the connection, '<' the other), then what
 * the event says, then its fault. Nothing here allocates, so allocations can be made to
 * fail beneath it.
 */
#ifndef TESTS_FAKE_CONN_H
#define TESTS_FAKE_CONN_H

#include "conn/conn.h"
#include "dist/registry.h"
#include "dist/socket_places.h"
#include "known_conn.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { FAKE_LOG_LEN = 64 * 1024 };

struct fake {
    struct dissect_ctx env;
    struct tcp_conn_view tcp;
    struct conn conn;
    bool started;
    size_t num_finals;
    struct known_conn known;
    size_t log_len;
    char log[FAKE_LOG_LEN];
};

__attribute__((format(printf, 2, 3))) static inline void fake_log(struct fake *f,
                                                                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(&f->log[f->log_len], FAKE_LOG_LEN - f->log_len, format, args);
    va_end(args);
    if (len > 0 && (size_t)len < FAKE_LOG_LEN - f->log_len)
        f->log_len += (size_t)len;
}

static inline void fake_log_text(struct fake *f, const char *key, struct ds_text text)
{
    if (text.data != NULL)
        fake_log(f, " %s=%.*s", key, (int)text.len, text.data);
}

static inline void fake_log_number(struct fake *f, const char *key, uint64_t number)
{
    if (number != 0)
        fake_log(f, " %s=%" PRIu64, key, number);
}

static inline void fake_log_epmd(struct fake *f, const struct ds_epmd *e)
{
    fake_log(f, "%s", ds_epmd_op_name(e->op));
    fake_log_text(f, "name", e->name);
    fake_log_number(f, "port", e->port);
    fake_log_number(f, "type", e->node_type);
    fake_log_number(f, "high", e->highest_version);
    fake_log_number(f, "low", e->lowest_version);
    if (e->extra.len != 0)
        fake_log_text(f, "extra", e->extra);
    fake_log_number(f, "result", e->result);
    fake_log_number(f, "creation", e->creation);
    fake_log_number(f, "epmd", e->epmd_port);
    for (size_t i = 0; i < e->num_nodes; i++)
        fake_log(f, " [%.*s %u %d %s]", (int)e->nodes[i].name.len, e->nodes[i].name.data,
                 (unsigned)e->nodes[i].port, (int)e->nodes[i].fd,
                 e->nodes[i].active ? "active" : "old");
    fake_log_text(f, "raw", e->raw);
}

static inline void fake_log_handshake(struct fake *f, const struct ds_handshake *h)
{
    fake_log(f, "%s", ds_handshake_step_name(h->step));
    fake_log_number(f, "version", h->version);
    if (h->has_flags)
        fake_log(f, " flags=%" PRIx64, h->flags);
    fake_log_text(f, "name", h->name);
    fake_log_number(f, "creation", h->creation);
    fake_log_text(f, "status", h->status);
    if (h->has_challenge)
        fake_log(f, " challenge=%" PRIu32, h->challenge);
    if (h->has_digest)
        fake_log(f, " digest=%02x..%02x", h->digest[0], h->digest[15]);
    if (h->cookie != DS_COOKIE_UNCHECKED)
        fake_log(f, " cookie=%s", h->cookie == DS_COOKIE_OK ? "ok" : "wrong");
    if (h->cookie_note != NULL)
        fake_log(f, " (%s)", h->cookie_note);
}

static inline void fake_on_event(void *context, const struct ds_event *e)
{
    struct fake *f = context;
    known_conn_check(&f->known, e->conn);
    fake_log(f, "%c ", e->dir == 0 ? '>' : '<');
    switch (e->type) {
    case DS_EVENT_EPMD:
        fake_log_epmd(f, &e->epmd);
        break;
    case DS_EVENT_HANDSHAKE:
        fake_log_handshake(f, &e->handshake);
        break;
    case DS_EVENT_CONN:
        fake_log(f, "conn %s%s%s", ds_conn_state_name(e->change.state),
                 e->change.reason != NULL ? ": " : "",
                 e->change.reason != NULL ? e->change.reason : "");
        f->num_finals += e->change.final;
        break;
    case DS_EVENT_GAP:
        fake_log(f, "gap %" PRIu64, e->gap.bytes);
        break;
    case DS_EVENT_MESSAGE:
        fake_log(f, "message");
        break;
    case DS_EVENT_TICK:
        fake_log(f, "tick");
        break;
    case DS_EVENT_STALL:
    case DS_EVENT_STREAM:
    case DS_EVENT_LOOKUP:
    case DS_EVENT_PART:
    case DS_EVENT_DATA:
    case DS_EVENT_FRAME:
        fake_log(f, "raw");
        break;
    }
    if (e->fault.kind != DS_FAULT_NONE)
        fake_log(f, " !%s at %" PRIu64 ": %s", ds_fault_kind_name(e->fault.kind),
                 e->fault.offset, e->fault.what);
    fake_log(f, "\n");
}

static inline void fake_on_port(void *context, uint16_t port, struct ds_text name)
{
    fake_log(context, "port %u %.*s\n", (unsigned)port, (int)name.len, name.data);
}

/* fake_begin prepares what a session has; false if memory ran out. */
static inline bool fake_begin(struct fake *f)
{
    f->log_len = 0;
    f->log[0] = '\0';
    f->num_finals = 0;
    f->known.view.number = 0;
    f->started = false;
    f->env = (struct dissect_ctx){0};
    ds_config_init(&f->env.config);
    f->env.config.on_event = fake_on_event;
    f->env.config.on_port = fake_on_port;
    f->env.config.context = f;
    f->env.memcap.max = f->env.config.limits[DS_LIMIT_MEMORY];
    f->env.registry = registry_new(f->env.config.limits[DS_LIMIT_NODES]);
    return f->env.registry != NULL;
}

/* fake_open_half opens 10.0.0.1:port0 to 10.0.0.2:port1. syn: the capture has the beginning of a
 * direction. */
static inline bool fake_open_half(struct fake *f, const struct proto *proto, uint16_t port0,
                                  uint16_t port1, bool syn0, bool syn1)
{
    f->tcp = (struct tcp_conn_view){
        .port = {port0, port1}, .syn_seen = {syn0, syn1}, .frame = 1};
    f->conn = (struct conn){.tcp = &f->tcp, .proto = proto, .late = {!syn0, !syn1}};
    for (int end = 0; end < 2; end++) {
        f->tcp.addr[end] = (struct ds_addr){4, {10, 0, 0, (uint8_t)(end + 1)}};
        f->conn.view.end[end].addr = f->tcp.addr[end];
        f->conn.view.end[end].port = f->tcp.port[end];
    }
    f->started = proto->start(&f->env, &f->conn);
    return f->started;
}

static inline bool fake_open(struct fake *f, const struct proto *proto, uint16_t port0,
                             uint16_t port1, bool syn)
{
    return fake_open_half(f, proto, port0, port1, syn, syn);
}

static inline void fake_send(struct fake *f, int dir, const void *bytes, size_t len)
{
    f->tcp.frame++;
    f->conn.view.counters[dir].bytes += len;
    f->conn.proto->feed(&f->env, &f->conn, dir, cursor_make(bytes, len));
}

static inline void fake_gap(struct fake *f, int dir, uint64_t len, enum tcp_gap why)
{
    f->conn.proto->gap(&f->env, &f->conn, dir, len, why);
}

/* fake_fin ends a direction as FIN does. */
static inline void fake_fin(struct fake *f, int dir)
{
    f->conn.proto->end(&f->env, &f->conn, dir);
}

static inline void fake_close(struct fake *f, enum tcp_close why)
{
    if (f->started)
        f->conn.proto->close(&f->env, &f->conn, why);
    f->started = false;
    conn_forget_nodes(&f->conn);
}

/* fake_finish frees what fake_begin made. The meter must count no bytes then. */
static inline uint64_t fake_finish(struct fake *f)
{
    registry_free(f->env.registry);
    socket_places_free(f->env.places);
    arena_free(&f->env.arena);
    return f->env.memcap.used;
}

#endif
