/*
 * tcp_reuse.c - see tcp_reuse.h.
 */
#include "tcp/tcp_reuse.h"

#include "tcp/tcp_ignore.h"
#include "tcp/tcp_judge.h"

#include <stdlib.h>

#define ANSWER_NS (10000 * TCP_MS_NS) /* no SYN is answered later */

static uint32_t payload_len(const struct segment *segment)
{
    return (uint32_t)cursor_left(&segment->payload) + segment->truncated_len;
}

static bool is_far(uint32_t number, uint32_t from)
{
    return number - from + TCP_NEAR > 2 * TCP_NEAR;
}

bool tcp_has_other_ack(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *peer = &conn->stream[!dir];
    return (peer->started || peer->has_acked) && (!peer->started || is_far(segment->ack, peer->next_seq)) &&
           (!peer->has_acked || is_far(segment->ack, peer->acked));
}

/* is_before_first adds 1, as a keep-alive may have the number of the SYN. */
static bool is_before_first(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    return tcp_is_before_first(conn, dir, segment->seq + 1);
}

/* leaps says whether a number is after all that has come of a stream, its FIN included. */
static bool leaps(const struct tcp_stream *stream, uint32_t number)
{
    return stream->started && tcp_diff(number - stream->ended, stream->next_seq) > 0 &&
           !(stream->held != NULL && tcp_stream_holds(stream, number));
}

/* leap_both says whether both numbers of a segment leap: it seems to be of the next connection.
 * Linux derives first numbers from a clock, so those of a connection that begins right after the
 * end of another are near. */
static bool leap_both(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    return leaps(&conn->stream[dir], segment->seq) && leaps(&conn->stream[!dir], segment->ack);
}

/* leaps_behind_syn says whether both numbers leap, and the segment is the next one after a kept
 * SYN. */
static bool leaps_behind_syn(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    if (conn->reuse == NULL || !leap_both(conn, dir, segment))
        return false;
    const struct tcp_queued *one = conn->reuse->kept.first;
    while (one != NULL &&
           ((one->segment.flags & TCP_SYN) == 0 || one->segment.seq + 1 != segment->seq ||
            tcp_find_dir(conn, &one->segment) != dir))
        one = one->next;
    return one != NULL;
}

/* is_other_of_ended is tcp_is_other after the end: only a few segments that were in flight still
 * come. */
static bool is_other_of_ended(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    return !stream->started || is_far(segment->seq, stream->next_seq) ||
           tcp_has_other_ack(conn, dir, segment) || is_before_first(conn, dir, segment) ||
           leap_both(conn, dir, segment) ||
           (conn->closed && !conn->can_resume && payload_len(segment) != 0 &&
            tcp_diff(segment->seq, stream->next_seq) > 0);
}

bool tcp_is_other(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    if ((segment->flags & (TCP_SYN | TCP_RST | TCP_ACK)) != TCP_ACK)
        return false;
    if (leaps_behind_syn(conn, dir, segment))
        return true;
    if (conn->closed || stream->ended)
        return is_other_of_ended(conn, dir, segment);
    if (!stream->started)
        return false;
    const int32_t ahead = tcp_diff(segment->seq, stream->next_seq);
    const uint32_t len = payload_len(segment) + ((segment->flags & TCP_FIN) != 0);
    const bool is_retransmitted = ahead < 0 && 0 - (uint32_t)ahead >= len;
    return ahead < -TCP_BEYOND || is_before_first(conn, dir, segment) ||
           ((ahead > TCP_BEYOND || is_retransmitted) && tcp_has_other_ack(conn, dir, segment));
}

static void count(struct tcp_table *table, struct tcp_conn *conn, struct tcp_queued *one)
{
    if (one->number == 0 && !conn->forgotten)
        tcp_ignore(table, conn, tcp_find_dir(conn, &one->segment), &one->segment);
    one->number = 1;
}

static void drop_first(struct tcp_table *table, struct tcp_conn *conn)
{
    struct tcp_queued *one = conn->reuse->kept.first;
    count(table, conn, one);
    tcp_reorder_queue_remove(&table->shared, &conn->reuse->kept, one);
    tcp_queued_free(one);
}

void tcp_reuse_drop(struct tcp_table *table, struct tcp_conn *conn)
{
    if (conn->reuse == NULL)
        return;
    while (conn->reuse->kept.first != NULL)
        drop_first(table, conn);
    memcap_release(table->shared.memcap, sizeof *conn->reuse);
    free(conn->reuse);
    conn->reuse = NULL;
}

void tcp_reuse_refute(struct tcp_table *table, struct tcp_conn *conn)
{
    const struct tcp_reorder_queue *kept = &conn->reuse->kept;
    for (struct tcp_queued *one = kept->first; one != NULL; one = one->next)
        count(table, conn, one);
    if (kept->last == NULL ||
        tcp_elapsed(table->shared.now_ns, kept->last->segment.ts_ns) > ANSWER_NS)
        tcp_reuse_drop(table, conn);
}

static struct tcp_reuse *get_reuse(struct tcp_table *table, struct tcp_conn *conn)
{
    if (conn->reuse != NULL)
        return conn->reuse;
    if (!memcap_reserve(table->shared.memcap, sizeof *conn->reuse))
        return NULL;
    conn->reuse = calloc(1, sizeof *conn->reuse);
    if (conn->reuse == NULL) {
        table->shared.stats->no_memory++;
        memcap_release(table->shared.memcap, sizeof *conn->reuse);
    }
    return conn->reuse;
}

void tcp_reuse_keep(struct tcp_table *table, struct tcp_conn *conn, int dir,
                    const struct segment *segment)
{
    struct tcp_reuse *reuse = get_reuse(table, conn);
    for (struct tcp_queued *one = reuse != NULL ? reuse->kept.first : NULL; one != NULL; one = one->next) {
        const struct segment *known = &one->segment;
        if (tcp_find_dir(conn, known) == dir && known->seq == segment->seq &&
            known->flags == segment->flags && payload_len(known) == payload_len(segment))
            return; /* retransmitted */
    }
    if (reuse != NULL && reuse->kept.num == TCP_MAX_REUSED)
        drop_first(table, conn);
    if (reuse == NULL || !tcp_reorder_queue_add(&table->shared, &reuse->kept, segment, 0)) {
        if (!conn->forgotten)
            tcp_ignore(table, conn, dir, segment);
    }
}

/* is_new says whether a stream has not used a number until now. It may have passed any other
 * number since a SYN with that number was kept. */
static bool is_new(const struct tcp_conn *conn, int dir, uint32_t number)
{
    return tcp_diff(number, conn->stream[dir].next_seq) > 0 || tcp_is_before_first(conn, dir, number);
}

/* is_new_one_way says whether the number of a SYN is new, or the SYN came after the FIN, if the
 * other end is not heard. Numbers before the first captured one count as new, and so does the first
 * one of a stream without a SYN. */
static bool is_new_one_way(const struct tcp_stream *stream, bool has_syn, const struct segment *syn)
{
    const uint32_t next = syn->seq + 1;
    return tcp_diff(next, stream->next_seq) > 0 || (!has_syn && next == stream->first_seq) ||
           (!stream->is_long && tcp_diff(next, stream->first_seq) < 0) ||
           (stream->fin_seen && syn->frame > stream->fin_frame && next != stream->next_seq);
}

/* has_new_numbers says whether an answer with the numbers of a kept SYN-ACK cannot be of the old
 * connection: its own number is far off, or it acknowledges what was never sent and is not the
 * next segment. */
static bool has_new_numbers(const struct tcp_conn *conn, const struct segment *syn_ack, int dir)
{
    const struct tcp_stream *peer = &conn->stream[!dir];
    return !peer->started ? is_new(conn, dir, syn_ack->seq + 1)
                          : is_far(syn_ack->ack, peer->next_seq) ||
                                (is_new(conn, dir, syn_ack->seq + 1) && syn_ack->ack != peer->next_seq);
}

/* follows_syn says whether a segment shows that a SYN or SYN-ACK was answered. If the number of
 * the SYN is near those of the old connection, only a segment that the old one could not send
 * shows it. */
static bool follows_syn(const struct tcp_conn *conn, const struct segment *syn, int syn_dir, int dir,
                        const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[syn_dir], *peer = &conn->stream[!syn_dir];
    const uint32_t next = syn->seq + 1, end = next + payload_len(syn);
    const bool is_syn_ack = (syn->flags & TCP_ACK) != 0;
    const bool is_reset = (segment->flags & TCP_RST) != 0;
    const bool has_far_number = is_far(next, stream->next_seq);
    if (dir != syn_dir) {
        if (segment->ack != next && segment->ack != end)
            return false;
        if ((segment->flags & TCP_SYN) != 0 || is_reset)
            return !is_syn_ack && (!is_reset || segment->seq == 0);
        return has_far_number ||
               (is_syn_ack && segment->seq == syn->ack && has_new_numbers(conn, syn, syn_dir));
    }
    if ((segment->flags & TCP_SYN) != 0 || is_reset || (segment->seq != next && segment->seq != end))
        return false;
    return has_far_number ||
           (tcp_has_other_ack(conn, dir, segment) && !(is_syn_ack && is_far(segment->ack, syn->ack))) ||
           (!peer->heard && is_new_one_way(stream, conn->view.syn_seen[syn_dir], syn));
}

/* answers says whether a segment of direction dir has both numbers that data of the other end
 * asks for. If those are also the next numbers of the known connection, it belongs to that one. */
static bool answers(const struct tcp_conn *conn, const struct segment *data, int dir,
                    const struct segment *segment)
{
    return (segment->flags & (TCP_SYN | TCP_RST)) == 0 && segment->ack == data->seq + payload_len(data) &&
           segment->seq == data->ack &&
           (segment->seq != conn->stream[dir].next_seq || segment->ack != conn->stream[!dir].next_seq);
}

/* count_row counts kept segments with data of direction dir that follow each other, the last one
 * ending at number. */
static unsigned count_row(const struct tcp_conn *conn, int dir, uint32_t number)
{
    unsigned num = 0;
    const struct tcp_queued *one = conn->reuse->kept.first;
    while (one != NULL && num < TCP_MAX_REUSED) {
        const struct segment *segment = &one->segment;
        const uint32_t len = payload_len(segment);
        if (len != 0 && segment->seq + len == number && tcp_find_dir(conn, segment) == dir) {
            num++;
            number = segment->seq;
            one = conn->reuse->kept.first;
        } else {
            one = one->next;
        }
    }
    return num;
}

/* is_plainly_other says whether both numbers are far from those of a closed connection that
 * cannot go on. */
static bool is_plainly_other(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    return conn->closed && !conn->can_resume && payload_len(segment) != 0 &&
           (segment->flags & (TCP_SYN | TCP_RST)) == 0 &&
           (!conn->stream[dir].started || is_far(segment->seq, conn->stream[dir].next_seq)) &&
           tcp_has_other_ack(conn, dir, segment);
}

bool tcp_reuse_begins(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    if ((segment->flags & TCP_ACK) == 0)
        return false;
    if (conn->reuse == NULL)
        return is_plainly_other(conn, dir, segment);
    for (const struct tcp_queued *one = conn->reuse->kept.first; one != NULL; one = one->next) {
        const int kept_dir = tcp_find_dir(conn, &one->segment);
        if ((one->segment.flags & TCP_SYN) != 0
                ? follows_syn(conn, &one->segment, kept_dir, dir, segment)
                : kept_dir != dir && answers(conn, &one->segment, dir, segment))
            return true;
    }
    return is_plainly_other(conn, dir, segment) ||
           (payload_len(segment) != 0 && tcp_is_other(conn, dir, segment) &&
            count_row(conn, dir, segment->seq) >= TCP_MAX_STRAYS - 1);
}

/* is_related says whether two segments may be of one connection. */
static bool is_related(const struct segment *kept, bool is_same_way, const struct segment *segment)
{
    if (kept->is_early)
        return false;
    if (is_same_way)
        return !is_far(kept->seq, segment->seq);
    return (kept->flags & TCP_ACK) != 0 ? !is_far(kept->ack, segment->seq)
                                        : !is_far(segment->ack, kept->seq);
}

struct tcp_reorder_queue tcp_reuse_remove_kept(struct tcp_table *table, struct tcp_conn *conn, int dir,
                                               const struct segment *segment)
{
    struct tcp_reorder_queue taken = {NULL, NULL, 0, 0};
    if (conn->reuse == NULL)
        return taken;
    struct tcp_queued *next;
    for (struct tcp_queued *one = conn->reuse->kept.first; one != NULL; one = next) {
        next = one->next;
        if (is_related(&one->segment, tcp_find_dir(conn, &one->segment) == dir, segment))
            tcp_reorder_queue_move(&conn->reuse->kept, &taken, one);
    }
    tcp_reuse_drop(table, conn);
    return taken;
}
