/*
 * tcp_snapshot.c - the packets of a snapshot: a recorder wrote them in place of packets that it had
 * discarded.
 */
#include "tcp/tcp_table.h"

/* is_behind says whether a known connection has not come as far as the snapshot: packets between
 * were not captured. */
static bool is_behind(const struct tcp_conn *conn, int dir, const struct ds_snapshot *past)
{
    bool is_known = false;
    for (int i = 0; i < 2; i++) {
        const struct tcp_stream *stream = &conn->stream[i == 0 ? dir : !dir];
        if (!stream->started || !past->knows[i])
            continue;
        is_known = true;
        if (tcp_diff(past->point[i], stream->next_seq) > 0)
            return true;
    }
    return !is_known;
}

/* begin_past finds or makes the connection whose past begins with a segment. NULL if the known
 * one stays as it is, or memory ran out. */
static struct tcp_conn *begin_past(struct tcp_table *table, const struct segment *segment,
                                   const struct ds_snapshot *past, int *dir)
{
    struct tcp_conn *conn = tcp_find_conn(table, segment, dir);
    if (conn != NULL && !conn->closed && !is_behind(conn, *dir, past)) {
        conn->ignores_past = true;
        return NULL;
    }
    if (conn != NULL && !conn->closed)
        tcp_close_conn(table, conn, TCP_CLOSE_CAPTURE_RESTART);
    if (conn != NULL)
        tcp_free_conn(table, conn);
    return tcp_open_conn(table, segment, 0, true, dir);
}

static void on_snapshot(struct tcp_table *table, struct tcp_conn *conn, int dir,
                        const struct segment *segment, const struct ds_snapshot *past)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const struct tcp_piece piece = {
        .seq = segment->seq, .cut = segment->truncated_len, .bytes = segment->payload};
    const bool is_syn = (segment->flags & TCP_SYN) != 0;
    conn->view.syn_seen[dir] = conn->view.syn_seen[dir] || is_syn;
    if (past->kind == DS_SNAPSHOT_OPEN || past->kind == DS_SNAPSHOT_SEALED) {
        table->shared.events->data(table->shared.context, &conn->view, dir, segment->payload);
        return;
    }
    if (!stream->started)
        tcp_start_stream(stream, segment->seq + is_syn);
    if (is_syn || tcp_diff(segment->seq, stream->next_seq) < 0)
        return;
    if (past->kind == DS_SNAPSHOT_LOST) {
        stream->next_seq = segment->seq + (uint32_t)cursor_left(&segment->payload);
        table->shared.events->gap(table->shared.context, &conn->view, dir, 0, TCP_GAP_LOST);
    } else {
        tcp_stream_receive(&table->shared, conn, dir, &piece, false);
    }
    if (!conn->closed)
        tcp_waiting_update(table, conn);
}

uint64_t tcp_table_snapshot(struct tcp_table *table, const struct segment *segment,
                            const struct ds_snapshot *past)
{
    int dir = 0;
    tcp_receive_all(table);
    table->forgotten = 0;
    if (cursor_left(&segment->payload) > TCP_MAX_SEGMENT_LEN ||
        segment->truncated_len > TCP_MAX_SEGMENT_LEN)
        return 0;
    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    struct tcp_conn *conn =
        past->begins ? begin_past(table, segment, past, &dir) : tcp_find_conn(table, segment, &dir);
    if (conn == NULL || conn->closed || conn->forgotten || conn->ignores_past ||
        !conn->view.only_past)
        return 0;
    const uint64_t number = conn->view.number;
    tcp_set_now(table, conn);
    conn->view.now_ns = past->sent_ns;
    tcp_touch(table, conn);
    on_snapshot(table, conn, dir, segment, past);
    return number != table->forgotten ? number : 0;
}
