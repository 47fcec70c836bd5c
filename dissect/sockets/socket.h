/*
 * socket.h - connections between nodes beside the distribution: the common part.
 *
 * The stream of these connections is a sequence of units, each with a length in its head. A
 * socket_proto measures and decodes the unit at a position. socket.c splits the stream into units
 * independently of its segments, skips those that are too large, and continues at a possible unit
 * after a loss.
 */
#ifndef DISSECT_SOCKET_H
#define DISSECT_SOCKET_H

#include "conn/conn.h"
#include "conn/stream_buffer.h"

enum { SOCKET_HEAD_LEN = 64 }; /* bytes kept of a unit whose rest is skipped */

struct socket_dir {
    struct stream_buffer held;
    uint8_t head[SOCKET_HEAD_LEN]; /* of the unit being skipped */
    size_t head_len;
    uint64_t unit_len;  /* its whole length */
    uint64_t skip;      /* bytes of it to come */
    uint64_t num_units; /* units that have begun */
    uint64_t lost_len;  /* bytes in which no unit was found */
    bool is_capped;     /* it is skipped because it is too large */
    bool is_late;       /* the first bytes were not captured */
    bool is_lost;       /* the position of the next unit is unknown */
    enum ds_fault_kind why_lost;
};

struct socket {
    struct dissect_ctx *env;
    struct conn *conn;
    const struct socket_proto *kind;
    struct socket_dir dirs[2];
    bool is_open;  /* it was reported */
    bool is_dead;  /* it has another protocol: report nothing */
    int closed_by; /* the end that sent the first FIN, or -1 */
};

/* socket_unit is the length of a unit, and how much of it is needed at once: all, or at most its
 * head. */
struct socket_unit {
    uint64_t len, need;
};

struct socket_proto {
    struct proto proto; /* first member: conn->proto points to it */
    /* measure fills in *unit for the bytes at at. PROTO_MORE: more bytes are needed. PROTO_NO: no
     * unit begins here. */
    enum proto_guess (*measure)(const struct socket *socket, int dir, struct cursor at,
                                struct socket_unit *unit);
    /* read_unit processes a unit of len bytes; unit contains the bytes needed. */
    void (*read_unit)(struct socket *socket, int dir, struct cursor unit, uint64_t len);
};

#define SOCKET(id, name) extern const struct socket_proto socket_##id;
#include "sockets/sockets.def"
#undef SOCKET

/* socket_emit_term emits a message with the term at the beginning of bytes, which begins with 131.
 * size: bytes on the wire. Bytes after the term are ignored. */
void socket_emit_term(struct socket *socket, int dir, struct cursor bytes, uint64_t size);

/* socket_emit_stream emits a unit that is not a term. */
void socket_emit_stream(struct socket *socket, int dir, const struct ds_stream *stream);

/* socket_head is the beginning of an external term, which distinguishes the protocols. */
struct socket_head {
    uint32_t arity;       /* of a tuple; 0: an atom */
    struct ds_text word;  /* the atom, or the first element of the tuple if it is an atom */
    uint32_t inner_arity; /* of the first element, if it is a tuple */
    struct ds_text inner; /* the first element of that tuple, if it is an atom */
    bool is_list;         /* a list: the other members describe its first element */
    struct cursor behind; /* the bytes after word, or after inner */
};

/* socket_read_head reads the beginning of a term, which begins with 131. PROTO_MORE: the bytes end
 * within it. PROTO_NO: it is neither an atom nor a tuple that begins with one. */
enum proto_guess socket_read_head(struct cursor bytes, struct socket_head *out);

bool socket_word_is(struct ds_text word, const char *text);

/* socket_read_node reads an atom with the name of a node. */
bool socket_read_node(struct cursor *at, struct ds_text *out);

/* socket_measure_packet4 is measure for units of a four-byte length and a term. */
enum proto_guess socket_measure_packet4(const struct socket *socket, int dir, struct cursor at,
                                        struct socket_unit *unit);

/* socket_begins_packet4 reads the beginning of the term in the first packet. PROTO_NO: there are no
 * bytes. */
enum proto_guess socket_begins_packet4(struct cursor bytes, struct socket_head *head);

/* The functions of struct proto, shared by all kinds. */
bool socket_start(struct dissect_ctx *env, struct conn *conn);
void socket_feed(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data);
void socket_gap(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len, enum tcp_gap why);
void socket_end(struct dissect_ctx *env, struct conn *conn, int dir);
void socket_sealed(struct dissect_ctx *env, struct conn *conn);
void socket_close(struct dissect_ctx *env, struct conn *conn, enum tcp_close why);
void socket_syn_again(struct dissect_ctx *env, struct conn *conn);

/* SOCKET_PROTO initialises the proto of a kind with its probe function. */
#define SOCKET_PROTO(title, asked)                                                                 \
    {                                                                                              \
        .name = title, .probe = asked, .start = socket_start, .feed = socket_feed,                 \
        .gap = socket_gap, .end = socket_end, .sealed = socket_sealed, .close = socket_close,      \
        .syn_again = socket_syn_again,                                                             \
    }

#endif
