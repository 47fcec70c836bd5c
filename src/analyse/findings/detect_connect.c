/*
 * detect_connect.c - findings of family 1: why nodes fail to connect. It uses the answers of EPMD,
 * the steps of handshakes, and the ends of connections that never came up.
 */
#include "analyse/findings/detect_parts.h"

/* answer_is_due says whether the answer to an initiator that closed after its send_name may still
 * come: when both nodes connect at once, one of them closes its connection before it reads `nok`.
 * After the time that a handshake may take, none comes: the acceptor hangs, and may not even close
 * its end. */
static bool answer_is_due(const struct ds_event *event, const struct conn_watch *w)
{
    const struct ds_tcp_stats *link = event->conn->link;
    return event->change.state == DS_CONN_HALF_CLOSED && w->last_step == DS_STEP_SEND_NAME &&
           event->ts_ns - w->step_ns < STALLED_NS && link != NULL &&
           link->closed_by == (w->initiator >= 0 ? w->initiator : 0);
}

static void on_conn(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    const bool is_epmd = event->conn->end[1].port == d->config.epmd_port;
    if (change->state == DS_CONN_FAILED && event->conn->link != NULL &&
        event->conn->link->side[1].syns == 0 &&
        event->conn->counters[0].bytes + event->conn->counters[1].bytes == 0) {
        if (change->unfollowed)
            return;
        if (is_epmd)
            detect_dials(d, &event->conn->end[0].addr);
        detect_unreachable(d, event);
        return;
    }
    if (is_epmd) {
        detect_epmd_left(d, event);
        return;
    }
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w == NULL)
        return;
    switch (change->state) {
    case DS_CONN_UP:
        w->is_up = true;
        w->up_ns = event->ts_ns;
        detect_accepts(d, &event->conn->end[1]);
        detect_dialled_up(d, event);
        return;
    case DS_CONN_JOINED_LATE:
        w->is_up = true;
        for (int end = 0; end < 2; end++) /* either may have accepted */
            detect_accepts(d, &event->conn->end[end]);
        return;
    case DS_CONN_HALF_CLOSED:
    case DS_CONN_FAILED:
    case DS_CONN_CLOSED:
    case DS_CONN_OPEN_AT_END:
        if (answer_is_due(event, w)) {
            w->left_ns = event->ts_ns - w->step_ns;
            return;
        }
        if (!detect_has_gaps(event->conn))
            detect_refusal(d, event, w);
        w->is_explained = true;
        return;
    default:
        return;
    }
}

static void note_hosts(struct detect *d, const struct ds_conn *conn)
{
    if (detect_add_host(d, &conn->end[0].addr))
        detect_node_starts(d, &conn->end[0].addr);
    detect_add_host(d, &conn->end[1].addr);
}

static void on_epmd(struct detect *d, const struct ds_event *event)
{
    note_hosts(d, event->conn);
    detect_dials(d, &event->conn->end[0].addr);
    detect_scan_epmd(d, event);
    detect_epmd(d, event);
}

static void on_handshake(struct detect *d, const struct ds_event *event)
{
    note_hosts(d, event->conn);
    if (event->handshake.step != DS_STEP_UNKNOWN) {
        detect_add_nodes_host(d, &event->conn->end[0].addr);
        detect_add_nodes_host(d, &event->conn->end[1].addr);
    }
    if (event->handshake.name.data != NULL)
        detect_add_name(d, event->handshake.name);
    detect_handshake(d, event);
}

void detect_connect(struct detect *d, const struct ds_event *event)
{
    if (event->type == DS_EVENT_EPMD)
        on_epmd(d, event);
    else if (event->type == DS_EVENT_HANDSHAKE)
        on_handshake(d, event);
    else if (event->type == DS_EVENT_LOOKUP)
        detect_lookup(d, event);
    else if (event->type == DS_EVENT_CONN)
        on_conn(d, event);
}

/* look_at_time calls all parts that wait for something. It is not inline: it is called for each
 * message, and mostly none waits. */
static __attribute__((noinline)) void look_at_time(struct detect *d, bool at_end)
{
    detect_reach_time(d, at_end);
    detect_lookup_time(d, at_end);
    detect_scan_time(d, at_end);
    detect_dialled_time(d);
}

void detect_connect_time(struct detect *d, bool at_end)
{
    if (d->has_refused || d->has_lookups || d->has_knocks || d->has_dialled)
        look_at_time(d, at_end);
}
