/*
 * tcp_segment.c - processes a segment whose turn it is (RFC 9293, section 3.10): it opens,
 * continues, resets or ends a connection.
 *
 * Only a SYN or data opens a connection.
 */
#include "tcp/tcp_table.h"

#include "tcp/tcp_reuse.h"
#include "tcp/tcp_analysis.h"
#include "tcp/tcp_ended.h"
#include "tcp/tcp_ignore.h"
#include "tcp/tcp_judge.h"

enum {
    LATE_SYN = 1 << 16, /* bytes that may be missing between a late SYN and the first data */
};
#define LATE_SYN_NS (1000 * TCP_MS_NS) /* no SYN of a connection comes longer after its end */
/* A SYN is retransmitted after one or three seconds, then after the same time or twice the time. */
#define FIRST_SYN_WAIT_NS (3500 * TCP_MS_NS)
#define SYN_WAIT_SLACK_NS (500 * TCP_MS_NS)

/* comes_after_data says whether a SYN was captured behind data that has to follow it, and not only
 * because packets are not quite in order: it begins another connection, even with the same number,
 * and that data was forged. */
static bool comes_after_data(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const bool is_answer = (segment->flags & TCP_ACK) != 0;
    return !conn->view.syn_seen[dir] && !conn->view.only_past &&
           (conn->stream[dir].has_data || (!is_answer && conn->stream[!dir].has_data)) &&
           segment->ts_ns > conn->first_ns && tcp_is_in_order(segment->frame, conn->first_frame);
}

/* is_late_syn says whether a SYN is the one that began a stream, or must have begun it: its
 * number is just before the first byte that was seen. */
static bool is_late_syn(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    const uint32_t before = stream->first_seq - (segment->seq + 1);
    if (((conn->closed && !conn->gave_up) || stream->ended) &&
        tcp_elapsed(segment->ts_ns, conn->closed ? conn->closed_ns : stream->fin_ns) >= LATE_SYN_NS)
        return false;
    return before == 0 ||
           (before <= LATE_SYN && !conn->view.syn_seen[dir] && !stream->ended &&
            conn->num_taken < TCP_DISORDER &&
            ((segment->flags & TCP_ACK) == 0 || !tcp_has_other_ack(conn, dir, segment)));
}

bool tcp_is_reused(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    if (comes_after_data(conn, dir, segment) ||
        (conn->before_syn && !conn->view.syn_seen[dir] && (segment->flags & TCP_ACK) == 0))
        return true;
    if (!stream->started || is_late_syn(conn, dir, segment))
        return false;
    const struct tcp_stream *peer = &conn->stream[!dir];
    return conn->closed || conn->is_answered || stream->has_data || peer->has_data || stream->fin_seen ||
           peer->fin_seen || stream->held != NULL || peer->held != NULL;
}

static void note_syn(struct tcp_table *table, struct tcp_conn *conn, uint32_t seq)
{
    if (!tcp_answers_syn(conn, seq + 1)) {
        if (conn->num_syn_seqs == TCP_SYNS) {
            memmove(conn->syn_seq, conn->syn_seq + 1, (TCP_SYNS - 1) * sizeof conn->syn_seq[0]);
            conn->num_syn_seqs--;
            conn->lost_syns = true;
        }
        conn->syn_seq[conn->num_syn_seqs++] = seq;
    }
    const int64_t now_ns = table->shared.now_ns;
    if (conn->view.num_syns++ == 0)
        conn->view.first_syn_ns = now_ns;
    else
        conn->syn_gap_ns = tcp_elapsed(now_ns, conn->syn_ns);
    conn->syn_ns = now_ns;
    conn->syn_frame = table->shared.frame;
    if (conn->view.num_syns > 1 && !conn->view.syn_seen[1] && !conn->forgotten && !conn->closed &&
        table->shared.events->syn_again != NULL)
        table->shared.events->syn_again(table->shared.context, &conn->view);
}

bool tcp_is_unanswered(const struct tcp_table *table, const struct tcp_conn *conn)
{
    const uint64_t gap_ns = conn->syn_gap_ns;
    const uint64_t wait_ns =
        gap_ns == 0 ? FIRST_SYN_WAIT_NS : 2 * gap_ns + gap_ns / 4 + SYN_WAIT_SLACK_NS;
    return tcp_awaits_answer(conn) &&
           tcp_waited(&table->shared, conn->syn_ns, wait_ns, conn->syn_frame);
}

/* begin_stream starts a direction whose first byte has the number seq. */
static void begin_stream(struct tcp_conn *conn, int dir, uint32_t seq)
{
    tcp_start_stream(&conn->stream[dir], seq);
    conn->view.first_seq[dir] = conn->view.next_seq[dir] = seq;
}

/* is_amid says whether segments of the connection of a SYN are queued that a node may accept. */
static bool is_amid(const struct tcp_table *table, const struct segment *syn)
{
    const struct tcp_queued *one = tcp_reorder_queue_find(table->queue.first, syn);
    while (one != NULL && (one->segment.flags & TCP_ACK) == 0)
        one = tcp_reorder_queue_find(one->next, syn);
    return one != NULL;
}

static void on_syn(struct tcp_table *table, struct tcp_conn *conn, int dir,
                   const struct segment *segment)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_stream *peer = &conn->stream[!dir];
    const bool is_again = conn->view.syn_seen[dir];
    const bool is_late = stream->started && is_late_syn(conn, dir, segment);
    const bool is_answer = (segment->flags & TCP_ACK) != 0;
    table->shared.stats->retransmitted += is_late && is_again;
    conn->view.syn_seen[dir] = true;
    conn->view.both_opened |= dir == 1 && !is_answer;
    if (dir == 0 && !is_answer)
        note_syn(table, conn, segment->seq);
    if (!is_late) {
        tcp_stream_drop(&table->shared, stream);
        /* A SYN amid other segments may have been overtaken, or be forged. */
        stream->has_time = false;
        if (!is_amid(table, segment) &&
            (dir == 0 ? conn->num_taken == 0 : is_answer && conn->view.syn_seen[0]))
            tcp_judge_syn(stream, segment);
    }
    if (!is_late || (!is_again && !stream->has_data && !stream->ended))
        begin_stream(conn, dir, segment->seq + 1);
    if (!is_answer)
        return;
    conn->is_answered = conn->view.syn_seen[!dir];
    /* Of several SYNs the answered one begins the connection. */
    const bool is_other = !peer->has_data && !peer->ended && peer->next_seq != segment->ack &&
                          (tcp_answers_syn(conn, segment->ack) || conn->lost_syns);
    if (peer->started && is_other)
        tcp_stream_drop(&table->shared, peer);
    if (!peer->started || is_other)
        begin_stream(conn, !dir, segment->ack);
}

/* on_forgotten updates only what is needed to notice the end. */
static void on_forgotten(struct tcp_table *table, struct tcp_conn *conn, int dir,
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

/* keep_syn_data keeps the data of a SYN, which has arrived only if it is acknowledged (RFC
 * 7413); nodes ignore it. A FIN in a SYN is ignored. */
static void keep_syn_data(struct tcp_table *table, struct tcp_conn *conn, int dir,
                          const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const struct tcp_piece piece = {segment->seq + 1, segment->truncated_len, segment->payload};
    if (len == 0)
        return;
    tcp_stream_doubt(&table->shared, stream, &piece);
    if (stream->doubted != NULL)
        stream->syn_len = len;
}

/* settle_syn_data decides whether the data of a SYN has arrived. number is what the other end
 * has acknowledged, or where the stream goes on. */
static void settle_syn_data(struct tcp_table *table, struct tcp_conn *conn, int dir, uint32_t number)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const uint32_t end = stream->next_seq + stream->syn_len;
    if (number == stream->next_seq)
        tcp_stream_drop_doubted(&table->shared, stream);
    else if (tcp_diff(number, end) >= 0)
        tcp_stream_pass_on_doubted(&table->shared, conn, dir, end);
}

static void on_data(struct tcp_table *table, struct tcp_conn *conn, int dir,
                    const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_piece piece = {
        .seq = segment->seq,
        .cut = segment->truncated_len,
        .bytes = segment->payload,
    };
    if (!stream->started)
        tcp_start_stream(stream, piece.seq);
    if (len == 0 && (segment->flags & TCP_FIN) == 0)
        return;
    tcp_stream_receive(&table->shared, conn, dir, &piece, (segment->flags & TCP_FIN) != 0);
}

void tcp_close_unanswered(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why)
{
    tcp_close_conn(table, conn, why);
    conn->gave_up = true;
}

static void close_reset(struct tcp_table *table, struct tcp_conn *conn, int dir)
{
    conn->view.reset_dir = (uint8_t)dir;
    tcp_close_conn(table, conn, TCP_CLOSE_RESET);
}

void tcp_abandon(struct tcp_table *table, struct tcp_conn *conn)
{
    tcp_stream_abandon(&table->shared, conn, 0);
    tcp_stream_abandon(&table->shared, conn, 1);
    for (int dir = 0; dir < 2 && !conn->forgotten && conn->view.facts != NULL; dir++) {
        struct ds_stall stall;
        if (tcp_analysis_time(conn->view.facts, dir, table->shared.asks_kernels, table->shared.now_ns,
                              &stall))
            table->shared.events->stall(table->shared.context, &conn->view, dir, &stall);
    }
    tcp_waiting_update(table, conn);
    if (conn->closed || conn->forgotten)
        return;
    if (conn->stream[0].ended && conn->stream[1].ended)
        tcp_close_conn(table, conn, TCP_CLOSE_FIN);
    else if (tcp_is_reset_over(table, conn))
        close_reset(table, conn, conn->reset.dir);
    else if (tcp_is_unanswered(table, conn))
        tcp_close_unanswered(table, conn, TCP_CLOSE_SYN_TIMEOUT);
}

/* on_reuse ends conn, whose ports are in use again. */
static void on_reuse(struct tcp_table *table, struct tcp_conn *conn)
{
    if (!conn->closed)
        tcp_close_conn(table, conn, TCP_CLOSE_REUSED);
    tcp_free_conn(table, conn);
}

static void add_statistics(struct tcp_table *table, struct tcp_conn *conn, int dir,
                           const struct segment *segment, uint32_t len)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    struct ds_stall stall;
    const int ended = tcp_analyse_segment(conn->view.facts, dir, segment, len, stream->started,
                                          stream->next_seq, &stall);
    if (ended >= 0)
        table->shared.events->stall(table->shared.context, &conn->view, ended, &stall);
}

/* go_on is called for the first captured packet of a connection that a snapshot began. */
static void go_on(struct tcp_table *table, struct tcp_conn *conn)
{
    conn->view.only_past = false;
    table->shared.stats->tcp_connections++;
    if (!conn->forgotten && table->shared.events->go_on != NULL)
        table->shared.events->go_on(table->shared.context, &conn->view);
}

/* keep_other keeps a segment that does not belong to the connection on its ports. */
static void keep_other(struct tcp_table *table, struct tcp_conn *conn, int dir,
                       const struct segment *segment)
{
    table->number = conn->forgotten ? 0 : conn->view.number;
    tcp_set_now(table, conn);
    if (conn->forgotten || tcp_judge_sum(conn, dir, segment))
        tcp_reuse_keep(table, conn, dir, segment);
    else
        tcp_ignore(table, conn, dir, segment);
}

/* is_replaced says whether other bytes came in the place of data that acknowledged unsent bytes. */
static bool is_replaced(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_piece piece = {
        .seq = segment->seq, .cut = segment->truncated_len, .bytes = segment->payload};
    return segment->acks_unsent && tcp_stream_differs(&conn->stream[dir], &piece);
}

static bool acks_syn_data(const struct tcp_conn *conn, uint32_t ack)
{
    const struct tcp_stream *stream = &conn->stream[0];
    return stream->syn_len != 0 && ack == stream->next_seq + stream->syn_len;
}

/* is_accepted says whether the other end accepts a segment. Others are counted. A RST that it
 * may accept is remembered, and not accepted yet. */
static bool is_accepted(struct tcp_table *table, struct tcp_conn *conn, int dir,
                        const struct segment *segment, uint32_t len)
{
    bool accepts;
    if (tcp_has_other_signature(conn, dir, segment)) {
        accepts = false;
        tcp_doubt(table, conn, dir, segment, len);
    } else if ((segment->flags & TCP_RST) != 0) {
        const enum tcp_reset_verdict verdict = tcp_judge_sum(conn, dir, segment)
                                                   ? tcp_judge_reset(conn, dir, segment)
                                                   : TCP_RESET_IGNORED;
        if (verdict == TCP_RESET_NEAR) {
            tcp_doubt_reset(table, conn, dir, segment);
            return false;
        }
        accepts = verdict == TCP_RESET_EXACT;
    } else if ((segment->flags & TCP_SYN) != 0) {
        const bool is_again = conn->num_taken > 0 && conn->view.syn_seen[dir];
        accepts = tcp_judge_sum(conn, dir, segment) && !(is_again && len > 0) && /* the data is not read */
                  !(dir == 1 && (segment->flags & TCP_ACK) != 0 && tcp_awaits_answer(conn) &&
                    !tcp_answers_syn(conn, segment->ack) && !conn->lost_syns &&
                    !acks_syn_data(conn, segment->ack));
    } else {
        accepts = !is_replaced(conn, dir, segment) && tcp_judge(conn, dir, segment, len);
        if (!accepts)
            tcp_doubt(table, conn, dir, segment, len);
    }
    if (!accepts)
        tcp_ignore(table, conn, dir, segment);
    return accepts;
}

/* refute processes a segment that follows a RST that may be ignored: it shows that the RST was
 * ignored, unless it was in flight from the other end. */
#define UNDER_WAY_NS (200 * TCP_MS_NS)
static void refute(struct tcp_table *table, struct tcp_conn *conn, int dir)
{
    const struct tcp_reset *reset = &conn->reset;
    if (conn->reuse != NULL)
        tcp_reuse_refute(table, conn);
    if (reset->waits && (dir == reset->dir ||
                         tcp_waited(&table->shared, reset->ns, UNDER_WAY_NS, reset->frame)))
        tcp_refute_reset(table, conn);
}

/* set_now sets the time to that of a segment. Within a connection time does not go back if later
 * segments were processed first. */
static void set_now(struct tcp_table *table, const struct tcp_conn *conn, const struct segment *segment)
{
    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    if (conn != NULL && segment->frame < conn->newest_frame)
        table->shared.now_ns = conn->view.now_ns;
}

/* is_plain says whether a stream goes on with nothing missing or doubted, neither bytes nor
 * acknowledgements. */
static bool is_plain(const struct tcp_stream *stream)
{
    return stream->started && stream->heard && !stream->fin_seen && !stream->ended &&
           stream->held == NULL && !stream->has_doubt && !stream->has_stray_ack && !stream->is_to_group;
}

/* note_plain records whether a connection is established and complete so far. Changes to that
 * come through process_one, or clear is_plain. */
static void note_plain(struct tcp_conn *conn)
{
    conn->is_plain = !conn->closed && !conn->forgotten && !conn->waiting && conn->reuse == NULL &&
                     !conn->view.only_past && conn->num_taken == TCP_DISORDER &&
                     is_plain(&conn->stream[0]) && is_plain(&conn->stream[1]);
}

/* choose_conn returns the connection that receives a segment: conn, which has its ports, or the
 * one that the segment begins. NULL: none does; the segment may be kept as the beginning of
 * another. */
static struct tcp_conn *choose_conn(struct tcp_table *table, struct tcp_conn *conn, int *dir,
                                    const struct segment *segment, uint32_t len, uint64_t number)
{
    if (conn != NULL && (segment->flags & (TCP_SYN | TCP_RST)) == TCP_SYN &&
        tcp_is_reused(conn, *dir, segment)) {
        if (!conn->closed && !conn->forgotten) {
            keep_other(table, conn, *dir, segment);
            return NULL;
        }
        on_reuse(table, conn);
        conn = NULL;
        number = 0;
    }
    if (conn != NULL && !conn->closed && tcp_is_other(conn, *dir, segment)) {
        keep_other(table, conn, *dir, segment);
        return NULL;
    }
    if (conn != NULL && conn->gave_up && (segment->flags & (TCP_ACK | TCP_RST)) == TCP_ACK) {
        tcp_free_conn(table, conn);
        conn = NULL;
        number = 0;
    }
    if (conn == NULL) {
        if ((segment->flags & TCP_RST) != 0 || (len == 0 && (segment->flags & TCP_SYN) == 0) ||
            (segment->flags & (TCP_SYN | TCP_ACK)) == 0)
            return NULL;
        return tcp_open_conn(table, segment, number, false, dir);
    }
    if (conn->closed) {
        table->number = conn->forgotten ? 0 : conn->view.number;
        if (!tcp_ended_receive(table, conn, *dir, segment, len)) {
            const bool is_other = tcp_is_other(conn, *dir, segment);
            if (is_other)
                keep_other(table, conn, *dir, segment);
            else
                tcp_ended_compare(table, conn, *dir, segment);
            table->shared.stats->retransmitted += len > 0 && !is_other;
            return NULL;
        }
    }
    return conn;
}

/* was_outrun says whether the bytes of data that acknowledged unsent bytes have come in another
 * segment. Its acknowledgement is then ignored. */
static bool was_outrun(const struct tcp_conn *conn, int dir, const struct segment *segment, uint32_t len)
{
    return segment->acks_unsent && tcp_diff(segment->seq + len, conn->stream[dir].next_seq) <= 0;
}

/* on_ack processes what an acknowledgement shows about the other direction. */
static void on_ack(struct tcp_table *table, struct tcp_conn *conn, int dir, const struct segment *segment)
{
    struct tcp_stream *peer = &conn->stream[!dir];
    peer->acked = segment->ack;
    peer->has_acked = true;
    /* If the connection is known from its start, the first acknowledgement is the number at
     * which the answer begins, even if the SYN-ACK is missing. */
    if (!peer->started && conn->view.syn_seen[dir] && (segment->flags & TCP_SYN) == 0)
        tcp_start_stream(peer, segment->ack);
    if (peer->syn_len != 0)
        settle_syn_data(table, conn, !dir, segment->ack);
    if (peer->has_doubt)
        tcp_settle_doubt(&table->shared, peer, segment->ack);
    if (peer->ended)
        tcp_ended_receive_ack(table, conn, dir, segment->ack);
}

/* process_one processes a segment of a connection, or one that begins a connection. */
static void process_one(struct tcp_table *table, struct tcp_conn *conn, int dir,
                        const struct segment *segment, uint64_t number)
{
    const uint32_t len = (uint32_t)cursor_left(&segment->payload) + segment->truncated_len;

    set_now(table, conn, segment);
    if (conn != NULL)
        conn->is_plain = false;
    conn = choose_conn(table, conn, &dir, segment, len, number);
    if (conn == NULL)
        return;
    table->number = conn->forgotten ? 0 : conn->view.number;
    tcp_set_now(table, conn);
    if (!conn->forgotten && !is_accepted(table, conn, dir, segment, len))
        return;
    tcp_touch(table, conn);
    if (conn->view.only_past)
        go_on(table, conn);
    if (conn->newest_frame < segment->frame)
        conn->newest_frame = segment->frame;

    if ((segment->flags & (TCP_SYN | TCP_RST)) != 0) {
        if ((segment->flags & TCP_RST) != 0) {
            conn->reset = (struct tcp_reset){.has_ack = (segment->flags & TCP_ACK) != 0,
                                             .dir = (uint8_t)dir,
                                             .ttl = segment->ttl,
                                             .ns = segment->ts_ns,
                                             .frame = segment->frame};
            if (!conn->forgotten || tcp_is_reset(conn, dir, segment))
                close_reset(table, conn, dir);
            return;
        }
        on_syn(table, conn, dir, segment);
    }
    conn->num_taken += conn->num_taken < TCP_DISORDER;
    refute(table, conn, dir);
    if (conn->forgotten) {
        on_forgotten(table, conn, dir, segment, len);
        if (conn->waiting)
            tcp_waiting_update(table, conn);
        return;
    }
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_stream *peer = &conn->stream[!dir];
    tcp_set_signature(stream, segment_is_signed(segment));
    stream->heard = true;
    stream->is_to_group = segment->is_to_group;
    stream->heard_ns = segment->ts_ns;
    if (conn->view.facts != NULL)
        add_statistics(table, conn, dir, segment, len);
    if ((segment->flags & TCP_ACK) != 0 && !was_outrun(conn, dir, segment, len))
        on_ack(table, conn, dir, segment);
    if ((segment->flags & TCP_FIN) != 0 && !stream->fin_seen)
        stream->fin_ttl = segment->ttl;
    if (stream->syn_len != 0 && (segment->flags & TCP_SYN) == 0)
        settle_syn_data(table, conn, dir, segment->seq);
    if (conn->forgotten)
        return;
    if (stream->ended)
        tcp_ended_receive_data(table, conn, dir, segment);
    else if ((segment->flags & TCP_SYN) != 0)
        keep_syn_data(table, conn, dir, segment, len);
    else if (len > 0 || (segment->flags & TCP_FIN) != 0)
        on_data(table, conn, dir, segment, len);
    if (conn->waiting || tcp_stream_waits(stream) || peer->has_arrived || stream->ended ||
        tcp_awaits_answer(conn) ||
        (conn->view.facts != NULL && tcp_analysis_stalls(conn->view.facts)))
        tcp_abandon(table, conn);
    note_plain(conn);
}

/* begin_again ends a connection and begins another one, which a segment and the kept ones form. */
static void begin_again(struct tcp_table *table, struct tcp_conn *conn, int dir,
                        const struct segment *segment)
{
    set_now(table, conn, segment);
    struct tcp_reorder_queue kept = tcp_reuse_remove_kept(table, conn, dir, segment);
    on_reuse(table, conn);
    while (kept.first != NULL) {
        struct tcp_queued *one = kept.first;
        int kept_dir;
        conn = tcp_find_conn(table, &one->segment, &kept_dir);
        tcp_reorder_queue_remove(&table->shared, &kept, one);
        process_one(table, conn, kept_dir, &one->segment, 0);
        tcp_queued_free(one);
    }
}

void tcp_receive_segment(struct tcp_table *table, struct tcp_conn *conn, int dir,
                         const struct segment *segment, uint64_t number)
{
    if (conn != NULL && (conn->reuse != NULL || conn->closed) && tcp_reuse_begins(conn, dir, segment)) {
        begin_again(table, conn, dir, segment);
        conn = tcp_find_conn(table, segment, &dir);
        number = 0;
    }
    process_one(table, conn, dir, segment, number);
}

/* is_expected says whether a segment of a plain connection is the next bytes or only an
 * acknowledgement, as nearly all are. */
static bool is_expected(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    return conn->is_plain && segment->seq == conn->stream[dir].next_seq &&
           segment->frame >= conn->newest_frame &&
           (segment->flags & (TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK)) == TCP_ACK;
}

bool tcp_receive_expected(struct tcp_table *table, struct tcp_conn *conn, int dir,
                          const struct segment *segment)
{
    struct tcp_stream *peer = &conn->stream[!dir];
    const uint32_t len = (uint32_t)cursor_left(&segment->payload) + segment->truncated_len;
    if (segment->acks_unsent || !is_expected(conn, dir, segment) || !tcp_judge_expected(conn, dir, segment))
        return false;
    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    table->number = conn->view.number;
    tcp_set_now(table, conn);
    tcp_touch(table, conn);
    conn->newest_frame = segment->frame;
    conn->stream[dir].heard_ns = segment->ts_ns;
    tcp_set_signature(&conn->stream[dir], conn->stream[dir].is_signed);
    if (conn->view.facts != NULL)
        add_statistics(table, conn, dir, segment, len);
    peer->acked = segment->ack;
    peer->has_acked = true;
    if (len > 0) {
        const struct tcp_piece piece = {segment->seq, segment->truncated_len, segment->payload};
        tcp_stream_pass_on(&table->shared, conn, dir, &piece);
    }
    if (conn->view.facts != NULL && tcp_analysis_stalls(conn->view.facts))
        tcp_abandon(table, conn);
    return true;
}
