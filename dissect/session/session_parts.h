/*
 * session_parts.h - what the files of a session share: session.c is what the user of the library
 * calls, session_flow.c what becomes of a connection, session_probe.c how its protocol is found,
 * flow_lifetime.c how long a link is there.
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
    size_t looked_len; /* bytes of held at the last look at all of them */
    uint64_t num_bytes;
    unsigned num_segments;
    bool given_up;
};

/* flow ties a TCP connection to what stands above it. */
struct flow {
    struct conn conn;
    struct tcp_conn_view *tcp;
    struct probe probes[2];
    bool lost[2]; /* bytes went missing while probing */
    struct ds_session *session;
    struct tls *tls;   /* NULL: none */
    bool is_opened;    /* some of what is in TLS could be read */
    bool is_fed;       /* its protocol was given something */
    unsigned in_tls;   /* tls is at work, so many times over */
    bool is_forgotten; /* once it is done */
    bool is_over;      /* closed: it is freed once that is done */
    bool is_late_close; /* its end was told behind what had waited for keys */
    bool is_suspended; /* closed, and may go on */
};

struct ds_session {
    struct dissect_ctx env;
    struct packet_decoder decoder;
    struct tcp_table *tcp;
    char *cookie;
    struct all_node_atoms *own_memory; /* NULL: that of ds_config, or none */
    struct tls_stage *tls;         /* NULL: no connection needed it yet */
    bool ended;
};

/* session_tcp_events is what the table of TCP connections tells a session. */
extern const struct tcp_events session_tcp_events;

/* session_probe looks for the protocol of a connection in what comes of it, which the protocol gets
 * once it is found, with what was held of it. A connection of no protocol is forgotten. */
void session_probe(struct ds_session *session, struct flow *flow, int dir, struct cursor data);

/* session_knows_port says whether a connection is to or from a port known to carry distribution. */
bool session_knows_port(const struct ds_session *session, const struct flow *flow);

/* session_take_flow hands a connection to its protocol. False when memory ran out and the
 * connection is forgotten. */
bool session_take_flow(struct ds_session *session, struct flow *flow, const struct proto *proto);

/* session_forget_flow does so as soon as nobody uses the connection. */
void session_forget_flow(struct ds_session *session, struct flow *flow);

/* session_free_flow frees one that TCP has closed, in which TLS is not at work. */
void session_free_flow(struct ds_session *session, struct flow *flow);

/* Between session_enter_tls and session_leave_tls TLS is at work in a connection; what was to be done to
 * the link meanwhile is done by the latter. */
void session_enter_tls(struct flow *flow);
void session_leave_tls(struct ds_session *session, struct flow *flow);

#endif
