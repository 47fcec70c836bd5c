/*
 * tcp_judge.h - whether the end that a segment is for accepts it (RFC 9293, section 3.10.7; RFC 5961;
 * RFC 7323; and what Linux makes of them). Anybody can send a segment with the addresses and ports of
 * a connection; what its ends ignore is not of it.
 *
 * What is captured is less than what the ends know: packets are lost or out of order, one direction
 * may be all there is, and checksums may have been left to the network card. So a segment is ignored
 * only where nothing but ignoring it fits; and where the other end has acknowledged what was ignored,
 * its sender is believed from then on.
 */
#ifndef DISSECT_TCP_JUDGE_H
#define DISSECT_TCP_JUDGE_H

#include "tcp/tcp_table.h"

/* What the checksums of a direction have been so far. */
enum tcp_sums { TCP_SUMS_UNKNOWN, TCP_SUMS_GOOD, TCP_SUMS_MIXED };

/* tcp_judge says whether the other end accepts a segment that is neither SYN nor RST, of len bytes;
 * tcp_judge_sum asks for its checksums alone. Both note what they learn from it. */
bool tcp_judge(struct tcp_conn *conn, int dir, const struct segment *segment, uint32_t len);
bool tcp_judge_sum(struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_judge_syn notes the time that the SYN of a stream tells: what its sender sends next is not older. */
void tcp_judge_syn(struct tcp_stream *stream, const struct segment *segment);

/* tcp_has_other_signature says whether a segment is signed and what its sender has sent so far is not, or
 * the other way round. It needs the SYN, or two segments in a row of a connection that was up
 * before. An end that has agreed on signatures drops segments without one (RFC 2385, section 2.0). Linux
 * also drops signed segments where nothing was agreed on. tcp_note_signature takes a segment that is
 * accepted. */
enum { TCP_ALIKE = 2 };
static inline void tcp_note_signature(struct tcp_stream *stream, bool is_signed)
{
    if (stream->is_signed != is_signed)
        stream->num_alike = 0;
    stream->num_alike += stream->num_alike < TCP_ALIKE;
    stream->is_signed = is_signed;
}
bool tcp_has_other_signature(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_is_before_first says whether a number lies before the first byte of a stream whose SYN was
 * captured. */
static inline bool tcp_is_before_first(const struct tcp_conn *conn, int dir, uint32_t number)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    return conn->view.syn_seen[dir] && !stream->is_long && tcp_diff(number, stream->first_seq) < 0;
}

/* tcp_acks_unsent says whether a segment with data acknowledges what was not captured, or not sent: Linux
 * drops it in the latter case. Later segments show which of the two it is: the other end acknowledges the
 * data, or other data comes in its place. */
bool tcp_acks_unsent(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_judge_expected says so at once of a segment that has ACK and begins where its stream stands;
 * false: tcp_judge has to be asked. */
static inline bool tcp_judge_expected(struct tcp_conn *conn, int dir, const struct segment *segment)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const uint32_t ack_ahead = segment->ack - conn->stream[!dir].next_seq;
    if (segment->sum == PACKET_SUM_BAD || (segment->flags & TCP_URG) != 0 ||
        (segment->sum == PACKET_SUM_GOOD && stream->sums != TCP_SUMS_GOOD) ||
        ack_ahead + TCP_NEAR > 2 * TCP_NEAR ||
        tcp_diff(segment->ack, conn->stream[!dir].acked) < 0 ||
        segment_is_signed(segment) != stream->is_signed)
        return false;
    uint32_t time;
    if (!segment_time(segment, &time))
        return true;
    if (!stream->has_time || tcp_diff(time, stream->time) < 0)
        return false;
    if (tcp_diff(segment->seq, stream->acked) <= 0) {
        stream->time = time;
        stream->time_frame = segment->frame;
    }
    return true;
}

/* tcp_is_reset says whether a RST may be believed: near what is expected, or, where nothing was
 * heard of its sender yet, an answer to what the other end sent. */
bool tcp_is_reset(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_judge_reset says whether a RST ends its connection: at the number that is expected. TCP_RESET_NEAR:
 * only where nothing follows from either end; who gets it asks for another (RFC 5961, section 3.2). */
enum tcp_reset_verdict { TCP_RESET_IGNORED, TCP_RESET_NEAR, TCP_RESET_EXACT };
enum tcp_reset_verdict tcp_judge_reset(const struct tcp_conn *conn, int dir,
                                       const struct segment *segment);

/* tcp_answers_syn says whether a number acknowledges one of the SYNs that a connection began with. */
bool tcp_answers_syn(const struct tcp_conn *conn, uint32_t ack);

/* tcp_doubt keeps what of a segment that is ignored may have been accepted all the same: a checksum that
 * was not made anew when the capture was rewritten, or merged segments. */
void tcp_doubt(struct tcp_table *table, struct tcp_conn *conn, int dir, const struct segment *segment,
               uint32_t len);

/* tcp_settle_doubt takes an acknowledgement of what a stream has sent: where it is of what was ignored, and
 * nothing else has come in its place, the sender is believed from then on. */
void tcp_settle_doubt(struct tcp_shared *shared, struct tcp_stream *stream, uint32_t ack);

/* Of a RST that may be ignored: tcp_doubt_reset waits for what follows, tcp_refute_reset says that
 * something has. tcp_is_reset_over says whether nothing has for long enough. */
void tcp_doubt_reset(struct tcp_table *table, struct tcp_conn *conn, int dir,
                     const struct segment *segment);
void tcp_refute_reset(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_refute_fin says that what dir sends goes on behind its FIN. */
void tcp_refute_fin(struct tcp_table *table, struct tcp_conn *conn, int dir);
bool tcp_is_reset_over(const struct tcp_table *table, const struct tcp_conn *conn);

#endif
