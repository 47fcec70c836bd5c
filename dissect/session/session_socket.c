/*
 * session_socket.c - adds the kernels' statistics of sockets to the facts of their connections.
 */
#include "session/session_parts.h"
#include "tcp/tcp_analysis.h"
#include "tcp/tcp_table.h"

/* Answers further apart do not describe the current state. */
#define MAX_SPAN_NS (10 * INT64_C(1000000000))

/* compare computes the changes since the last answer. Counters that decrease belong to another
 * socket. */
static void compare(struct ds_socket *now, const struct ds_socket *before)
{
    const int64_t span_ns = now->asked_ns - before->asked_ns;
    now->span_ns = now->span_rwnd_ns = now->span_sndbuf_ns = 0;
    now->span_retransmitted = 0;
    if (before->asked_ns == 0 || span_ns <= 0 || span_ns > MAX_SPAN_NS || now->busy_ns < before->busy_ns ||
        now->rwnd_limited_ns < before->rwnd_limited_ns ||
        now->sndbuf_limited_ns < before->sndbuf_limited_ns || now->retransmitted < before->retransmitted)
        return;
    now->span_ns = span_ns;
    now->span_rwnd_ns = now->rwnd_limited_ns - before->rwnd_limited_ns;
    now->span_sndbuf_ns = now->sndbuf_limited_ns - before->sndbuf_limited_ns;
    now->span_retransmitted = now->retransmitted - before->retransmitted;
}

/* repeat_stalls reports a lasting stall again: the kernel of an end has answered for the first time
 * since it began. */
static void repeat_stalls(struct tcp_table *table, struct tcp_conn *conn, const struct ds_socket *now,
                          const struct ds_socket *before)
{
    struct tcp_analysis *facts = conn->view.facts;
    for (int dir = 0; dir < 2; dir++) {
        struct tcp_analysis_dir *at = &facts->dir[dir];
        if (at->stall_ns != 0 && at->stall_told && before->asked_ns < at->stall_ns &&
            now->asked_ns >= at->stall_ns)
            at->stall_told = false;
    }
    tcp_waiting_update(table, conn);
}

bool ds_session_socket(struct ds_session *session, const struct ds_addr addr[2], const uint16_t port[2],
                       const struct ds_socket *socket)
{
    const struct segment from = {
        .src = addr[0], .dst = addr[1], .src_port = port[0], .dst_port = port[1]};
    int dir = 0;
    struct tcp_conn *conn = session->ended ? NULL : tcp_find_conn(session->tcp, &from, &dir);
    if (conn == NULL || conn->view.facts == NULL)
        return false;
    struct ds_socket *place = &conn->view.facts->link.side[dir].socket, now = *socket;
    compare(&now, place);
    const struct ds_socket before = *place;
    *place = now;
    repeat_stalls(session->tcp, conn, &now, &before);
    return true;
}
