/*
 * tcp_reorder.c - which segments are processed at once, and which wait for others of their
 * connection: in captures of several interfaces or threads they are not quite in order.
 */
#include "tcp/tcp_table.h"

#include "net/checksum.h"
#include "tcp/tcp_ignore.h"
#include "tcp/tcp_reuse.h"
#include "tcp/tcp_judge.h"

enum { EARLY_BYTES = 65536 }; /* that an end may send before it hears of its SYN's answer, generously */

static bool is_joined_late(const struct tcp_conn *conn)
{
    return !conn->view.syn_seen[0] && !conn->view.syn_seen[1];
}

/* lacks says whether bytes before seq are missing in a stream. */
static bool lacks(const struct tcp_stream *stream, uint32_t seq)
{
    const int32_t ahead = tcp_diff(seq - stream->ended, stream->next_seq); /* a FIN counts as 1 */
    return stream->started && ahead > 0 && ahead <= TCP_NEAR;
}

/* is_turn_of_reset says whether a RST can be processed. It waits for bytes that both ends sent
 * before. A RST without ACK does not say what its sender had received: it waits for all that may
 * come. An end that refuses a SYN has sent nothing before. */
static bool is_turn_of_reset(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    if (!tcp_is_reset(conn, dir, segment))
        return true; /* to be ignored */
    if ((segment->flags & TCP_ACK) == 0 || lacks(&conn->stream[!dir], segment->ack))
        return false;
    return conn->stream[dir].started ? !lacks(&conn->stream[dir], segment->seq) : segment->seq == 0;
}

/* has_data_of says whether a segment has data or an urgent pointer, which is about data and is
 * processed in order with it. */
static bool has_data_of(const struct segment *segment)
{
    return cursor_left(&segment->payload) + segment->truncated_len != 0 || (segment->flags & TCP_URG) != 0;
}

/* is_turn says whether a segment can be processed. At the beginning of a connection three things
 * come first: the SYN, what the sender sent before, and what it had received, so that questions
 * come before their answers. Later only data waits that acknowledges bytes that were not
 * captured: forged data is processed after the genuine data. While there is no connection, an
 * acknowledgement without data waits for the segment that begins one: otherwise it is not
 * counted. */
static bool is_turn(const struct tcp_conn *conn, int dir, const struct segment *segment, bool is_first)
{
    const bool has_data = has_data_of(segment);
    if (conn == NULL)
        return (segment->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN ||
               (is_first && !has_data && (segment->flags & (TCP_SYN | TCP_FIN | TCP_RST)) == 0);
    if (conn->closed || conn->forgotten || (segment->flags & TCP_SYN) != 0 ||
        (conn->reuse != NULL && tcp_reuse_begins(conn, dir, segment)))
        return true;
    if ((segment->flags & TCP_RST) != 0)
        return is_turn_of_reset(conn, dir, segment);
    const struct tcp_stream *peer = &conn->stream[!dir];
    const bool has_ack = (segment->flags & TCP_ACK) != 0;
    if ((segment->flags & TCP_FIN) != 0 && has_ack && !conn->stream[dir].ended &&
        (peer->heard || conn->num_taken < TCP_DISORDER) && lacks(peer, segment->ack))
        return false; /* the other side may have closed first */
    if (segment->acks_unsent && tcp_acks_unsent(conn, dir, segment))
        return false;
    if (conn->num_taken >= TCP_DISORDER)
        return true;
    const struct tcp_stream *stream = &conn->stream[dir];
    if (!stream->started)
        return is_joined_late(conn) && stream->has_acked && stream->acked == segment->seq;
    if (!has_ack)
        return true;
    if (!peer->started)
        return !conn->view.syn_seen[dir];
    /* If the other end is not heard, its numbers may be forged. */
    if (has_data && lacks(peer, segment->ack))
        return false;
    return peer->heard || !lacks(stream, segment->seq);
}

static void process_queued(struct tcp_table *table, struct tcp_queued *one)
{
    int dir;
    struct tcp_conn *conn = tcp_find_conn(table, &one->segment, &dir);
    tcp_reorder_queue_remove(&table->shared, &table->queue, one);
    tcp_receive_segment(table, conn, dir, &one->segment, one->number);
    tcp_queued_free(one);
}

/* start_other starts the other direction of a connection that was joined late, where its first
 * queued data begins: that data has waited as long. */
static void start_other(struct tcp_table *table, struct tcp_conn *conn, int dir)
{
    struct tcp_queued *one = table->queue.first;
    while (one != NULL && (tcp_find_dir(conn, &one->segment) != !dir || !has_data_of(&one->segment)))
        one = one->next;
    if (one != NULL && !conn->stream[!dir].started)
        tcp_start_stream(&conn->stream[!dir], tcp_reorder_queue_start(&table->queue, one));
}

static uint32_t end_of_data(const struct segment *segment)
{
    return segment->seq + (uint32_t)cursor_left(&segment->payload) + segment->truncated_len;
}

static bool overlap(const struct segment *a, const struct segment *b)
{
    return tcp_diff(a->seq, end_of_data(b)) < 0 && tcp_diff(end_of_data(a), b->seq) > 0;
}

/* prefer_rival returns queued data that came in the place of data from before the SYN; one if there
 * is none, or it is no such data. */
static struct tcp_queued *prefer_rival(const struct tcp_table *table, struct tcp_queued *one)
{
    struct tcp_queued *other = one->segment.is_early ? table->queue.first : NULL;
    while ((other = tcp_reorder_queue_find(other, &one->segment)) != NULL) {
        if (other->segment.src_port == one->segment.src_port && !other->segment.is_early &&
            (other->segment.flags & (TCP_SYN | TCP_RST)) == 0 && overlap(&other->segment, &one->segment))
            return other;
        other = other->next;
    }
    return one;
}

/* process_untimely processes the first queued segment, whose wait is over, or one that was sent
 * before it. */
static void process_untimely(struct tcp_table *table)
{
    struct tcp_queued *one = table->queue.first;
    int dir;
    struct tcp_conn *conn = tcp_find_conn(table, &one->segment, &dir);
    if (conn == NULL)
        one = tcp_reorder_queue_acked(&table->queue, one);
    one = prefer_rival(table, tcp_reorder_queue_earliest(&table->queue, one));
    const struct segment segment = one->segment;
    conn = tcp_find_conn(table, &segment, &dir);
    if (conn != NULL && conn->stream[dir].started)
        conn->num_taken = TCP_DISORDER; /* packets are missing: now only data with tcp_acks_unsent waits */
    const bool is_new = conn == NULL;
    process_queued(table, one);
    if (is_new && (conn = tcp_find_conn(table, &segment, &dir)) != NULL && is_joined_late(conn))
        start_other(table, conn, dir);
}

void tcp_reorder_receive(struct tcp_table *table, uint64_t frame, int64_t ts_ns)
{
    while (table->queue.first != NULL) {
        const struct segment *first = &table->queue.first->segment;
        int dir;
        const struct tcp_conn *conn = tcp_find_conn(table, first, &dir);
        struct tcp_queued *one = table->queue.first;
        while (one != NULL && !is_turn(conn, dir, &one->segment, one == table->queue.first)) {
            one = tcp_reorder_queue_find(one->next, first);
            if (one != NULL && conn != NULL)
                dir = tcp_find_dir(conn, &one->segment);
        }
        if (one != NULL) {
            table->shared.stats->reordered += one != table->queue.first;
            process_queued(table, one);
        } else if (first->frame <= frame || first->ts_ns <= ts_ns) {
            process_untimely(table);
        } else {
            return;
        }
    }
}

void tcp_receive_all(struct tcp_table *table)
{
    tcp_reorder_receive(table, UINT64_MAX, INT64_MAX);
}

/* begins_behind_queue says whether a SYN cannot be of the connection that has data in the queue,
 * as that connection has begun with another number. */
static bool begins_behind_queue(const struct tcp_table *table, const struct tcp_conn *conn, int dir,
                                const struct segment *syn)
{
    return conn->view.syn_seen[dir] && conn->stream[dir].first_seq != syn->seq + 1 &&
           tcp_reorder_queue_has_data(&table->queue, syn);
}

/* is_doubtful says whether a segment may acknowledge bytes that were not sent. Before its
 * connection is known, any data may, if a segment of the other end is queued. */
static bool is_doubtful(struct tcp_queued *one, const struct tcp_conn *conn, int dir,
                        const struct segment *segment)
{
    if (conn != NULL && (conn->closed || conn->forgotten))
        return false;
    if (conn != NULL && conn->stream[dir].started && conn->stream[!dir].started)
        return tcp_acks_unsent(conn, dir, segment);
    if (cursor_left(&segment->payload) + segment->truncated_len == 0)
        return false;
    while ((one = tcp_reorder_queue_find(one, segment)) != NULL) {
        if (one->segment.src_port == segment->dst_port)
            return true;
        one = one->next;
    }
    return false;
}

/* has_rival says whether other data of its sender has come in the place of a segment, or may be
 * queued. */
static bool has_rival(struct tcp_queued *one, const struct tcp_stream *stream,
                      const struct segment *segment)
{
    if (stream != NULL && stream->started && tcp_diff(end_of_data(segment), stream->next_seq) <= 0)
        return true;
    while ((one = tcp_reorder_queue_find(one, segment)) != NULL) {
        const struct segment *other = &one->segment;
        if (other->src_port == segment->src_port && !other->acks_unsent && overlap(other, segment))
            return true;
        one = one->next;
    }
    return false;
}

/* behind_syn returns how many bytes after a SYN the numbers of a segment with data are. */
static uint32_t behind_syn(const struct segment *data, const struct segment *syn)
{
    return (data->src_port == syn->src_port ? data->seq : data->ack) - (syn->seq + 1);
}

/* may_be_early says whether a queued segment has data that the end of a SYN can have sent or
 * acknowledged only after it. A SYN with an acknowledgement is not the first of both ends. */
static bool may_be_early(const struct segment *queued, bool is_first, const struct segment *syn)
{
    return (is_first || queued->src_port == syn->src_port) &&
           (queued->flags & (TCP_SYN | TCP_RST)) == 0 && queued->seq != end_of_data(queued) &&
           behind_syn(queued, syn) < EARLY_BYTES;
}

/* doubt_earlier makes queued data wait for what comes in its place if it was captured before the
 * first SYN of its connection, or of its sender: it was captured too early, or is forged. The first
 * bytes behind the SYN have to be among it: else the SYN is not of its connection. */
static void doubt_earlier(struct tcp_queued *first, const struct tcp_conn *conn, int dir,
                          const struct segment *syn)
{
    if (conn != NULL && conn->view.syn_seen[dir])
        return;
    const bool is_first = (syn->flags & TCP_ACK) == 0 && (conn == NULL || !conn->view.syn_seen[!dir]);
    bool begins = false;
    struct tcp_queued *one;
    for (one = first; !begins && (one = tcp_reorder_queue_find(one, syn)) != NULL; one = one->next)
        begins = may_be_early(&one->segment, is_first, syn) && behind_syn(&one->segment, syn) == 0;
    for (one = begins ? first : NULL; (one = tcp_reorder_queue_find(one, syn)) != NULL; one = one->next) {
        if (may_be_early(&one->segment, is_first, syn))
            one->segment.acks_unsent = one->segment.is_early = true;
    }
}

/* was_sent says whether a number is not after what was captured of a stream, the queue included. */
static bool was_sent(struct tcp_queued *one, const struct tcp_stream *stream, const struct segment *ack)
{
    if (stream != NULL && stream->started &&
        (tcp_diff(ack->ack, stream->next_seq + 1) <= 0 ||
         (stream->held != NULL && tcp_diff(ack->ack, tcp_stream_held_end(stream) + 1) <= 0)))
        return true;
    while ((one = tcp_reorder_queue_find(one, ack)) != NULL) {
        if (one->segment.src_port == ack->dst_port &&
            tcp_diff(ack->ack, end_of_data(&one->segment) + 1) <= 0)
            return true;
        one = one->next;
    }
    return false;
}

/* compare_acks compares the acknowledgement of a segment with the queue. Queued segments of the
 * other end may contain the bytes that it acknowledges, and those that it acknowledges have
 * arrived, unless it acknowledges more than was sent. peer is the stream of the other end. */
static void compare_acks(struct tcp_queued *first, const struct tcp_stream *peer, struct segment *segment)
{
    struct tcp_queued *one = first;
    for (; (one = tcp_reorder_queue_find(one, segment)) != NULL; one = one->next) {
        struct segment *queued = &one->segment;
        if (queued->src_port != segment->dst_port || (queued->flags & TCP_RST) != 0)
            continue;
        const uint32_t end = end_of_data(queued);
        const uint32_t sent = end + ((queued->flags & (TCP_FIN | TCP_SYN)) != 0);
        if (!queued->acks_unsent && tcp_diff(sent, segment->ack) >= 0)
            segment->acks_unsent = false;
        if (queued->acks_unsent && segment->sum != PACKET_SUM_BAD && !segment->acks_unsent &&
            tcp_diff(end, segment->ack) <= 0 && was_sent(first, peer, segment))
            queued->acks_unsent = has_rival(first, peer, queued);
    }
}

/* is_misdirected says whether the frame of a segment was sent to a group address, and those of its
 * sender were not so far. Linux drops TCP in such frames; but whoever rewrote a capture may have made
 * such addresses, and some balancers of load use them. */
static bool is_misdirected(struct tcp_queued *one, const struct tcp_conn *conn, int dir,
                           const struct segment *segment)
{
    if (conn != NULL && (conn->forgotten || conn->stream[dir].heard))
        return !conn->forgotten && !conn->stream[dir].is_to_group;
    while ((one = tcp_reorder_queue_find(one, segment)) != NULL &&
           (one->segment.src_port != segment->src_port || one->segment.is_to_group))
        one = one->next;
    return one != NULL;
}

void tcp_reorder_add(struct tcp_table *table, struct segment *segment)
{
    int dir;
    struct tcp_conn *conn = tcp_find_conn(table, segment, &dir);
    if (segment->is_to_group && is_misdirected(table->queue.first, conn, dir, segment)) {
        table->number = tcp_refuse(table, conn, dir, segment);
        return;
    }
    if (conn == NULL || !(conn->forgotten || conn->stream[dir].believes_all))
        segment->sum = checksum_check(segment);
    segment->acks_unsent = segment->is_early = false;
    segment->acks_unsent = is_doubtful(table->queue.first, conn, dir, segment);
    if (table->queue.first != NULL && (segment->flags & (TCP_SYN | TCP_RST)) == TCP_SYN)
        doubt_earlier(table->queue.first, conn, dir, segment);
    if ((segment->flags & TCP_ACK) != 0)
        compare_acks(table->queue.first, conn != NULL ? &conn->stream[!dir] : NULL, segment);
    if (table->queue.first == NULL && conn != NULL && tcp_receive_expected(table, conn, dir, segment))
        return;
    if (table->queue.first != NULL && !(conn != NULL && table->queue.first->segment.acks_unsent) &&
        (segment->flags & (TCP_SYN | TCP_RST)) == TCP_SYN &&
        (conn != NULL ? tcp_is_reused(conn, dir, segment) || begins_behind_queue(table, conn, dir, segment)
                      : !tcp_reorder_queue_begins(&table->queue, segment))) {
        const bool is_unknown = conn == NULL;
        tcp_receive_all(table); /* those of the connection before */
        conn = tcp_find_conn(table, segment, &dir);
        if (is_unknown && conn != NULL)
            conn->before_syn = true;
    }
    if (table->queue.first != NULL || !is_turn(conn, dir, segment, true)) {
        const struct tcp_queued *other = tcp_reorder_queue_find(table->queue.first, segment);
        uint64_t number = conn != NULL    ? conn->view.number
                          : other != NULL ? other->number
                                          : ++table->num_made;
        if (table->queue.num == TCP_MAX_QUEUED)
            tcp_reorder_receive(table, table->queue.first->segment.frame, INT64_MIN);
        if (tcp_reorder_queue_add(&table->shared, &table->queue, segment, number)) {
            tcp_reorder_receive(table,
                                segment->frame > TCP_DISORDER ? segment->frame - TCP_DISORDER : 0,
                       INT64_MIN);
            table->number = number;
            return;
        }
        tcp_receive_all(table);
        conn = tcp_find_conn(table, segment, &dir);
    }
    tcp_receive_segment(table, conn, dir, segment, 0);
}
