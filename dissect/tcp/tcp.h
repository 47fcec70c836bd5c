/*
 * tcp.h - TCP connections: segments in, ordered data | gap | end out (RFC 9293).
 *
 * First copy wins: bytes once delivered or held are never replaced. Everything a peer
 * can make us hold is capped.
 */
#ifndef DISSECT_TCP_H
#define DISSECT_TCP_H

#include "net/packet.h"
#include "util/memcap.h"

struct tcp_conn;
struct tcp_analysis;

/* Why bytes are missing. */
enum tcp_gap { TCP_GAP_LOST, TCP_GAP_SNAPLEN, TCP_GAP_CAP };

/* How a connection ended. */
enum tcp_close {
    TCP_CLOSE_FIN,        /* both directions ended */
    TCP_CLOSE_RESET,      /* RST; tcp_conn.reset_dir sent it */
    TCP_CLOSE_REUSED,     /* a new SYN on the same ports */
    TCP_CLOSE_EVICTED,    /* the oldest, when --max-connections was reached */
    TCP_CLOSE_CAPTURE,    /* the capture ended */
    TCP_CLOSE_SYN_TIMEOUT, /* the last SYN has gone unanswered */
    TCP_CLOSE_ICMP,       /* tcp_conn.icmp told that the SYN does not arrive */
    TCP_CLOSE_CAPTURE_RESTART, /* the capture broke off; what stands for its past begins it anew */
};

/* tcp_conn_view is the part of a connection that the stage above sees. dir 0 is what
 * addr[0] sends. addr[0] sent the SYN, or the first packet seen. now_ns and frame are those
 * of the packet being processed. user is the upper stage's own. */
struct tcp_conn_view {
    struct ds_addr addr[2];
    uint16_t port[2];
    bool syn_seen[2];  /* syn_seen[1]: the SYN-ACK */
    bool only_past;    /* no packet of it was captured, only some that stand for its past came */
    bool is_one_way;   /* of one that closes: data of one end was captured, and nothing of the other */
    uint8_t reset_dir;
    uint32_t num_syns;     /* without ACK: more than 1 when it was sent again */
    int64_t first_syn_ns;  /* of them */
    struct icmp_error icmp; /* the latest; what is NULL: none */
    struct tcp_analysis *facts; /* NULL unless asked for, tcp_analysis.h */
    uint64_t number; /* from 1, in order of the first packets */
    uint32_t first_seq[2]; /* of its first byte, where a SYN told */
    uint32_t next_seq[2];  /* of what comes behind the data at hand; 0: nothing has come */
    int64_t now_ns;
    uint64_t frame;
    void *user;
};

/* What the reassembly tells the stage above. data is in order and only valid during the
 * call. Every call may use and set view->user. */
struct tcp_events {
    /* The addresses and the SYN, if the first packet is one, are known by then. */
    void (*open)(void *context, struct tcp_conn_view *view);
    void (*data)(void *context, struct tcp_conn_view *view, int dir, struct cursor data);
    void (*gap)(void *context, struct tcp_conn_view *view, int dir, uint64_t len,
                enum tcp_gap why);
    void (*end)(void *context, struct tcp_conn_view *view, int dir); /* FIN, in order */
    /* What direction dir sent does not arrive, says view->icmp. The same is told once. */
    void (*icmp)(void *context, struct tcp_conn_view *view, int dir);
    void (*close)(void *context, struct tcp_conn_view *view, enum tcp_close why); /* last but gone */
    /* What direction dir sends is held up, or was. Only with facts. */
    void (*stall)(void *context, struct tcp_conn_view *view, int dir, const struct ds_stall *stall);
    /* The first packet that was captured, after others that stand for the past; may be NULL. */
    void (*go_on)(void *context, struct tcp_conn_view *view);
    /* What close has been told of is freed, where view->user is still set; may be NULL. */
    void (*gone)(void *context, struct tcp_conn_view *view);
    /* A segment that direction dir seemed to send is ignored, as the ends do; may be NULL. */
    void (*ignored)(void *context, struct tcp_conn_view *view, int dir);
    /* Traffic goes on after the end of one direction, or of all (was_closed: close was told);
     * may be NULL. Comes only for what can_resume says: whether the stage above, which has just
     * been told of a close, could go on. */
    void (*resume)(void *context, struct tcp_conn_view *view, bool was_closed);
    bool (*can_resume)(void *context, struct tcp_conn_view *view);
    /* The SYN is retransmitted, as nobody answers it; may be NULL. */
    void (*syn_again)(void *context, struct tcp_conn_view *view);
};

struct tcp_table;

/* tcp_table_new returns an empty table or NULL when memory ran out. All pointers must
 * outlive it. limits_hit and the segment counters of stats are written. */
struct tcp_table *tcp_table_new(const struct tcp_events *events, void *context, struct memcap *memcap,
                                const uint64_t limits[DS_LIMIT_COUNT], struct ds_stats *stats);
void tcp_table_free(struct tcp_table *table); /* without calling back */

/* tcp_table_measure has the facts of all connections from now on measured. asks_kernels: kernels are
 * asked about their sockets. */
void tcp_table_measure(struct tcp_table *table, bool asks_kernels);

/* tcp_table_feed takes the next segment in capture order, and notes in it what its checksums say.
 * Returns the number of its connection, 0 when it is of none that is followed. */
uint64_t tcp_table_feed(struct tcp_table *table, struct segment *segment);

/* tcp_table_snapshot takes a segment that stands for the past of its connection. One that is known
 * already, as far as its past goes or farther, keeps what is known; one that is not yet so far is
 * given up, and begins anew. Nothing is counted. Returns as tcp_table_feed does. */
uint64_t tcp_table_snapshot(struct tcp_table *table, const struct segment *segment,
                            const struct ds_snapshot *past);

/* tcp_table_icmp takes an error of ICMP about a segment. Returns as tcp_table_feed does. */
uint64_t tcp_table_icmp(struct tcp_table *table, const struct segment *segment,
                        const struct icmp_error *error);

/* tcp_table_time tells how late it is while no segment comes: what has been waited for long
 * enough is given up. An earlier time than that of the latest segment is ignored. */
void tcp_table_time(struct tcp_table *table, int64_t now_ns);

/* tcp_table_settle takes the segments that still wait for others to go first. */
void tcp_table_settle(struct tcp_table *table);

/* tcp_table_forgotten returns the number of a connection that was forgotten with the latest
 * segment, 0 when none was. */
uint64_t tcp_table_forgotten(const struct tcp_table *table);

/* tcp_table_forget stops following a connection's data (it is not Erlang's): nothing is
 * held for it any more, no data, gap or end is reported; close still is. It may be called
 * from within a callback. */
void tcp_table_forget(struct tcp_conn_view *view);

/* tcp_point is where one direction of a connection stands. */
struct tcp_point {
    uint32_t next_seq; /* of the next byte to come */
    bool started;      /* next_seq is known */
    bool ended;
};

/* tcp_table_find returns the connection that ends[0] sends in, in direction dir; NULL: none. */
const struct tcp_conn_view *tcp_table_find(struct tcp_table *table,
                                           const struct ds_endpoint ends[2], int *dir);

/* tcp_table_walk calls back for each connection that is followed, in the order of their first
 * packets. */
void tcp_table_walk(const struct tcp_table *table,
                    void (*visit)(void *context, const struct tcp_conn_view *view,
                                  const struct tcp_point point[2]),
                    void *context);

/* tcp_table_walk_held calls back for the pieces of a direction that came too early. */
void tcp_table_walk_held(const struct tcp_conn_view *view, int dir,
                         void (*visit)(void *context, uint32_t seq, struct cursor bytes,
                                       uint32_t truncated_len),
                         void *context);

/* tcp_table_end gives up on all that is missing and closes all connections, in the order
 * of their first packets. */
void tcp_table_end(struct tcp_table *table);

#endif
