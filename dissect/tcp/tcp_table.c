/*
 * tcp_table.c - the table of TCP connections (RFC 9293): which connection a segment belongs to, how
 * connections begin and end, and which are evicted when there are too many.
 *
 * The addresses and ports of a connection are hashed in an order that is the same for both
 * directions. Connections are in several lists: by last packet, to find the one that is idle
 * longest; by first packet, to end them in order; those that wait, to visit them as time passes. A
 * closed one remains for a while, so that a late acknowledgement or retransmission does not seem to
 * be a new one.
 */
#include "tcp/tcp_table.h"

#include "tcp/tcp_reuse.h"
#include "tcp/tcp_analysis.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_BUCKETS = 1024 };

/* The order of the two ends in a key does not depend on the direction. */
struct conn_key {
    struct ds_addr addr[2];
    uint16_t port[2];
};
_Static_assert(sizeof(struct conn_key) == 38, "no padding: it is hashed as bytes");

struct tcp_table *tcp_table_new(const struct tcp_events *events, void *context, struct memcap *memcap,
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
        .memcap = memcap,
        .limits = limits,
        .stats = stats,
    };
    return table;
}

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
    conn->is_plain = false;
}

void tcp_waiting_remove(struct tcp_table *table, struct tcp_conn *conn)
{
    *(conn->wait_before != NULL ? &conn->wait_before->wait_next : &table->wait_first) =
        conn->wait_next;
    *(conn->wait_next != NULL ? &conn->wait_next->wait_before : &table->wait_last) =
        conn->wait_before;
    conn->waiting = false;
}

bool tcp_awaits_answer(const struct tcp_conn *conn)
{
    const struct tcp_stream *answer = &conn->stream[1];
    return conn->view.num_syns != 0 && !conn->view.syn_seen[1] && !answer->heard &&
           !answer->has_acked && !conn->stream[0].has_data;
}

void tcp_waiting_update(struct tcp_table *table, struct tcp_conn *conn)
{
    bool waits = !conn->forgotten && !conn->closed &&
                 (tcp_stream_waits(&conn->stream[0]) || tcp_stream_waits(&conn->stream[1]) ||
                  tcp_awaits_answer(conn) || conn->reset.waits ||
                  (conn->view.facts != NULL && tcp_analysis_stalls(conn->view.facts)));
    if (waits == conn->waiting)
        return;
    if (waits) {
        waiting_add(table, conn);
    } else {
        tcp_waiting_remove(table, conn);
    }
}

static uint32_t hash_segment(const struct tcp_table *table, const struct segment *segment)
{
    struct conn_key key = {{segment->src, segment->dst}, {segment->src_port, segment->dst_port}};
    int order = memcmp(&segment->src, &segment->dst, sizeof segment->src);
    if (order > 0 || (order == 0 && segment->src_port > segment->dst_port))
        key =
            (struct conn_key){{segment->dst, segment->src}, {segment->dst_port, segment->src_port}};
    /* The table's address is a seed that a peer does not know. */
    return (uint32_t)XXH3_64bits_withSeed(&key, sizeof key, (uintptr_t)table);
}

/* recent_of returns the slot of a connection among the recently found ones. It is the same for
 * both directions. Connections that share a slot only take longer to find. */
static struct tcp_conn **recent_of(struct tcp_table *table, const struct segment *segment)
{
    uint32_t src, dst;
    memcpy(&src, segment->src.bytes, sizeof src);
    memcpy(&dst, segment->dst.bytes, sizeof dst);
    const uint32_t mixed = (src ^ dst) + (uint32_t)(segment->src_port ^ segment->dst_port);
    return &table->recent[(mixed ^ mixed >> 8 ^ mixed >> 16 ^ mixed >> 24) % TCP_RECENT];
}

struct tcp_conn *tcp_find_conn(struct tcp_table *table, const struct segment *segment, int *dir)
{
    struct tcp_conn *conn = table->last;
    if (conn != NULL && (*dir = tcp_find_dir(conn, segment)) >= 0)
        return conn;
    struct tcp_conn **recent = recent_of(table, segment);
    if (*recent != NULL && (*dir = tcp_find_dir(*recent, segment)) >= 0) {
        table->last = *recent;
        return *recent;
    }
    uint32_t hash = hash_segment(table, segment);
    for (conn = table->buckets[hash & (table->num_buckets - 1)]; conn != NULL; conn = conn->chain) {
        if (conn->bucket_hash == hash && (*dir = tcp_find_dir(conn, segment)) >= 0) {
            table->last = *recent = conn;
            return conn;
        }
    }
    return NULL;
}

/* grow doubles the number of buckets; if memory runs out, chains become longer. */
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

static void drop_facts(struct tcp_table *table, struct tcp_conn_view *view)
{
    if (view->facts == NULL)
        return;
    memcap_release(table->shared.memcap, sizeof *view->facts);
    free(view->facts);
    view->facts = NULL;
}

static void drop_delivered(struct tcp_table *table, struct tcp_conn *conn)
{
    tcp_delivered_free(&table->shared, &conn->stream[0].delivered);
    tcp_delivered_free(&table->shared, &conn->stream[1].delivered);
}

/* forget_resumable removes a connection from those that may go on after their end (tcp_ended.h);
 * note_resumable adds one, in the place of the oldest. */
static void forget_resumable(struct tcp_table *table, const struct tcp_conn *conn)
{
    for (unsigned i = 0; conn->can_resume && i < TCP_MAX_RESUMABLE; i++) {
        if (table->resumable[i] == conn)
            table->resumable[i] = NULL;
    }
}

static void note_resumable(struct tcp_table *table, struct tcp_conn *conn)
{
    const struct tcp_events *events = table->shared.events;
    conn->can_resume = !conn->forgotten && events->can_resume != NULL &&
                       events->can_resume(table->shared.context, &conn->view);
    if (!conn->can_resume)
        return;
    struct tcp_conn **place = &table->resumable[table->next_resumable++ % TCP_MAX_RESUMABLE];
    struct tcp_conn *oldest = *place;
    *place = conn;
    if (oldest == NULL)
        return;
    oldest->can_resume = false;
    tcp_stream_drop(&table->shared, &oldest->stream[0]);
    tcp_stream_drop(&table->shared, &oldest->stream[1]);
    drop_delivered(table, oldest);
    if (oldest->view.user != NULL && events->gone != NULL)
        events->gone(table->shared.context, &oldest->view);
}

void tcp_free_conn(struct tcp_table *table, struct tcp_conn *conn)
{
    forget_resumable(table, conn);
    tcp_reuse_drop(table, conn);
    if (conn->closed && conn->view.user != NULL && table->shared.events->gone != NULL)
        table->shared.events->gone(table->shared.context, &conn->view);
    struct tcp_conn **at = &table->buckets[conn->bucket_hash & (table->num_buckets - 1)];
    while (*at != conn)
        at = &(*at)->chain;
    *at = conn->chain;
    if (conn->waiting)
        tcp_waiting_remove(table, conn);
    if (!conn->closed)
        firsts_remove(table, conn);
    list_remove(conn->closed ? &table->closed : &table->live, conn);
    tcp_stream_drop(&table->shared, &conn->stream[0]);
    tcp_stream_drop(&table->shared, &conn->stream[1]);
    drop_delivered(table, conn);
    if (table->last == conn)
        table->last = NULL;
    const struct segment segment = {.src = conn->view.addr[0], .dst = conn->view.addr[1],
                                    .src_port = conn->view.port[0], .dst_port = conn->view.port[1]};
    struct tcp_conn **recent = recent_of(table, &segment);
    if (*recent == conn)
        *recent = NULL;
    table->num_conns--;
    drop_facts(table, &conn->view);
    free(conn);
}

static void end_facts(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why)
{
    static const enum ds_close ends[] = {
        [TCP_CLOSE_FIN] = DS_CLOSE_FIN,         [TCP_CLOSE_RESET] = DS_CLOSE_RESET,
        [TCP_CLOSE_REUSED] = DS_CLOSE_REUSED,   [TCP_CLOSE_EVICTED] = DS_CLOSE_EVICTED,
        [TCP_CLOSE_CAPTURE] = DS_CLOSE_CAPTURE, [TCP_CLOSE_SYN_TIMEOUT] = DS_CLOSE_SYN_TIMEOUT,
        [TCP_CLOSE_ICMP] = DS_CLOSE_ICMP,       [TCP_CLOSE_CAPTURE_RESTART] = DS_CLOSE_EVICTED,
    };
    struct ds_tcp_stats *link = &conn->view.facts->link;
    link->close = ends[why];
    if (why == TCP_CLOSE_RESET && link->closed_by < 0)
        link->closed_by = (int8_t)conn->view.reset_dir;
    link->reset_is_own = why == TCP_CLOSE_RESET && conn->reset.has_ack;
    for (int dir = 0; dir < 2 && !conn->forgotten; dir++) {
        struct ds_stall stall;
        if (tcp_analysis_end(conn->view.facts, dir, conn->view.now_ns, &stall))
            table->shared.events->stall(table->shared.context, &conn->view, dir, &stall);
    }
}

void tcp_close_conn(struct tcp_table *table, struct tcp_conn *conn, enum tcp_close why)
{
    tcp_set_now(table, conn);
    tcp_stream_flush(&table->shared, conn, 0);
    tcp_stream_flush(&table->shared, conn, 1);
    if (conn->waiting)
        tcp_waiting_remove(table, conn);
    if (conn->view.facts != NULL)
        end_facts(table, conn, why);
    conn->reset.waits = false;
    tcp_reuse_drop(table, conn);
    const struct tcp_stream *stream = conn->stream;
    conn->view.is_one_way =
        stream[0].heard != stream[1].heard && stream[stream[1].heard].has_data;
    table->shared.events->close(table->shared.context, &conn->view, why);
    firsts_remove(table, conn);
    list_remove(&table->live, conn);
    tcp_stream_drop(&table->shared, &conn->stream[0]);
    tcp_stream_drop(&table->shared, &conn->stream[1]);
    conn->closed = true;
    conn->is_plain = false;
    conn->closed_ns = table->shared.now_ns;
    conn->was_reset = why == TCP_CLOSE_RESET;
    list_add(&table->closed, conn);
    if (why == TCP_CLOSE_RESET || why == TCP_CLOSE_FIN)
        note_resumable(table, conn);
    if (!conn->can_resume)
        drop_delivered(table, conn);
}

void tcp_reopen_conn(struct tcp_table *table, struct tcp_conn *conn)
{
    forget_resumable(table, conn);
    list_remove(&table->closed, conn);
    list_add(&table->live, conn);
    firsts_add(table, conn);
    conn->closed = conn->can_resume = conn->was_reset = false;
    if (conn->view.facts != NULL) {
        conn->view.facts->link.close = DS_CLOSE_NOT;
        conn->view.facts->link.closed_by = -1;
    }
    tcp_set_now(table, conn);
}

/* make_room evicts a connection if there are too many: a closed one, else the one that is idle
 * longest. */
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
        tcp_close_conn(table, conn, TCP_CLOSE_EVICTED);
    }
    tcp_free_conn(table, conn);
}

/* add_facts allocates facts while more than half of the memory limit is free, as decoding needs
 * the rest. */
static void add_facts(struct tcp_table *table, struct tcp_conn *conn)
{
    struct memcap *memcap = table->shared.memcap;
    if (!memcap_fits(memcap, memcap->max / 2 + sizeof *conn->view.facts) ||
        !memcap_reserve(memcap, sizeof *conn->view.facts)) {
        memcap->hits++;
        return;
    }
    conn->view.facts = tcp_analysis_new();
    if (conn->view.facts == NULL) {
        memcap_release(memcap, sizeof *conn->view.facts);
        table->shared.stats->no_memory++;
    }
}

struct tcp_conn *tcp_open_conn(struct tcp_table *table, const struct segment *segment,
                                  uint64_t number, bool is_past, int *dir)
{
    make_room(table);
    struct tcp_conn *conn = calloc(1, sizeof *conn);
    if (conn == NULL) {
        table->shared.stats->no_memory++;
        return NULL;
    }
    /* The sender of a SYN-ACK did not send the SYN. */
    *dir = (segment->flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK);
    conn->view.addr[*dir] = segment->src;
    conn->view.port[*dir] = segment->src_port;
    conn->view.addr[!*dir] = segment->dst;
    conn->view.port[!*dir] = segment->dst_port;
    conn->view.syn_seen[*dir] = (segment->flags & TCP_SYN) != 0;
    conn->table = table;
    if (table->shared.measures)
        add_facts(table, conn);
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
    conn->first_frame = segment->frame;
    conn->first_ns = segment->ts_ns;
    table->shared.stats->tcp_connections += !is_past;
    tcp_set_now(table, conn);
    table->shared.events->open(table->shared.context, &conn->view);
    return conn;
}

void tcp_touch(struct tcp_table *table, struct tcp_conn *conn)
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
    conn->is_plain = false;
    conn->table->forgotten = view->number;
    drop_facts(conn->table, view);
    tcp_stream_drop(&conn->table->shared, &conn->stream[0]);
    tcp_stream_drop(&conn->table->shared, &conn->stream[1]);
    drop_delivered(conn->table, conn);
}

void tcp_table_free(struct tcp_table *table)
{
    if (table == NULL)
        return;
    tcp_reorder_queue_drop(&table->shared, &table->queue);
    while (table->live.oldest != NULL)
        tcp_free_conn(table, table->live.oldest);
    while (table->closed.oldest != NULL)
        tcp_free_conn(table, table->closed.oldest);
    free(table->buckets);
    free(table);
}
