/*
 * tcp_ignore.c - see tcp_ignore.h.
 */
#include "tcp/tcp_ignore.h"

#include "tcp/tcp_analysis.h"

void tcp_count_ignored(struct tcp_table *table, struct tcp_conn *conn, int dir)
{
    table->shared.stats->ignored++;
    if (!conn->forgotten && !conn->closed && table->shared.events->ignored != NULL)
        table->shared.events->ignored(table->shared.context, &conn->view, dir);
}

void tcp_ignore(struct tcp_table *table, struct tcp_conn *conn, int dir, const struct segment *segment)
{
    if (conn->view.facts != NULL)
        tcp_analysis_ignore(conn->view.facts, dir, segment->flags, segment->ttl, segment->frame,
                            segment->ts_ns);
    tcp_count_ignored(table, conn, dir);
}

uint64_t tcp_refuse(struct tcp_table *table, struct tcp_conn *conn, int dir, const struct segment *segment)
{
    if (conn == NULL || conn->forgotten) {
        table->shared.stats->ignored += conn == NULL;
        return 0;
    }
    tcp_ignore(table, conn, dir, segment);
    return conn->view.number;
}
