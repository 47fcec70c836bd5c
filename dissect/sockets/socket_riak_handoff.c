/*
 * socket_riak_handoff.c - a partition of Riak that moves to another node, usually to port 8099:
 * packets of a four-byte length, a type, and the content:
 *
 *   0 init              the partition, 20 bytes
 *   1 object, 5 batch   data
 *   2 older sync        the module
 *   3 sync              "sync"; the answer is the same
 *   4 configure         an external term, [{vnode_mod, Module} | _]
 */
#include "sockets/socket.h"

enum {
    HANDOFF_PORT = 8099,
    INIT_LEN = 1 + 20,
    TYPE_OLD_SYNC = 2,
    TYPE_CONFIGURE = 4,
    MAX_MODULE_LEN = 255
};

static const char *const types[] = {"init", "object", "sync (older)", "sync", "configure", "batch"};
enum { NUM_TYPES = sizeof types / sizeof types[0] };

static bool is_module(struct cursor name)
{
    uint8_t c;
    bool is_any = false;
    while (cursor_read_u8(&name, &c)) {
        if (c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9'))
            return false;
        is_any = true;
    }
    return is_any;
}

/* riak_probe: a handoff begins with its configuration, or the older sync. Later packets are not
 * recognizable. */
static enum proto_guess riak_probe(const struct dissect_ctx *env, const struct conn *conn, int dir,
                                   struct cursor bytes, bool late)
{
    struct socket_head head;
    struct cursor body;
    uint32_t len;
    uint8_t type;
    (void)env;
    if (cursor_left(&bytes) == 0 || late || dir != 0)
        return PROTO_NO;
    if (!cursor_read_u32(&bytes, &len))
        return PROTO_MORE;
    if (len < 2 || len > UINT16_MAX)
        return PROTO_NO;
    if (!cursor_child(&bytes, len, &body))
        return cursor_read_u8(&bytes, &type) && type != TYPE_CONFIGURE && type != TYPE_OLD_SYNC
                   ? PROTO_NO
                   : PROTO_MORE;
    if (!cursor_read_u8(&body, &type))
        return PROTO_NO;
    if (type == TYPE_OLD_SYNC)
        return conn->tcp->port[1] == HANDOFF_PORT && cursor_left(&body) <= MAX_MODULE_LEN &&
                       is_module(body)
                   ? PROTO_YES
                   : PROTO_NO;
    return type == TYPE_CONFIGURE && socket_read_head(body, &head) == PROTO_YES && head.is_list &&
                   head.arity == 2 && socket_word_is(head.word, "vnode_mod")
               ? PROTO_YES
               : PROTO_NO;
}

static enum proto_guess riak_measure(const struct socket *socket, int dir, struct cursor at,
                                     struct socket_unit *unit)
{
    uint32_t len;
    uint8_t type;
    (void)socket;
    (void)dir;
    if (!cursor_read_u32(&at, &len))
        return PROTO_MORE;
    if (len == 0)
        return PROTO_NO;
    if (!cursor_peek_u8(&at, &type))
        return PROTO_MORE;
    if (type >= NUM_TYPES && type != UINT8_MAX) /* 255: "unknown_msg" */
        return PROTO_NO;
    unit->len = sizeof len + (uint64_t)len;
    unit->need = type == TYPE_CONFIGURE ? unit->len : sizeof len + 1;
    return PROTO_YES;
}

static void riak_read_unit(struct socket *socket, int dir, struct cursor unit, uint64_t len)
{
    uint8_t type;
    if (!cursor_skip(&unit, sizeof(uint32_t)) || !cursor_read_u8(&unit, &type))
        return;
    if (type == TYPE_CONFIGURE)
        socket_emit_term(socket, dir, unit, len);
    else
        socket_emit_stream(
            socket, dir,
            &(struct ds_stream){.what = type < NUM_TYPES ? types[type] : "unknown", .bytes = len});
}

const struct socket_proto socket_riak_handoff = {
    .proto = SOCKET_PROTO("riak_handoff", riak_probe),
    .measure = riak_measure,
    .read_unit = riak_read_unit,
};
