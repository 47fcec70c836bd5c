/*
 * tcp_ended.c - see tcp_ended.h.
 *
 * An acknowledgement of bytes sent after the end shows that a connection goes on. Data alone does
 * not: segments in flight arrive after a RST of the other end. But the sender of a FIN or RST sends
 * no more data: if the other end is not heard, its data is proof enough.
 */
#include "tcp/tcp_ended.h"

#include "tcp/tcp_analysis.h"
#include "tcp/tcp_judge.h"
#include "tcp/tcp_reuse.h"

/* is_next says whether a number is after another one, and near. */
static bool is_next(uint32_t number, uint32_t from)
{
    const int32_t ahead = tcp_diff(number, from);
    return ahead > 0 && ahead <= TCP_NEAR;
}

static void keep(struct tcp_table *table, struct tcp_stream *stream, const struct segment *segment)
{
    const struct tcp_piece piece = {
        .seq = segment->seq, .cut = segment->truncated_len, .bytes = segment->payload};
    tcp_stream_keep(&table->shared, stream, &piece);
}

bool tcp_ended_receive(struct tcp_table *table, struct tcp_conn *conn, int dir,
                       const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir], *peer = &conn->stream[!dir];
    if (!conn->can_resume || (segment->flags & (TCP_SYN | TCP_RST)) != 0 ||
        tcp_is_other(conn, dir, segment) || !tcp_judge(conn, dir, segment, len) || !stream->started ||
        (peer->heard && !peer->started))
        return false;
    const bool is_new = len > 0 && is_next(segment->seq + len, stream->next_seq);
    const bool is_own_end = stream->ended || (conn->was_reset && conn->view.reset_dir == dir);
    const bool is_arrived = peer->started && !segment->acks_unsent &&
                            is_next(segment->ack, peer->next_seq + peer->ended) &&
                            (conn->was_reset || peer->held != NULL);
    if (!is_arrived && !(is_new && is_own_end && !peer->heard)) {
        if (is_new)
            keep(table, stream, segment);
        return false;
    }
    const bool was_reset = conn->was_reset;
    tcp_reopen_conn(table, conn);
    if (was_reset)
        tcp_refute_reset(table, conn);
    for (int d = 0; d < 2 && !was_reset; d++)
        if (conn->stream[d].ended)
            tcp_refute_fin(table, conn, d);
    table->shared.events->resume(table->shared.context, &conn->view, true);
    for (int d = 0; d < 2 && !conn->forgotten; d++)
        tcp_stream_resume(&table->shared, conn, d);
    return true;
}

static void resume(struct tcp_table *table, struct tcp_conn *conn, int dir)
{
    tcp_refute_fin(table, conn, dir);
    if (table->shared.events->resume != NULL)
        table->shared.events->resume(table->shared.context, &conn->view, false);
    if (conn->view.facts != NULL)
        conn->view.facts->link.closed_by = -1;
    if (!conn->forgotten)
        tcp_stream_resume(&table->shared, conn, dir);
}

void tcp_ended_compare(struct tcp_table *table, const struct tcp_conn *conn, int dir,
                       const struct segment *segment)
{
    const struct tcp_piece piece = {
        .seq = segment->seq, .cut = segment->truncated_len, .bytes = segment->payload};
    if (segment->sum != PACKET_SUM_BAD && tcp_stream_differs(&conn->stream[dir], &piece))
        table->shared.stats->overlaps_differing++;
}

void tcp_ended_receive_data(struct tcp_table *table, struct tcp_conn *conn, int dir,
                            const struct segment *segment)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const uint32_t len = (uint32_t)cursor_left(&segment->payload) + segment->truncated_len;
    if (len == 0 || !is_next(segment->seq + len, stream->next_seq)) {
        tcp_ended_compare(table, conn, dir, segment);
        return;
    }
    keep(table, stream, segment);
    if (!conn->stream[!dir].heard)
        resume(table, conn, dir);
}

void tcp_ended_receive_ack(struct tcp_table *table, struct tcp_conn *conn, int dir, uint32_t ack)
{
    const struct tcp_stream *peer = &conn->stream[!dir];
    if (peer->held != NULL && is_next(ack, peer->next_seq + 1))
        resume(table, conn, !dir);
}
