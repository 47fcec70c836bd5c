/*
 * tcp_segment.c - what a segment whose turn it is does to its connection (RFC 9293, section 3.10):
 * it opens, carries on, resets or ends one.
 *
 * A connection is made by a SYN or by data; nothing else is worth following.
 */
#include "tcp_table.h"

#include "tcp_facts.h"

enum {
    STRAY_DISTANCE = 1 << 24, /* farther behind than any retransmission */
    MAX_STRAYS = 4,           /* so many in a row are another connection, whose SYN is missing */
    LATE_SYN = 1 << 16,       /* bytes that may be passed on before a SYN comes too late */
};
/* A SYN is sent again after a second or three, then after as long or twice as long as before. */
#define FIRST_SYN_WAIT_NS (3500 * TCP_MS_NS)
#define SYN_WAIT_SLACK_NS (500 * TCP_MS_NS)

/* is_late_syn says whether a SYN is the one with which a stream began, or must have begun: its
 * number lies just before the first byte that was seen. */
static bool is_late_syn(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    const uint32_t before = stream->first_seq - (segment->seq + 1);
    return before == 0 || (before <= LATE_SYN && !conn->view.syn_seen[dir]);
}

bool tcp_is_reused(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    if (!stream->started || is_late_syn(conn, dir, segment))
        return false;
    const struct tcp_stream *peer = &conn->stream[!dir];
    return conn->closed || stream->has_data || peer->has_data || stream->fin_seen || peer->fin_seen;
}

static void note_syn(struct tcp_table *table, struct tcp_conn *conn)
{
    const int64_t now_ns = table->shared.now_ns;
    if (conn->view.num_syns++ == 0)
        conn->view.first_syn_ns = now_ns;
    else
        conn->syn_gap_ns = tcp_elapsed(now_ns, conn->syn_ns);
    conn->syn_ns = now_ns;
    conn->syn_frame = table->shared.frame;
}

bool tcp_is_unanswered(const struct tcp_table *table, const struct tcp_conn *conn)
{
    const uint64_t gap_ns = conn->syn_gap_ns;
    const uint64_t wait_ns =
        gap_ns == 0 ? FIRST_SYN_WAIT_NS : 2 * gap_ns + gap_ns / 4 + SYN_WAIT_SLACK_NS;
    return tcp_awaits_answer(conn) &&
           tcp_waited(&table->shared, conn->syn_ns, wait_ns, conn->syn_frame);
}

/* begin_stream begins a direction whose first byte has that number. */
static void begin_stream(struct tcp_conn *conn, int dir, uint32_t seq)
{
    tcp_start_stream(&conn->stream[dir], seq);
    conn->view.first_seq[dir] = conn->view.next_seq[dir] = seq;
}

static void take_syn(struct tcp_table *table, struct tcp_conn *conn, int dir,
                     const struct segment *segment)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_stream *peer = &conn->stream[!dir];
    const bool is_again = conn->view.syn_seen[dir];
    const bool is_late = stream->started && is_late_syn(conn, dir, segment);
    table->shared.stats->retransmitted += is_late && is_again;
    conn->view.syn_seen[dir] = true;
    if (dir == 0 && (segment->flags & TCP_ACK) == 0)
        note_syn(table, conn);
    if (!is_late)
        tcp_stream_drop(&table->shared, stream);
    if (!is_late || (!is_again && !stream->has_data && !stream->ended))
        begin_stream(conn, dir, segment->seq + 1);
    if ((segment->flags & TCP_ACK) != 0 && !peer->started)
        begin_stream(conn, !dir, segment->ack);
}

bool tcp_is_reset(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    const struct tcp_stream *peer = &conn->stream[!dir];
    if (stream->started) {
        int32_t ahead = tcp_diff(segment->seq, stream->next_seq);
        return ahead > -TCP_NEAR && ahead < TCP_NEAR;
    }
    if ((segment->flags & TCP_ACK) == 0 || !peer->started)
        return true;
    int32_t ahead = tcp_diff(segment->ack, peer->next_seq);
    return ahead > -TCP_NEAR && ahead < TCP_NEAR;
}

/* is_stray says whether segments far behind what is expected have become so many that the
 * ports must have been used again while nobody captured. */
static bool is_stray(struct tcp_stream *stream, uint32_t seq, uint32_t len)
{
    if (tcp_diff(seq, stream->next_seq) > -STRAY_DISTANCE || len == 0)
        return false;
    stream->num_strays = stream->stray_seq == seq ? stream->num_strays + 1 : 1;
    stream->stray_seq = seq + len;
    return stream->num_strays >= MAX_STRAYS;
}

/* take_forgotten follows just enough to notice the end. */
static void take_forgotten(struct tcp_table *table, struct tcp_conn *conn, int dir,
                           const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    if (!stream->started)
        tcp_start_stream(stream, segment->seq);
    if (tcp_diff(segment->seq + len, stream->next_seq) > 0)
        stream->next_seq = segment->seq + len;
    stream->has_data = stream->has_data || len > 0;
    if ((segment->flags & TCP_FIN) == 0)
        return;
    stream->fin_seen = true;
    stream->ended = true;
    if (conn->stream[!dir].ended)
        tcp_close_conn(table, conn, TCP_CLOSE_FIN);
}

static void take_data(struct tcp_table *table, struct tcp_conn *conn, int dir,
                      const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_piece piece = {
        .seq = segment->seq + ((segment->flags & TCP_SYN) != 0),
        .cut = segment->cut_len,
        .bytes = segment->payload,
    };
    if (!stream->started)
        tcp_start_stream(stream, piece.seq);
    if (len == 0 && (segment->flags & TCP_FIN) == 0)
        return;
    tcp_stream_take(&table->shared, conn, dir, &piece, (segment->flags & TCP_FIN) != 0);
}

void tcp_close_unanswered(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why)
{
    tcp_close_conn(table, conn, why);
    conn->gave_up = true;
}

void tcp_give_up(struct tcp_table *table, struct tcp_conn *conn)
{
    tcp_stream_give_up(&table->shared, conn, 0);
    tcp_stream_give_up(&table->shared, conn, 1);
    for (int dir = 0; dir < 2 && !conn->forgotten && conn->view.facts != NULL; dir++) {
        struct ds_stall stall;
        if (tcp_facts_time(conn->view.facts, dir, table->shared.now_ns, &stall))
            table->shared.events->stall(table->shared.context, &conn->view, dir, &stall);
    }
    tcp_waiting_update(table, conn);
    if (conn->closed || conn->forgotten)
        return;
    if (conn->stream[0].ended && conn->stream[1].ended)
        tcp_close_conn(table, conn, TCP_CLOSE_FIN);
    else if (tcp_is_unanswered(table, conn))
        tcp_close_unanswered(table, conn, TCP_CLOSE_SILENT);
}

/* take_reused ends conn, whose ports are in use again. */
static void take_reused(struct tcp_table *table, struct tcp_conn *conn)
{
    if (!conn->closed)
        tcp_close_conn(table, conn, TCP_CLOSE_REUSED);
    tcp_free_conn(table, conn);
}

static void take_facts(struct tcp_table *table, struct tcp_conn *conn, int dir,
                       const struct segment *segment, uint32_t len)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    struct ds_stall stall;
    const int ended = tcp_facts_take(conn->view.facts, dir, segment, len, stream->started,
                                     stream->next_seq, &stall);
    if (ended >= 0)
        table->shared.events->stall(table->shared.context, &conn->view, ended, &stall);
}

/* go_on is for the first packet that was captured of a connection with a past. */
static void go_on(struct tcp_table *table, struct tcp_conn *conn)
{
    conn->view.only_past = false;
    table->shared.stats->tcp_connections++;
    if (!conn->forgotten && table->shared.events->go_on != NULL)
        table->shared.events->go_on(table->shared.context, &conn->view);
}

void tcp_take_segment(struct tcp_table *table, struct tcp_conn *conn, int dir,
                         const struct segment *segment, uint64_t number)
{
    struct ds_stats *stats = table->shared.stats;
    uint32_t len = (uint32_t)cursor_left(&segment->payload) + segment->cut_len;

    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    /* Of a connection time does not go back where others went first. */
    if (conn != NULL && segment->frame < conn->newest_frame)
        table->shared.now_ns = conn->view.now_ns;
    if (conn != NULL && (segment->flags & TCP_SYN) != 0 && tcp_is_reused(conn, dir, segment)) {
        take_reused(table, conn);
        conn = NULL;
    }
    if (conn != NULL && !conn->closed && !conn->forgotten && conn->stream[dir].started &&
        is_stray(&conn->stream[dir], segment->seq, len)) {
        take_reused(table, conn);
        conn = NULL;
    }
    if (conn != NULL && conn->gave_up && (segment->flags & (TCP_ACK | TCP_RST)) == TCP_ACK) {
        tcp_free_conn(table, conn);
        conn = NULL;
    }
    if (conn == NULL) {
        if ((segment->flags & TCP_RST) != 0 || (len == 0 && (segment->flags & TCP_SYN) == 0))
            return;
        conn = tcp_open_conn(table, segment, number, false, &dir);
        if (conn == NULL)
            return;
    } else if (conn->closed) {
        table->number = conn->forgotten ? 0 : conn->view.number;
        stats->retransmitted += len > 0;
        return;
    }
    table->number = conn->forgotten ? 0 : conn->view.number;
    tcp_set_now(table, conn);
    tcp_touch(table, conn);
    if (conn->view.only_past)
        go_on(table, conn);
    conn->num_taken += conn->num_taken < TCP_DISORDER;
    if (conn->newest_frame < segment->frame)
        conn->newest_frame = segment->frame;

    if ((segment->flags & (TCP_SYN | TCP_RST)) != 0) {
        if ((segment->flags & TCP_RST) != 0) {
            if (tcp_is_reset(conn, dir, segment)) {
                conn->view.reset_dir = (uint8_t)dir;
                tcp_close_conn(table, conn, TCP_CLOSE_RESET);
            }
            return;
        }
        take_syn(table, conn, dir, segment);
    }
    if (conn->forgotten) {
        take_forgotten(table, conn, dir, segment, len);
        if (conn->waiting)
            tcp_waiting_update(table, conn);
        return;
    }
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_stream *peer = &conn->stream[!dir];
    stream->heard = true;
    stream->heard_ns = segment->ts_ns;
    if (conn->view.facts != NULL)
        take_facts(table, conn, dir, segment, len);
    if ((segment->flags & TCP_ACK) != 0) {
        peer->acked = segment->ack;
        peer->has_acked = true;
        /* Of a connection seen from its start the first acknowledgement tells where the
         * answer begins, even if the SYN-ACK is missing. */
        if (!peer->started && conn->view.syn_seen[dir] && (segment->flags & TCP_SYN) == 0)
            tcp_start_stream(peer, segment->ack);
    }
    if (len > 0 || (segment->flags & TCP_FIN) != 0)
        take_data(table, conn, dir, segment, len);
    if (conn->waiting || tcp_stream_waits(stream) || stream->ended || tcp_awaits_answer(conn) ||
        (conn->view.facts != NULL && tcp_facts_stalls(conn->view.facts)))
        tcp_give_up(table, conn);
}

/* is_expected says whether a segment is what nearly all are: of an established connection, all of
 * whose streams are as far as they were captured, the next bytes or an acknowledgement alone. */
static bool is_expected(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir], *peer = &conn->stream[!dir];
    return (segment->flags & (TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK)) == TCP_ACK &&
           segment->seq == stream->next_seq && conn->num_taken == TCP_DISORDER && !conn->waiting &&
           !conn->closed && !conn->forgotten && segment->frame >= conn->newest_frame &&
           !conn->view.only_past && stream->started && peer->started && stream->heard &&
           peer->heard && stream->held == NULL && !stream->fin_seen;
}

bool tcp_take_expected(struct tcp_table *table, struct tcp_conn *conn, int dir,
                       const struct segment *segment)
{
    struct tcp_stream *peer = &conn->stream[!dir];
    const uint32_t len = (uint32_t)cursor_left(&segment->payload) + segment->cut_len;
    if (!is_expected(conn, dir, segment))
        return false;
    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    table->number = conn->view.number;
    tcp_set_now(table, conn);
    tcp_touch(table, conn);
    conn->newest_frame = segment->frame;
    conn->stream[dir].heard_ns = segment->ts_ns;
    if (conn->view.facts != NULL)
        take_facts(table, conn, dir, segment, len);
    peer->acked = segment->ack;
    peer->has_acked = true;
    if (len > 0)
        take_data(table, conn, dir, segment, len);
    if (conn->view.facts != NULL && tcp_facts_stalls(conn->view.facts))
        tcp_give_up(table, conn);
    return true;
}
