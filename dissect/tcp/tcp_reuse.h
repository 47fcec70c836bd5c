/*
 * tcp_reuse.h - the next connection on the same ports. A segment that cannot belong to the connection
 * there, a SYN or one whose numbers are far from its own, may begin another one. Anybody can send one; the
 * ends of the connection ignore it (RFC 5961, section 4). Such segments are kept. Where they fit each other
 * they begin another connection on the same ports:
 *   - a SYN that is answered: by a SYN-ACK, or, where that cannot be seen, by what follows on it;
 *   - data that the other end answers: its segment has both numbers that the data asks for;
 *   - TCP_MAX_STRAYS segments with data in a row, of which each begins where the one before ends.
 * Then the old connection has ended, and the kept segments are the first of the new one.
 */
#ifndef DISSECT_TCP_REUSE_H
#define DISSECT_TCP_REUSE_H

#include "tcp/tcp_table.h"

enum { TCP_MAX_REUSED = 16, TCP_MAX_STRAYS = 4 };

/* Of what is kept the number is not 0 once the segment has been counted. */
struct tcp_reuse {
    struct tcp_reorder_queue kept; /* at most TCP_MAX_REUSED */
};

/* tcp_is_other says whether a segment with ACK, and without SYN and RST, cannot be of a connection, which
 * is open or closed. */
bool tcp_is_other(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_has_other_ack says whether a segment acknowledges what the other end of the connection cannot have
 * sent of late. */
bool tcp_has_other_ack(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_reuse_keep keeps a segment. The oldest one that has to go is counted as ignored. */
void tcp_reuse_keep(struct tcp_table *table, struct tcp_conn *conn, int dir,
                    const struct segment *segment);

/* tcp_reuse_begins says whether a segment and what is kept are another connection. */
bool tcp_reuse_begins(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_reuse_remove_kept returns the kept segments of a connection, which is to be closed, that belong to
 * the connection that a segment begins. The others are counted as ignored. */
struct tcp_reorder_queue tcp_reuse_remove_kept(struct tcp_table *table, struct tcp_conn *conn, int dir,
                                               const struct segment *segment);

/* tcp_reuse_refute is called when the old connection goes on. It counts each kept segment as ignored,
 * once, and forgets them after a while. */
void tcp_reuse_refute(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_reuse_drop counts what is kept as ignored, and forgets it. */
void tcp_reuse_drop(struct tcp_table *table, struct tcp_conn *conn);

#endif
