/*
 * socket.h - connections that nodes have beside the distribution: what all of them have in common.
 *
 * Such a connection is a row of units, each with a length in its head. A socket_proto says how long
 * the unit is that begins at a place, and what is in it; socket.c cuts the stream into units,
 * whatever the segments are, skips what is too large, and goes on where a unit may begin after
 * bytes were lost.
 */
#ifndef DISSECT_SOCKET_H
#define DISSECT_SOCKET_H

#include "conn/conn.h"
#include "conn/stream_buffer.h"

enum { SOCKET_HEAD_LEN = 64 }; /* the most that is kept of a unit whose rest is skipped */

struct socket_dir {
    struct stream_buffer held;
    uint8_t head[SOCKET_HEAD_LEN]; /* of the unit that is being skipped */
    size_t head_len;
    uint64_t unit_len;  /* of it, all */
    uint64_t skip;      /* bytes of it that are still to come */
    uint64_t num_units; /* that have begun */
    uint64_t lost_len;  /* bytes in which no unit was found */
    bool is_capped;     /* it is skipped as it is too large */
    bool is_late;       /* the first bytes are not the stream's */
    bool is_lost;       /* where a unit begins is not known */
    enum ds_fault_kind why_lost;
};

struct socket {
    struct dissect_ctx *env;
    struct conn *conn;
    const struct socket_proto *kind;
    struct socket_dir dirs[2];
    bool is_open;  /* it was reported */
    bool is_dead;  /* it turned out to be something else: nothing is said of it */
    int closed_by; /* the end that sent the first FIN, -1: none */
};

/* socket_unit is how long a unit is, and how much of it is wanted at once: all, or no more than its
 * head. */
struct socket_unit {
    uint64_t len, need;
};

struct socket_proto {
    struct proto proto; /* the first member: conn->proto is it */
    /* measure fills in *unit for what begins at. PROTO_MORE: that cannot be told yet. PROTO_NO:
     * nothing begins here. */
    enum proto_guess (*measure)(const struct socket *socket, int dir, struct cursor at,
                                struct socket_unit *unit);
    /* take takes a unit of len bytes, of which unit has what was wanted. */
    void (*take)(struct socket *socket, int dir, struct cursor unit, uint64_t len);
};

#define SOCKET(id, name) extern const struct socket_proto socket_##id;
#include "sockets/sockets.def"
#undef SOCKET

/* socket_emit_term emits a message with the term at the beginning of bytes, which has its 131.
 * size: bytes on the wire. What lies behind the term is left alone. */
void socket_emit_term(struct socket *socket, int dir, struct cursor bytes, uint64_t size);

/* socket_emit_stream emits a unit that is no term. */
void socket_emit_stream(struct socket *socket, int dir, const struct ds_stream *stream);

/* socket_head is the beginning of an external term: what tells protocols apart. */
struct socket_head {
    uint32_t arity;       /* of a tuple; 0: it is an atom */
    struct ds_text word;  /* the atom, or the first element of the tuple, where it is an atom */
    uint32_t inner_arity; /* of a tuple that is the first element */
    struct ds_text inner; /* its first element, an atom */
    bool is_list;         /* all of this is of its first element */
    struct cursor behind; /* what follows on word, or on inner */
};

/* socket_read_head reads the beginning of a term, which has its 131. PROTO_MORE: the bytes end
 * within it. PROTO_NO: it is no atom, and no tuple that begins with one. */
enum proto_guess socket_read_head(struct cursor bytes, struct socket_head *out);

bool socket_word_is(struct ds_text word, const char *text);

/* socket_read_node reads an atom with the name of a node. */
bool socket_read_node(struct cursor *at, struct ds_text *out);

/* socket_measure_packet4 is measure for units that are a length of four bytes and a term. */
enum proto_guess socket_measure_packet4(const struct socket *socket, int dir, struct cursor at,
                                        struct socket_unit *unit);

/* socket_begins_packet4 says how the term in the first packet begins. PROTO_NO: there are no bytes. */
enum proto_guess socket_begins_packet4(struct cursor bytes, struct socket_head *head);

/* The functions of struct proto, the same for all kinds. */
bool socket_start(struct dissect_ctx *env, struct conn *conn);
void socket_feed(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data);
void socket_gap(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len, enum tcp_gap why);
void socket_end(struct dissect_ctx *env, struct conn *conn, int dir);
void socket_sealed(struct dissect_ctx *env, struct conn *conn);
void socket_close(struct dissect_ctx *env, struct conn *conn, enum tcp_close why);
void socket_syn_again(struct dissect_ctx *env, struct conn *conn);

/* SOCKET_PROTO is the proto of a kind whose probe is the function given. */
#define SOCKET_PROTO(title, asked)                                                                 \
    {                                                                                              \
        .name = title, .probe = asked, .start = socket_start, .feed = socket_feed,                 \
        .gap = socket_gap, .end = socket_end, .sealed = socket_sealed, .close = socket_close,      \
        .syn_again = socket_syn_again,                                                             \
    }

#endif
