/*
 * tcp.h - TCP connections: segments in, ordered data, gaps and ends out (RFC 9293).
 *
 * The first copy wins: bytes that were delivered or are held are never replaced. All that a peer
 * can make this code keep is capped.
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
    TCP_CLOSE_SYN_TIMEOUT, /* the last SYN was not answered */
    TCP_CLOSE_ICMP,       /* an ICMP error (tcp_conn.icmp) says that the SYN does not arrive */
    TCP_CLOSE_CAPTURE_RESTART, /* the capture was interrupted; a snapshot begins the connection again */
};

/* tcp_conn_view is the part of a connection that the stage above sees. Direction 0 is from
 * addr[0], which sent the SYN, or the first packet seen. now_ns and frame are those of the
 * packet that is being processed. user belongs to the stage above. */
struct tcp_conn_view {
    struct ds_addr addr[2];
    uint16_t port[2];
    bool syn_seen[2];  /* syn_seen[1]: the SYN-ACK */
    bool both_opened;  /* both ends sent a SYN without ACK (RFC 9293, 3.5): either may speak first */
    bool only_past;    /* no packet was captured, all are from a snapshot */
    bool is_one_way;   /* at close: data of one end was captured, and nothing from the other */
    uint8_t reset_dir;
    uint32_t num_syns;     /* SYNs without ACK: more than 1 if it was retransmitted */
    int64_t first_syn_ns;  /* time of the first of them */
    struct icmp_error icmp; /* the latest; all zeros: none */
    struct tcp_analysis *facts; /* NULL unless tcp_table_measure was called, tcp_analysis.h */
    uint64_t number; /* from 1, in order of the first packets */
    uint32_t first_seq[2]; /* of the first byte, if a SYN was seen */
    uint32_t next_seq[2];  /* of the byte after the data being passed on; 0: nothing has come */
    int64_t now_ns;
    uint64_t frame;
    void *user;
};

/* tcp_events are the callbacks to the stage above. data is in order and valid during the call
 * only. Each call may use and set view->user. */
struct tcp_events {
    /* The addresses are known, and the SYN, if the first packet is one. */
    void (*open)(void *context, struct tcp_conn_view *view);
    void (*data)(void *context, struct tcp_conn_view *view, int dir, struct cursor data);
    void (*gap)(void *context, struct tcp_conn_view *view, int dir, uint64_t len,
                enum tcp_gap why);
    void (*end)(void *context, struct tcp_conn_view *view, int dir); /* FIN, in order */
    /* view->icmp says that a segment of direction dir was not delivered. Equal errors in a row
     * are reported once. */
    void (*icmp)(void *context, struct tcp_conn_view *view, int dir);
    void (*close)(void *context, struct tcp_conn_view *view, enum tcp_close why); /* the last but gone */
    /* The sender of direction dir cannot go on, or can again. Only with facts. */
    void (*stall)(void *context, struct tcp_conn_view *view, int dir, const struct ds_stall *stall);
    /* The first captured packet after those of a snapshot; may be NULL. */
    void (*go_on)(void *context, struct tcp_conn_view *view);
    /* The last call for a closed connection, if view->user is set; may be NULL. */
    void (*gone)(void *context, struct tcp_conn_view *view);
    /* A segment that seemed to come from direction dir is ignored, as the ends ignore it; may be
     * NULL. */
    void (*ignored)(void *context, struct tcp_conn_view *view, int dir);
    /* Traffic goes on after the end of one direction, or of the connection (was_closed: close
     * was called); may be NULL. It is called only if can_resume, which is called right after a
     * close, returned true: the stage above can go on. */
    void (*resume)(void *context, struct tcp_conn_view *view, bool was_closed);
    bool (*can_resume)(void *context, struct tcp_conn_view *view);
    /* The SYN was retransmitted because no answer came; may be NULL. */
    void (*syn_again)(void *context, struct tcp_conn_view *view);
};

struct tcp_table;

/* tcp_table_new returns an empty table, or NULL if memory ran out. All pointers must outlive it.
 * It writes limits_hit and the segment counters of stats. */
struct tcp_table *tcp_table_new(const struct tcp_events *events, void *context, struct memcap *memcap,
                                const uint64_t limits[DS_LIMIT_COUNT], struct ds_stats *stats);
void tcp_table_free(struct tcp_table *table); /* without callbacks */

/* tcp_table_measure makes the table keep facts about all connections from now on. asks_kernels:
 * kernels are asked about the sockets. */
void tcp_table_measure(struct tcp_table *table, bool asks_kernels);

/* tcp_table_feed processes the next segment in capture order, and stores in it whether its
 * checksums are right. Returns the number of its connection, 0 if no connection that is followed
 * has it. */
uint64_t tcp_table_feed(struct tcp_table *table, struct segment *segment);

/* tcp_table_refuse counts a segment that no host accepts. Returns what tcp_table_feed does. */
uint64_t tcp_table_refuse(struct tcp_table *table, const struct segment *segment);

/* tcp_table_snapshot processes a segment of a snapshot. If the connection is known and has come
 * as far as the snapshot, or farther, it stays as it is; if not, it is closed and begins again.
 * Nothing is counted. Returns what tcp_table_feed does. */
uint64_t tcp_table_snapshot(struct tcp_table *table, const struct segment *segment,
                            const struct ds_snapshot *past);

/* tcp_table_icmp processes an ICMP error about a segment. Returns what tcp_table_feed does. */
uint64_t tcp_table_icmp(struct tcp_table *table, const struct segment *segment,
                        const struct icmp_error *error);

/* tcp_table_time advances the clock while no segment comes: waits that have lasted long enough
 * end. A time before that of the latest segment is ignored. */
void tcp_table_time(struct tcp_table *table, int64_t now_ns);

/* tcp_table_settle processes the segments that still wait for others to go first. */
void tcp_table_settle(struct tcp_table *table);

/* tcp_table_forgotten returns the number of the connection that was forgotten with the latest
 * segment, 0 if none was. */
uint64_t tcp_table_forgotten(const struct tcp_table *table);

/* tcp_table_forget stops following the data of a connection, as it is not Erlang's: nothing is
 * held any more, and data, gaps and ends are not reported; close still is. Callbacks may call
 * it. */
void tcp_table_forget(struct tcp_conn_view *view);

/* tcp_point is how far one direction of a connection has come. */
struct tcp_point {
    uint32_t next_seq; /* of the next byte expected */
    bool started;      /* next_seq is known */
    bool ended;
};

/* tcp_table_find returns the connection in which ends[0] sends to ends[1], and the direction in
 * *dir; NULL: none. */
const struct tcp_conn_view *tcp_table_find(struct tcp_table *table,
                                           const struct ds_endpoint ends[2], int *dir);

/* tcp_table_walk calls back for each connection that is followed, in the order of their first
 * packets. */
void tcp_table_walk(const struct tcp_table *table,
                    void (*visit)(void *context, const struct tcp_conn_view *view,
                                  const struct tcp_point point[2]),
                    void *context);

/* tcp_table_walk_held calls back for each held piece of a direction. */
void tcp_table_walk_held(const struct tcp_conn_view *view, int dir,
                         void (*visit)(void *context, uint32_t seq, struct cursor bytes,
                                       uint32_t truncated_len),
                         void *context);

/* tcp_table_end abandons all missing bytes and closes all connections, in the order of their
 * first packets. */
void tcp_table_end(struct tcp_table *table);

#endif
