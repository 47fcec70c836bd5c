/*
 * tcp_reorder_queue.h - segments that wait, in the order in which they were captured, until others of
 * their connection have gone first.
 *
 * Captures exist in which packets are not quite in order: a few packets off, whatever their
 * times. In the middle of a connection the reassembly (tcp_reassembly.c) puts that right. At its
 * beginning it is not known yet what comes first; there, and before an end that may come too
 * early, a segment is better not looked at until it is its turn (tcp_reorder.c says when that is). What
 * comes after it waits behind it, of other connections as well, so that the order among
 * connections stays as it was captured where nothing was in disorder.
 */
#ifndef DISSECT_TCP_REORDER_QUEUE_H
#define DISSECT_TCP_REORDER_QUEUE_H

#include "tcp/tcp_conn.h"

enum {
    TCP_MAX_OPTIONS = 40,
    TCP_MAX_QUEUED = TCP_DISORDER + 1, /* with the last one that is in time for the first */
};

/* tcp_queued is a segment with a copy of its payload and, of its options, and the number
 * that its connection has or will have. */
struct tcp_queued {
    struct tcp_queued *next;
    struct segment segment;
    uint64_t number;
    uint8_t options[TCP_MAX_OPTIONS];
    uint8_t bytes[];
};

/* tcp_reorder_queue holds at most TCP_MAX_QUEUED segments. */
struct tcp_reorder_queue {
    struct tcp_queued *first, *last;
    uint64_t len; /* of all bytes, with what keeping them costs */
    unsigned num;
};

/* tcp_reorder_queue_add copies a segment to the end. False when a cap was reached or memory ran out. */
bool tcp_reorder_queue_add(struct tcp_shared *shared, struct tcp_reorder_queue *queue,
                           const struct segment *segment, uint64_t number);

/* tcp_reorder_queue_remove takes one out of the queue; tcp_queued_free frees it. */
void tcp_reorder_queue_remove(struct tcp_shared *shared, struct tcp_reorder_queue *queue,
                              struct tcp_queued *one);
void tcp_queued_free(struct tcp_queued *one);

/* tcp_reorder_queue_move takes one out of a queue and puts it at the end of another. */
void tcp_reorder_queue_move(struct tcp_reorder_queue *from, struct tcp_reorder_queue *to,
                            struct tcp_queued *one);

/* tcp_reorder_queue_find returns the first from one on, one included, that is of segment's connection. */
struct tcp_queued *tcp_reorder_queue_find(struct tcp_queued *one, const struct segment *segment);

/* tcp_reorder_queue_earliest returns the segment of one's connection that was sent first, as far as
 * their numbers say so: one that ends where another begins, or that another acknowledges. */
struct tcp_queued *tcp_reorder_queue_earliest(const struct tcp_reorder_queue *queue,
                                              struct tcp_queued *one);

/* tcp_reorder_queue_acked returns the first queued data of one's sender that the other end has acked:
 * another sender may have sent one. It returns one if there is none. */
struct tcp_queued *tcp_reorder_queue_acked(const struct tcp_reorder_queue *queue, struct tcp_queued *one);

/* tcp_reorder_queue_start returns the number at which what one's sender has queued without a hole begins.
 */
uint32_t tcp_reorder_queue_start(const struct tcp_reorder_queue *queue, const struct tcp_queued *one);

/* tcp_reorder_queue_has_data says whether data, or a FIN, of the sender of a SYN is queued. */
bool tcp_reorder_queue_has_data(const struct tcp_reorder_queue *queue, const struct segment *syn);

/* tcp_reorder_queue_begins says whether a SYN may be the beginning of what is queued of its connection,
 * rather than that of another one on the same ports. */
bool tcp_reorder_queue_begins(const struct tcp_reorder_queue *queue, const struct segment *syn);

void tcp_reorder_queue_drop(struct tcp_shared *shared, struct tcp_reorder_queue *queue); /* frees all */

#endif
