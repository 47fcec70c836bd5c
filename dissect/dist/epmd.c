/*
 * epmd.c - the protocol between nodes and EPMD (erl_dist_protocol, "EPMD Protocol"). A request
 * begins with a length of 2 bytes:
 *
 *   ALIVE2_REQ        120 port:2 type:1 protocol:1 highest:2 lowest:2 nlen:2 name elen:2 extra
 *   PORT_PLEASE2_REQ  122 name            NAMES_REQ  110        DUMP_REQ  100
 *   KILL_REQ          107                 STOP_REQ   115 name
 *
 * A reply has no length; its first byte identifies it:
 *
 *   ALIVE2_RESP       121 result:1 creation:2
 *   ALIVE2_X_RESP     118 result:1 creation:4
 *   PORT2_RESP        119 result:1, and if that is 0 the fields of ALIVE2_REQ from port on
 *   NAMES_RESP        epmd_port:4, then "name NAME at port PORT\n" ... until the close
 *   DUMP_RESP         epmd_port:4, then "active name     <NAME> at port PORT, fd = FD\n" or
 *                     "old/unused name <NAME> at port PORT, fd = FD \n" ... until the close
 *   KILL_RESP         "OK"
 *   STOP_RESP         "STOPPED" or "NOEXIST"
 *
 * A registration lasts as long as the connection that made it.
 */
#include "dist/epmd.h"

#include "conn/stream_buffer.h"
#include "dist/epmd_list.h"
#include "dist/node_name.h"
#include "dist/registry.h"
#include "util/reader.h"

#include <stdlib.h>

enum { LENGTH_LEN = 2, MAX_LIST_LEN = 1024 * 1024 };

struct epmd_dir {
    struct stream_buffer held;
    bool list; /* NAMES or DUMP: everything until the close */
    bool lost; /* it is not certain where the next message begins */
    bool dead; /* no more can be decoded */
};

struct epmd {
    int server;               /* the end that is EPMD */
    enum ds_epmd_op request;  /* the last one; UNKNOWN before the first */
    uint16_t registered_port; /* not 0: this connection registered a node */
    struct epmd_dir dirs[2];
};

/* epmd_message is a message being parsed. */
struct epmd_message {
    struct cursor start;
    struct reader r;
    struct ds_event event;
};

/* put_fault makes the reader's error the fault of the event. */
static void put_fault(struct epmd_message *m)
{
    if (!reader_is_ok(&m->r))
        m->event.fault = (struct ds_fault){
            .kind = DS_FAULT_MALFORMED,
            .offset = cursor_offset(&m->r.at, &m->start),
            .what = m->r.wrong,
        };
}

static void message_init(struct epmd_message *m, struct cursor bytes, int dir)
{
    m->start = bytes;
    m->r = (struct reader){.at = bytes};
    m->event = (struct ds_event){
        .type = DS_EVENT_EPMD,
        .dir = (uint8_t)dir,
        .epmd.op = DS_EPMD_UNKNOWN,
        .bytes = bytes.at,
        .bytes_len = cursor_left(&bytes),
    };
}

static struct ds_text read_text(struct reader *r, const char *what)
{
    const uint16_t len = reader_u16(r, what);
    return cursor_text(reader_child(r, len, what));
}

/* read_node reads the fields that ALIVE2_REQ and PORT2_RESP share. */
static void read_node(struct epmd_message *m)
{
    struct ds_epmd *epmd = &m->event.epmd;
    epmd->port = reader_u16(&m->r, "no port");
    epmd->node_type = reader_u8(&m->r, "no node type");
    epmd->protocol = reader_u8(&m->r, "no protocol");
    epmd->highest_version = reader_u16(&m->r, "no highest version");
    epmd->lowest_version = reader_u16(&m->r, "no lowest version");
    epmd->name = read_text(&m->r, "the name is not whole");
    epmd->extra = read_text(&m->r, "the extra field is not whole");
}

static void read_name_to_end(struct epmd_message *m)
{
    m->event.epmd.name = cursor_text(reader_rest(&m->r));
    if (m->event.epmd.name.len == 0)
        reader_fail(&m->r, "no name");
}

static void read_nothing(struct epmd_message *m)
{
    (void)m;
}

static const struct epmd_request {
    uint8_t code;
    enum ds_epmd_op op;
    void (*read)(struct epmd_message *m);
} requests[] = {
    {120, DS_EPMD_ALIVE2_REQ, read_node},   {122, DS_EPMD_PORT_PLEASE2_REQ, read_name_to_end},
    {110, DS_EPMD_NAMES_REQ, read_nothing}, {100, DS_EPMD_DUMP_REQ, read_nothing},
    {107, DS_EPMD_KILL_REQ, read_nothing},  {115, DS_EPMD_STOP_REQ, read_name_to_end},
};

static const struct epmd_request *find_request(uint8_t code)
{
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (requests[i].code == code)
            return &requests[i];
    }
    return NULL;
}

/* read_request reads a request after its length. */
static void read_request(struct epmd_message *m)
{
    const struct cursor code_at = m->r.at;
    const uint8_t code = reader_u8(&m->r, "an empty request");
    const struct epmd_request *request = find_request(code);
    if (request != NULL && reader_is_ok(&m->r)) {
        m->event.epmd.op = request->op;
        request->read(m);
        reader_end(&m->r, "bytes after the end of the request");
    } else {
        m->r.at = code_at;
        reader_fail(&m->r, "no request begins like this");
    }
    put_fault(m);
}

static const struct ds_addr *epmd_addr(const struct conn *conn)
{
    const struct epmd *epmd = conn->state;
    return &conn->view.end[epmd->server].addr;
}

static void unregister(struct dissect_ctx *env, struct conn *conn)
{
    struct epmd *epmd = conn->state;
    if (epmd->registered_port != 0)
        registry_remove(env->registry, epmd->registered_port, conn);
    epmd->registered_port = 0;
}

static void name_to_utf8(struct dissect_ctx *env, struct epmd_message *m)
{
    if (!node_name_to_utf8(&env->arena, &m->event.epmd.name))
        env->stats.no_memory++;
}

static void handle_request(struct dissect_ctx *env, struct conn *conn, struct epmd_message *m)
{
    struct epmd *epmd = conn->state;
    const struct ds_epmd *body = &m->event.epmd;

    read_request(m);
    name_to_utf8(env, m);
    epmd->request = body->op;
    if (body->op == DS_EPMD_ALIVE2_REQ && body->name.data != NULL) {
        unregister(env, conn);
        registry_add(env, epmd_addr(conn), body->port, body->name, 0, conn);
        epmd->registered_port = body->port;
    }
    env_emit(env, conn, &m->event);
}

/* read_list reads a reply to NAMES or DUMP: all bytes until the close. */
static void read_list(struct dissect_ctx *env, struct conn *conn, struct epmd_message *m)
{
    const struct epmd *epmd = conn->state;
    struct ds_epmd *body = &m->event.epmd;
    bool dump = epmd->request == DS_EPMD_DUMP_REQ;

    body->epmd_port = reader_u32(&m->r, "no port of the EPMD");
    if (reader_is_ok(&m->r) && !epmd_read_list(&m->r.at, &env->arena, body, &dump, &m->r.wrong))
        env->stats.no_memory++;
    body->op = dump ? DS_EPMD_DUMP_RESP : DS_EPMD_NAMES_RESP;
    put_fault(m);
}

static void emit_list(struct dissect_ctx *env, struct conn *conn, struct epmd_message *m)
{
    read_list(env, conn, m);
    for (size_t i = 0; i < m->event.epmd.num_nodes; i++) {
        const struct ds_epmd_node *node = &m->event.epmd.nodes[i];
        if (node->active)
            registry_add(env, epmd_addr(conn), node->port, node->name, 0, NULL);
    }
    env_emit(env, conn, &m->event);
}

/* --- replies: the reader fails while bytes are missing --- */

static void read_alive2_resp(struct epmd_message *m)
{
    m->event.epmd.result = reader_u8(&m->r, "no result");
    m->event.epmd.creation = reader_u16(&m->r, "no creation");
}

static void read_alive2_x_resp(struct epmd_message *m)
{
    m->event.epmd.result = reader_u8(&m->r, "no result");
    m->event.epmd.creation = reader_u32(&m->r, "no creation");
}

static void read_port2_resp(struct epmd_message *m)
{
    m->event.epmd.result = reader_u8(&m->r, "no result");
    if (m->event.epmd.result == 0)
        read_node(m);
}

static void read_raw(struct epmd_message *m, size_t len)
{
    m->r.at = m->start;
    m->event.epmd.raw = cursor_text(reader_child(&m->r, len, "the text is not whole"));
}

static void read_kill_resp(struct epmd_message *m)
{
    read_raw(m, sizeof "OK" - 1);
}

static void read_stop_resp(struct epmd_message *m)
{
    read_raw(m, sizeof "STOPPED" - 1);
}

static const struct reply {
    uint8_t first;
    enum ds_epmd_op op;
    const char *text; /* the whole reply, if it is text */
    void (*read)(struct epmd_message *m);
} replies[] = {
    {121, DS_EPMD_ALIVE2_RESP, NULL, read_alive2_resp},
    {118, DS_EPMD_ALIVE2_X_RESP, NULL, read_alive2_x_resp},
    {119, DS_EPMD_PORT2_RESP, NULL, read_port2_resp},
    {'O', DS_EPMD_KILL_RESP, "OK", read_kill_resp},
    {'S', DS_EPMD_STOP_RESP, "STOPPED", read_stop_resp},
    {'N', DS_EPMD_STOP_RESP, "NOEXIST", read_stop_resp},
};

static const struct reply *find_reply(uint8_t first)
{
    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
        if (replies[i].first == first)
            return &replies[i];
    }
    return NULL;
}

static void handle_reply(struct dissect_ctx *env, struct conn *conn, struct epmd_message *m)
{
    struct epmd *epmd = conn->state;
    const struct ds_epmd *body = &m->event.epmd;

    name_to_utf8(env, m);
    if (body->op == DS_EPMD_PORT2_RESP && body->result == 0) {
        registry_add(env, epmd_addr(conn), body->port, body->name, 0, NULL);
    } else if (body->op == DS_EPMD_ALIVE2_RESP || body->op == DS_EPMD_ALIVE2_X_RESP) {
        if (body->result != 0)
            unregister(env, conn);
        else if (epmd->registered_port != 0)
            registry_set_creation(env->registry, epmd->registered_port, conn, body->creation);
    }
    env_emit(env, conn, &m->event);
}

/* --- streams --- */

/* The result of reading the next message of a direction. */
enum epmd_progress { MORE, DONE, HOPELESS };

/* feed_request processes the first request in bytes; *used is its length. */
static enum epmd_progress feed_request(struct dissect_ctx *env, struct conn *conn, int dir,
                                       struct cursor bytes, size_t *used)
{
    struct epmd_message m;
    struct cursor at = bytes;
    struct cursor body;
    uint16_t len;

    if (!cursor_read_u16(&at, &len) || !cursor_child(&at, len, &body))
        return MORE;
    *used = LENGTH_LEN + (size_t)len;
    bytes.end = at.at;
    message_init(&m, bytes, dir);
    m.r.at = body;
    handle_request(env, conn, &m);
    return DONE;
}

static enum epmd_progress feed_reply(struct dissect_ctx *env, struct conn *conn, int dir,
                                     struct cursor bytes, size_t *used)
{
    struct epmd *epmd = conn->state;
    struct epmd_message m;

    message_init(&m, bytes, dir);
    const uint8_t first = reader_u8(&m.r, "an empty reply");
    if (!reader_is_ok(&m.r))
        return MORE;
    if (first == 0) {
        /* It begins with EPMD's port: a list, which only the close ends. */
        epmd->dirs[dir].list = true;
        return MORE;
    }
    const struct reply *reply = find_reply(first);
    if (reply == NULL)
        return HOPELESS;
    m.event.epmd.op = reply->op;
    reply->read(&m);
    if (!reader_is_ok(&m.r))
        return MORE;
    if (reply->text != NULL &&
        memcmp(m.event.epmd.raw.data, reply->text, m.event.epmd.raw.len) != 0)
        return HOPELESS;
    *used = cursor_offset(&m.r.at, &m.start);
    m.event.bytes_len = *used;
    handle_reply(env, conn, &m);
    return DONE;
}

/* emit_rest reports bytes that are not a whole message. */
static void emit_rest(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor bytes,
                      enum ds_fault_kind kind, const char *what)
{
    struct epmd *epmd = conn->state;
    struct epmd_dir *d = &epmd->dirs[dir];
    struct epmd_message m;

    message_init(&m, bytes, dir);
    d->dead = true;
    if (d->list) {
        read_list(env, conn, &m);
    } else if (dir == epmd->server) {
        const struct reply *reply = find_reply(reader_u8(&m.r, "an empty reply"));
        if (reply != NULL && reply->text == NULL) {
            m.event.epmd.op = reply->op;
            reply->read(&m);
        }
    } else if (cursor_skip(&m.r.at, LENGTH_LEN)) {
        read_request(&m);
    }
    m.event.fault = (struct ds_fault){kind, cursor_left(&bytes), what};
    if (kind == DS_FAULT_MALFORMED && m.event.epmd.op == DS_EPMD_UNKNOWN)
        m.event.fault.offset = 0;
    env_emit(env, conn, &m.event);
    stream_buffer_free(&d->held, env);
}

/* looks_whole says whether bytes can be a message after a gap, or in a connection joined late: only
 * if they begin like one, and a request must end with them. */
static bool looks_whole(const struct epmd *epmd, int dir, struct cursor bytes)
{
    uint16_t len;
    uint8_t first;
    if (dir == epmd->server)
        return cursor_read_u8(&bytes, &first) &&
               (find_reply(first) != NULL || (first == 0 && (epmd->request == DS_EPMD_NAMES_REQ ||
                                                             epmd->request == DS_EPMD_DUMP_REQ)));
    return cursor_read_u16(&bytes, &len) && cursor_left(&bytes) == len &&
           cursor_read_u8(&bytes, &first) && find_request(first) != NULL;
}

static void epmd_feed(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data)
{
    struct epmd *epmd = conn->state;
    struct epmd_dir *d = &epmd->dirs[dir];

    if (d->dead)
        return;
    if (d->lost) {
        d->lost = false;
        if (!looks_whole(epmd, dir, data)) {
            emit_rest(env, conn, dir, data, DS_FAULT_JOINED_LATE, "the beginning was not captured");
            return;
        }
    }
    struct cursor bytes = data;
    bool from_held = d->held.len != 0;
    if (from_held) {
        if (!stream_buffer_add(&d->held, env, data)) {
            emit_rest(env, conn, dir, stream_buffer_cursor(&d->held), DS_FAULT_CAP,
                      "no room to hold it");
            return;
        }
        bytes = stream_buffer_cursor(&d->held);
    }
    enum epmd_progress progress = MORE;
    size_t used = 0, len;
    while (!d->list && cursor_left(&bytes) != 0) {
        progress = dir == epmd->server ? feed_reply(env, conn, dir, bytes, &len)
                                       : feed_request(env, conn, dir, bytes, &len);
        if (progress != DONE || !cursor_skip(&bytes, len))
            break;
        used += len;
    }
    if (progress == HOPELESS) {
        emit_rest(env, conn, dir, bytes, DS_FAULT_MALFORMED, "no reply begins like this");
    } else if (from_held) {
        stream_buffer_drop(&d->held, used);
    } else if (cursor_left(&bytes) != 0 && !stream_buffer_add(&d->held, env, bytes)) {
        emit_rest(env, conn, dir, bytes, DS_FAULT_CAP, "no room to hold it");
    }
    if (d->held.len > MAX_LIST_LEN)
        emit_rest(env, conn, dir, stream_buffer_cursor(&d->held), DS_FAULT_CAP,
                  "the list is too long");
}

static void epmd_gap(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len,
                     enum tcp_gap why)
{
    struct epmd *epmd = conn->state;
    struct epmd_dir *d = &epmd->dirs[dir];

    if (d->dead)
        return;
    if (d->held.len != 0)
        emit_rest(env, conn, dir, stream_buffer_cursor(&d->held), conn_gap_fault(why),
                  "bytes are missing here");
    struct ds_event event = {
        .type = DS_EVENT_GAP,
        .dir = (uint8_t)dir,
        .gap = {.bytes = len, .messages = -1},
        .fault = {.kind = conn_gap_fault(why), .what = "bytes are missing here"},
    };
    env_emit(env, conn, &event);
    d->dead = d->list;
    d->list = false;
    d->lost = true;
}

/* epmd_end reports what only the end of the direction completes. */
static void epmd_end(struct dissect_ctx *env, struct conn *conn, int dir)
{
    struct epmd *epmd = conn->state;
    struct epmd_dir *d = &epmd->dirs[dir];

    if (!d->dead && d->list) {
        struct epmd_message m;
        message_init(&m, stream_buffer_cursor(&d->held), dir);
        emit_list(env, conn, &m);
    } else if (!d->dead && d->held.len != 0) {
        emit_rest(env, conn, dir, stream_buffer_cursor(&d->held), DS_FAULT_MALFORMED,
                  "the connection ended inside a message");
    }
    d->dead = true;
    stream_buffer_free(&d->held, env);
}

static bool epmd_start(struct dissect_ctx *env, struct conn *conn)
{
    struct epmd *epmd = calloc(1, sizeof *epmd);
    if (epmd == NULL)
        return false;
    epmd->server = conn->view.end[1].port == env->config.epmd_port ? 1 : 0;
    epmd->request = DS_EPMD_UNKNOWN;
    for (int dir = 0; dir < 2; dir++)
        epmd->dirs[dir].lost = !conn->tcp->syn_seen[dir];
    conn->state = epmd;
    return true;
}

static enum proto_guess epmd_probe(const struct dissect_ctx *env, const struct conn *conn, int dir,
                                   struct cursor bytes, bool late)
{
    (void)dir;
    (void)bytes;
    (void)late;
    return conn->view.end[0].port == env->config.epmd_port ||
                   conn->view.end[1].port == env->config.epmd_port
               ? PROTO_YES
               : PROTO_NO;
}

static void epmd_close(struct dissect_ctx *env, struct conn *conn, enum tcp_close why)
{
    struct epmd *epmd = conn->state;

    for (int dir = 0; dir < 2; dir++) {
        struct epmd_dir *d = &epmd->dirs[dir];
        if (why != TCP_CLOSE_FIN && !d->dead && d->held.len != 0 && !d->list)
            emit_rest(env, conn, dir, stream_buffer_cursor(&d->held), DS_FAULT_GAP,
                      why == TCP_CLOSE_CAPTURE ? "the capture ended inside a message"
                                               : "the connection ended inside a message");
        epmd_end(env, conn, dir);
    }
    struct ds_conn_change change = {
        .state = conn_goes_on(why) ? DS_CONN_OPEN_AT_END : DS_CONN_CLOSED,
        .final = true,
        .unfollowed = conn_goes_on(why),
    };
    int dir = 1 - epmd->server;
    if (conn_explain_failure(env, conn, why, &dir, &change)) {
        if (why == TCP_CLOSE_RESET && dir == 1)
            change.reason = "connection refused: no EPMD there";
    } else if (epmd->registered_port != 0 && !change.unfollowed) {
        change.reason = "the registration ends";
    }
    if (change.state == DS_CONN_FAILED || conn->view.number != 0)
        conn_emit_change(env, conn, dir, change);
    unregister(env, conn);
    free(epmd);
    conn->state = NULL;
}

const struct proto epmd_proto = {
    .name = "epmd",
    .probe = epmd_probe,
    .start = epmd_start,
    .feed = epmd_feed,
    .gap = epmd_gap,
    .end = epmd_end,
    .close = epmd_close,
};
