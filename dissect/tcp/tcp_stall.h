/*
 * tcp_stall.h - a sender that cannot go on (struct ds_stall): the other end's window is closed or full, a
 * segment is lost again and again, or large segments do not come this far.
 *
 * For tcp_analysis.c, which sees the segments. A function that fills in stall returns true if that is to be
 * reported.
 */
#ifndef DISSECT_TCP_STALL_H
#define DISSECT_TCP_STALL_H

#include "tcp/tcp_analysis.h"
#include "tcp/tcp_conn.h"

/* tcp_in_flight returns the bytes in flight. */
static inline uint32_t tcp_in_flight(const struct tcp_analysis_dir *me)
{
    const int32_t len = tcp_diff(me->high_seq, me->acked);
    return me->has_high && me->has_acked && len > 0 ? (uint32_t)len : 0;
}

/* tcp_stall_begin records that a window is closed or full, tcp_stall_end that it is open again:
 * true if the stall was unusually long. */
void tcp_stall_begin(struct tcp_analysis_dir *me, enum ds_stall_why why, int64_t now_ns);
bool tcp_stall_end(struct tcp_analysis *facts, int dir, int64_t now_ns, struct ds_stall *stall);

/* tcp_stall_on_loss fills in the stall of a segment of len bytes that was retransmitted too often.
 * tcp_stall_recover ends it: the segment is acknowledged. */
void tcp_stall_on_loss(struct tcp_analysis_dir *me, int64_t now_ns, uint32_t len, struct ds_stall *stall);
void tcp_stall_recover(struct tcp_analysis_dir *me, int64_t now_ns, struct ds_stall *stall);

/* tcp_stall_heard records that the other end has sent something and has not acknowledged the
 * lost segment. True if the loss is certain: the segment was retransmitted since, and by now an
 * acknowledgement would have come. */
bool tcp_stall_heard(struct tcp_analysis_dir *me, int64_t now_ns, int64_t handshake_ns,
                     struct ds_stall *stall);

/* tcp_stall_missing says whether to report missing bytes: both ends were heard for long enough,
 * and the receiver acknowledges none of them; or they have come. */
bool tcp_stall_missing(struct tcp_analysis *facts, int dir, int64_t now_ns, struct ds_stall *stall);

#endif
