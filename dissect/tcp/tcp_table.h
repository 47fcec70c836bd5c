/*
 * tcp_table.h - what the files of the table of connections share: tcp_table.c finds, opens and
 * closes them, tcp_reorder.c decides when a segment is processed, tcp_segment.c and tcp_snapshot.c
 * process it; tcp.c has the functions for other stages.
 *
 * The way of a segment, function by function:
 *
 *   tcp_table_feed         tcp.c             the entry
 *   tcp_reorder_add        tcp_reorder.c     processes it now, or queues it (tcp_reorder_queue.c) until its
 *                                            turn
 *   tcp_receive_expected   tcp_segment.c     the short way of nearly all: the next bytes, if nothing is
 *                                            missing or doubted. All others go the long way:
 *   tcp_receive_segment    tcp_segment.c
 *     choose_conn          tcp_segment.c     its connection: the one with its ports, a new one
 *                                            (tcp_reuse.c), or one that had ended (tcp_ended.c)
 *     is_accepted          tcp_segment.c     whether the other end accepts it (tcp_judge.c). If not, it is
 *                                            counted (tcp_ignore.c), and kept for a while, in case that end
 *                                            acknowledges it (tcp_stream_doubt)
 *     tcp_stream_receive   tcp_reassembly.c  finds its new bytes (place) and passes them on, or holds them
 *                                            until the missing bytes before them come
 */
#ifndef DISSECT_TCP_TABLE_H
#define DISSECT_TCP_TABLE_H

#include "tcp/tcp_conn.h"
#include "tcp/tcp_reorder_queue.h"

/* Longer than any packet; it keeps sums of lengths small. */
enum { TCP_MAX_SEGMENT_LEN = 1 << 25 };

/* At most so many ended connections can go on, tcp_ended.h. */
enum { TCP_MAX_RESUMABLE = 64 };
enum { TCP_RECENT = 64 };
#define TCP_MS_NS UINT64_C(1000000)

struct conn_list {
    struct tcp_conn *oldest, *newest;
};

struct tcp_table {
    struct tcp_shared shared;
    struct tcp_reorder_queue queue;
    uint64_t number; /* of the connection of the current segment */
    uint64_t num_made; /* connections so far, with those that are queued */
    uint64_t forgotten; /* number of the connection forgotten during this segment; 0: none */
    int64_t swept_ns;
    struct tcp_conn *last; /* the connection of the latest segment */
    struct tcp_conn *recent[TCP_RECENT]; /* found recently, at recent_of(); NULL: none */
    struct tcp_conn **buckets;
    size_t num_buckets; /* a power of two */
    uint64_t num_conns; /* with closed ones */
    struct conn_list live, closed;
    struct tcp_conn *first_earliest, *first_latest;
    struct tcp_conn *wait_first, *wait_last;
    struct tcp_conn *resumable[TCP_MAX_RESUMABLE]; /* closed ones; NULL: a free place */
    unsigned next_resumable;
};

static inline bool tcp_same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* tcp_find_dir returns which end of conn sent the segment, -1 if it is not of conn. */
static inline int tcp_find_dir(const struct tcp_conn *conn, const struct segment *segment)
{
    const struct tcp_conn_view *view = &conn->view;
    if (view->port[0] == segment->src_port && view->port[1] == segment->dst_port &&
        tcp_same_addr(&view->addr[0], &segment->src) &&
        tcp_same_addr(&view->addr[1], &segment->dst))
        return 0;
    if (view->port[1] == segment->src_port && view->port[0] == segment->dst_port &&
        tcp_same_addr(&view->addr[1], &segment->src) &&
        tcp_same_addr(&view->addr[0], &segment->dst))
        return 1;
    return -1;
}

static inline void tcp_set_now(struct tcp_table *table, struct tcp_conn *conn)
{
    conn->view.now_ns = table->shared.now_ns;
    conn->view.frame = table->shared.frame;
}

static inline void tcp_start_stream(struct tcp_stream *stream, uint32_t seq)
{
    stream->started = true;
    stream->first_seq = seq;
    stream->next_seq = seq;
}

/* tcp_find_conn returns the connection of a segment, and its direction in *dir; NULL: none. */
struct tcp_conn *tcp_find_conn(struct tcp_table *table, const struct segment *segment, int *dir);

/* tcp_open_conn creates the connection of a segment; *dir is the direction of the segment.
 * number is that of the connection, 0: a new one. NULL if memory ran out, which is counted. */
struct tcp_conn *tcp_open_conn(struct tcp_table *table, const struct segment *segment,
                               uint64_t number, bool is_past, int *dir);

/* tcp_close_conn passes on what is left of a connection and reports its end; it exists until
 * tcp_free_conn. tcp_close_unanswered closes one whose SYN may still be answered. */
void tcp_close_conn(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why);
void tcp_close_unanswered(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why);
void tcp_free_conn(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_reopen_conn lets a closed connection go on. */
void tcp_reopen_conn(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_touch makes a connection the most recently used. */
void tcp_touch(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_waiting_update adds a connection to the list of those that wait for something, or removes
 * it. */
void tcp_waiting_update(struct tcp_table *table, struct tcp_conn *conn);
void tcp_waiting_remove(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_awaits_answer says whether a SYN was sent and nothing shows that it was answered,
 * tcp_is_unanswered whether it would have been retransmitted by now. */
bool tcp_awaits_answer(const struct tcp_conn *conn);
bool tcp_is_unanswered(const struct tcp_table *table, const struct tcp_conn *conn);

/* tcp_is_reused says whether a SYN belongs to another connection than conn. */
bool tcp_is_reused(const struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_abandon ends waits of a connection that have lasted too long, and closes it if it
 * has ended. */
void tcp_abandon(struct tcp_table *table, struct tcp_conn *conn);

/* tcp_receive_segment processes a segment whose turn it is. conn may be NULL; number, if not 0,
 * is then the number of the connection to be opened. */
void tcp_receive_segment(struct tcp_table *table, struct tcp_conn *conn, int dir,
                         const struct segment *segment, uint64_t number);

/* tcp_receive_expected does the same faster, if the segment is the expected one. False, with
 * nothing done, if not. */
bool tcp_receive_expected(struct tcp_table *table, struct tcp_conn *conn, int dir,
                          const struct segment *segment);

/* tcp_reorder_add processes a segment at once or queues it until its turn; it sets its sum. */
void tcp_reorder_add(struct tcp_table *table, struct segment *segment);

/* tcp_reorder_receive processes queued segments as far as possible, and until none is left from
 * before a frame or a time. tcp_receive_all processes all of them. */
void tcp_reorder_receive(struct tcp_table *table, uint64_t frame, int64_t ts_ns);
void tcp_receive_all(struct tcp_table *table);

#endif
