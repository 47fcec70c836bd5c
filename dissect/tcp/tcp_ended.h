/*
 * tcp_ended.h - connections or directions that seemed to end, but go on: the RST or FIN was forged,
 * or did not arrive. Their state is kept for a minute, or until TCP_MAX_RESUMABLE others have
 * ended.
 */
#ifndef DISSECT_TCP_ENDED_H
#define DISSECT_TCP_ENDED_H

#include "tcp/tcp_table.h"

/* tcp_ended_receive processes a segment of a closed connection. True if it shows that the
 * connection goes on. Data that may show it is kept until it is acknowledged. */
bool tcp_ended_receive(struct tcp_table *table, struct tcp_conn *conn, int dir,
                       const struct segment *segment, uint32_t len);

/* tcp_ended_compare processes retransmitted data after the end of its direction. It counts a
 * segment whose bytes differ from the delivered ones. */
void tcp_ended_compare(struct tcp_table *table, const struct tcp_conn *conn, int dir,
                       const struct segment *segment);

/* tcp_ended_receive_data processes data after the FIN of its direction. tcp_ended_receive_ack
 * processes an acknowledgement that dir sends: if it covers data after the other direction's
 * FIN, that FIN is ignored. */
void tcp_ended_receive_data(struct tcp_table *table, struct tcp_conn *conn, int dir,
                            const struct segment *segment);
void tcp_ended_receive_ack(struct tcp_table *table, struct tcp_conn *conn, int dir, uint32_t ack);

#endif
