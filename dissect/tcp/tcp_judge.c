/*
 * tcp_judge.c - see tcp_judge.h.
 */
#include "tcp/tcp_judge.h"

#include "tcp/tcp_analysis.h"
#include "tcp/tcp_ignore.h"

enum {
    GOOD_RUN = 16,      /* after so many good checksums in a row, bad ones mean damage again */
    PAWS_SLACK = 1,     /* TCP_PAWS_WINDOW of Linux */
    MAX_BEYOND = 4,     /* this many consecutive segments in a row belong to the connection after all */
};
#define RESET_WAIT_NS (1000 * TCP_MS_NS)

bool tcp_judge_sum(struct tcp_conn *conn, int dir, const struct segment *segment)
{
    struct tcp_stream *stream = &conn->stream[dir];
    if (segment->sum == PACKET_SUM_UNKNOWN)
        return true;
    if (segment->sum == PACKET_SUM_BAD) {
        if (stream->sums == TCP_SUMS_GOOD && !stream->believes_all)
            return false;
        stream->sums = TCP_SUMS_MIXED;
        stream->num_good = 0;
        return true;
    }
    if (stream->sums == TCP_SUMS_UNKNOWN ||
        (stream->sums == TCP_SUMS_MIXED && ++stream->num_good == GOOD_RUN && !stream->believes_all))
        stream->sums = TCP_SUMS_GOOD;
    stream->num_good -= stream->num_good == GOOD_RUN;
    return true;
}

/* goes_on counts doubtful segments that follow each other. True once there are enough of them to
 * belong to the connection after all. */
static bool goes_on(struct tcp_stream *stream, const struct segment *segment, uint32_t len)
{
    stream->num_strays = stream->stray_seq == segment->seq ? stream->num_strays + 1 : 1;
    stream->stray_seq = segment->seq + len;
    return stream->num_strays >= MAX_BEYOND;
}

/* has_old_time says whether the timestamp of a segment is older than one seen before. A segment
 * that waited here for its turn is not compared with those captured after it. */
static bool has_old_time(const struct tcp_stream *stream, const struct segment *segment)
{
    uint32_t time;
    return stream->has_time && segment->frame >= stream->time_frame && segment_time(segment, &time) &&
           tcp_diff(stream->time, time) > PAWS_SLACK;
}

/* is_old says whether a segment was sent before others that have arrived (PAWS, RFC 7323,
 * section 5). If the other end has acknowledged it, it arrived in time, even if captured late.
 * Nothing was sent before the SYN. If the other end is not heard, the next bytes cannot have been
 * sent before those that they follow. */
static bool is_old(struct tcp_conn *conn, int dir, const struct segment *segment, uint32_t end)
{
    struct tcp_stream *stream = &conn->stream[dir];
    if (!has_old_time(stream, segment))
        return false;
    if (stream->has_acked)
        return tcp_diff(end, stream->acked) > 0;
    if (stream->time_is_of_syn)
        return true;
    const bool follows = stream->num_strays != 0 && segment->seq == stream->stray_seq;
    if (conn->stream[!dir].heard || (segment->seq != stream->next_seq && !follows))
        return false;
    stream->believes_all = goes_on(stream, segment, end - segment->seq);
    return !stream->believes_all;
}

static bool is_far(uint32_t number, uint32_t from)
{
    return number - from + TCP_NEAR > 2 * TCP_NEAR;
}

/* has_stray_ack says whether a segment acknowledges bytes that the other end never sent, or sent
 * long ago. Two in a row that agree are believed, as packets may be missing; a copy of the first
 * does not count. */
static bool has_stray_ack(struct tcp_conn *conn, int dir, const struct segment *segment)
{
    struct tcp_stream *peer = &conn->stream[!dir];
    if (tcp_is_before_first(conn, !dir, segment->ack))
        return true;
    if (peer->has_acked ? !is_far(segment->ack, peer->acked) : !peer->started || !peer->heard) {
        peer->has_stray_ack = false;
        return false;
    }
    /* If the other end is not heard, only a segment in the place of the next one does harm. */
    if (peer->started && peer->heard ? !is_far(segment->ack, peer->next_seq) ||
                                           is_far(segment->seq, conn->stream[dir].next_seq)
                                     : segment->seq != conn->stream[dir].next_seq)
        return false;
    if (peer->has_stray_ack && !is_far(segment->ack, peer->stray_ack) &&
        (segment->seq != peer->stray_ack_seq || segment->ack != peer->stray_ack))
        return false;
    peer->has_stray_ack = true;
    peer->stray_ack = segment->ack;
    peer->stray_ack_seq = segment->seq;
    return true;
}

/* is_beyond says whether a segment is beyond any window. The other end has to be heard, with an
 * acknowledgement. */
static bool is_beyond(struct tcp_conn *conn, int dir, const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    if (!conn->stream[!dir].heard || !stream->has_acked ||
        tcp_diff(segment->seq, stream->next_seq) <= TCP_BEYOND ||
        tcp_diff(segment->seq, stream->acked) <= TCP_BEYOND)
        return false;
    return !goes_on(stream, segment, len);
}

bool tcp_has_other_signature(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    const bool is_known = conn->view.syn_seen[dir] || stream->num_alike == TCP_ALIKE;
    return stream->heard && is_known && !stream->believes_all &&
           segment_is_signed(segment) != stream->is_signed;
}

bool tcp_acks_unsent(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir], *peer = &conn->stream[!dir];
    const uint32_t len = (uint32_t)cursor_left(&segment->payload) + segment->truncated_len;
    const uint32_t end = segment->seq + len;
    if (len == 0 || (segment->flags & TCP_ACK) == 0 || !stream->started ||
        tcp_diff(end, stream->next_seq) <= 0 || (stream->has_acked && tcp_diff(end, stream->acked) <= 0))
        return false;
    if (!peer->started || !peer->heard)
        return segment->is_early;
    if (segment->acks_unsent)
        return true; /* the acknowledged bytes may have been sent since */
    const int32_t ahead = tcp_diff(segment->ack, peer->next_seq);
    const bool is_of_fin = peer->fin_seen && segment->ack == peer->fin_seq + 1;
    const bool was_lost = peer->has_acked && tcp_diff(segment->ack, peer->acked) <= 0;
    return ahead > 0 && ahead <= TCP_NEAR && !was_lost && !is_of_fin &&
           !tcp_stream_holds(peer, segment->ack);
}

static void note_time(struct tcp_stream *stream, const struct segment *segment)
{
    uint32_t time;
    if (!segment_time(segment, &time))
        return;
    /* After missing bytes the timestamp is not stored: segments sent before may wait for their
     * turn. */
    if (stream->started && tcp_diff(segment->seq, stream->next_seq) > 0)
        return;
    if (!stream->has_time || ((!stream->has_acked || tcp_diff(segment->seq, stream->acked) <= 0) &&
                              tcp_diff(time, stream->time) > 0)) {
        stream->time = time;
        stream->time_frame = segment->frame;
        stream->time_is_of_syn = false;
    }
    stream->has_time = true;
}

void tcp_judge_syn(struct tcp_stream *stream, const struct segment *segment)
{
    stream->has_time = stream->time_is_of_syn = segment_time(segment, &stream->time);
    stream->time_frame = segment->frame;
}

/* note_urgent stores the place of the urgent byte. The pointer is one after it, as most
 * implementations read it (RFC 6093). */
static void note_urgent(struct tcp_stream *stream, const struct segment *segment)
{
    const uint32_t at = segment->seq + segment->urgent - (segment->urgent != 0);
    if (!stream->started || tcp_diff(at, stream->next_seq) < 0 ||
        (stream->has_urgent && tcp_diff(at, stream->urgent_seq) <= 0))
        return;
    stream->has_urgent = true;
    stream->urgent_seq = at;
}

static void note(struct tcp_stream *stream, const struct segment *segment)
{
    note_time(stream, segment);
    if ((segment->flags & TCP_URG) != 0 && !has_old_time(stream, segment))
        note_urgent(stream, segment);
}

bool tcp_judge(struct tcp_conn *conn, int dir, const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const bool is_fin = (segment->flags & TCP_FIN) != 0;
    const uint32_t end = segment->seq + len + is_fin;
    const bool fits = tcp_judge_sum(conn, dir, segment) && (segment->flags & TCP_ACK) != 0;
    if (len == 0 && !is_fin) {
        if (!fits || has_stray_ack(conn, dir, segment))
            return false;
        note(stream, segment);
        return true;
    }
    const bool is_new = !stream->started || tcp_diff(end, stream->next_seq) > 0;
    if (fits && (!is_new || stream->believes_all ||
                 (stream->started && !is_old(conn, dir, segment, end) &&
                  !has_stray_ack(conn, dir, segment) && !is_beyond(conn, dir, segment, len)) ||
                 !stream->started)) {
        note(stream, segment);
        return true;
    }
    return false;
}

void tcp_doubt(struct tcp_table *table, struct tcp_conn *conn, int dir, const struct segment *segment,
               uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const uint32_t end = segment->seq + len;
    if ((segment->flags & TCP_ACK) == 0 || len == 0 || !stream->started ||
        tcp_diff(end, stream->next_seq) <= 0 || is_far(segment->seq, stream->next_seq))
        return;
    stream->has_doubt = true;
    stream->doubt_end = end;
    const struct tcp_piece piece = {segment->seq, segment->truncated_len, segment->payload};
    tcp_stream_doubt(&table->shared, stream, &piece);
}

void tcp_settle_doubt(struct tcp_shared *shared, struct tcp_stream *stream, uint32_t ack)
{
    const bool is_replaced = tcp_diff(stream->next_seq, stream->doubt_end) >= 0;
    const int32_t beyond = tcp_diff(ack, stream->doubt_end);
    /* If it acknowledges more than was sent, a FIN included, it proves nothing. */
    const bool was_sent =
        beyond <= 1 || (stream->held != NULL && tcp_diff(ack, tcp_stream_held_end(stream)) <= 1);
    const bool has_arrived = !is_replaced && beyond >= 0 && was_sent;
    stream->believes_all = stream->believes_all || has_arrived;
    stream->has_doubt = !is_replaced && !has_arrived;
    if (is_replaced && !stream->has_arrived)
        tcp_stream_drop_doubted(shared, stream);
    if (has_arrived && !stream->has_arrived) {
        stream->has_arrived = true;
        stream->arrived_ns = shared->now_ns;
        stream->arrived_frame = shared->frame;
    }
}

bool tcp_answers_syn(const struct tcp_conn *conn, uint32_t ack)
{
    for (unsigned i = 0; i < conn->num_syn_seqs; i++) {
        if (conn->syn_seq[i] + 1 == ack)
            return true;
    }
    return false;
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

enum tcp_reset_verdict tcp_judge_reset(const struct tcp_conn *conn, int dir,
                                       const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    const struct tcp_stream *peer = &conn->stream[!dir];
    const bool has_ack = (segment->flags & TCP_ACK) != 0;
    if (!stream->started && has_ack && conn->num_syn_seqs != 0 && dir == 1)
        return tcp_answers_syn(conn, segment->ack) ? TCP_RESET_EXACT : TCP_RESET_IGNORED;
    if (!tcp_is_reset(conn, dir, segment))
        return TCP_RESET_IGNORED;
    if (!stream->started) {
        const bool is_acked = stream->has_acked && stream->acked == segment->seq;
        return is_acked || (has_ack && peer->started) ? TCP_RESET_EXACT : TCP_RESET_NEAR;
    }
    const uint32_t next = stream->next_seq;
    /* A RST that waited for its turn says nothing if its sender has gone on meanwhile. */
    const bool went_on = segment->frame < conn->newest_frame && tcp_diff(next, segment->seq) > 0;
    const bool is_exact = segment->seq == next ||
                          (stream->fin_seen && segment->seq == stream->fin_seq + 1) ||
                          (stream->has_acked && segment->seq == stream->acked && !went_on) ||
                          (stream->held != NULL && segment->seq == tcp_stream_held_end(stream));
    return is_exact ? TCP_RESET_EXACT : TCP_RESET_NEAR;
}

void tcp_doubt_reset(struct tcp_table *table, struct tcp_conn *conn, int dir,
                     const struct segment *segment)
{
    if (conn->reset.waits)
        tcp_refute_reset(table, conn); /* one RST at a time is enough */
    conn->reset = (struct tcp_reset){.waits = true,
                                     .has_ack = (segment->flags & TCP_ACK) != 0,
                                     .dir = (uint8_t)dir,
                                     .ttl = segment->ttl,
                                     .ns = table->shared.now_ns,
                                     .frame = segment->frame};
    tcp_waiting_update(table, conn);
}

void tcp_refute_reset(struct tcp_table *table, struct tcp_conn *conn)
{
    const struct tcp_reset *reset = &conn->reset;
    conn->reset.waits = false;
    if (conn->view.facts != NULL)
        tcp_analysis_ignore(conn->view.facts, reset->dir, TCP_RST, reset->ttl, reset->frame,
                            reset->ns);
    tcp_count_ignored(table, conn, reset->dir);
}

void tcp_refute_fin(struct tcp_table *table, struct tcp_conn *conn, int dir)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    if (conn->view.facts != NULL)
        tcp_analysis_ignore(conn->view.facts, dir, TCP_FIN, stream->fin_ttl, stream->fin_frame,
                            stream->fin_ns);
    tcp_count_ignored(table, conn, dir);
}

bool tcp_is_reset_over(const struct tcp_table *table, const struct tcp_conn *conn)
{
    return conn->reset.waits &&
           tcp_waited(&table->shared, conn->reset.ns, RESET_WAIT_NS, conn->reset.frame);
}
