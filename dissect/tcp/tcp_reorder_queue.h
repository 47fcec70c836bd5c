/*
 * tcp_reorder_queue.h - segments that wait, in capture order, until others of their connection have
 * gone first.
 *
 * In some captures packets are not quite in order: a few packets off, whatever their times. In the
 * middle of a connection the reassembly (tcp_reassembly.c) corrects that. At its beginning it is
 * not known yet what comes first; there, and before an end that may come too early, a segment waits
 * for its turn (tcp_reorder.c decides when that is). All later segments wait behind it, those of
 * other connections as well, so that the order between connections stays as captured.
 */
#ifndef DISSECT_TCP_REORDER_QUEUE_H
#define DISSECT_TCP_REORDER_QUEUE_H

#include "tcp/tcp_conn.h"

enum {
    TCP_MAX_OPTIONS = 40,
    TCP_MAX_QUEUED = TCP_DISORDER + 1, /* with the last one that can still go before the first */
};

/* tcp_queued is a segment with a copy of its payload and options, and the number that its
 * connection has or will have. */
struct tcp_queued {
    struct tcp_queued *next;
    struct segment segment;
    uint64_t number;
    uint8_t options[TCP_MAX_OPTIONS];
    uint8_t bytes[];
};

/* tcp_reorder_queue contains at most TCP_MAX_QUEUED segments. */
struct tcp_reorder_queue {
    struct tcp_queued *first, *last;
    uint64_t len; /* of all bytes, with the cost of keeping them */
    unsigned num;
};

/* tcp_reorder_queue_add appends a copy of a segment. False if a cap was reached or memory ran
 * out. */
bool tcp_reorder_queue_add(struct tcp_shared *shared, struct tcp_reorder_queue *queue,
                           const struct segment *segment, uint64_t number);

/* tcp_reorder_queue_remove removes a segment from the queue; tcp_queued_free frees it. */
void tcp_reorder_queue_remove(struct tcp_shared *shared, struct tcp_reorder_queue *queue,
                              struct tcp_queued *one);
void tcp_queued_free(struct tcp_queued *one);

/* tcp_reorder_queue_move moves a segment from one queue to the end of another. */
void tcp_reorder_queue_move(struct tcp_reorder_queue *from, struct tcp_reorder_queue *to,
                            struct tcp_queued *one);

/* tcp_reorder_queue_find returns the first segment, from one on, of the connection of segment. */
struct tcp_queued *tcp_reorder_queue_find(struct tcp_queued *one, const struct segment *segment);

/* tcp_reorder_queue_earliest returns the segment of one's connection that was sent first,
 * according to sequence numbers: it ends where another begins, or another acknowledges it. */
struct tcp_queued *tcp_reorder_queue_earliest(const struct tcp_reorder_queue *queue,
                                              struct tcp_queued *one);

/* tcp_reorder_queue_acked returns the first queued data of one's sender that the other end
 * acknowledges: one may be from another sender. It returns one if there is none. */
struct tcp_queued *tcp_reorder_queue_acked(const struct tcp_reorder_queue *queue, struct tcp_queued *one);

/* tcp_reorder_queue_start returns the number at which the contiguous queued data of one's sender
 * begins. */
uint32_t tcp_reorder_queue_start(const struct tcp_reorder_queue *queue, const struct tcp_queued *one);

/* tcp_reorder_queue_has_data says whether data or a FIN from the sender of a SYN is queued. */
bool tcp_reorder_queue_has_data(const struct tcp_reorder_queue *queue, const struct segment *syn);

/* tcp_reorder_queue_begins says whether a SYN may begin the connection whose segments are
 * queued, and not another one on the same ports. */
bool tcp_reorder_queue_begins(const struct tcp_reorder_queue *queue, const struct segment *syn);

void tcp_reorder_queue_drop(struct tcp_shared *shared, struct tcp_reorder_queue *queue); /* frees all */

#endif
