/*
 * dist_conn.h - the state of a distribution connection, as its life (dist.c) and its end
 * (dist_close.c) share it.
 */
#ifndef DISSECT_DIST_CONN_H
#define DISSECT_DIST_CONN_H

#include "conn/stream_buffer.h"
#include "dist/dist_stream.h"

enum dist_phase {
    DIST_UNKNOWN,   /* nothing seen yet, or what follows a gap: the next bytes decide */
    DIST_HANDSHAKE, /* a handshake message begins, or is in held */
    DIST_CHANNEL,
    DIST_DEAD, /* not to be decoded */
};

struct dist_dir {
    enum dist_phase phase;
    bool lost; /* bytes before these are missing */
    struct stream_buffer held;
    struct dist_stream *channel;
    enum ds_handshake_step last_step; /* UNKNOWN: none */
    uint64_t flags;
    bool has_flags;
    uint8_t version;
    int64_t heard_ns;         /* when it last sent something */
    uint64_t unheard_ticks;   /* that the other end had sent by then */
    uint32_t challenge; /* given to the other end */
    bool has_challenge;
    bool was_inside; /* of a message, when the connection ended */
    enum ds_cookie_check cookie; /* of the digest it sent */
};

enum refusal {
    REFUSAL_NONE,
    REFUSAL_NOK,
    REFUSAL_NOT_ALLOWED,
    REFUSAL_ALIVE,       /* "alive", not answered yet */
    REFUSAL_ALIVE_FALSE, /* answered with "false" */
};

struct dist {
    struct dist_dir dirs[2];
    int initiator; /* the end, -1 until known */
    enum ds_handshake_step last_step;
    enum refusal refusal;
    bool opened; /* reported as open or joined late */
    bool up;
    bool tls;
    bool nonsense; /* something other than a handshake was sent */
    int closed_by; /* the end whose FIN came first, -1 */
    int64_t silence_ns; /* of the other end by then, 0 when not remarkable */
};

/* dist_report_half_close says that an end has closed the connection, and why. */
void dist_report_half_close(struct dissect_ctx *env, struct conn *conn, int dir);

/* dist_report_close says that the connection ended, and why. */
void dist_report_close(struct dissect_ctx *env, struct conn *conn, enum tcp_close why);

#endif
