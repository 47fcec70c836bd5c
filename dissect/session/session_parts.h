/*
 * session_parts.h - shared by the files of a session: session.c is the interface of the library,
 * session_flow.c processes a connection, session_probe.c finds its protocol, flow_lifetime.c ends a
 * flow.
 */
#ifndef DISSECT_SESSION_PARTS_H
#define DISSECT_SESSION_PARTS_H

#include "conn/conn.h"
#include "conn/proto.h"
#include "conn/stream_buffer.h"
#include "dist/raw.h"
#include "net/packet.h"
#include "tcp/tcp.h"
#include "tls/tls.h"

struct probe {
    struct stream_buffer held;
    struct raw_early early;
    size_t looked_len; /* length of held when all of it was last probed */
    uint64_t num_bytes;
    unsigned num_segments;
    bool given_up;
};

/* flow connects a TCP connection to the stages above it. */
struct flow {
    struct conn conn;
    struct tcp_conn_view *tcp;
    struct probe probes[2];
    bool lost[2]; /* bytes were lost while probing */
    struct ds_session *session;
    struct tls *tls;   /* NULL: none */
    bool is_opened;    /* some TLS content was decrypted */
    bool is_fed;       /* its protocol has received something */
    unsigned in_tls;   /* nested calls of TLS that are running */
    bool is_forgotten; /* forget it when TLS is done */
    bool is_over;      /* closed: it is freed when TLS is done */
    bool is_late_close; /* its end was reported after records that had waited for keys */
    bool is_suspended; /* closed, but may continue */
};

struct ds_session {
    struct dissect_ctx env;
    struct packet_decoder decoder;
    struct tcp_table *tcp;
    char *cookie;
    struct all_node_atoms *own_memory; /* NULL: ds_config provides it, or there is none */
    struct tls_stage *tls;         /* NULL: no connection has needed it yet */
    bool ended;
};

/* session_tcp_events are the callbacks of the table of TCP connections. */
extern const struct tcp_events session_tcp_events;

/* session_probe looks for the protocol of a connection in its bytes. When it is found, the protocol
 * receives them, including those held. A connection without a protocol is forgotten. */
void session_probe(struct ds_session *session, struct flow *flow, int dir, struct cursor data);

/* session_knows_port says whether one of a connection's ports is known to carry distribution. */
bool session_knows_port(const struct ds_session *session, const struct flow *flow);

/* session_start_flow assigns a connection to its protocol. False if memory ran out: the
 * connection is then forgotten. */
bool session_start_flow(struct ds_session *session, struct flow *flow, const struct proto *proto);

/* session_forget_flow forgets a connection as soon as it is not in use. */
void session_forget_flow(struct ds_session *session, struct flow *flow);

/* session_free_flow frees a connection that TCP has closed and in which TLS is not running. */
void session_free_flow(struct ds_session *session, struct flow *flow);

/* TLS runs in a connection between session_enter_tls and session_leave_tls; the latter then does
 * what was postponed for the flow. */
void session_enter_tls(struct flow *flow);
void session_leave_tls(struct ds_session *session, struct flow *flow);

#endif
