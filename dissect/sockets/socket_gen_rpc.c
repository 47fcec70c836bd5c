/*
 * socket_gen_rpc.c - gen_rpc: calls and casts on separate TCP connections, usually to port 5369, or
 * 5370 and up.
 *
 * Packets of a four-byte length and an external term:
 *
 *   client                                            server
 *   {gen_rpc_authenticate_c, Challenge},              {gen_rpc_authenticate_cr, Response, Challenge}
 *     then length:2 and the wanted node
 *   {gen_rpc_authenticate_r, Response}
 *   {gen_rpc_authenticate_connection, Cookie}         gen_rpc_connection_authenticated (older)
 *   {gen_rpc_authenticate_connection, Node, Cookie}   {gen_rpc_connection_rejected, Reason}
 *                                                       (older, over TLS)
 *   {{call | async_call, M, F, A}, Caller}            {call | async_call, Caller, Reply}
 *   {cast | oc, M, F, A}, {abcast, Name, Message}, a list of these
 *   {sbcast, Name, Message, {Pid, Ref, Node}}         {sbcast, {Pid, Ref, Node}, Reply}
 *   ping
 *
 * Caller is {Pid, Tag} or {Pid, Ref}.
 */
#include "sockets/socket.h"

#include <string.h>

static const char greeting[] = "gen_rpc_";
enum { GREETING_LEN = sizeof greeting - 1 };

static bool is_greeting(struct ds_text word)
{
    return word.data != NULL && word.len > GREETING_LEN &&
           memcmp(word.data, greeting, GREETING_LEN) == 0;
}

/* is_work says whether a term is one that other protocols are unlikely to send. */
static bool is_work(const struct socket_head *head)
{
    static const struct {
        const char *word;
        uint32_t arity;
    } casts[] = {{"cast", 4},       {"oc", 4},     {"call", 3},
                 {"async_call", 3}, {"sbcast", 3}, {"sbcast", 4}};
    if (head->arity == 2 && head->inner_arity == 4)
        return socket_word_is(head->inner, "call") || socket_word_is(head->inner, "async_call");
    for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++) {
        if (head->arity == casts[i].arity && socket_word_is(head->word, casts[i].word))
            return true;
    }
    return false;
}

static enum proto_guess gen_rpc_probe(const struct dissect_ctx *env, const struct conn *conn,
                                      int dir, struct cursor bytes, bool late)
{
    struct socket_head head;
    (void)env;
    (void)conn;
    (void)dir;
    const enum proto_guess guess = socket_begins_packet4(bytes, &head);
    if (guess != PROTO_YES)
        return guess;
    return is_greeting(head.word) || (late && is_work(&head)) ? PROTO_YES : PROTO_NO;
}

/* learn_nodes: the client names the wanted node after its challenge and, over TLS, its own node. */
static void learn_nodes(struct socket *socket, int dir, const struct socket_head *head)
{
    struct cursor at = head->behind, name;
    struct ds_text node;
    uint32_t len;
    uint16_t name_len;
    uint8_t tag;
    if (socket_word_is(head->word, "gen_rpc_authenticate_connection") && head->arity == 3 &&
        socket_read_node(&at, &node))
        conn_set_node(socket->env, socket->conn, dir, node, 0, true);
    at = head->behind;
    if (socket_word_is(head->word, "gen_rpc_authenticate_c") && cursor_read_u8(&at, &tag) &&
        cursor_read_u32(&at, &len) && cursor_skip(&at, len) && cursor_read_u16(&at, &name_len) &&
        cursor_child(&at, name_len, &name) && cursor_left(&name) != 0)
        conn_set_node(socket->env, socket->conn, !dir, cursor_text(name), 0, true);
}

static void gen_rpc_read_unit(struct socket *socket, int dir, struct cursor unit, uint64_t len)
{
    struct socket_head head;
    if (!cursor_skip(&unit, sizeof(uint32_t)))
        return;
    if (socket_read_head(unit, &head) == PROTO_YES && is_greeting(head.word))
        learn_nodes(socket, dir, &head);
    socket_emit_term(socket, dir, unit, len);
}

const struct socket_proto socket_gen_rpc = {
    .proto = SOCKET_PROTO("gen_rpc", gen_rpc_probe),
    .measure = socket_measure_packet4,
    .read_unit = gen_rpc_read_unit,
};
