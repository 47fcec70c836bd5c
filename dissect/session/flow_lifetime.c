/*
 * flow_lifetime.c - gives a flow its protocol, and ends it: forgotten or closed, it is freed as
 * soon as TLS is not running in it.
 */
#include "session/session_parts.h"

#include "dist/decoder_state.h"

#include <stdlib.h>

/* Not inline: a compiler that sees both in one function cannot know that nothing is freed while TLS
 * is running (in_tls). */
__attribute__((noinline)) void session_free_flow(struct ds_session *session, struct flow *flow)
{
    for (int dir = 0; dir < 2; dir++) {
        stream_buffer_free(&flow->probes[dir].held, &session->env);
        raw_early_free(&flow->probes[dir].early, &session->env);
    }
    conn_forget_nodes(&flow->conn);
    tls_free(flow->tls);
    decoder_state_free(flow->conn.decoder, &session->env);
    flow->tcp->user = NULL;
    free(flow);
}

void session_forget_flow(struct ds_session *session, struct flow *flow)
{
    struct tcp_conn_view *tcp = flow->tcp;
    flow->is_forgotten = true;
    if (flow->in_tls != 0)
        return;
    session_free_flow(session, flow);
    tcp_table_forget(tcp);
}

bool session_start_flow(struct ds_session *session, struct flow *flow, const struct proto *proto)
{
    struct dissect_ctx *env = &session->env;
    struct conn *conn = &flow->conn;

    conn->proto = proto;
    if (env->config.remember && proto->write_snapshot != NULL)
        conn->decoder = decoder_state_new(env);
    if (!proto->start(env, conn)) {
        env->stats.no_memory++;
        session_forget_flow(session, flow);
        return false;
    }
    return true;
}

void session_enter_tls(struct flow *flow)
{
    flow->in_tls++;
}

void session_leave_tls(struct ds_session *session, struct flow *flow)
{
    if (--flow->in_tls != 0)
        return;
    if (flow->is_over)
        session_free_flow(session, flow);
    else if (flow->is_forgotten)
        session_forget_flow(session, flow);
}
