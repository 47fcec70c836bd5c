/*
 * connect_failure.c - explains why a connection was never established.
 */
#include "conn/conn.h"

#include <distsniff/counted.h>

static const char *icmp_text(struct dissect_ctx *env, const struct icmp_error *icmp)
{
    if (icmp->too_big && icmp->mtu != 0)
        return env_print(env, "%s: %u bytes would pass (ICMP)", icmp->what, (unsigned)icmp->mtu);
    return env_print(env, "%s (ICMP)", icmp->what);
}

static const char *silence_text(struct dissect_ctx *env, const struct tcp_conn_view *tcp)
{
    const double waited = (double)(tcp->now_ns - tcp->first_syn_ns) / 1e9;
    if (tcp->num_syns == 0 || waited < 0)
        return "no answer";
    return env_print(env, "no answer to %s in %.1f s", ds_counted(tcp->num_syns, "SYNs").text,
                     waited);
}

bool conn_explain_failure(struct dissect_ctx *env, const struct conn *conn, enum tcp_close why,
                          int *dir, struct ds_conn_change *change)
{
    const struct tcp_conn_view *tcp = conn->tcp;
    if (!tcp->syn_seen[0] || tcp->syn_seen[1] || conn->view.counters[0].bytes != 0 ||
        conn->view.counters[1].bytes != 0)
        return false;
    *dir = 0;
    change->state = DS_CONN_FAILED;
    change->reason = "no answer";
    switch (why) {
    case TCP_CLOSE_RESET:
        if (tcp->reset_dir == 1) {
            *dir = 1;
            change->reason = "connection refused";
        }
        break;
    case TCP_CLOSE_ICMP:
        change->reason = icmp_text(env, &tcp->icmp);
        change->from = tcp->icmp.from;
        break;
    case TCP_CLOSE_SYN_TIMEOUT:
        change->reason = silence_text(env, tcp);
        break;
    case TCP_CLOSE_CAPTURE:
    case TCP_CLOSE_EVICTED:
    case TCP_CLOSE_CAPTURE_RESTART:
        change->state = DS_CONN_OPEN_AT_END;
        change->reason = "no answer yet";
        break;
    case TCP_CLOSE_FIN:
    case TCP_CLOSE_REUSED:
        break;
    }
    return true;
}

void conn_report_icmp(struct dissect_ctx *env, struct conn *conn, int dir)
{
    const struct icmp_error *icmp = &conn->tcp->icmp;
    conn_emit_change(env, conn, dir,
                     (struct ds_conn_change){.state = DS_CONN_ICMP_ERROR,
                                             .reason = icmp_text(env, icmp),
                                             .from = icmp->from});
}
