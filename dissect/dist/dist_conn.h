/*
 * dist_conn.h - the state of a distribution connection, shared by dist.c and dist_close.c.
 */
#ifndef DISSECT_DIST_CONN_H
#define DISSECT_DIST_CONN_H

#include "conn/stream_buffer.h"
#include "dist/dist_stream.h"

enum dist_phase {
    DIST_UNKNOWN,   /* nothing seen yet, or after a gap: the next bytes decide */
    DIST_HANDSHAKE, /* at the start of a handshake message, or held contains the beginning of one */
    DIST_CHANNEL,
    DIST_DEAD, /* not decoded */
};

struct dist_dir {
    enum dist_phase phase;
    bool lost; /* the bytes before these are missing */
    struct stream_buffer held;
    struct dist_stream *channel;
    enum ds_handshake_step last_step; /* UNKNOWN: there was none */
    uint64_t flags;
    bool has_flags;
    uint8_t version;
    int64_t heard_ns;         /* when this end last sent something */
    uint64_t unheard_ticks;   /* ticks of the other end at that time */
    uint32_t challenge; /* sent to the other end */
    bool has_challenge;
    bool was_inside; /* of a message, when the connection ended */
    enum ds_cookie_check cookie; /* result for the digest it sent */
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
    int initiator; /* its end, -1 until known */
    enum ds_handshake_step last_step;
    enum refusal refusal;
    bool opened; /* reported as open or joined late */
    bool up;
    bool tls;
    bool nonsense; /* something other than a handshake was sent */
    int closed_by; /* the end whose FIN came first, or -1 */
    int64_t silence_ns; /* how long the other end had been silent; 0: not for long */
};

/* dist_report_half_close reports that an end has closed the connection, and why. */
void dist_report_half_close(struct dissect_ctx *env, struct conn *conn, int dir);

/* dist_report_close reports that the connection ended, and why. */
void dist_report_close(struct dissect_ctx *env, struct conn *conn, enum tcp_close why);

#endif
