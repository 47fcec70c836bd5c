/*
 * dist.c - a distribution connection: the handshake, then one channel in each direction
 * (erl_dist_protocol, "Distribution Handshake" and "Protocol between Connected Nodes").
 *
 * Each direction has its own phase, because a capture may show the packets of both directions in
 * either order. The initiator's direction becomes a channel after its challenge_reply, the
 * acceptor's after its challenge_ack. The SYN, or else the first message, shows which end is the
 * initiator.
 */
#include "dist/dist.h"

#include "dist/dist_stream.h"
#include "dist/cookie.h"
#include "dist/dist_conn.h"
#include "dist/flags.h"
#include "dist/handshake.h"
#include "dist/node_name.h"
#include "conn/stream_buffer.h"
#include "dist/decoder_state.h"
#include "dist/raw.h"
#include "dist/registry.h"

#include <stdlib.h>

static struct dist *dist_of(const struct conn *conn)
{
    return conn->state;
}

static void emit_gap(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len,
                     enum ds_fault_kind kind)
{
    struct ds_event event = {
        .type = DS_EVENT_GAP,
        .dir = (uint8_t)dir,
        .gap = {.bytes = len, .messages = -1},
        .fault = {.kind = kind, .what = "bytes of the handshake are missing"},
    };
    env_emit(env, conn, &event);
}

void dist_look_up_nodes(struct dissect_ctx *env, struct conn *conn)
{
    for (int end = 0; end < 2; end++) {
        const struct ds_endpoint *endpoint = &conn->view.end[end];
        bool may_listen = dist_of(conn)->initiator != end;
        uint32_t creation = 0;
        if (endpoint->node.data != NULL || !may_listen)
            continue;
        struct ds_text name =
            registry_find(env->registry, &endpoint->addr, endpoint->port, &creation);
        if (name.data != NULL)
            conn_set_node(env, conn, end, name, creation, true);
    }
}

static void set_initiator(struct dist *dist, int dir, enum handshake_from from)
{
    dist->initiator = from == HANDSHAKE_INITIATOR ? dir : 1 - dir;
}

static enum handshake_from from_of(const struct dist *dist, int dir)
{
    return dir == dist->initiator ? HANDSHAKE_INITIATOR : HANDSHAKE_ACCEPTOR;
}

static int opener(const struct dist *dist)
{
    return dist->initiator >= 0 ? dist->initiator : 0;
}

/* tls_text describes what is known of TLS. */
static const char *tls_text(struct dissect_ctx *env, const struct ds_tls *tls, const char *more)
{
    const char *version = ds_tls_version_name(tls->version);
    const bool is_named = tls->suite_name != NULL;
    return env_print(env, "TLS%s%s%s%s%s", version != NULL ? " " : "",
                     version != NULL ? version : "", is_named ? ", " : "",
                     is_named ? tls->suite_name : "", more);
}

static void report_open(struct dissect_ctx *env, struct conn *conn, const char *reason)
{
    struct dist *dist = dist_of(conn);
    if (dist->opened)
        return;
    dist->opened = true;
    dist_look_up_nodes(env, conn);
    if (reason == NULL && conn->view.tls != NULL)
        reason = tls_text(env, conn->view.tls, "");
    conn_emit_change(env, conn, opener(dist),
                     (struct ds_conn_change){.state = DS_CONN_OPEN, .reason = reason});
}

static __attribute__((noinline)) void report_up(struct dissect_ctx *env, struct conn *conn,
                                                const char *reason)
{
    struct dist *dist = dist_of(conn);
    if (dist->up)
        return;
    dist->up = true;
    conn_emit_change(env, conn, opener(dist),
                     (struct ds_conn_change){.state = DS_CONN_UP, .reason = reason});
}

static void report_late(struct dissect_ctx *env, struct conn *conn, int dir)
{
    struct dist *dist = dist_of(conn);
    if (dist->opened) {
        report_up(env, conn, "a part of the handshake was not captured");
        return;
    }
    dist->opened = true;
    dist->up = true;
    dist_look_up_nodes(env, conn);
    conn_emit_change(env, conn, dir,
                     (struct ds_conn_change){
                         .state = DS_CONN_JOINED_LATE,
                         .reason = dist->dirs[dir].lost && conn->tcp->syn_seen[dir]
                                       ? "the handshake was not captured"
                                       : "the capture began after the handshake",
                     });
}

static void go_dead(struct dissect_ctx *env, struct dist_dir *d)
{
    d->phase = DIST_DEAD;
    stream_buffer_free(&d->held, env);
}

static void start_channel(struct dissect_ctx *env, struct conn *conn, int dir, bool late)
{
    struct dist_dir *d = &dist_of(conn)->dirs[dir];
    d->phase = DIST_CHANNEL;
    d->channel = dist_stream_new(env, conn, dir, late);
    if (d->channel == NULL) {
        env->stats.no_memory++;
        go_dead(env, d);
        return;
    }
    for (int end = 0; end < 2; end++) {
        const struct dist_dir *either = &dist_of(conn)->dirs[end];
        if (either->has_flags && (either->flags & FLAG_MASK(UTF8_ATOMS)) == 0)
            dist_stream_use_latin1(d->channel);
    }
    /* Nodes use the flags that both have. */
    const struct dist_dir *both = dist_of(conn)->dirs;
    if (both[0].has_flags && both[1].has_flags)
        dist_stream_agree(d->channel, both[0].flags & both[1].flags);
}

/* know_channel starts a direction in which a frame is known to begin here. */
static __attribute__((noinline)) void know_channel(struct dissect_ctx *env, struct conn *conn, int dir)
{
    struct dist *dist = dist_of(conn);
    struct dist_dir *d = &dist->dirs[dir];
    if (!dist->opened || !dist->up)
        report_late(env, conn, dir);
    stream_buffer_free(&d->held, env);
    start_channel(env, conn, dir, false);
}

static void feed_channel(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data)
{
    struct dist *dist = dist_of(conn);
    const struct dist_dir *other = &dist->dirs[1 - dir];
    if (cursor_left(&data) == 0)
        return;
    if (!dist->up)
        report_up(env, conn,
                  other->phase == DIST_UNKNOWN ? "the other direction was not captured" : NULL);
    dist_stream_feed(dist->dirs[dir].channel, data);
}

/* --- the handshake --- */

static void check_digest(struct dissect_ctx *env, struct conn *conn, int dir, struct ds_handshake *h)
{
    struct dist *dist = dist_of(conn);
    struct dist_dir *d = &dist->dirs[dir];
    const struct dist_dir *other = &dist->dirs[1 - dir];

    if (!h->has_digest || !other->has_challenge)
        return;
    h->cookie = cookie_check(env->config.cookie, other->challenge, h->digest);
    d->cookie = h->cookie;
    if (h->cookie == DS_COOKIE_WRONG) {
        h->cookie_note = env_print(env, "made with another cookie by the %s %s",
                                   dir == dist->initiator ? "initiator" : "acceptor",
                                   conn_end_text(env, conn, dir));
    }
}

static bool text_is(struct ds_text text, const char *other)
{
    return text.data != NULL && text.len == strlen(other) &&
           memcmp(text.data, other, text.len) == 0;
}

static void record_status(struct dist *dist, struct ds_text status)
{
    static const struct {
        const char *status;
        enum refusal refusal;
    } refusals[] = {
        {"nok", REFUSAL_NOK},
        {"not_allowed", REFUSAL_NOT_ALLOWED},
        {"alive", REFUSAL_ALIVE},
        {"false", REFUSAL_ALIVE_FALSE},
    };
    dist->refusal = REFUSAL_NONE;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if (text_is(status, refusals[i].status))
            dist->refusal = refusals[i].refusal;
    }
}

static void learn_acceptor(struct dissect_ctx *env, struct conn *conn, const struct ds_handshake *h)
{
    int acceptor = 1 - dist_of(conn)->initiator;
    const struct ds_endpoint *end = &conn->view.end[acceptor];
    conn_set_node(env, conn, acceptor, h->name, h->creation, false);
    registry_add(env, &end->addr, end->port, h->name, h->creation, NULL);
}

/* confirm_acceptor marks the acceptor's name as certain, now that both ends have shown that they
 * know the cookie: without that, any host can send a challenge in a node's name. */
static void confirm_acceptor(struct dissect_ctx *env, const struct conn *conn)
{
    const struct ds_endpoint *end = &conn->view.end[1 - dist_of(conn)->initiator];
    if (end->node.data != NULL && !end->node_inferred)
        registry_add_said(env, &end->addr, end->port, end->node, end->creation);
}

/* emit_step emits a message of the handshake, and its frame. */
static void emit_step(struct dissect_ctx *env, struct conn *conn, struct ds_event *event)
{
    const struct cursor bytes = cursor_make(event->bytes, event->bytes_len);
    /* The size is the number of bytes that came, whatever the length field says. */
    const struct ds_frame frame = {.kind = DS_FRAME_HANDSHAKE, .size = event->bytes_len,
                                   .completes = true};
    const struct ds_fault fault = event->fault;
    env_emit(env, conn, event);
    raw_emit_frame(env, conn, event->dir, bytes, frame, fault);
}

/* handle_step evaluates a handshake message and reports it. */
static void handle_step(struct dissect_ctx *env, struct conn *conn, int dir, struct ds_event *event)
{
    struct dist *dist = dist_of(conn);
    struct dist_dir *d = &dist->dirs[dir];
    struct ds_handshake *h = &event->handshake;
    const enum ds_handshake_step step = h->step;
    bool right;

    conn->view.counters[dir].frames += !env_is_past(env, conn);
    if (h->has_flags) {
        d->flags = h->step == DS_STEP_COMPLEMENT ? d->flags | h->flags : h->flags;
        d->has_flags = true;
    }
    if (h->version != 0)
        d->version = h->version;
    if (h->has_challenge) {
        d->challenge = h->challenge;
        d->has_challenge = true;
    }
    switch (h->step) {
    case DS_STEP_SEND_NAME:
        if ((h->flags & FLAG_MASK(NAME_ME)) == 0)
            conn_set_node(env, conn, dir, h->name, h->creation, false);
        break;
    case DS_STEP_STATUS:
        if (h->name.data != NULL)
            conn_set_node(env, conn, 1 - dir, h->name, h->creation, false);
        record_status(dist, h->status);
        break;
    case DS_STEP_STATUS_REPLY:
        record_status(dist, h->status);
        break;
    case DS_STEP_CHALLENGE:
        learn_acceptor(env, conn, h);
        break;
    case DS_STEP_COMPLEMENT:
        conn->view.end[dir].creation = h->creation;
        conn_mark_changed(conn);
        conn->creation_certain[dir] = true;
        break;
    default:
        break;
    }
    if (step != DS_STEP_UNKNOWN) {
        d->last_step = step;
        dist->last_step = step;
    }
    report_open(env, conn, NULL);
    check_digest(env, conn, dir, h);
    right = h->cookie != DS_COOKIE_WRONG;
    emit_step(env, conn, event);
    decoder_state_add_handshake(conn->decoder, env, conn->tcp->now_ns, dir,
                                cursor_make(event->bytes, event->bytes_len));
    if (step == DS_STEP_CHALLENGE_REPLY || step == DS_STEP_CHALLENGE_ACK)
        start_channel(env, conn, dir, false);
    if (step == DS_STEP_CHALLENGE_ACK && right) {
        confirm_acceptor(env, conn);
        report_up(env, conn, NULL);
    }
}

static struct ds_event step_event(int dir, struct cursor bytes)
{
    return (struct ds_event){
        .type = DS_EVENT_HANDSHAKE,
        .dir = (uint8_t)dir,
        .handshake.step = DS_STEP_UNKNOWN,
        .bytes = bytes.at,
        .bytes_len = cursor_left(&bytes),
    };
}

/* is_tls says whether bytes begin with a TLS ClientHello: a record of type 22, version 3.x,
 * length:2, that contains a message of type 1. */
static enum proto_guess is_tls(struct cursor bytes)
{
    uint8_t type, major, minor, message;
    uint16_t len;
    if (!cursor_read_u8(&bytes, &type) || !cursor_read_u8(&bytes, &major))
        return PROTO_MORE;
    if (type != 22 || major != 3)
        return PROTO_NO;
    if (!cursor_read_u8(&bytes, &minor) || !cursor_read_u16(&bytes, &len) ||
        !cursor_read_u8(&bytes, &message))
        return PROTO_MORE;
    return message == 1 ? PROTO_YES : PROTO_NO;
}

/* emit_broken reports bytes that are not a whole handshake message. */
static void emit_broken(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor bytes,
                        enum ds_fault_kind kind, const char *what)
{
    struct dist *dist = dist_of(conn);
    struct ds_event event = step_event(dir, bytes);
    struct ds_fault ignored = {0};
    struct cursor message = bytes;

    report_open(env, conn, NULL);
    if (dist->initiator >= 0 && cursor_skip(&message, handshake_length_len(conn)))
        handshake_parse(conn, message, from_of(dist, dir), &event.handshake, &ignored);
    event.fault = (struct ds_fault){kind, cursor_left(&bytes), what};
    emit_step(env, conn, &event);
}

static void give_up_nonsense(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor bytes)
{
    /* The hello came in pieces so small that the TLS stage did not recognize it. */
    static const struct ds_tls unread = {.keys = DS_TLS_KEYS_MISSING};
    struct dist *dist = dist_of(conn);
    struct ds_event event = step_event(dir, bytes);

    if (!dist->opened && is_tls(bytes) == PROTO_YES) {
        dist->tls = true;
        conn->view.tls = &unread;
        report_open(env, conn, "TLS: encrypted, cannot be decoded");
        go_dead(env, &dist->dirs[1 - dir]);
    } else if (!dist->tls) {
        dist->nonsense = true;
        report_open(env, conn, NULL);
        event.fault = (struct ds_fault){DS_FAULT_MALFORMED, handshake_length_len(conn),
                                        "no handshake message begins like this"};
        emit_step(env, conn, &event);
    }
    go_dead(env, &dist->dirs[dir]);
}

/* feed_message processes the first handshake message in bytes and returns its length; 0 if it is
 * incomplete, or malformed (then the direction is dead). */
static size_t feed_message(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor bytes)
{
    struct dist *dist = dist_of(conn);
    const struct cursor start = bytes;
    struct cursor message;
    uint32_t len;
    uint8_t tag;

    if (!handshake_read_length(conn, &bytes, &len))
        return 0;
    message = bytes;
    if (len > UINT16_MAX || (len != 0 && cursor_read_u8(&message, &tag) &&
                             !handshake_is_step(tag, from_of(dist, dir)))) {
        if (is_tls(start) != PROTO_MORE)
            give_up_nonsense(env, conn, dir, start);
        return 0;
    }
    if (!cursor_child(&bytes, len, &message))
        return 0;
    struct cursor frame = start;
    frame.end = message.end;
    struct ds_event event = step_event(dir, frame);
    handshake_parse(conn, message, from_of(dist, dir), &event.handshake, &event.fault);
    if (!node_name_to_utf8(&env->arena, &event.handshake.name))
        env->stats.no_memory++;
    handle_step(env, conn, dir, &event);
    return handshake_length_len(conn) + (size_t)len;
}

/* feed_handshake processes all complete messages in bytes and returns how many bytes these were. */
static size_t feed_handshake(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor bytes)
{
    struct dist_dir *d = &dist_of(conn)->dirs[dir];
    size_t used = 0, len;
    while (d->phase == DIST_HANDSHAKE && (len = feed_message(env, conn, dir, bytes)) != 0) {
        used += len;
        if (!cursor_skip(&bytes, len))
            break;
    }
    return used;
}

/* decide chooses the next phase of a direction from its first bytes, or the first bytes after a
 * gap. */
static enum proto_guess decide(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor bytes)
{
    struct dist *dist = dist_of(conn);
    struct dist_dir *d = &dist->dirs[dir];
    enum handshake_from from;

    if (!d->lost && dist->initiator >= 0 && !dist->up) {
        d->phase = DIST_HANDSHAKE;
        return PROTO_YES;
    }
    enum proto_guess guess = handshake_probe(conn, bytes, true, &from);
    if (guess == PROTO_YES && dist->initiator >= 0 && from != from_of(dist, dir))
        guess = PROTO_NO;
    if (guess == PROTO_YES) {
        set_initiator(dist, dir, from);
        d->phase = DIST_HANDSHAKE;
    } else if (guess == PROTO_NO) {
        report_late(env, conn, dir);
        start_channel(env, conn, dir, true);
    }
    return guess;
}

/* feed_opening processes the bytes before the frames: a handshake, or what may be one. */
static __attribute__((noinline)) void feed_opening(struct dissect_ctx *env, struct conn *conn, int dir,
                                                   struct cursor data)
{
    struct dist_dir *d = &dist_of(conn)->dirs[dir];
    struct cursor bytes = data;
    bool from_held = d->held.len != 0;
    if (from_held) {
        if (!stream_buffer_add(&d->held, env, data)) {
            emit_broken(env, conn, dir, stream_buffer_cursor(&d->held), DS_FAULT_CAP,
                        "no room to hold it");
            go_dead(env, d);
            return;
        }
        bytes = stream_buffer_cursor(&d->held);
    }
    size_t used = 0;
    if (d->phase != DIST_UNKNOWN || decide(env, conn, dir, bytes) == PROTO_YES) {
        used = feed_handshake(env, conn, dir, bytes);
        if (!cursor_skip(&bytes, used))
            return;
    }
    switch (d->phase) {
    case DIST_DEAD:
        break;
    case DIST_CHANNEL:
        feed_channel(env, conn, dir, bytes);
        stream_buffer_free(&d->held, env);
        break;
    case DIST_UNKNOWN:
    case DIST_HANDSHAKE:
        if (from_held) {
            stream_buffer_drop(&d->held, used);
        } else if (cursor_left(&bytes) != 0 && !stream_buffer_add(&d->held, env, bytes)) {
            emit_broken(env, conn, dir, bytes, DS_FAULT_CAP, "no room to hold it");
            go_dead(env, d);
        }
        break;
    }
}

static void dist_feed(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data)
{
    struct dist_dir *d = &dist_of(conn)->dirs[dir];

    d->heard_ns = conn->tcp->now_ns;
    d->unheard_ticks = conn->view.counters[1 - dir].ticks;
    if (env->past >= DS_SNAPSHOT_FRAMES && d->phase != DIST_CHANNEL && d->phase != DIST_DEAD)
        know_channel(env, conn, dir);
    if (d->phase == DIST_CHANNEL)
        feed_channel(env, conn, dir, data);
    else if (d->phase != DIST_DEAD)
        feed_opening(env, conn, dir, data);
}

static void dist_gap(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len,
                     enum tcp_gap why)
{
    struct dist_dir *d = &dist_of(conn)->dirs[dir];

    switch (d->phase) {
    case DIST_DEAD:
        return;
    case DIST_CHANNEL:
        dist_stream_gap(d->channel, len, why);
        return;
    case DIST_UNKNOWN:
    case DIST_HANDSHAKE:
        break;
    }
    if (d->held.len != 0)
        emit_broken(env, conn, dir, stream_buffer_cursor(&d->held), conn_gap_fault(why),
                    "bytes are missing here");
    stream_buffer_free(&d->held, env);
    emit_gap(env, conn, dir, len, conn_gap_fault(why));
    d->phase = DIST_UNKNOWN;
    d->lost = true;
}

static void dist_read_frame(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor frame)
{
    struct dist_dir *d = &dist_of(conn)->dirs[dir];
    if (d->phase != DIST_CHANNEL && d->phase != DIST_DEAD)
        know_channel(env, conn, dir);
    if (d->phase == DIST_CHANNEL)
        dist_stream_read_alone(d->channel, frame);
}

/* dist_sealed reports a connection whose content is encrypted and cannot be decoded. */
static void dist_sealed(struct dissect_ctx *env, struct conn *conn)
{
    struct dist *dist = dist_of(conn);
    dist->tls = true;
    report_open(env, conn,
                tls_text(env, conn->view.tls, ": encrypted, cannot be decoded without its keys"));
}

static void dist_end(struct dissect_ctx *env, struct conn *conn, int dir)
{
    struct dist *dist = dist_of(conn);
    if (dist->closed_by >= 0)
        return;
    dist->closed_by = dir;
    dist_report_half_close(env, conn, dir);
}

static void dist_suspend(struct dissect_ctx *env, struct conn *conn, enum tcp_close why)
{
    struct dist *dist = dist_of(conn);

    for (int dir = 0; dir < 2; dir++) {
        struct dist_dir *d = &dist->dirs[dir];
        d->was_inside = d->channel != NULL ? dist_stream_is_inside(d->channel) : d->held.len != 0;
        if (d->channel != NULL) {
            dist_stream_end(d->channel);
        } else if (d->held.len != 0 && d->phase != DIST_DEAD) {
            bool ended = why == TCP_CLOSE_FIN || why == TCP_CLOSE_RESET;
            emit_broken(env, conn, dir, stream_buffer_cursor(&d->held),
                        ended ? DS_FAULT_MALFORMED : DS_FAULT_GAP,
                        ended ? "the connection ended inside a message"
                              : "the capture ended inside a message");
        }
    }
    dist_look_up_nodes(env, conn);
    dist_report_close(env, conn, why);
}

static void dist_release(struct dissect_ctx *env, struct conn *conn)
{
    struct dist *dist = dist_of(conn);
    for (int dir = 0; dir < 2; dir++) {
        dist_stream_free(dist->dirs[dir].channel);
        stream_buffer_free(&dist->dirs[dir].held, env);
    }
    free(dist);
    conn->state = NULL;
}

static void dist_close(struct dissect_ctx *env, struct conn *conn, enum tcp_close why)
{
    dist_suspend(env, conn, why);
    dist_release(env, conn);
}

static void dist_resume(struct dissect_ctx *env, struct conn *conn, bool was_closed)
{
    struct dist *dist = dist_of(conn);
    dist->closed_by = -1;
    dist->silence_ns = 0;
    conn_emit_change(env, conn, dist->initiator >= 0 ? dist->initiator : 0,
                     (struct ds_conn_change){.state = DS_CONN_CONTINUED,
                                             .reason = "traffic after its end: both ends go on"});
    for (int dir = 0; dir < 2 && was_closed; dir++) {
        struct dist_dir *d = &dist->dirs[dir];
        if (d->was_inside)
            dist_gap(env, conn, dir, 0, TCP_GAP_LOST);
        d->was_inside = false;
    }
}

static bool dist_start(struct dissect_ctx *env, struct conn *conn)
{
    struct dist *dist = calloc(1, sizeof *dist);
    (void)env;
    if (dist == NULL)
        return false;
    dist->initiator = conn->tcp->syn_seen[0] && !conn->tcp->both_opened ? 0 : -1;
    dist->last_step = DS_STEP_UNKNOWN;
    dist->closed_by = -1;
    for (int dir = 0; dir < 2; dir++) {
        dist->dirs[dir].lost = conn->late[dir];
        dist->dirs[dir].last_step = DS_STEP_UNKNOWN;
    }
    conn->state = dist;
    return true;
}

static bool is_tick(struct cursor bytes)
{
    uint32_t len;
    return cursor_read_u32(&bytes, &len) && len == 0 && cursor_left(&bytes) == 0;
}

static enum proto_guess dist_probe(const struct dissect_ctx *env, const struct conn *conn, int dir,
                                   struct cursor bytes, bool late)
{
    const struct tcp_conn_view *tcp = conn->tcp;
    bool known = registry_has_port(env->registry, tcp->port[1]);
    enum handshake_from from;
    size_t skip;

    (void)dir;
    if (conn->view.tls != NULL && cursor_left(&bytes) == 0)
        return known || registry_has_port(env->registry, tcp->port[0]) ? PROTO_YES : PROTO_NO;

    if (tcp->syn_seen[0] && known)
        return PROTO_YES;
    known = known || registry_has_port(env->registry, tcp->port[0]);
    enum proto_guess guess = handshake_probe(conn, bytes, known, &from);
    if (guess != PROTO_NO || !late)
        return guess;
    if (known && is_tick(bytes))
        return PROTO_YES;
    return dist_stream_probe(bytes, &skip);
}

static void dist_write_snapshot(struct dissect_ctx *env, const struct conn *conn,
                                const struct tcp_point point[2], ds_snapshot_fn give, void *context)
{
    const struct dist *dist = dist_of(conn);
    const struct state_piece *oldest = conn->decoder != NULL ? conn->decoder->oldest : NULL;
    struct decoder_state_rest rest[2];
    bool began = conn->tcp->syn_seen[0] || conn->tcp->syn_seen[1];
    for (int dir = 0; dir < 2; dir++) {
        const struct dist_dir *d = &dist->dirs[dir];
        rest[dir] = d->channel != NULL
                        ? dist_stream_get_rest(d->channel)
                        : (struct decoder_state_rest){.kind = DS_SNAPSHOT_HANDSHAKE,
                                                      .bytes = stream_buffer_cursor(&d->held),
                                                      .lost_before = d->lost && oldest != NULL};
        began = began && (d->channel == NULL || (oldest != NULL && oldest->pinned));
    }
    decoder_state_export(env, conn, point, rest, began, give, context);
}

static void dist_progress(const struct conn *conn, int dir, uint64_t *size, uint64_t *passed)
{
    const struct dist_stream *channel = dist_of(conn)->dirs[dir].channel;
    if (channel != NULL)
        dist_stream_progress(channel, size, passed);
}

const struct proto dist_proto = {
    .name = "distribution",
    .probe = dist_probe,
    .start = dist_start,
    .feed = dist_feed,
    .gap = dist_gap,
    .end = dist_end,
    .sealed = dist_sealed,
    .close = dist_close,
    .suspend = dist_suspend,
    .resume = dist_resume,
    .release = dist_release,
    .progress = dist_progress,
    .write_snapshot = dist_write_snapshot,
    .read_frame = dist_read_frame,
};
