/*
 * socket_partisan.c - Partisan: packets of a four-byte length and an external term. The server
 * begins with {hello, Node}, the client answers {hello, Node, Channel}, the server {state, Tag,
 * State}. After that come {forward_message, ServerRef, Message} and messages of the membership.
 */
#include "sockets/socket.h"

static bool is_hello(const struct socket_head *head)
{
    struct cursor at = head->behind;
    struct ds_text node;
    return (head->arity == 2 || head->arity == 3) && socket_word_is(head->word, "hello") &&
           socket_read_node(&at, &node);
}

static enum proto_guess partisan_probe(const struct dissect_ctx *env, const struct conn *conn,
                                       int dir, struct cursor bytes, bool late)
{
    struct socket_head head;
    (void)env;
    (void)conn;
    (void)dir;
    const enum proto_guess guess = socket_begins_packet4(bytes, &head);
    if (guess != PROTO_YES)
        return guess;
    return is_hello(&head) ||
                   (late && head.arity >= 3 && socket_word_is(head.word, "forward_message"))
               ? PROTO_YES
               : PROTO_NO;
}

static void partisan_read_unit(struct socket *socket, int dir, struct cursor unit, uint64_t len)
{
    struct socket_head head;
    struct ds_text node;
    if (!cursor_skip(&unit, sizeof(uint32_t)))
        return;
    if (socket_read_head(unit, &head) == PROTO_YES && is_hello(&head) &&
        socket_read_node(&head.behind, &node))
        conn_set_node(socket->env, socket->conn, dir, node, 0, true);
    socket_emit_term(socket, dir, unit, len);
}

const struct socket_proto socket_partisan = {
    .proto = SOCKET_PROTO("partisan", partisan_probe),
    .measure = socket_measure_packet4,
    .read_unit = partisan_read_unit,
};
