/*
 * socket_vernemq.c - VerneMQ's cluster channel. One end sends, the other only acknowledges the
 * beginning:
 *
 *   "vmq-connect" length:4 Node                 an external term
 *                                               "vmq-connect-ack"
 *   "vmq-send" length:4 Frames                  each "msg" length:4 Message
 *                                               or "enq" length:4 {Pid, Ref, Request}
 */
#include "sockets/socket.h"

#include <string.h>

/* starts_with says whether at begins with a text; PROTO_MORE: the bytes so far fit. */
static enum proto_guess starts_with(struct cursor at, const char *text)
{
    const size_t len = strlen(text);
    const struct cursor have = cursor_first(at, len);
    if (cursor_left(&have) == 0)
        return PROTO_MORE;
    if (memcmp(have.at, text, cursor_left(&have)) != 0)
        return PROTO_NO;
    return cursor_left(&have) == len ? PROTO_YES : PROTO_MORE;
}

static const char connect_word[] = "vmq-connect", ack_word[] = "vmq-connect-ack",
                  send_word[] = "vmq-send";
enum { FRAME_WORD_LEN = 3 }; /* "msg", "enq" */

static enum proto_guess vernemq_probe(const struct dissect_ctx *env, const struct conn *conn,
                                      int dir, struct cursor bytes, bool late)
{
    (void)env;
    (void)conn;
    (void)dir;
    if (cursor_left(&bytes) == 0)
        return PROTO_NO;
    const enum proto_guess guess = starts_with(bytes, connect_word);
    return guess != PROTO_NO || !late ? guess : starts_with(bytes, send_word);
}

/* measure_word measures a unit of a word, a length, and so many bytes. */
static enum proto_guess measure_word(struct cursor at, const char *word, struct socket_unit *unit)
{
    const enum proto_guess guess = starts_with(at, word);
    uint32_t len;
    if (guess != PROTO_YES)
        return guess;
    if (!cursor_skip(&at, strlen(word)) || !cursor_read_u32(&at, &len))
        return PROTO_MORE;
    unit->len = unit->need = strlen(word) + sizeof len + (uint64_t)len;
    return PROTO_YES;
}

static enum proto_guess vernemq_measure(const struct socket *socket, int dir, struct cursor at,
                                        struct socket_unit *unit)
{
    (void)socket;
    (void)dir;
    switch (starts_with(at, ack_word)) {
    case PROTO_YES:
        unit->len = unit->need = sizeof ack_word - 1;
        return PROTO_YES;
    case PROTO_MORE:
        return PROTO_MORE;
    case PROTO_NO:
        break;
    }
    const enum proto_guess guess = measure_word(at, connect_word, unit);
    return guess != PROTO_NO ? guess : measure_word(at, send_word, unit);
}

/* read_frames reports each message of a batch. */
static void read_frames(struct socket *socket, int dir, struct cursor at)
{
    static const struct ds_stream nonsense = {.what = "frames that cannot be read"};
    while (cursor_left(&at) != 0) {
        const struct cursor start = at;
        struct cursor term;
        uint32_t len;
        const bool is_frame =
            starts_with(at, "msg") == PROTO_YES || starts_with(at, "enq") == PROTO_YES;
        if (!is_frame || !cursor_skip(&at, FRAME_WORD_LEN) || !cursor_read_u32(&at, &len) ||
            !cursor_child(&at, len, &term)) {
            struct ds_stream stream = nonsense;
            stream.bytes = cursor_left(&start);
            socket_emit_stream(socket, dir, &stream);
            return;
        }
        socket_emit_term(socket, dir, term, cursor_offset(&at, &start));
    }
}

static void vernemq_read_unit(struct socket *socket, int dir, struct cursor unit, uint64_t len)
{
    struct cursor at = unit, term;
    struct socket_head head;
    uint32_t inner_len;
    if (starts_with(unit, ack_word) == PROTO_YES) {
        socket_emit_stream(socket, dir,
                           &(struct ds_stream){.what = "connect acknowledged", .bytes = len});
    } else if (starts_with(unit, send_word) == PROTO_YES) {
        if (cursor_skip(&at, sizeof send_word - 1 + sizeof inner_len))
            read_frames(socket, dir, at);
    } else if (cursor_skip(&at, sizeof connect_word - 1) && cursor_read_u32(&at, &inner_len) &&
               cursor_child(&at, inner_len, &term)) {
        if (socket_read_head(term, &head) == PROTO_YES && head.arity == 0 && head.word.len != 0 &&
            memchr(head.word.data, '@', head.word.len) != NULL)
            conn_set_node(socket->env, socket->conn, dir, head.word, 0, true);
        socket_emit_term(socket, dir, term, len);
    }
}

const struct socket_proto socket_vernemq = {
    .proto = SOCKET_PROTO("vernemq", vernemq_probe),
    .measure = vernemq_measure,
    .read_unit = vernemq_read_unit,
};
