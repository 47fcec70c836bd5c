/*
 * socket.c - see socket.h.
 */
#include "sockets/socket.h"

#include "dist/control.h"

#include <distsniff/identity.h>
#include <stdlib.h>

/* The op of a socket's messages: a send, without a control tuple. */
static const struct ds_op socket_send = {
    .kind = DS_KIND_SEND, .name = "socket_send", .roles = "", .has_payload = true};

static struct socket *socket_of(const struct conn *conn)
{
    return conn->state;
}

bool socket_start(struct dissect_ctx *env, struct conn *conn)
{
    struct socket *socket = calloc(1, sizeof *socket);
    if (socket == NULL)
        return false;
    socket->env = env;
    socket->conn = conn;
    socket->kind = (const struct socket_proto *)(const void *)conn->proto;
    socket->closed_by = -1;
    for (int dir = 0; dir < 2; dir++) {
        socket->dirs[dir].is_late = socket->dirs[dir].is_lost = conn->late[dir];
        socket->dirs[dir].why_lost = DS_FAULT_JOINED_LATE;
    }
    conn->state = socket;
    conn->view.proto = conn->proto->name;
    return true;
}

/* report_open reports the connection, once. */
static void report_open(struct socket *socket, int dir, const char *reason)
{
    const struct tcp_conn_view *tcp = socket->conn->tcp;
    const bool is_late = !tcp->syn_seen[0] && !tcp->syn_seen[1];
    if (socket->is_open)
        return;
    socket->is_open = true;
    if (is_late) {
        conn_emit_change(
            socket->env, socket->conn, dir,
            (struct ds_conn_change){.state = DS_CONN_JOINED_LATE,
                                    .reason = "the capture began after its beginning"});
        return;
    }
    conn_emit_change(socket->env, socket->conn, 0,
                     (struct ds_conn_change){.state = DS_CONN_OPEN, .reason = reason});
}

static struct ds_event message_event(int dir, struct cursor bytes, uint64_t size)
{
    return (struct ds_event){
        .type = DS_EVENT_MESSAGE,
        .dir = (uint8_t)dir,
        .bytes = bytes.at,
        .bytes_len = cursor_left(&bytes),
        .message = {.op = &socket_send, .size = size, .fragments = 1},
    };
}

/* emit_fault reports bytes that are not a unit. */
static void emit_fault(struct socket *socket, int dir, struct cursor bytes, uint64_t size,
                       enum ds_fault_kind kind, const char *what)
{
    struct ds_event event = message_event(dir, bytes, size);
    event.fault = (struct ds_fault){.kind = kind, .what = what};
    report_open(socket, dir, NULL);
    env_emit(socket->env, socket->conn, &event);
}

static void emit_gap(struct socket *socket, int dir, uint64_t len, enum ds_fault_kind kind,
                     const char *what)
{
    struct ds_event event = {
        .type = DS_EVENT_GAP,
        .dir = (uint8_t)dir,
        .gap = {.bytes = len, .messages = -1},
        .fault = {.kind = kind, .what = what},
    };
    env_emit(socket->env, socket->conn, &event);
}

/* set_parties sets the caller or callee if the payload is {{call, ..}, {Pid, Tag}} or {call, {Pid,
 * Tag}, Reply}: the term contains the pid. */
static void set_parties(struct ds_message *message)
{
    struct ds_term first, second, pid;
    struct ds_identity who;
    struct ds_text word;
    if (!ds_term_get_element(&message->payload, 0, &first) ||
        !ds_term_get_element(&message->payload, 1, &second) ||
        !ds_term_get_element(&second, 0, &pid) || !ds_term_get_pid(&pid, &who))
        return;
    message->role[ds_term_get_atom(&first, &word) ? DS_ROLE_TO : DS_ROLE_FROM] = pid;
}

/* name_ends: a calling pid belongs to the sending node, a called one to the other node. */
static void name_ends(struct socket *socket, int dir, const struct ds_message *message)
{
    static const struct {
        enum ds_role role;
        int end;
    } ends[] = {{DS_ROLE_FROM, 0}, {DS_ROLE_TO, 1}};
    struct ds_identity who;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const struct ds_term *term = &message->role[ends[i].role];
        const int end = dir ^ ends[i].end;
        if (term->data != NULL && socket->conn->view.end[end].node.data == NULL &&
            ds_term_get_pid(term, &who))
            conn_set_node(socket->env, socket->conn, end, who.node, who.creation, true);
    }
}

void socket_emit_term(struct socket *socket, int dir, struct cursor bytes, uint64_t size)
{
    struct ds_event event = message_event(dir, bytes, size);
    struct control_source source = {.pass_through = true, .start = bytes, .conn = socket->conn};
    struct cursor at = bytes;
    control_read_term(&source, &at, socket->env, &event);
    if (event.message.payload.data != NULL && !event.message.payload.damaged) {
        set_parties(&event.message);
        name_ends(socket, dir, &event.message);
    }
    report_open(socket, dir, NULL);
    env_emit(socket->env, socket->conn, &event);
}

void socket_emit_stream(struct socket *socket, int dir, const struct ds_stream *stream)
{
    struct ds_event event = {.type = DS_EVENT_STREAM, .dir = (uint8_t)dir, .stream = *stream};
    report_open(socket, dir, NULL);
    env_emit(socket->env, socket->conn, &event);
}

/* --- units --- */

/* lose records that the next unit's position is unknown. */
static void lose(struct socket_dir *d, enum ds_fault_kind why)
{
    d->is_lost = true;
    d->why_lost = why;
    d->skip = 0;
}

/* find_again: after a loss, units resume at a segment that begins with one. */
static bool find_again(struct socket *socket, int dir, struct cursor at)
{
    struct socket_dir *d = &socket->dirs[dir];
    if (socket->kind->proto.probe(socket->env, socket->conn, dir, at, true) != PROTO_YES)
        return false;
    report_open(socket, dir, NULL);
    if (d->lost_len != 0)
        emit_gap(socket, dir, d->lost_len, d->why_lost, "no unit was found in these bytes");
    d->lost_len = 0;
    d->is_lost = false;
    d->is_late = true;
    return true;
}

static void finish_skipped(struct socket *socket, int dir)
{
    struct socket_dir *d = &socket->dirs[dir];
    const struct cursor head = cursor_make(d->head, d->head_len);
    if (!d->is_capped) {
        socket->kind->read_unit(socket, dir, head, d->unit_len);
        return;
    }
    socket->env->stats.limits_hit[DS_LIMIT_MESSAGE]++;
    emit_fault(socket, dir, head, d->unit_len, DS_FAULT_CAP, "larger than a message may be");
}

/* begin_skip keeps the head of a unit whose rest is not needed. */
static bool begin_skip(struct socket *socket, int dir, struct cursor *at,
                       const struct socket_unit *unit)
{
    struct socket_dir *d = &socket->dirs[dir];
    d->head_len = unit->need < SOCKET_HEAD_LEN ? (size_t)unit->need : SOCKET_HEAD_LEN;
    if (!cursor_read_bytes(at, d->head, d->head_len))
        return false;
    d->unit_len = unit->len;
    d->skip = unit->len - d->head_len;
    if (d->skip == 0)
        finish_skipped(socket, dir);
    return true;
}

static void skip_some(struct socket *socket, int dir, struct cursor *at)
{
    struct socket_dir *d = &socket->dirs[dir];
    const struct cursor gone = cursor_first(*at, d->skip < SIZE_MAX ? (size_t)d->skip : SIZE_MAX);
    d->skip -= cursor_left(&gone);
    at->at = gone.end;
    if (d->skip == 0)
        finish_skipped(socket, dir);
}

/* on_invalid handles bytes that are not a unit. If the connection was not reported yet, it belongs
 * to another protocol. */
static void on_invalid(struct socket *socket, int dir, struct cursor *at)
{
    struct socket_dir *d = &socket->dirs[dir];
    if (!socket->is_open) {
        socket->is_dead = true;
        at->at = at->end;
        return;
    }
    emit_fault(socket, dir, cursor_first(*at, SOCKET_HEAD_LEN), cursor_left(at), DS_FAULT_MALFORMED,
               "no unit of this protocol begins like this");
    lose(d, DS_FAULT_MALFORMED);
    at->at = at->end;
}

/* read_unit processes the unit at at. False if more bytes are needed. */
static bool read_unit(struct socket *socket, int dir, struct cursor *at)
{
    struct socket_dir *d = &socket->dirs[dir];
    struct socket_unit unit = {0};
    struct cursor bytes;
    switch (socket->kind->measure(socket, dir, *at, &unit)) {
    case PROTO_MORE:
        return false;
    case PROTO_NO:
        on_invalid(socket, dir, at);
        return true;
    case PROTO_YES:
        break;
    }
    d->is_capped = unit.need == unit.len && unit.len > socket->env->config.limits[DS_LIMIT_MESSAGE];
    if (d->is_capped)
        unit.need = 0;
    if (cursor_left(at) < unit.need)
        return false;
    d->num_units++;
    socket->conn->view.counters[dir].frames += !env_is_past(socket->env, socket->conn);
    if (unit.need < unit.len)
        return begin_skip(socket, dir, at, &unit);
    if (!cursor_child(at, (size_t)unit.len, &bytes))
        return false;
    socket->kind->read_unit(socket, dir, bytes, unit.len);
    return true;
}

/* read_units processes all complete units in at. */
static void read_units(struct socket *socket, int dir, struct cursor *at)
{
    struct socket_dir *d = &socket->dirs[dir];
    socket->conn->rest = at;
    socket->conn->rest_dir = dir;
    while (cursor_left(at) != 0 && !socket->is_dead) {
        if (d->is_lost && !find_again(socket, dir, *at)) {
            d->lost_len += cursor_left(at);
            at->at = at->end;
        } else if (d->skip != 0) {
            skip_some(socket, dir, at);
        } else if (!read_unit(socket, dir, at)) {
            break;
        }
    }
    socket->conn->rest = NULL;
}

void socket_feed(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data)
{
    struct socket *socket = socket_of(conn);
    struct socket_dir *d = &socket->dirs[dir];
    const bool from_held = d->held.len != 0;
    struct cursor at = data;
    if (socket->is_dead)
        return;
    if (from_held) {
        if (!stream_buffer_add(&d->held, env, data)) {
            socket_gap(env, conn, dir, cursor_left(&data), TCP_GAP_CAP);
            return;
        }
        at = stream_buffer_cursor(&d->held);
    }
    const struct cursor start = at;
    read_units(socket, dir, &at);
    if (from_held)
        stream_buffer_drop(&d->held, cursor_offset(&at, &start));
    else if (cursor_left(&at) != 0 && !stream_buffer_add(&d->held, env, at))
        socket_gap(env, conn, dir, cursor_left(&at), TCP_GAP_CAP);
    if (d->held.len == 0)
        stream_buffer_free(&d->held, env);
}

void socket_gap(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len, enum tcp_gap why)
{
    struct socket *socket = socket_of(conn);
    struct socket_dir *d = &socket->dirs[dir];
    const bool is_within = len != 0 && len < d->skip;
    if (socket->is_dead)
        return;
    report_open(socket, dir, NULL);
    emit_gap(socket, dir, len + d->held.len, conn_gap_fault(why), "bytes are missing here");
    stream_buffer_free(&d->held, env);
    if (is_within) /* inside a skipped unit: the position of the next one is still known */
        d->skip -= len;
    else
        lose(d, conn_gap_fault(why));
}

void socket_end(struct dissect_ctx *env, struct conn *conn, int dir)
{
    struct socket *socket = socket_of(conn);
    (void)env;
    if (socket->closed_by < 0)
        socket->closed_by = dir;
}

void socket_sealed(struct dissect_ctx *env, struct conn *conn)
{
    (void)env;
    report_open(socket_of(conn), 0, "TLS: encrypted, cannot be decoded");
}

/* report_unfinished reports a unit in which the connection ended. */
static void report_unfinished(struct socket *socket, int dir, enum tcp_close why)
{
    struct socket_dir *d = &socket->dirs[dir];
    const bool ended = why == TCP_CLOSE_FIN || why == TCP_CLOSE_RESET;
    if (d->held.len == 0 && d->skip == 0)
        return;
    const uint64_t size = d->held.len != 0 ? d->held.len : d->unit_len - d->skip;
    emit_fault(socket, dir, cursor_first(stream_buffer_cursor(&d->held), SOCKET_HEAD_LEN), size,
               ended ? DS_FAULT_MALFORMED : DS_FAULT_GAP,
               ended ? "the connection ended inside a unit" : "the capture ended inside a unit");
}

/* close_change describes how the connection ended, and which end closed it. */
static struct ds_conn_change close_change(struct socket *socket, enum tcp_close why, int *dir)
{
    struct dissect_ctx *env = socket->env;
    const bool goes_on = conn_goes_on(why),
               is_reset = why == TCP_CLOSE_RESET && socket->closed_by < 0;
    struct ds_conn_change change = {.state = goes_on ? DS_CONN_OPEN_AT_END : DS_CONN_CLOSED,
                                    .final = true,
                                    .unfollowed = goes_on};
    if (!socket->is_open && conn_explain_failure(env, socket->conn, why, dir, &change))
        return change;
    if (why == TCP_CLOSE_FIN || is_reset) {
        *dir = is_reset                 ? socket->conn->tcp->reset_dir
               : socket->closed_by >= 0 ? socket->closed_by
                                        : 0;
        change.reason = env_print(env, "%s by %s", is_reset ? "reset" : "closed",
                                  conn_end_text(env, socket->conn, *dir));
    }
    return change;
}

/* socket_syn_again: a client may retransmit SYNs for minutes; the failure is reported earlier. */
void socket_syn_again(struct dissect_ctx *env, struct conn *conn)
{
    enum { ENOUGH_SYNS = 3 };
    int dir = 0;
    struct ds_conn_change change = {0};
    if (conn->tcp->num_syns != ENOUGH_SYNS ||
        !conn_explain_failure(env, conn, TCP_CLOSE_SYN_TIMEOUT, &dir, &change))
        return;
    conn_emit_change(env, conn, dir, change);
}

void socket_close(struct dissect_ctx *env, struct conn *conn, enum tcp_close why)
{
    struct socket *socket = socket_of(conn);
    const bool is_unanswered = conn->tcp->syn_seen[0] && !conn->tcp->syn_seen[1] &&
                               conn->view.counters[0].bytes + conn->view.counters[1].bytes == 0;
    int dir = 0;
    for (int d = 0; d < 2 && socket->is_open; d++)
        report_unfinished(socket, d, why);
    if (!socket->is_dead && (socket->is_open || is_unanswered)) {
        const struct ds_conn_change change = close_change(socket, why, &dir);
        conn_emit_change(env, conn, dir, change);
    }
    for (int d = 0; d < 2; d++)
        stream_buffer_free(&socket->dirs[d].held, env);
    free(socket);
    conn->state = NULL;
}
