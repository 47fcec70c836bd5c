/*
 * link_lifetime.c - how a link gets its protocol, and how it ends: forgotten or closed, it is freed as
 * soon as TLS is not at work in it.
 */
#include "session_parts.h"

#include "decoder_state.h"

#include <stdlib.h>

/* It is a call of its own wherever it stands: that nothing is freed while TLS is at work (in_tls) no
 * compiler can know that sees both in one function. */
__attribute__((noinline)) void session_free_link(struct ds_session *session, struct link *link)
{
    for (int dir = 0; dir < 2; dir++) {
        stream_buffer_free(&link->probes[dir].held, &session->env);
        raw_early_free(&link->probes[dir].early, &session->env);
    }
    conn_forget_nodes(&link->conn);
    tls_free(link->tls);
    decoder_state_free(link->conn.decoder, &session->env);
    link->tcp->user = NULL;
    free(link);
}

void session_forget_link(struct ds_session *session, struct link *link)
{
    struct tcp_conn_view *tcp = link->tcp;
    link->is_forgotten = true;
    if (link->in_tls != 0)
        return;
    session_free_link(session, link);
    tcp_table_forget(tcp);
}

bool session_take_link(struct ds_session *session, struct link *link, const struct proto *proto)
{
    struct env *env = &session->env;
    struct conn *conn = &link->conn;

    conn->proto = proto;
    if (env->config.remember && proto->give_past != NULL)
        conn->decoder = decoder_state_new(env);
    if (!proto->start(env, conn)) {
        env->stats.no_memory++;
        session_forget_link(session, link);
        return false;
    }
    return true;
}

void session_enter_tls(struct link *link)
{
    link->in_tls++;
}

void session_leave_tls(struct ds_session *session, struct link *link)
{
    if (--link->in_tls != 0)
        return;
    if (link->is_over)
        session_free_link(session, link);
    else if (link->is_forgotten)
        session_forget_link(session, link);
}
