/*
 * tcp.c - see tcp.h: the functions of the table of connections for other stages, and what happens
 * to connections as time passes.
 */
#include "tcp/tcp_table.h"

#include "tcp/tcp_analysis.h"
#include "tcp/tcp_ignore.h"

enum { SWEEP_CONNS = 64 }; /* visited in one sweep */
#define SWEEP_NS (100 * TCP_MS_NS)
#define WAIT_TURN_NS (200 * TCP_MS_NS)
#define LINGER_NS (60 * UINT64_C(1000000000))

/* sweep visits waiting connections without new packets, some at a time, in turn. */
static void sweep(struct tcp_table *table, uint64_t max_conns)
{
    table->swept_ns = table->shared.now_ns;
    struct tcp_conn *last = table->wait_last;
    for (uint64_t i = 0; i < max_conns && table->wait_first != NULL; i++) {
        struct tcp_conn *conn = table->wait_first;
        bool was_last = conn == last;
        tcp_waiting_remove(table, conn);
        tcp_set_now(table, conn);
        tcp_abandon(table, conn);
        if (was_last)
            return;
    }
}

/* purge frees closed connections that have lingered long enough. */
static void purge(struct tcp_table *table, int64_t now_ns)
{
    while (table->closed.oldest != NULL &&
           tcp_elapsed(now_ns, table->closed.oldest->closed_ns) > LINGER_NS)
        tcp_free_conn(table, table->closed.oldest);
}

uint64_t tcp_table_icmp(struct tcp_table *table, const struct segment *segment,
                        const struct icmp_error *error)
{
    int dir;
    tcp_receive_all(table);
    struct tcp_conn *conn = tcp_find_conn(table, segment, &dir);
    if (conn == NULL || conn->closed || conn->forgotten)
        return 0;
    const struct tcp_stream *stream = &conn->stream[dir];
    const bool is_syn = tcp_awaits_answer(conn) && dir == 0;
    const int32_t ahead = tcp_diff(segment->seq, stream->next_seq);
    if (!stream->started || (is_syn ? ahead != -1 : ahead < -TCP_NEAR || ahead > TCP_NEAR))
        return 0; /* any host can send such an error */
    table->shared.now_ns = segment->ts_ns;
    table->shared.frame = segment->frame;
    tcp_set_now(table, conn);
    const uint64_t number = conn->view.number;
    struct icmp_error *known = &conn->view.icmp;
    const bool is_new = known->what != error->what || known->mtu != error->mtu ||
                        !tcp_same_addr(&known->from, &error->from);
    *known = *error;
    if (conn->view.facts != NULL)
        conn->view.facts->link.icmp = error->what;
    if (is_syn && !error->too_big)
        tcp_close_unanswered(table, conn, TCP_CLOSE_ICMP);
    else if (is_new)
        table->shared.events->icmp(table->shared.context, &conn->view, dir);
    return number;
}

void tcp_table_measure(struct tcp_table *table, bool asks_kernels)
{
    table->shared.measures = true;
    table->shared.asks_kernels = asks_kernels;
}

void tcp_table_time(struct tcp_table *table, int64_t now_ns)
{
    if (now_ns < table->shared.now_ns)
        return;
    tcp_reorder_receive(table, 0, now_ns - WAIT_TURN_NS);
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

uint64_t tcp_table_feed(struct tcp_table *table, struct segment *segment)
{
    struct ds_stats *stats = table->shared.stats;
    stats->segments++;
    table->forgotten = 0;
    if (cursor_left(&segment->payload) > TCP_MAX_SEGMENT_LEN ||
        segment->truncated_len > TCP_MAX_SEGMENT_LEN)
        return 0;
    table->number = 0;
    if (segment->window == 0 && (segment->flags & (TCP_SYN | TCP_RST)) == 0)
        stats->zero_windows++;
    if (table->closed.oldest != NULL)
        purge(table, segment->ts_ns);
    tcp_reorder_add(table, segment);
    /* Unsigned: if the clock goes back, the sweep runs as well. */
    if (table->wait_first != NULL &&
        (uint64_t)table->shared.now_ns - (uint64_t)table->swept_ns >= SWEEP_NS)
        sweep(table, SWEEP_CONNS);
    return table->number != table->forgotten ? table->number : 0;
}

uint64_t tcp_table_refuse(struct tcp_table *table, const struct segment *segment)
{
    int dir;
    struct tcp_conn *conn = tcp_find_conn(table, segment, &dir);
    return tcp_refuse(table, conn, dir, segment);
}

const struct tcp_conn_view *tcp_table_find(struct tcp_table *table,
                                           const struct ds_endpoint ends[2], int *dir)
{
    const struct segment segment = {.src = ends[0].addr,
                                    .dst = ends[1].addr,
                                    .src_port = ends[0].port,
                                    .dst_port = ends[1].port};
    const struct tcp_conn *conn = tcp_find_conn(table, &segment, dir);
    return conn != NULL ? &conn->view : NULL;
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
    tcp_receive_all(table);
}

void tcp_table_end(struct tcp_table *table)
{
    tcp_receive_all(table);
    table->shared.by_clock = true;
    while (table->first_earliest != NULL) {
        struct tcp_conn *conn = table->first_earliest;
        const bool is_silent =
            tcp_awaits_answer(conn) && (conn->syn_gap_ns != 0 || tcp_is_unanswered(table, conn));
        enum tcp_close why = is_silent ? TCP_CLOSE_SYN_TIMEOUT : TCP_CLOSE_CAPTURE;
        if (conn->reset.waits) {
            conn->view.reset_dir = conn->reset.dir;
            why = TCP_CLOSE_RESET;
        }
        tcp_close_conn(table, conn, why);
        tcp_free_conn(table, conn);
    }
    while (table->closed.oldest != NULL)
        tcp_free_conn(table, table->closed.oldest);
}
