/*
 * session_link.c - what becomes of a connection: its bytes, where there is TLS what is inside of
 * them, go to its protocol, or are probed until that is known.
 */
#include "session_parts.h"

#include "dist.h"
#include "keylog.h"
#include "tcp_analysis.h"
#include "tls_snapshot.h"

#include <stdlib.h>

static void on_open(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct env *env = &session->env;
    const struct proto *proto = NULL;

    struct link *link = calloc(1, sizeof *link);
    if (link == NULL) {
        env->stats.no_memory++;
        tcp_table_forget(view);
        return;
    }
    view->user = link;
    link->session = session;
    link->tcp = view;
    link->conn.tcp = view;
    if (view->facts != NULL)
        link->conn.view.link = &view->facts->link;
    for (int end = 0; end < 2; end++) {
        link->conn.view.end[end].addr = view->addr[end];
        link->conn.view.end[end].port = view->port[end];
    }
    if (proto_find(env, &link->conn, 0, cursor_make(NULL, 0), &proto) == PROTO_YES)
        (void)session_take_link(session, link, proto);
}

/* take_past takes what stands for bytes of a connection that is known to be a distribution's. */
static void take_past(struct ds_session *session, struct link *link, int dir, struct cursor data)
{
    struct env *env = &session->env;
    struct conn *conn = &link->conn;
    if (conn->proto == NULL) {
        for (int d = 0; d < 2; d++)
            conn->late[d] = !link->tcp->syn_seen[d];
        if (!session_take_link(session, link, &dist_proto))
            return;
    }
    if (env->past != DS_SNAPSHOT_OPEN)
        conn->proto->feed(env, conn, dir, data);
    else if (conn->proto->take_alone != NULL)
        conn->proto->take_alone(env, conn, dir, data);
}

/* take_text takes what a direction says, be it in TLS or not. */
static void take_text(struct ds_session *session, struct link *link, int dir, struct cursor data)
{
    if (link->conn.proto == NULL) {
        session_probe(session, link, dir, data);
        return;
    }
    link->is_fed = true;
    raw_emit_data(&session->env, &link->conn, dir, data);
    link->conn.proto->feed(&session->env, &link->conn, dir, data);
}

static void take_gap(struct ds_session *session, struct link *link, int dir, uint64_t len,
                     enum tcp_gap why)
{
    const struct ds_fault fault = {conn_gap_fault(why), 0, "bytes are missing here"};
    if (link->conn.proto != NULL) {
        raw_emit_missing(&session->env, &link->conn, dir, len, fault);
        link->conn.proto->gap(&session->env, &link->conn, dir, len, why);
        return;
    }
    /* What was probed so far leads nowhere now; what follows is as if joined late. */
    link->lost[dir] = true;
    link->probes[dir].looked_len = 0;
    raw_early_drop(&link->probes[dir].early, &session->env, len, fault);
    stream_buffer_free(&link->probes[dir].held, &session->env);
}

/* enter_moment has a connection stand where it stood when what TLS tells came; leave_moment ends that. */
static void enter_moment(struct link *link)
{
    link->conn.tcp = tls_get_moment(link->tls);
}

static void leave_moment(struct link *link)
{
    link->conn.tcp = link->tcp;
}

static void on_tls_text(void *context, int dir, struct cursor text)
{
    struct link *link = context;
    link->session->env.stats.tls_opened += !link->is_opened && !link->tcp->only_past;
    link->is_opened = true;
    if (link->is_forgotten)
        return;
    link->conn.sealed_rest = tls_get_rest(link->tls, dir);
    enter_moment(link);
    take_text(link->session, link, dir, text);
    leave_moment(link);
}

static void on_tls_gap(void *context, int dir, uint64_t len, enum tcp_gap why)
{
    struct link *link = context;
    if (link->is_forgotten)
        return;
    enter_moment(link);
    take_gap(link->session, link, dir, len, why);
    leave_moment(link);
}

static void take_stall(struct ds_session *session, struct link *link, int dir,
                       const struct ds_stall *stall)
{
    if (link->conn.proto == NULL)
        return;
    struct ds_event event = {.type = DS_EVENT_STALL, .dir = (uint8_t)dir, .stall = *stall};
    if (link->conn.proto->progress != NULL)
        link->conn.proto->progress(&link->conn, dir, &event.stall.message_size,
                                   &event.stall.message_passed);
    env_emit(&session->env, &link->conn, &event);
}

static void on_tls_stall(void *context, int dir, const struct ds_stall *stall)
{
    struct link *link = context;
    if (link->is_forgotten)
        return;
    enter_moment(link);
    take_stall(link->session, link, dir, stall);
    leave_moment(link);
}

static void on_tls_icmp(void *context, int dir)
{
    struct link *link = context;
    if (link->is_forgotten || link->conn.proto == NULL)
        return;
    enter_moment(link);
    conn_report_icmp(&link->session->env, &link->conn, dir);
    leave_moment(link);
}

static void on_tls_end(void *context, int dir)
{
    struct link *link = context;
    if (link->is_forgotten || link->conn.proto == NULL)
        return;
    enter_moment(link);
    link->conn.proto->end(&link->session->env, &link->conn, dir);
    leave_moment(link);
}

/* on_tls_sealed: a connection that cannot be read is shown where its port tells what it is. */
static void take_sealed(struct ds_session *session, struct link *link)
{
    const struct proto *proto = NULL;
    if (link->conn.proto == NULL &&
        proto_find(&session->env, &link->conn, 0, cursor_make(NULL, 0), &proto) == PROTO_YES &&
        !session_take_link(session, link, proto))
        return;
    if (link->conn.proto != NULL && link->conn.proto->sealed != NULL) {
        link->conn.proto->sealed(&session->env, &link->conn);
    } else if (!keylog_grows(&session->env)) {
        session->env.stats.tls_unknown++;
        session_forget_link(session, link);
    }
}

static void on_tls_sealed(void *context)
{
    struct link *link = context;
    if (link->is_forgotten)
        return;
    enter_moment(link);
    take_sealed(link->session, link);
    leave_moment(link);
}

static void take_close(struct ds_session *session, struct link *link, enum tcp_close why)
{
    const enum ds_snapshot_kind past = session->env.past;
    session->env.stats.one_way += link->conn.view.number != 0 && link->tcp->is_one_way;
    session->env.past = DS_SNAPSHOT_NONE; /* it is another's */
    const struct proto *proto = link->conn.proto;
    link->is_suspended = proto != NULL && proto->suspend != NULL && past == DS_SNAPSHOT_NONE &&
                         (why == TCP_CLOSE_FIN || why == TCP_CLOSE_RESET) && !link->is_late_close;
    if (link->is_suspended)
        proto->suspend(&session->env, &link->conn, why);
    else if (proto != NULL)
        proto->close(&session->env, &link->conn, why);
    session->env.past = past;
}

static void on_tls_close(void *context, enum tcp_close why)
{
    struct link *link = context;
    enter_moment(link);
    link->is_late_close = tls_is_closed(link->tls);
    take_close(link->session, link, why);
    leave_moment(link);
    link->is_over = !link->is_suspended;
}

static void on_tls_enter(void *context)
{
    session_enter_tls(context);
}

static void on_tls_leave(void *context)
{
    struct link *link = context;
    session_leave_tls(link->session, link);
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

/* starts_tls says whether what comes is TLS, and is worth the trouble. */
static bool starts_tls(const struct ds_session *session, const struct link *link, int dir,
                       struct cursor data)
{
    const struct conn *conn = &link->conn;
    const bool is_late = !link->tcp->syn_seen[dir] || link->lost[dir];
    if (conn->proto != NULL && (link->is_fed || conn->proto->sealed == NULL))
        return false;
    return tls_probe(data, is_late) &&
           (session_knows_port(session, link) || keylog_is_of_use(&session->env));
}

static void start_tls(struct ds_session *session, struct link *link)
{
    struct env *env = &session->env;
    if (session->tls == NULL)
        session->tls = tls_stage_new(env, &tls_events);
    if (session->tls != NULL)
        link->tls = tls_new(session->tls, link->tcp, link);
    if (link->tls == NULL) {
        env->stats.no_memory++;
        return;
    }
    env->stats.tls_connections += !link->tcp->only_past;
    link->conn.view.tls = tls_view(link->tls);
    for (int dir = 0; dir < 2; dir++)
        stream_buffer_free(&link->probes[dir].held, env);
}

/* take_tls_snapshot takes what stands for the past of a connection with TLS. */
static void take_tls_snapshot(struct ds_session *session, struct link *link, int dir,
                              struct cursor data)
{
    struct env *env = &session->env;
    struct tls_snapshot_piece piece = {.kind = DS_SNAPSHOT_LOST};
    if (env->past == DS_SNAPSHOT_TLS && link->tls == NULL)
        start_tls(session, link);
    if (link->tls == NULL)
        return;
    session_enter_tls(link);
    if (env->past == DS_SNAPSHOT_TLS) {
        tls_snapshot_set_state(link->tls, dir, data);
        session_leave_tls(session, link);
        return;
    }
    const bool is_open = tls_snapshot_open(link->tls, dir, data, &piece);
    link->is_opened |= is_open;
    env->past = piece.kind;
    if (piece.kind == DS_SNAPSHOT_LOST)
        take_gap(session, link, dir, 0, TCP_GAP_LOST);
    else if (piece.kind == DS_SNAPSHOT_BYTES)
        take_text(session, link, dir, piece.text);
    else
        take_past(session, link, dir, piece.text);
    if (is_open && piece.cut != 0 && !link->is_forgotten)
        take_gap(session, link, dir, piece.cut, TCP_GAP_CUT);
    env->past = DS_SNAPSHOT_SEALED;
    session_leave_tls(session, link);
}

static __attribute__((noinline)) void feed_tls(struct ds_session *session, struct link *link, int dir,
                                               struct cursor data)
{
    session_enter_tls(link);
    tls_feed(link->tls, dir, data);
    session_leave_tls(session, link);
}

/* take_made_data takes what stands for the past, and is more than bytes. */
static __attribute__((noinline)) void take_made_data(struct ds_session *session, struct link *link,
                                                     int dir, struct cursor data)
{
    if (session->env.past == DS_SNAPSHOT_TLS || session->env.past == DS_SNAPSHOT_SEALED)
        take_tls_snapshot(session, link, dir, data);
    else
        take_past(session, link, dir, data);
}

static void on_data(void *context, struct tcp_conn_view *view, int dir, struct cursor data)
{
    struct ds_session *session = context;
    struct link *link = view->user;

    if (link == NULL)
        return;
    if (session->env.past > DS_SNAPSHOT_BYTES) {
        take_made_data(session, link, dir, data);
        return;
    }
    if (session->env.past == DS_SNAPSHOT_NONE)
        link->conn.view.counters[dir].bytes += cursor_left(&data);
    if (link->tls == NULL && starts_tls(session, link, dir, data))
        start_tls(session, link);
    if (link->tls == NULL) {
        take_text(session, link, dir, data);
        return;
    }
    feed_tls(session, link, dir, data);
}

static void on_gap(void *context, struct tcp_conn_view *view, int dir, uint64_t len,
                   enum tcp_gap why)
{
    struct ds_session *session = context;
    struct link *link = view->user;

    if (link == NULL)
        return;
    if (link->tls == NULL) {
        take_gap(session, link, dir, len, why);
        return;
    }
    session_enter_tls(link);
    tls_gap(link->tls, dir, len, why);
    session_leave_tls(session, link);
}

static void on_end(void *context, struct tcp_conn_view *view, int dir)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link == NULL)
        return;
    if (link->tls == NULL) {
        if (link->conn.proto != NULL)
            link->conn.proto->end(&session->env, &link->conn, dir);
        return;
    }
    session_enter_tls(link);
    tls_note_end(link->tls, dir);
    session_leave_tls(session, link);
}

static void on_go_on(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    const struct ds_conn_change change = {
        .state = DS_CONN_CONTINUED,
        .reason = "it began before; what came then is known from what stands for it",
    };
    if (link != NULL && link->tls != NULL) {
        session->env.stats.tls_connections++;
        session->env.stats.tls_opened += link->is_opened;
    }
    if (link != NULL && link->conn.view.number != 0)
        conn_emit_change(&session->env, &link->conn, 0, change);
}

static void on_icmp(void *context, struct tcp_conn_view *view, int dir)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link == NULL)
        return;
    if (link->tls == NULL) {
        if (link->conn.proto != NULL)
            conn_report_icmp(&session->env, &link->conn, dir);
        return;
    }
    session_enter_tls(link);
    tls_note_icmp(link->tls, dir);
    session_leave_tls(session, link);
}

static void on_stall(void *context, struct tcp_conn_view *view, int dir,
                     const struct ds_stall *stall)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link == NULL)
        return;
    if (link->tls == NULL) {
        take_stall(session, link, dir, stall);
        return;
    }
    session_enter_tls(link);
    tls_note_stall(link->tls, dir, stall);
    session_leave_tls(session, link);
}

static void on_close(void *context, struct tcp_conn_view *view, enum tcp_close why)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link == NULL)
        return;
    if (link->tls == NULL) {
        take_close(session, link, why);
        if (!link->is_suspended)
            session_free_link(session, link);
        return;
    }
    const enum ds_snapshot_kind past = session->env.past;
    session->env.past = DS_SNAPSHOT_NONE;
    session_enter_tls(link);
    tls_close(link->tls, why);
    session_leave_tls(session, link);
    session->env.past = past;
}

/* on_gone: TCP has no place any more for a connection that is closed, and may wait for its keys. */
static void on_gone(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link != NULL && link->is_suspended) {
        link->conn.proto->release(&session->env, &link->conn);
        session_free_link(session, link);
        return;
    }
    if (link == NULL || link->tls == NULL)
        return;
    session_enter_tls(link);
    tls_end(link->tls);
    session_leave_tls(session, link);
}

static bool can_resume(void *context, struct tcp_conn_view *view)
{
    const struct link *link = view->user;
    (void)context;
    return link != NULL && link->is_suspended;
}

static void on_resume(void *context, struct tcp_conn_view *view, bool was_closed)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link == NULL)
        return;
    link->is_suspended = false;
    if (link->conn.proto == NULL || link->conn.proto->resume == NULL)
        return;
    if (link->tls != NULL)
        session_enter_tls(link);
    link->conn.proto->resume(&session->env, &link->conn, was_closed);
    if (link->tls != NULL)
        session_leave_tls(session, link);
}

static void on_ignored(void *context, struct tcp_conn_view *view, int dir)
{
    struct link *link = view->user;
    (void)context;
    if (link != NULL)
        link->conn.view.counters[dir].ignored++;
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
    .resume = on_resume,
    .can_resume = can_resume,
};
