/*
 * conn.h - a connection as the protocol stages see it, and what they may use.
 */
#ifndef DISSECT_CONN_H
#define DISSECT_CONN_H

#include "arena.h"
#include "cursor.h"
#include "meter.h"
#include "tcp.h"

#include <distsniff/dissect.h>

struct conn;
struct registry; /* who is registered where, see registry.h */

/* env is what the stages of one session share. */
struct env {
    struct ds_config config;
    struct ds_stats stats;
    struct meter meter;
    struct arena arena; /* of the current event: reset after each one */
    struct registry *registry;
};

/* proto is one protocol on a TCP connection. The table of them stands in proto.c. */
enum proto_guess { PROTO_NO, PROTO_MORE, PROTO_YES };

struct proto {
    const char *name;
    /* probe says whether the first bytes of direction dir are this protocol's; PROTO_MORE
     * when more bytes are needed to tell. */
    enum proto_guess (*probe)(const struct env *env, const struct conn *conn, int dir,
                              struct cursor bytes);
    bool (*start)(struct env *env, struct conn *conn); /* makes conn->state */
    void (*feed)(struct env *env, struct conn *conn, int dir, struct cursor data);
    void (*gap)(struct env *env, struct conn *conn, int dir, uint64_t len, enum tcp_gap why);
    void (*end)(struct env *env, struct conn *conn, int dir);
    void (*close)(struct env *env, struct conn *conn, enum tcp_close why); /* frees state */
};

/* conn is one connection above TCP. */
struct conn {
    struct ds_conn view; /* number 0 until something was reported of it */
    const struct tcp_conn_view *tcp;
    const struct proto *proto; /* NULL until known */
    void *state;               /* of proto */
};

/* env_emit completes an event (type, dir and the body are set by the caller; frame, time
 * and conn here), gives the connection its number if it has none, counts, calls back, and
 * resets the arena. What it counts, of the session and of the direction, is what the event
 * says: messages, ticks, gaps, faults, unknown atoms. Not in an event, and so counted
 * elsewhere: counters.bytes by the session, counters.frames by the stage that reads them
 * (a frame is a handshake message, a tick, a whole message or one fragment). */
void env_emit(struct env *env, struct conn *conn, struct ds_event *event);

/* conn_set_node names an end of a connection. name is copied. inferred: from control
 * messages; never replaces what handshake or EPMD said. Counts no_memory on failure. */
void conn_set_node(struct env *env, struct conn *conn, int end, struct ds_text name,
                   uint32_t creation, bool inferred);

#endif
