/*
 * socket_osiris.c - replication of RabbitMQ's streams (osiris). A replica listens on a port between
 * 6000 and 6500 and asks the leader's node to connect there (socket_places.h). The leader sends a
 * token of 32 bytes, then chunks:
 *
 *   magic and version:1 (0x50) type:1 entries:2 records:4 timestamp:8 epoch:8 chunk id:8 crc:4
 *   data length:4 trailer length:4 filter length:1 reserved:3, then filter, data, trailer
 *
 * The chunk id is the offset of its first record. The replica sends nothing on this connection.
 */
#include "sockets/socket.h"

#include "dist/socket_places.h"

#include <string.h>

enum {
    TOKEN_LEN = 32,
    HEAD_LEN = 48,
    MAGIC = 0x50,
    NUM_TYPES = 3, /* data, tracking, a snapshot of tracking */
    FIRST_PORT = 6000,
    LAST_PORT = 6500,
};

/* Plausible range of a chunk's time, in milliseconds. */
#define FIRST_MS (INT64_C(1420070400) * 1000) /* 2015 */
#define LAST_MS (INT64_C(4102444800) * 1000)  /* 2100 */

struct osiris_chunk {
    uint16_t entries;
    uint32_t records, data_len, trailer_len;
    uint64_t epoch, id, len;
    int64_t time_ms;
};

/* read_chunk reads the head of a chunk. PROTO_MORE: the bytes so far fit. */
static enum proto_guess read_chunk(struct cursor at, struct osiris_chunk *out)
{
    uint8_t magic, type, filter_len = 0;
    uint64_t time;
    uint32_t crc;
    if (!cursor_read_u8(&at, &magic))
        return PROTO_MORE;
    if (magic != MAGIC)
        return PROTO_NO;
    if (!cursor_read_u8(&at, &type))
        return PROTO_MORE;
    if (type >= NUM_TYPES)
        return PROTO_NO;
    if (!cursor_read_u16(&at, &out->entries) || !cursor_read_u32(&at, &out->records) ||
        !cursor_read_u64(&at, &time))
        return PROTO_MORE;
    out->time_ms = time <= INT64_MAX ? (int64_t)time : INT64_MAX;
    if (out->time_ms < FIRST_MS || out->time_ms > LAST_MS)
        return PROTO_NO;
    if (!cursor_read_u64(&at, &out->epoch) || !cursor_read_u64(&at, &out->id) ||
        !cursor_read_u32(&at, &crc) || !cursor_read_u32(&at, &out->data_len) ||
        !cursor_read_u32(&at, &out->trailer_len) || !cursor_read_u8(&at, &filter_len) ||
        !cursor_skip(&at, 3))
        return PROTO_MORE;
    out->len = HEAD_LEN + (uint64_t)filter_len + out->data_len + out->trailer_len;
    return PROTO_YES;
}

/* begins_with_token: since any 32 bytes may be a token, it accepts only the token learned from the
 * distribution, or, on a usual port, one followed by a chunk. */
static enum proto_guess begins_with_token(const struct dissect_ctx *env, const struct conn *conn,
                                          struct cursor bytes)
{
    const struct socket_place *place =
        socket_places_find(env->places, &conn->tcp->addr[1], conn->tcp->port[1]);
    const bool is_usual = conn->tcp->port[1] >= FIRST_PORT && conn->tcp->port[1] <= LAST_PORT;
    struct osiris_chunk chunk;
    struct cursor token;
    if (place == NULL && !is_usual)
        return PROTO_NO;
    if (!cursor_child(&bytes, TOKEN_LEN, &token))
        return PROTO_MORE;
    if (place != NULL && place->has_token)
        return memcmp(token.at, place->token, TOKEN_LEN) == 0 ? PROTO_YES : PROTO_NO;
    return read_chunk(bytes, &chunk);
}

static enum proto_guess osiris_probe(const struct dissect_ctx *env, const struct conn *conn,
                                     int dir, struct cursor bytes, bool late)
{
    struct osiris_chunk chunk;
    if (cursor_left(&bytes) == 0) /* on opening: the listener is known from the distribution */
        return conn->tcp->syn_seen[0] && socket_places_find(env->places, &conn->tcp->addr[1],
                                                            conn->tcp->port[1]) != NULL
                   ? PROTO_YES
                   : PROTO_NO;
    if (late)
        return read_chunk(bytes, &chunk);
    return dir == 0 && conn->tcp->syn_seen[0] ? begins_with_token(env, conn, bytes) : PROTO_NO;
}

static enum proto_guess osiris_measure(const struct socket *socket, int dir, struct cursor at,
                                       struct socket_unit *unit)
{
    const struct socket_dir *d = &socket->dirs[dir];
    struct osiris_chunk chunk = {0};
    if (d->num_units == 0 && !d->is_late) {
        unit->len = unit->need = TOKEN_LEN;
        return osiris_probe(socket->env, socket->conn, dir, at, false);
    }
    const enum proto_guess guess = read_chunk(at, &chunk);
    *unit = (struct socket_unit){.len = chunk.len, .need = HEAD_LEN};
    return guess;
}

/* name_ends names both ends as learned from the distribution. */
static void name_ends(struct socket *socket)
{
    const struct tcp_conn_view *tcp = socket->conn->tcp;
    const struct socket_place *place =
        socket_places_find(socket->env->places, &tcp->addr[1], tcp->port[1]);
    for (int end = 0; place != NULL && end < 2; end++)
        conn_set_node(socket->env, socket->conn, end, socket_place_node(place, end), 0, true);
}

static void osiris_read_unit(struct socket *socket, int dir, struct cursor unit, uint64_t len)
{
    struct osiris_chunk chunk;
    if (read_chunk(unit, &chunk) != PROTO_YES || len == TOKEN_LEN) {
        name_ends(socket);
        socket_emit_stream(socket, dir, &(struct ds_stream){.what = "token", .bytes = len});
        return;
    }
    socket_emit_stream(socket, dir,
                       &(struct ds_stream){.what = "chunk",
                                           .bytes = len,
                                           .has_offset = true,
                                           .offset = chunk.id,
                                           .epoch = chunk.epoch,
                                           .entries = chunk.entries,
                                           .records = chunk.records,
                                           .written_ns = chunk.time_ms * 1000000});
}

static bool osiris_start(struct dissect_ctx *env, struct conn *conn)
{
    if (!socket_start(env, conn))
        return false;
    name_ends(conn->state);
    return true;
}

const struct socket_proto socket_osiris = {
    .proto = {.name = "osiris",
              .probe = osiris_probe,
              .start = osiris_start,
              .feed = socket_feed,
              .gap = socket_gap,
              .end = socket_end,
              .sealed = socket_sealed,
              .close = socket_close,
              .syn_again = socket_syn_again},
    .measure = osiris_measure,
    .read_unit = osiris_read_unit,
};
