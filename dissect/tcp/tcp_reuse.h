/*
 * tcp_reuse.h - the next connection on the same ports. A segment that cannot belong to the present
 * connection, a SYN or one with far-off numbers, may begin another one. Any host can send such
 * segments; the ends of the connection ignore them (RFC 5961, section 4). They are kept. If they
 * fit each other, they begin another connection on the same ports:
 *   - a SYN that is answered: by a SYN-ACK, or, if that cannot be seen, by what follows it;
 *   - data that the other end answers: a segment with both numbers that the data asks for;
 *   - TCP_MAX_STRAYS segments with data in a row, each beginning where the one before ends.
 * Then the old connection has ended, and the kept segments are the first of the new one.
 */
#ifndef DISSECT_TCP_REUSE_H
#define DISSECT_TCP_REUSE_H

#include "tcp/tcp_table.h"

enum { TCP_MAX_REUSED = 16, TCP_MAX_STRAYS = 4 };

/* tcp_reuse contains segments that may begin another connection. Their number is not 0 once they
 * have been counted. */
struct tcp_reuse {
    struct tcp_reorder_queue kept; /* at most TCP_MAX_REUSED */
};

/* tcp_is_other says whether a segment with ACK, and without SYN and RST, cannot belong to conn,
 * which is open or closed. */
bool tcp_is_other(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_has_other_ack says whether a segment acknowledges bytes that the other end cannot have
 * sent recently. */
bool tcp_has_other_ack(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_reuse_keep keeps a segment. If the oldest one has to be removed, it is counted as ignored. */
void tcp_reuse_keep(struct tcp_table *table, struct tcp_conn *conn, int dir,
                    const struct segment *segment);

/* tcp_reuse_begins says whether a segment and the kept ones form another connection. */
bool tcp_reuse_begins(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_reuse_remove_kept returns those kept segments of a connection to be closed that belong to
 * the connection that a segment begins. The others are counted as ignored. */
struct tcp_reorder_queue tcp_reuse_remove_kept(struct tcp_table *table, struct tcp_conn *conn, int dir,
                                               const struct segment *segment);

/* tcp_reuse_refute is called when the old connection goes on. It counts each kept segment as
 * ignored, once, and after a while drops them. */
void tcp_reuse_refute(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_reuse_drop counts the kept segments as ignored, and drops them. */
void tcp_reuse_drop(struct tcp_table *table, struct tcp_conn *conn);

#endif
