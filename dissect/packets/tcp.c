/*
 * tcp.c - the table of TCP connections (RFC 9293): which connection a segment belongs to,
 * how connections begin and end, and which are dropped when there are too many.
 *
 * A connection is made by a SYN or by data; nothing else is worth following. Its four
 * numbers are hashed in an order that is the same for both directions. Connections stand
 * in several lists: by last packet, to find the one that is idle longest; by first packet,
 * to end them in order; those with a hole, to look at them as time goes by. A closed one
 * stays for a while, so that a late acknowledgement or retransmission is not taken for a
 * new one.
 */
#include "tcp_facts.h"
#include "tcp_queue.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    FIRST_BUCKETS = 1024,
    MAX_SEGMENT_LEN = 1 << 25, /* more than any packet holds: keeps sums of lengths small */
    STRAY_DISTANCE = 1 << 24,  /* farther behind than any retransmission */
    MAX_STRAYS = 4,            /* so many in a row are another connection, whose SYN is missing */
    SWEEP_CONNS = 64,          /* looked at in one sweep */
    LATE_SYN = 1 << 16,        /* bytes that may be passed on before a SYN comes too late */
};
#define MS_NS UINT64_C(1000000)
#define SWEEP_NS (100 * MS_NS)
/* A SYN is sent again after a second or three, then after as long or twice as long as before. */
#define FIRST_SYN_WAIT_NS (3500 * MS_NS)
#define SYN_WAIT_SLACK_NS (500 * MS_NS)
#define WAIT_TURN_NS (200 * MS_NS)
#define LINGER_NS (60 * UINT64_C(1000000000))

struct conn_list {
    struct tcp_conn *oldest, *newest;
};

struct tcp_table {
    struct tcp_shared shared;
    struct tcp_queue queue;
    uint64_t number; /* of the connection that the segment is of */
    uint64_t num_made; /* connections so far, opened or to be opened */
    uint64_t forgotten; /* that of one which was forgotten with the segment */
    int64_t swept_ns;
    struct tcp_conn *last; /* where the last segment belonged */
    struct tcp_conn **buckets;
    size_t num_buckets; /* a power of two */
    uint64_t num_conns; /* with the closed ones */
    struct conn_list live, closed;
    struct tcp_conn *first_earliest, *first_latest;
    struct tcp_conn *wait_first, *wait_last;
};

/* The order of the two ends in a key does not depend on the direction. */
struct key {
    struct ds_addr addr[2];
    uint16_t port[2];
};
_Static_assert(sizeof(struct key) == 38, "no padding: it is hashed as bytes");

struct tcp_table *tcp_table_new(const struct tcp_events *events, void *context, struct meter *meter,
                                const uint64_t limits[DS_LIMIT_COUNT], struct ds_stats *stats)
{
    struct tcp_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->buckets = calloc(FIRST_BUCKETS, sizeof(struct tcp_conn *));
    if (table->buckets == NULL) {
        free(table);
        return NULL;
    }
    table->num_buckets = FIRST_BUCKETS;
    table->shared = (struct tcp_shared){
        .events = events,
        .context = context,
        .meter = meter,
        .limits = limits,
        .stats = stats,
    };
    return table;
}

/* Lists. */

static void list_add(struct conn_list *list, struct tcp_conn *conn)
{
    conn->older = list->newest;
    conn->newer = NULL;
    *(list->newest != NULL ? &list->newest->newer : &list->oldest) = conn;
    list->newest = conn;
}

static void list_remove(struct conn_list *list, struct tcp_conn *conn)
{
    *(conn->older != NULL ? &conn->older->newer : &list->oldest) = conn->newer;
    *(conn->newer != NULL ? &conn->newer->older : &list->newest) = conn->older;
}

static void firsts_add(struct tcp_table *table, struct tcp_conn *conn)
{
    conn->earlier = table->first_latest;
    conn->later = NULL;
    *(table->first_latest != NULL ? &table->first_latest->later : &table->first_earliest) = conn;
    table->first_latest = conn;
}

static void firsts_remove(struct tcp_table *table, struct tcp_conn *conn)
{
    *(conn->earlier != NULL ? &conn->earlier->later : &table->first_earliest) = conn->later;
    *(conn->later != NULL ? &conn->later->earlier : &table->first_latest) = conn->earlier;
}

static void waiting_add(struct tcp_table *table, struct tcp_conn *conn)
{
    conn->wait_before = table->wait_last;
    conn->wait_next = NULL;
    *(table->wait_last != NULL ? &table->wait_last->wait_next : &table->wait_first) = conn;
    table->wait_last = conn;
    conn->waiting = true;
}

static void waiting_remove(struct tcp_table *table, struct tcp_conn *conn)
{
    *(conn->wait_before != NULL ? &conn->wait_before->wait_next : &table->wait_first) =
        conn->wait_next;
    *(conn->wait_next != NULL ? &conn->wait_next->wait_before : &table->wait_last) =
        conn->wait_before;
    conn->waiting = false;
}

/* awaits_answer says whether a SYN was sent and nothing shows that it was answered. */
static bool awaits_answer(const struct tcp_conn *conn)
{
    const struct tcp_stream *answer = &conn->stream[1];
    return conn->view.num_syns != 0 && !conn->view.syn_seen[1] && !answer->heard &&
           !answer->has_acked && !conn->stream[0].has_data;
}

static void waiting_update(struct tcp_table *table, struct tcp_conn *conn)
{
    bool waits = !conn->forgotten && !conn->closed &&
                 (tcp_stream_waits(&conn->stream[0]) || tcp_stream_waits(&conn->stream[1]) ||
                  awaits_answer(conn) ||
                  (conn->view.facts != NULL && tcp_facts_stalls(conn->view.facts)));
    if (waits == conn->waiting)
        return;
    if (waits) {
        waiting_add(table, conn);
    } else {
        waiting_remove(table, conn);
    }
}

/* The hash table. */

static uint32_t hash_segment(const struct tcp_table *table, const struct segment *segment)
{
    struct key key = {{segment->src, segment->dst}, {segment->src_port, segment->dst_port}};
    int order = memcmp(&segment->src, &segment->dst, sizeof segment->src);
    if (order > 0 || (order == 0 && segment->src_port > segment->dst_port))
        key = (struct key){{segment->dst, segment->src}, {segment->dst_port, segment->src_port}};
    /* The table's address is a seed that a peer does not know. */
    return (uint32_t)XXH3_64bits_withSeed(&key, sizeof key, (uintptr_t)table);
}

static inline bool same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* find_dir returns which end of conn sent the segment, -1 when it is not of conn. */
static inline int find_dir(const struct tcp_conn *conn, const struct segment *segment)
{
    const struct tcp_conn_view *view = &conn->view;
    if (view->port[0] == segment->src_port && view->port[1] == segment->dst_port &&
        same_addr(&view->addr[0], &segment->src) && same_addr(&view->addr[1], &segment->dst))
        return 0;
    if (view->port[1] == segment->src_port && view->port[0] == segment->dst_port &&
        same_addr(&view->addr[1], &segment->src) && same_addr(&view->addr[0], &segment->dst))
        return 1;
    return -1;
}

static struct tcp_conn *find_conn(struct tcp_table *table, const struct segment *segment, int *dir)
{
    struct tcp_conn *conn = table->last;
    if (conn != NULL && (*dir = find_dir(conn, segment)) >= 0)
        return conn;
    uint32_t hash = hash_segment(table, segment);
    for (conn = table->buckets[hash & (table->num_buckets - 1)]; conn != NULL; conn = conn->chain) {
        if (conn->bucket_hash == hash && (*dir = find_dir(conn, segment)) >= 0) {
            table->last = conn;
            return conn;
        }
    }
    return NULL;
}

/* grow doubles the number of buckets; without memory for that chains become longer. */
static void grow(struct tcp_table *table)
{
    size_t num_buckets = table->num_buckets * 2;
    struct tcp_conn **buckets = calloc(num_buckets, sizeof(struct tcp_conn *));
    if (buckets == NULL)
        return;
    for (size_t i = 0; i < table->num_buckets; i++) {
        struct tcp_conn *next;
        for (struct tcp_conn *conn = table->buckets[i]; conn != NULL; conn = next) {
            next = conn->chain;
            struct tcp_conn **bucket = &buckets[conn->bucket_hash & (num_buckets - 1)];
            conn->chain = *bucket;
            *bucket = conn;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->num_buckets = num_buckets;
}

/* The life of a connection. */

static void free_conn(struct tcp_table *table, struct tcp_conn *conn)
{
    struct tcp_conn **at = &table->buckets[conn->bucket_hash & (table->num_buckets - 1)];
    while (*at != conn)
        at = &(*at)->chain;
    *at = conn->chain;
    if (conn->waiting)
        waiting_remove(table, conn);
    if (!conn->closed)
        firsts_remove(table, conn);
    list_remove(conn->closed ? &table->closed : &table->live, conn);
    tcp_stream_drop(&table->shared, &conn->stream[0]);
    tcp_stream_drop(&table->shared, &conn->stream[1]);
    if (table->last == conn)
        table->last = NULL;
    table->num_conns--;
    free(conn->view.facts);
    free(conn);
}

static void set_now(struct tcp_table *table, struct tcp_conn *conn)
{
    conn->view.now_ns = table->shared.now_ns;
    conn->view.frame = table->shared.frame;
}

static void end_facts(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why)
{
    static const enum ds_close ends[] = {
        [TCP_CLOSE_FIN] = DS_CLOSE_FIN,         [TCP_CLOSE_RESET] = DS_CLOSE_RESET,
        [TCP_CLOSE_REUSED] = DS_CLOSE_REUSED,   [TCP_CLOSE_DROPPED] = DS_CLOSE_DROPPED,
        [TCP_CLOSE_CAPTURE] = DS_CLOSE_CAPTURE, [TCP_CLOSE_SILENT] = DS_CLOSE_SILENT,
        [TCP_CLOSE_ICMP] = DS_CLOSE_ICMP,       [TCP_CLOSE_BROKEN_OFF] = DS_CLOSE_DROPPED,
    };
    struct ds_link *link = &conn->view.facts->link;
    link->close = ends[why];
    if (why == TCP_CLOSE_RESET && link->closer < 0)
        link->closer = (int8_t)conn->view.reset_dir;
    for (int dir = 0; dir < 2 && !conn->forgotten; dir++) {
        struct ds_stall stall;
        if (tcp_facts_end(conn->view.facts, dir, conn->view.now_ns, &stall))
            table->shared.events->stall(table->shared.context, &conn->view, dir, &stall);
    }
}

/* close_conn reports all that is left of a connection and its end. */
static void close_conn(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why)
{
    set_now(table, conn);
    tcp_stream_flush(&table->shared, conn, 0);
    tcp_stream_flush(&table->shared, conn, 1);
    if (conn->waiting)
        waiting_remove(table, conn);
    if (conn->view.facts != NULL)
        end_facts(table, conn, why);
    table->shared.events->close(table->shared.context, &conn->view, why);
    firsts_remove(table, conn);
    list_remove(&table->live, conn);
    tcp_stream_drop(&table->shared, &conn->stream[0]);
    tcp_stream_drop(&table->shared, &conn->stream[1]);
    conn->closed = true;
    conn->closed_ns = table->shared.now_ns;
    list_add(&table->closed, conn);
}

/* make_room drops a connection when there are too many: one that is closed anyway, else
 * the one that is idle longest. */
static void make_room(struct tcp_table *table)
{
    if (table->num_conns < table->shared.limits[DS_LIMIT_CONNECTIONS])
        return;
    struct tcp_conn *conn = table->closed.oldest;
    if (conn == NULL) {
        conn = table->live.oldest;
        if (conn == NULL)
            return;
        table->shared.stats->limits_hit[DS_LIMIT_CONNECTIONS]++;
        close_conn(table, conn, TCP_CLOSE_DROPPED);
    }
    free_conn(table, conn);
}

/* open_conn makes the connection that segment belongs to; dir is its direction; number, if not
 * 0, is that of the connection. */
static struct tcp_conn *open_conn(struct tcp_table *table, const struct segment *segment,
                                  uint64_t number, bool is_past, int *dir)
{
    make_room(table);
    struct tcp_conn *conn = calloc(1, sizeof *conn);
    if (conn == NULL) {
        table->shared.stats->no_memory++;
        return NULL;
    }
    /* Who sends a SYN-ACK did not send the SYN. */
    *dir = (segment->flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK);
    conn->view.addr[*dir] = segment->src;
    conn->view.port[*dir] = segment->src_port;
    conn->view.addr[!*dir] = segment->dst;
    conn->view.port[!*dir] = segment->dst_port;
    conn->view.syn_seen[*dir] = (segment->flags & TCP_SYN) != 0;
    conn->table = table;
    if (table->shared.measures && (conn->view.facts = tcp_facts_new()) == NULL)
        table->shared.stats->no_memory++;
    conn->bucket_hash = hash_segment(table, segment);
    if (table->num_conns >= table->num_buckets)
        grow(table);
    struct tcp_conn **bucket = &table->buckets[conn->bucket_hash & (table->num_buckets - 1)];
    conn->chain = *bucket;
    *bucket = conn;
    list_add(&table->live, conn);
    firsts_add(table, conn);
    table->num_conns++;
    table->last = conn;
    conn->view.number = number != 0 ? number : ++table->num_made;
    conn->view.only_past = is_past;
    conn->num_taken = is_past ? TCP_DISORDER : 0;
    table->shared.stats->tcp_connections += !is_past;
    set_now(table, conn);
    table->shared.events->open(table->shared.context, &conn->view);
    return conn;
}

static void touch(struct tcp_table *table, struct tcp_conn *conn)
{
    if (table->live.newest != conn) {
        list_remove(&table->live, conn);
        list_add(&table->live, conn);
    }
}

void tcp_table_forget(struct tcp_conn_view *view)
{
    struct tcp_conn *conn = (struct tcp_conn *)view;
    conn->forgotten = true;
    conn->table->forgotten = view->number;
    free(view->facts);
    view->facts = NULL;
    tcp_stream_drop(&conn->table->shared, &conn->stream[0]);
    tcp_stream_drop(&conn->table->shared, &conn->stream[1]);
}

/* Segments. */

static void start_stream(struct tcp_stream *stream, uint32_t seq)
{
    stream->started = true;
    stream->first_seq = seq;
    stream->next_seq = seq;
}

/* is_late_syn says whether a SYN is the one with which a stream began, or must have begun: its
 * number lies just before the first byte that was seen. */
static bool is_late_syn(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    const uint32_t before = stream->first_seq - (segment->seq + 1);
    return before == 0 || (before <= LATE_SYN && !conn->view.syn_seen[dir]);
}

/* is_reused says whether a SYN belongs to another connection than conn. */
static bool is_reused(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    if (!stream->started || is_late_syn(conn, dir, segment))
        return false;
    const struct tcp_stream *peer = &conn->stream[!dir];
    return conn->closed || stream->has_data || peer->has_data || stream->fin_seen || peer->fin_seen;
}

static void note_syn(struct tcp_table *table, struct tcp_conn *conn)
{
    const int64_t now_ns = table->shared.now_ns;
    if (conn->view.num_syns++ == 0)
        conn->view.first_syn_ns = now_ns;
    else
        conn->syn_gap_ns = tcp_elapsed(now_ns, conn->syn_ns);
    conn->syn_ns = now_ns;
    conn->syn_frame = table->shared.frame;
}

/* is_unanswered says whether the SYN would have been sent again by now. */
static bool is_unanswered(const struct tcp_table *table, const struct tcp_conn *conn)
{
    const uint64_t gap_ns = conn->syn_gap_ns;
    const uint64_t wait_ns =
        gap_ns == 0 ? FIRST_SYN_WAIT_NS : 2 * gap_ns + gap_ns / 4 + SYN_WAIT_SLACK_NS;
    return awaits_answer(conn) && tcp_waited(&table->shared, conn->syn_ns, wait_ns, conn->syn_frame);
}

static void take_syn(struct tcp_table *table, struct tcp_conn *conn, int dir,
                     const struct segment *segment)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_stream *peer = &conn->stream[!dir];
    const bool is_again = conn->view.syn_seen[dir];
    const bool is_late = stream->started && is_late_syn(conn, dir, segment);
    table->shared.stats->retransmitted += is_late && is_again;
    conn->view.syn_seen[dir] = true;
    if (dir == 0 && (segment->flags & TCP_ACK) == 0)
        note_syn(table, conn);
    if (!is_late)
        tcp_stream_drop(&table->shared, stream);
    if (!is_late || (!is_again && !stream->has_data && !stream->ended))
        start_stream(stream, segment->seq + 1);
    if ((segment->flags & TCP_ACK) != 0 && !peer->started)
        start_stream(peer, segment->ack);
}

/* is_reset says whether a RST is to be believed: near what is expected, or, where nothing
 * was heard of its sender yet, an answer to what the other end sent. */
static bool is_reset(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    const struct tcp_stream *peer = &conn->stream[!dir];
    if (stream->started) {
        int32_t ahead = tcp_diff(segment->seq, stream->next_seq);
        return ahead > -TCP_NEAR && ahead < TCP_NEAR;
    }
    if ((segment->flags & TCP_ACK) == 0 || !peer->started)
        return true;
    int32_t ahead = tcp_diff(segment->ack, peer->next_seq);
    return ahead > -TCP_NEAR && ahead < TCP_NEAR;
}

/* is_stray says whether segments far behind what is expected have become so many that the
 * ports must have been used again while nobody captured. */
static bool is_stray(struct tcp_stream *stream, uint32_t seq, uint32_t len)
{
    if (tcp_diff(seq, stream->next_seq) > -STRAY_DISTANCE || len == 0)
        return false;
    stream->num_strays = stream->stray_seq == seq ? stream->num_strays + 1 : 1;
    stream->stray_seq = seq + len;
    return stream->num_strays >= MAX_STRAYS;
}

/* take_forgotten follows just enough to notice the end. */
static void take_forgotten(struct tcp_table *table, struct tcp_conn *conn, int dir,
                           const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    if (!stream->started)
        start_stream(stream, segment->seq);
    if (tcp_diff(segment->seq + len, stream->next_seq) > 0)
        stream->next_seq = segment->seq + len;
    stream->has_data = stream->has_data || len > 0;
    if ((segment->flags & TCP_FIN) == 0)
        return;
    stream->fin_seen = true;
    stream->ended = true;
    if (conn->stream[!dir].ended)
        close_conn(table, conn, TCP_CLOSE_FIN);
}

static void take_data(struct tcp_table *table, struct tcp_conn *conn, int dir,
                      const struct segment *segment, uint32_t len)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_piece piece = {
        .seq = segment->seq + ((segment->flags & TCP_SYN) != 0),
        .cut = segment->cut_len,
        .bytes = segment->payload,
    };
    if (!stream->started)
        start_stream(stream, piece.seq);
    if (len == 0 && (segment->flags & TCP_FIN) == 0)
        return;
    tcp_stream_take(&table->shared, conn, dir, &piece, (segment->flags & TCP_FIN) != 0);
}

/* close_unanswered closes a connection that may yet come about. */
static void close_unanswered(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why)
{
    close_conn(table, conn, why);
    conn->gave_up = true;
}

/* give_up looks at the holes of a connection, and whether it is one. */
static void give_up(struct tcp_table *table, struct tcp_conn *conn)
{
    tcp_stream_give_up(&table->shared, conn, 0);
    tcp_stream_give_up(&table->shared, conn, 1);
    for (int dir = 0; dir < 2 && !conn->forgotten && conn->view.facts != NULL; dir++) {
        struct ds_stall stall;
        if (tcp_facts_time(conn->view.facts, dir, table->shared.now_ns, &stall))
            table->shared.events->stall(table->shared.context, &conn->view, dir, &stall);
    }
    waiting_update(table, conn);
    if (conn->closed || conn->forgotten)
        return;
    if (conn->stream[0].ended && conn->stream[1].ended)
        close_conn(table, conn, TCP_CLOSE_FIN);
    else if (is_unanswered(table, conn))
        close_unanswered(table, conn, TCP_CLOSE_SILENT);
}

/* sweep looks at connections that wait while nothing of theirs is captured, some at a
 * time, in turn. */
static void sweep(struct tcp_table *table, uint64_t max_conns)
{
    table->swept_ns = table->shared.now_ns;
    struct tcp_conn *last = table->wait_last;
    for (uint64_t i = 0; i < max_conns && table->wait_first != NULL; i++) {
        struct tcp_conn *conn = table->wait_first;
        bool was_last = conn == last;
        waiting_remove(table, conn);
        set_now(table, conn);
        give_up(table, conn);
        if (was_last)
            return;
    }
}

/* purge frees closed connections that nothing can come of any more. */
static void purge(struct tcp_table *table, int64_t now_ns)
{
    while (table->closed.oldest != NULL &&
           tcp_elapsed(now_ns, table->closed.oldest->closed_ns) > LINGER_NS)
        free_conn(table, table->closed.oldest);
}

/* take_reused ends conn, whose ports are in use again. */
static void take_reused(struct tcp_table *table, struct tcp_conn *conn)
{
    if (!conn->closed)
        close_conn(table, conn, TCP_CLOSE_REUSED);
    free_conn(table, conn);
}

static void take_facts(struct tcp_table *table, struct tcp_conn *conn, int dir,
                       const struct segment *segment, uint32_t len)
{
    const struct tcp_stream *stream = &conn->stream[dir];
    struct ds_stall stall;
    const int ended = tcp_facts_take(conn->view.facts, dir, segment, len, stream->started,
                                     stream->next_seq, &stall);
    if (ended >= 0)
        table->shared.events->stall(table->shared.context, &conn->view, ended, &stall);
}

/* go_on is for the first packet that was captured of a connection with a past. */
static void go_on(struct tcp_table *table, struct tcp_conn *conn)
{
    conn->view.only_past = false;
    table->shared.stats->tcp_connections++;
    if (!conn->forgotten && table->shared.events->go_on != NULL)
        table->shared.events->go_on(table->shared.context, &conn->view);
}

/* take_segment takes a segment of conn, which may be NULL, whose turn it is. number, if not 0, is
 * that of the connection to be opened. */
static void take_segment(struct tcp_table *table, struct tcp_conn *conn, int dir,
                         const struct segment *segment, uint64_t number)
{
    struct ds_stats *stats = table->shared.stats;
    uint32_t len = (uint32_t)cursor_left(&segment->payload) + segment->cut_len;

    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    /* Of a connection time does not go back where others went first. */
    if (conn != NULL && segment->frame < conn->newest_frame)
        table->shared.now_ns = conn->view.now_ns;
    if (conn != NULL && (segment->flags & TCP_SYN) != 0 && is_reused(conn, dir, segment)) {
        take_reused(table, conn);
        conn = NULL;
    }
    if (conn != NULL && !conn->closed && !conn->forgotten && conn->stream[dir].started &&
        is_stray(&conn->stream[dir], segment->seq, len)) {
        take_reused(table, conn);
        conn = NULL;
    }
    if (conn != NULL && conn->gave_up && (segment->flags & (TCP_ACK | TCP_RST)) == TCP_ACK) {
        free_conn(table, conn);
        conn = NULL;
    }
    if (conn == NULL) {
        if ((segment->flags & TCP_RST) != 0 || (len == 0 && (segment->flags & TCP_SYN) == 0))
            return;
        conn = open_conn(table, segment, number, false, &dir);
        if (conn == NULL)
            return;
    } else if (conn->closed) {
        table->number = conn->forgotten ? 0 : conn->view.number;
        stats->retransmitted += len > 0;
        return;
    }
    table->number = conn->forgotten ? 0 : conn->view.number;
    set_now(table, conn);
    touch(table, conn);
    if (conn->view.only_past)
        go_on(table, conn);
    conn->num_taken += conn->num_taken < TCP_DISORDER;
    if (conn->newest_frame < segment->frame)
        conn->newest_frame = segment->frame;

    if ((segment->flags & (TCP_SYN | TCP_RST)) != 0) {
        if ((segment->flags & TCP_RST) != 0) {
            if (is_reset(conn, dir, segment)) {
                conn->view.reset_dir = (uint8_t)dir;
                close_conn(table, conn, TCP_CLOSE_RESET);
            }
            return;
        }
        take_syn(table, conn, dir, segment);
    }
    if (conn->forgotten) {
        take_forgotten(table, conn, dir, segment, len);
        if (conn->waiting)
            waiting_update(table, conn);
        return;
    }
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_stream *peer = &conn->stream[!dir];
    stream->heard = true;
    stream->heard_ns = segment->ts_ns;
    if (conn->view.facts != NULL)
        take_facts(table, conn, dir, segment, len);
    if ((segment->flags & TCP_ACK) != 0) {
        peer->acked = segment->ack;
        peer->has_acked = true;
        /* Of a connection seen from its start the first acknowledgement tells where the
         * answer begins, even if the SYN-ACK is missing. */
        if (!peer->started && conn->view.syn_seen[dir] && (segment->flags & TCP_SYN) == 0)
            start_stream(peer, segment->ack);
    }
    if (len > 0 || (segment->flags & TCP_FIN) != 0)
        take_data(table, conn, dir, segment, len);
    if (conn->waiting || tcp_stream_waits(stream) || stream->ended || awaits_answer(conn) ||
        (conn->view.facts != NULL && tcp_facts_stalls(conn->view.facts)))
        give_up(table, conn);
}

/* Turns: which segments are taken at once, and which wait for others of their connection. */

static bool is_joined_late(const struct tcp_conn *conn)
{
    return !conn->view.syn_seen[0] && !conn->view.syn_seen[1];
}

/* lacks says whether something before seq is missing of a stream. */
static bool lacks(const struct tcp_stream *stream, uint32_t seq)
{
    const int32_t ahead = tcp_diff(seq, stream->next_seq) - stream->ended; /* a FIN counts as 1 */
    return stream->started && ahead > 0 && ahead <= TCP_NEAR;
}

/* is_turn_of_reset waits for what was sent before, of both sides; where a RST does not say what
 * its sender had got, for all that may come yet. Who refuses a SYN has sent nothing before. */
static bool is_turn_of_reset(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    if (!is_reset(conn, dir, segment))
        return true; /* to be ignored */
    if ((segment->flags & TCP_ACK) == 0 || lacks(&conn->stream[!dir], segment->ack))
        return false;
    return conn->stream[dir].started ? !lacks(&conn->stream[dir], segment->seq) : segment->seq == 0;
}

/* is_turn says whether a segment can be taken: at the beginning of a connection when the SYN has
 * been and, so that questions come before their answers, what the sender had got by then. */
static bool is_turn(const struct tcp_conn *conn, int dir, const struct segment *segment)
{
    const bool has_data = cursor_left(&segment->payload) + segment->cut_len != 0;
    if (conn == NULL)
        return (segment->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN ||
               (!has_data && (segment->flags & (TCP_SYN | TCP_FIN | TCP_RST)) == 0);
    if (conn->closed || conn->forgotten || (segment->flags & TCP_SYN) != 0)
        return true;
    if ((segment->flags & TCP_RST) != 0)
        return is_turn_of_reset(conn, dir, segment);
    const struct tcp_stream *peer = &conn->stream[!dir];
    const bool has_ack = (segment->flags & TCP_ACK) != 0;
    if ((segment->flags & TCP_FIN) != 0 && has_ack && !conn->stream[dir].ended &&
        lacks(peer, segment->ack))
        return false; /* the other side may have closed first */
    if (conn->num_taken >= TCP_DISORDER)
        return true;
    const struct tcp_stream *stream = &conn->stream[dir];
    if (!stream->started)
        return is_joined_late(conn) && stream->has_acked && stream->acked == segment->seq;
    if (!has_ack)
        return true;
    return peer->started ? !has_data || !lacks(peer, segment->ack) : !conn->view.syn_seen[dir];
}

static void take_queued(struct tcp_table *table, struct tcp_queued *one)
{
    int dir;
    struct tcp_conn *conn = find_conn(table, &one->segment, &dir);
    tcp_queue_take(&table->shared, &table->queue, one);
    take_segment(table, conn, dir, &one->segment, one->number);
    tcp_queued_free(one);
}

/* start_other starts what the other side sends on a connection that was joined late where the
 * first queued of it begins: it has been waited for as long. */
static void start_other(struct tcp_table *table, struct tcp_conn *conn, int dir)
{
    struct tcp_queued *one = table->queue.first;
    while (one != NULL && find_dir(conn, &one->segment) != !dir)
        one = one->next;
    if (one != NULL && !conn->stream[!dir].started)
        start_stream(&conn->stream[!dir], tcp_queue_start(&table->queue, one));
}

/* take_untimely takes the first of the queue, which has waited in vain, or one that was sent
 * before it. */
static void take_untimely(struct tcp_table *table)
{
    struct tcp_queued *one = tcp_queue_earliest(&table->queue, table->queue.first);
    const struct segment segment = one->segment;
    int dir;
    struct tcp_conn *conn = find_conn(table, &segment, &dir);
    if (conn != NULL && conn->stream[dir].started)
        conn->num_taken = TCP_DISORDER; /* packets are missing: nothing waits for them again */
    const bool is_new = conn == NULL;
    take_queued(table, one);
    if (is_new && (conn = find_conn(table, &segment, &dir)) != NULL && is_joined_late(conn))
        start_other(table, conn, dir);
}

/* take_turns takes what is queued as far as it can be, or until no segment of before a frame and
 * a time is left. */
static void take_turns(struct tcp_table *table, uint64_t frame, int64_t ts_ns)
{
    while (table->queue.first != NULL) {
        const struct segment *first = &table->queue.first->segment;
        int dir;
        const struct tcp_conn *conn = find_conn(table, first, &dir);
        struct tcp_queued *one = table->queue.first;
        while (one != NULL && !is_turn(conn, dir, &one->segment)) {
            one = tcp_queue_find(one->next, first);
            if (one != NULL && conn != NULL)
                dir = find_dir(conn, &one->segment);
        }
        if (one != NULL) {
            table->shared.stats->reordered += one != table->queue.first;
            take_queued(table, one);
        } else if (first->frame <= frame || first->ts_ns <= ts_ns) {
            take_untimely(table);
        } else {
            return;
        }
    }
}

static void take_all(struct tcp_table *table)
{
    take_turns(table, UINT64_MAX, INT64_MAX);
}

/* take_in_turn takes a segment at once or when its turn comes. */
static void take_in_turn(struct tcp_table *table, const struct segment *segment)
{
    int dir;
    struct tcp_conn *conn = find_conn(table, segment, &dir);
    if (table->queue.first != NULL && (segment->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN &&
        (conn != NULL ? is_reused(conn, dir, segment)
                      : !tcp_queue_begins(&table->queue, segment))) {
        take_all(table); /* of the connection before */
        conn = find_conn(table, segment, &dir);
    }
    if (table->queue.first != NULL || !is_turn(conn, dir, segment)) {
        const struct tcp_queued *other = tcp_queue_find(table->queue.first, segment);
        uint64_t number = conn != NULL    ? conn->view.number
                          : other != NULL ? other->number
                                          : ++table->num_made;
        if (table->queue.num == TCP_DISORDER)
            take_turns(table, table->queue.first->segment.frame, INT64_MIN);
        if (tcp_queue_add(&table->shared, &table->queue, segment, number)) {
            take_turns(table, segment->frame > TCP_DISORDER ? segment->frame - TCP_DISORDER : 0,
                       INT64_MIN);
            table->number = number;
            return;
        }
        take_all(table);
        conn = find_conn(table, segment, &dir);
    }
    take_segment(table, conn, dir, segment, 0);
}

/* is_behind says whether a connection, as far as it is known, ends before the point up to which
 * packets stand for its past: something between was not captured. */
static bool is_behind(const struct tcp_conn *conn, int dir, const struct ds_past *past)
{
    bool is_known = false;
    for (int i = 0; i < 2; i++) {
        const struct tcp_stream *stream = &conn->stream[i == 0 ? dir : !dir];
        if (!stream->started || !past->knows[i])
            continue;
        is_known = true;
        if (tcp_diff(past->point[i], stream->next_seq) > 0)
            return true;
    }
    return !is_known;
}

/* begin_past finds or makes the connection whose past begins with a segment. NULL where it is to
 * be left alone, or memory ran out. */
static struct tcp_conn *begin_past(struct tcp_table *table, const struct segment *segment,
                                   const struct ds_past *past, int *dir)
{
    struct tcp_conn *conn = find_conn(table, segment, dir);
    if (conn != NULL && !conn->closed && !is_behind(conn, *dir, past)) {
        conn->ignores_past = true;
        return NULL;
    }
    if (conn != NULL && !conn->closed)
        close_conn(table, conn, TCP_CLOSE_BROKEN_OFF);
    if (conn != NULL)
        free_conn(table, conn);
    return open_conn(table, segment, 0, true, dir);
}

static void take_past(struct tcp_table *table, struct tcp_conn *conn, int dir,
                      const struct segment *segment, const struct ds_past *past)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const struct tcp_piece piece = {
        .seq = segment->seq, .cut = segment->cut_len, .bytes = segment->payload};
    const bool is_syn = (segment->flags & TCP_SYN) != 0;
    conn->view.syn_seen[dir] = conn->view.syn_seen[dir] || is_syn;
    if (past->kind == DS_PAST_OPEN) {
        table->shared.events->data(table->shared.context, &conn->view, dir, segment->payload);
        return;
    }
    if (!stream->started)
        start_stream(stream, segment->seq + is_syn);
    if (is_syn || tcp_diff(segment->seq, stream->next_seq) < 0)
        return;
    if (past->kind == DS_PAST_LOST) {
        stream->next_seq = segment->seq + (uint32_t)cursor_left(&segment->payload);
        table->shared.events->gap(table->shared.context, &conn->view, dir, 0, TCP_GAP_LOST);
    } else {
        tcp_stream_take(&table->shared, conn, dir, &piece, false);
    }
    if (!conn->closed)
        waiting_update(table, conn);
}

uint64_t tcp_table_past(struct tcp_table *table, const struct segment *segment,
                        const struct ds_past *past)
{
    int dir = 0;
    take_all(table);
    table->forgotten = 0;
    if (cursor_left(&segment->payload) > MAX_SEGMENT_LEN || segment->cut_len > MAX_SEGMENT_LEN)
        return 0;
    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    struct tcp_conn *conn =
        past->begins ? begin_past(table, segment, past, &dir) : find_conn(table, segment, &dir);
    if (conn == NULL || conn->closed || conn->forgotten || conn->ignores_past ||
        !conn->view.only_past)
        return 0;
    const uint64_t number = conn->view.number;
    set_now(table, conn);
    conn->view.now_ns = past->sent_ns;
    touch(table, conn);
    take_past(table, conn, dir, segment, past);
    return number != table->forgotten ? number : 0;
}

uint64_t tcp_table_icmp(struct tcp_table *table, const struct segment *segment,
                        const struct icmp_error *error)
{
    int dir;
    take_all(table);
    struct tcp_conn *conn = find_conn(table, segment, &dir);
    if (conn == NULL || conn->closed || conn->forgotten)
        return 0;
    const struct tcp_stream *stream = &conn->stream[dir];
    const bool is_syn = awaits_answer(conn) && dir == 0;
    const int32_t ahead = tcp_diff(segment->seq, stream->next_seq);
    if (!stream->started || (is_syn ? ahead != -1 : ahead < -TCP_NEAR || ahead > TCP_NEAR))
        return 0; /* anybody can send such a thing */
    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    set_now(table, conn);
    const uint64_t number = conn->view.number;
    struct icmp_error *known = &conn->view.icmp;
    const bool is_new = known->what != error->what || known->mtu != error->mtu ||
                        !same_addr(&known->from, &error->from);
    *known = *error;
    if (conn->view.facts != NULL)
        conn->view.facts->link.icmp = error->what;
    if (is_syn && !error->too_big)
        close_unanswered(table, conn, TCP_CLOSE_ICMP);
    else if (is_new)
        table->shared.events->icmp(table->shared.context, &conn->view, dir);
    return number;
}

void tcp_table_measure(struct tcp_table *table)
{
    table->shared.measures = true;
}

void tcp_table_time(struct tcp_table *table, int64_t now_ns)
{
    if (now_ns < table->shared.now_ns)
        return;
    take_turns(table, 0, now_ns - WAIT_TURN_NS);
    table->shared.now_ns = now_ns;
    table->shared.by_clock = true;
    if (table->closed.oldest != NULL)
        purge(table, now_ns);
    sweep(table, table->num_conns);
    table->shared.by_clock = false;
}

uint64_t tcp_table_forgotten(const struct tcp_table *table)
{
    return table->forgotten;
}

uint64_t tcp_table_feed(struct tcp_table *table, const struct segment *segment)
{
    struct ds_stats *stats = table->shared.stats;
    stats->segments++;
    table->forgotten = 0;
    if (cursor_left(&segment->payload) > MAX_SEGMENT_LEN || segment->cut_len > MAX_SEGMENT_LEN)
        return 0;
    table->number = 0;
    if (segment->window == 0 && (segment->flags & (TCP_SYN | TCP_RST)) == 0)
        stats->zero_windows++;
    if (table->closed.oldest != NULL)
        purge(table, segment->ts_ns);
    take_in_turn(table, segment);
    /* Unsigned: a clock that goes back lets it run as well. */
    if (table->wait_first != NULL &&
        (uint64_t)table->shared.now_ns - (uint64_t)table->swept_ns >= SWEEP_NS)
        sweep(table, SWEEP_CONNS);
    return table->number != table->forgotten ? table->number : 0;
}

void tcp_table_walk(const struct tcp_table *table,
                    void (*visit)(void *context, const struct tcp_conn_view *view,
                                  const struct tcp_point point[2]),
                    void *context)
{
    for (const struct tcp_conn *conn = table->first_earliest; conn != NULL; conn = conn->later) {
        struct tcp_point point[2];
        for (int dir = 0; dir < 2; dir++) {
            const struct tcp_stream *stream = &conn->stream[dir];
            point[dir] = (struct tcp_point){stream->next_seq, stream->started, stream->ended};
        }
        if (!conn->forgotten)
            visit(context, &conn->view, point);
    }
}

void tcp_table_settle(struct tcp_table *table)
{
    take_all(table);
}

void tcp_table_end(struct tcp_table *table)
{
    take_all(table);
    table->shared.by_clock = true;
    while (table->first_earliest != NULL) {
        struct tcp_conn *conn = table->first_earliest;
        const bool is_silent =
            awaits_answer(conn) && (conn->syn_gap_ns != 0 || is_unanswered(table, conn));
        close_conn(table, conn, is_silent ? TCP_CLOSE_SILENT : TCP_CLOSE_CAPTURE);
        free_conn(table, conn);
    }
    while (table->closed.oldest != NULL)
        free_conn(table, table->closed.oldest);
}

void tcp_table_free(struct tcp_table *table)
{
    if (table == NULL)
        return;
    tcp_queue_drop(&table->shared, &table->queue);
    while (table->live.oldest != NULL)
        free_conn(table, table->live.oldest);
    while (table->closed.oldest != NULL)
        free_conn(table, table->closed.oldest);
    free(table->buckets);
    free(table);
}
