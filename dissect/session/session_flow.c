/*
 * session_flow.c - a connection: its bytes, decrypted if it has TLS, go to its protocol, or are
 * probed until that is known.
 */
#include "session/session_parts.h"

#include "dist/dist.h"
#include "tcp/tcp_analysis.h"
#include "tls/keylog.h"
#include "tls/tls_snapshot.h"

#include <stdlib.h>

static void on_open(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct dissect_ctx *env = &session->env;
    const struct proto *proto = NULL;

    struct flow *flow = calloc(1, sizeof *flow);
    if (flow == NULL) {
        env->stats.no_memory++;
        tcp_table_forget(view);
        return;
    }
    view->user = flow;
    flow->session = session;
    flow->tcp = view;
    flow->conn.tcp = view;
    if (view->facts != NULL)
        flow->conn.view.link = &view->facts->link;
    for (int end = 0; end < 2; end++) {
        flow->conn.view.end[end].addr = view->addr[end];
        flow->conn.view.end[end].port = view->port[end];
    }
    if (proto_find(env, &flow->conn, 0, cursor_make(NULL, 0), &proto) == PROTO_YES)
        (void)session_start_flow(session, flow, proto);
}

/* on_snapshot processes snapshot bytes of a connection that is known to be a distribution
 * connection. */
static void on_snapshot(struct ds_session *session, struct flow *flow, int dir, struct cursor data)
{
    struct dissect_ctx *env = &session->env;
    struct conn *conn = &flow->conn;
    if (conn->proto == NULL) {
        for (int d = 0; d < 2; d++)
            conn->late[d] = !flow->tcp->syn_seen[d];
        if (!session_start_flow(session, flow, &dist_proto))
            return;
    }
    if (env->past != DS_SNAPSHOT_OPEN)
        conn->proto->feed(env, conn, dir, data);
    else if (conn->proto->read_frame != NULL)
        conn->proto->read_frame(env, conn, dir, data);
}

static void record_seen(struct ds_conn *view)
{
    if (view->link != NULL && view->link->side[0].segments != 0 && view->link->side[1].segments != 0) {
        view->are_both_seen = true;
        view->changes++;
    }
}

/* on_text processes the bytes of a direction, decrypted or plain. */
static void on_text(struct ds_session *session, struct flow *flow, int dir, struct cursor data)
{
    if (!flow->conn.view.are_both_seen)
        record_seen(&flow->conn.view);
    if (flow->conn.proto == NULL) {
        session_probe(session, flow, dir, data);
        return;
    }
    flow->is_fed = true;
    raw_emit_data(&session->env, &flow->conn, dir, data);
    flow->conn.proto->feed(&session->env, &flow->conn, dir, data);
}

static void process_gap(struct ds_session *session, struct flow *flow, int dir, uint64_t len,
                        enum tcp_gap why)
{
    const struct ds_fault fault = {conn_gap_fault(why), 0, "bytes are missing here"};
    if (flow->conn.proto != NULL) {
        raw_emit_missing(&session->env, &flow->conn, dir, len, fault);
        flow->conn.proto->gap(&session->env, &flow->conn, dir, len, why);
        return;
    }
    /* The bytes probed so far cannot be used any more; the next ones are treated as joined late. */
    flow->lost[dir] = true;
    flow->probes[dir].looked_len = 0;
    raw_early_drop(&flow->probes[dir].early, &session->env, len, fault);
    stream_buffer_free(&flow->probes[dir].held, &session->env);
}

/* enter_moment sets the connection to the state it had when the bytes that TLS reports came;
 * leave_moment restores it. */
static void enter_moment(struct flow *flow)
{
    flow->conn.tcp = tls_get_moment(flow->tls);
}

static void leave_moment(struct flow *flow)
{
    flow->conn.tcp = flow->tcp;
}

static void on_tls_text(void *context, int dir, struct cursor text)
{
    struct flow *flow = context;
    flow->session->env.stats.tls_opened += !flow->is_opened && !flow->tcp->only_past;
    flow->is_opened = true;
    if (flow->is_forgotten)
        return;
    flow->conn.sealed_rest = tls_get_rest(flow->tls, dir);
    enter_moment(flow);
    on_text(flow->session, flow, dir, text);
    leave_moment(flow);
}

static void on_tls_gap(void *context, int dir, uint64_t len, enum tcp_gap why)
{
    struct flow *flow = context;
    if (flow->is_forgotten)
        return;
    enter_moment(flow);
    process_gap(flow->session, flow, dir, len, why);
    leave_moment(flow);
}

static void process_stall(struct ds_session *session, struct flow *flow, int dir,
                          const struct ds_stall *stall)
{
    if (flow->conn.proto == NULL)
        return;
    struct ds_event event = {.type = DS_EVENT_STALL, .dir = (uint8_t)dir, .stall = *stall};
    if (flow->conn.proto->progress != NULL)
        flow->conn.proto->progress(&flow->conn, dir, &event.stall.message_size,
                                   &event.stall.message_passed);
    env_emit(&session->env, &flow->conn, &event);
}

static void on_tls_stall(void *context, int dir, const struct ds_stall *stall)
{
    struct flow *flow = context;
    if (flow->is_forgotten)
        return;
    enter_moment(flow);
    process_stall(flow->session, flow, dir, stall);
    leave_moment(flow);
}

static void on_tls_icmp(void *context, int dir)
{
    struct flow *flow = context;
    if (flow->is_forgotten || flow->conn.proto == NULL)
        return;
    enter_moment(flow);
    conn_report_icmp(&flow->session->env, &flow->conn, dir);
    leave_moment(flow);
}

static void on_tls_end(void *context, int dir)
{
    struct flow *flow = context;
    if (flow->is_forgotten || flow->conn.proto == NULL)
        return;
    enter_moment(flow);
    flow->conn.proto->end(&flow->session->env, &flow->conn, dir);
    leave_moment(flow);
}

/* report_sealed reports a connection that cannot be decrypted if its port shows its protocol. */
static void report_sealed(struct ds_session *session, struct flow *flow)
{
    const struct proto *proto = NULL;
    if (flow->conn.proto == NULL &&
        proto_find(&session->env, &flow->conn, 0, cursor_make(NULL, 0), &proto) == PROTO_YES &&
        !session_start_flow(session, flow, proto))
        return;
    if (flow->conn.proto != NULL && flow->conn.proto->sealed != NULL) {
        flow->conn.proto->sealed(&session->env, &flow->conn);
    } else if (!keylog_grows(&session->env)) {
        session->env.stats.tls_unknown++;
        session_forget_flow(session, flow);
    }
}

static void on_tls_sealed(void *context)
{
    struct flow *flow = context;
    if (flow->is_forgotten)
        return;
    enter_moment(flow);
    report_sealed(flow->session, flow);
    leave_moment(flow);
}

static void process_close(struct ds_session *session, struct flow *flow, enum tcp_close why)
{
    const enum ds_snapshot_kind past = session->env.past;
    session->env.stats.one_way += flow->conn.view.number != 0 && flow->tcp->is_one_way;
    session->env.past = DS_SNAPSHOT_NONE; /* it belongs to another connection */
    const struct proto *proto = flow->conn.proto;
    flow->is_suspended = proto != NULL && proto->suspend != NULL && past == DS_SNAPSHOT_NONE &&
                         (why == TCP_CLOSE_FIN || why == TCP_CLOSE_RESET) && !flow->is_late_close;
    if (flow->is_suspended)
        proto->suspend(&session->env, &flow->conn, why);
    else if (proto != NULL)
        proto->close(&session->env, &flow->conn, why);
    session->env.past = past;
}

static void on_tls_close(void *context, enum tcp_close why)
{
    struct flow *flow = context;
    enter_moment(flow);
    flow->is_late_close = tls_is_closed(flow->tls);
    process_close(flow->session, flow, why);
    leave_moment(flow);
    flow->is_over = !flow->is_suspended;
}

static void on_tls_enter(void *context)
{
    session_enter_tls(context);
}

static void on_tls_leave(void *context)
{
    struct flow *flow = context;
    session_leave_tls(flow->session, flow);
}

static const struct tls_events tls_events = {
    .text = on_tls_text,
    .gap = on_tls_gap,
    .sealed = on_tls_sealed,
    .stall = on_tls_stall,
    .icmp = on_tls_icmp,
    .end = on_tls_end,
    .close = on_tls_close,
    .enter = on_tls_enter,
    .leave = on_tls_leave,
};

/* starts_tls says whether the bytes are TLS, and decrypting them is useful. */
static bool starts_tls(const struct ds_session *session, const struct flow *flow, int dir,
                       struct cursor data)
{
    const struct conn *conn = &flow->conn;
    const bool is_late = !flow->tcp->syn_seen[dir] || flow->lost[dir];
    if (conn->proto != NULL && (flow->is_fed || conn->proto->sealed == NULL))
        return false;
    return tls_probe(data, is_late) &&
           (conn->proto != NULL || session_knows_port(session, flow) || keylog_is_of_use(&session->env));
}

static void start_tls(struct ds_session *session, struct flow *flow)
{
    struct dissect_ctx *env = &session->env;
    if (session->tls == NULL)
        session->tls = tls_stage_new(env, &tls_events);
    if (session->tls != NULL)
        flow->tls = tls_new(session->tls, flow->tcp, flow);
    if (flow->tls == NULL) {
        env->stats.no_memory++;
        return;
    }
    env->stats.tls_connections += !flow->tcp->only_past;
    flow->conn.view.tls = tls_view(flow->tls);
    for (int dir = 0; dir < 2; dir++)
        stream_buffer_free(&flow->probes[dir].held, env);
}

/* on_tls_snapshot processes a snapshot packet of a connection with TLS. */
static void on_tls_snapshot(struct ds_session *session, struct flow *flow, int dir, struct cursor data)
{
    struct dissect_ctx *env = &session->env;
    struct tls_snapshot_piece piece = {.kind = DS_SNAPSHOT_LOST};
    if (env->past == DS_SNAPSHOT_TLS && flow->tls == NULL)
        start_tls(session, flow);
    if (flow->tls == NULL)
        return;
    session_enter_tls(flow);
    if (env->past == DS_SNAPSHOT_TLS) {
        tls_snapshot_set_state(flow->tls, dir, data);
        session_leave_tls(session, flow);
        return;
    }
    const bool is_open = tls_snapshot_open(flow->tls, dir, data, &piece);
    flow->is_opened |= is_open;
    env->past = piece.kind;
    if (piece.kind == DS_SNAPSHOT_LOST)
        process_gap(session, flow, dir, 0, TCP_GAP_LOST);
    else if (piece.kind == DS_SNAPSHOT_BYTES)
        on_text(session, flow, dir, piece.text);
    else
        on_snapshot(session, flow, dir, piece.text);
    if (is_open && piece.cut != 0 && !flow->is_forgotten)
        process_gap(session, flow, dir, piece.cut, TCP_GAP_SNAPLEN);
    env->past = DS_SNAPSHOT_SEALED;
    session_leave_tls(session, flow);
}

static __attribute__((noinline)) void feed_tls(struct ds_session *session, struct flow *flow, int dir,
                                               struct cursor data)
{
    session_enter_tls(flow);
    tls_feed(flow->tls, dir, data);
    session_leave_tls(session, flow);
}

/* take_made_data processes snapshot packets that are not plain bytes. */
static __attribute__((noinline)) void take_made_data(struct ds_session *session, struct flow *flow,
                                                     int dir, struct cursor data)
{
    if (session->env.past == DS_SNAPSHOT_TLS || session->env.past == DS_SNAPSHOT_SEALED)
        on_tls_snapshot(session, flow, dir, data);
    else
        on_snapshot(session, flow, dir, data);
}

static void on_data(void *context, struct tcp_conn_view *view, int dir, struct cursor data)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;

    if (flow == NULL)
        return;
    if (session->env.past > DS_SNAPSHOT_BYTES) {
        take_made_data(session, flow, dir, data);
        return;
    }
    if (session->env.past == DS_SNAPSHOT_NONE)
        flow->conn.view.counters[dir].bytes += cursor_left(&data);
    if (flow->tls == NULL && starts_tls(session, flow, dir, data))
        start_tls(session, flow);
    if (flow->tls == NULL) {
        on_text(session, flow, dir, data);
        return;
    }
    feed_tls(session, flow, dir, data);
}

static void on_gap(void *context, struct tcp_conn_view *view, int dir, uint64_t len, enum tcp_gap why)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;

    if (flow == NULL)
        return;
    if (flow->tls == NULL) {
        process_gap(session, flow, dir, len, why);
        return;
    }
    session_enter_tls(flow);
    tls_gap(flow->tls, dir, len, why);
    session_leave_tls(session, flow);
}

static void on_end(void *context, struct tcp_conn_view *view, int dir)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;
    if (flow == NULL)
        return;
    if (flow->tls == NULL) {
        if (flow->conn.proto != NULL)
            flow->conn.proto->end(&session->env, &flow->conn, dir);
        return;
    }
    session_enter_tls(flow);
    tls_on_end(flow->tls, dir);
    session_leave_tls(session, flow);
}

static void on_go_on(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;
    const struct ds_conn_change change = {
        .state = DS_CONN_CONTINUED,
        .reason = "it began before; what came then is known from what stands for it",
    };
    if (flow != NULL && flow->tls != NULL) {
        session->env.stats.tls_connections++;
        session->env.stats.tls_opened += flow->is_opened;
    }
    if (flow != NULL && flow->conn.view.number != 0)
        conn_emit_change(&session->env, &flow->conn, 0, change);
}

static void on_icmp(void *context, struct tcp_conn_view *view, int dir)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;
    if (flow == NULL)
        return;
    if (flow->tls == NULL) {
        if (flow->conn.proto != NULL)
            conn_report_icmp(&session->env, &flow->conn, dir);
        return;
    }
    session_enter_tls(flow);
    tls_on_icmp(flow->tls, dir);
    session_leave_tls(session, flow);
}

static void on_stall(void *context, struct tcp_conn_view *view, int dir, const struct ds_stall *stall)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;
    if (flow == NULL)
        return;
    if (flow->tls == NULL) {
        process_stall(session, flow, dir, stall);
        return;
    }
    session_enter_tls(flow);
    tls_on_stall(flow->tls, dir, stall);
    session_leave_tls(session, flow);
}

static void on_close(void *context, struct tcp_conn_view *view, enum tcp_close why)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;
    if (flow == NULL)
        return;
    if (flow->tls == NULL) {
        process_close(session, flow, why);
        if (!flow->is_suspended)
            session_free_flow(session, flow);
        return;
    }
    const enum ds_snapshot_kind past = session->env.past;
    session->env.past = DS_SNAPSHOT_NONE;
    session_enter_tls(flow);
    tls_close(flow->tls, why);
    session_leave_tls(session, flow);
    session->env.past = past;
}

/* on_gone: TCP drops a closed connection, which may still wait for its keys. */
static void on_gone(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;
    if (flow != NULL && flow->is_suspended) {
        flow->conn.proto->release(&session->env, &flow->conn);
        session_free_flow(session, flow);
        return;
    }
    if (flow == NULL || flow->tls == NULL)
        return;
    session_enter_tls(flow);
    tls_end(flow->tls);
    session_leave_tls(session, flow);
}

static bool can_resume(void *context, struct tcp_conn_view *view)
{
    const struct flow *flow = view->user;
    (void)context;
    return flow != NULL && flow->is_suspended;
}

static void on_resume(void *context, struct tcp_conn_view *view, bool was_closed)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;
    if (flow == NULL)
        return;
    flow->is_suspended = false;
    if (flow->conn.proto == NULL || flow->conn.proto->resume == NULL)
        return;
    if (flow->tls != NULL)
        session_enter_tls(flow);
    flow->conn.proto->resume(&session->env, &flow->conn, was_closed);
    if (flow->tls != NULL)
        session_leave_tls(session, flow);
}

static void on_ignored(void *context, struct tcp_conn_view *view, int dir)
{
    struct flow *flow = view->user;
    (void)context;
    if (flow != NULL)
        flow->conn.view.counters[dir].ignored++;
}

static void on_syn_again(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct flow *flow = view->user;
    if (flow != NULL && flow->conn.proto != NULL && flow->conn.proto->syn_again != NULL)
        flow->conn.proto->syn_again(&session->env, &flow->conn);
}

const struct tcp_events session_tcp_events = {
    .open = on_open,
    .data = on_data,
    .gap = on_gap,
    .end = on_end,
    .go_on = on_go_on,
    .icmp = on_icmp,
    .stall = on_stall,
    .close = on_close,
    .gone = on_gone,
    .ignored = on_ignored,
    .syn_again = on_syn_again,
    .resume = on_resume,
    .can_resume = can_resume,
};
