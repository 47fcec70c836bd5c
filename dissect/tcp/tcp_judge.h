/*
 * tcp_judge.h - whether the receiver of a segment accepts it (RFC 9293, section 3.10.7; RFC 5961;
 * RFC 7323; and how Linux implements them). Any host can send a segment with the addresses and
 * ports of a connection; a segment that the ends ignore is not part of it.
 *
 * A capture shows less than the ends know: packets are lost or out of order, one direction may be
 * missing, and checksums may have been left to the network card. So a segment is ignored only if no
 * other explanation fits; and if the other end acknowledges ignored bytes, their sender is believed
 * from then on.
 */
#ifndef DISSECT_TCP_JUDGE_H
#define DISSECT_TCP_JUDGE_H

#include "tcp/tcp_table.h"

/* tcp_sums is the state of the checksums of a direction. */
enum tcp_sums { TCP_SUMS_UNKNOWN, TCP_SUMS_GOOD, TCP_SUMS_MIXED };

/* tcp_judge says whether the other end accepts a segment of len bytes without SYN and RST;
 * tcp_judge_sum checks only its checksums. Both remember what they learn from the segment. */
bool tcp_judge(struct tcp_conn *conn, int dir, const struct segment *segment, uint32_t len);
bool tcp_judge_sum(struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_judge_syn stores the timestamp of the SYN of a stream: later segments are not older. */
void tcp_judge_syn(struct tcp_stream *stream, const struct segment *segment);

/* tcp_has_other_signature says whether a segment is signed and the earlier ones of its sender
 * are not, or the other way round. It needs the SYN, or two segments in a row of a connection
 * that was open before. An end that has agreed on signatures drops segments without one (RFC
 * 2385, section 2.0). Linux also drops signed segments if none were agreed on.
 * tcp_set_signature records an accepted segment. */
enum { TCP_ALIKE = 2 };
static inline void tcp_set_signature(struct tcp_stream *stream, bool is_signed)
{
    if (stream->is_signed != is_signed)
        stream->num_alike = 0;
    stream->num_alike += stream->num_alike < TCP_ALIKE;
    stream->is_signed = is_signed;
}
bool tcp_has_other_signature(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_is_before_first says whether a number is before the first byte of a stream whose SYN was
 * captured. */
static inline bool tcp_is_before_first(const struct tcp_conn *conn, int dir, uint32_t number)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    return conn->view.syn_seen[dir] && !stream->is_long && tcp_diff(number, stream->first_seq) < 0;
}

/* tcp_acks_unsent says whether a segment with data acknowledges bytes that were not captured, or
 * not sent: Linux drops it in the latter case. Later segments show which: the other end
 * acknowledges the data, or other data comes in its place. */
bool tcp_acks_unsent(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_judge_expected quickly accepts a segment that has ACK and begins at next_seq of its
 * stream. False: the caller has to ask tcp_judge. */
static inline bool tcp_judge_expected(struct tcp_conn *conn, int dir, const struct segment *segment)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const uint32_t ack_ahead = segment->ack - conn->stream[!dir].next_seq;
    if (segment->sum == PACKET_SUM_BAD || (segment->flags & TCP_URG) != 0 || segment->is_to_group ||
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

/* tcp_is_reset says whether a RST may be believed: its number is near the expected one, or, if
 * its sender was not heard yet, it answers what the other end sent. */
bool tcp_is_reset(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_judge_reset says whether a RST ends its connection. TCP_RESET_EXACT: it has the expected
 * number. TCP_RESET_NEAR: only if no segment follows from either end; its receiver asks for
 * another RST (RFC 5961, section 3.2). */
enum tcp_reset_verdict { TCP_RESET_IGNORED, TCP_RESET_NEAR, TCP_RESET_EXACT };
enum tcp_reset_verdict tcp_judge_reset(const struct tcp_conn *conn, int dir,
                                       const struct segment *segment);

/* tcp_answers_syn says whether a number acknowledges one of the first SYNs of a connection. */
bool tcp_answers_syn(const struct tcp_conn *conn, uint32_t ack);

/* tcp_doubt keeps the data of an ignored segment that may have been accepted: its checksum was
 * not recalculated when the capture was rewritten, or segments were merged. */
void tcp_doubt(struct tcp_table *table, struct tcp_conn *conn, int dir, const struct segment *segment,
               uint32_t len);

/* tcp_settle_doubt processes an acknowledgement for a stream. If it covers ignored bytes, and
 * nothing else has come in their place, the sender is believed from then on. */
void tcp_settle_doubt(struct tcp_shared *shared, struct tcp_stream *stream, uint32_t ack);

/* For a RST that may be ignored: tcp_doubt_reset waits for more segments, tcp_refute_reset
 * records that some came, so that the RST is ignored. */
void tcp_doubt_reset(struct tcp_table *table, struct tcp_conn *conn, int dir,
                     const struct segment *segment);
void tcp_refute_reset(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_refute_fin records that direction dir goes on after its FIN, which is ignored.
 * tcp_is_reset_over says whether no segment has followed a RST for long enough. */
void tcp_refute_fin(struct tcp_table *table, struct tcp_conn *conn, int dir);
bool tcp_is_reset_over(const struct tcp_table *table, const struct tcp_conn *conn);

#endif
