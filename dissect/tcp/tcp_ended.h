/*
 * tcp_ended.h - connections, or directions of one, that have ended as far as was seen, and go on all the
 * same: the RST or FIN was somebody else's, or did not arrive. Their state is kept for a minute, or
 * until TCP_MAX_RESUMABLE others have ended, so that they can go on.
 */
#ifndef DISSECT_TCP_ENDED_H
#define DISSECT_TCP_ENDED_H

#include "tcp/tcp_table.h"

/* tcp_ended_receive takes a segment of a closed connection: true where that goes on with it. Data that may
 * show it is kept until it is acknowledged. */
bool tcp_ended_receive(struct tcp_table *table, struct tcp_conn *conn, int dir,
                       const struct segment *segment, uint32_t len);

/* tcp_ended_compare takes data that is retransmitted behind the end of its direction. It counts a segment
 * whose bytes differ from the delivered ones. */
void tcp_ended_compare(struct tcp_table *table, const struct tcp_conn *conn, int dir,
                       const struct segment *segment);

/* tcp_ended_receive_data takes data behind the FIN of its direction. tcp_ended_receive_ack takes an
 * acknowledgement that dir sends: where it is of data behind the other direction's FIN, that was none. */
void tcp_ended_receive_data(struct tcp_table *table, struct tcp_conn *conn, int dir,
                            const struct segment *segment);
void tcp_ended_receive_ack(struct tcp_table *table, struct tcp_conn *conn, int dir, uint32_t ack);

#endif
