/*
 * tcp_ignore.h - counts and reports segments that are ignored, as the ends of their connection
 * ignore them.
 */
#ifndef DISSECT_TCP_IGNORE_H
#define DISSECT_TCP_IGNORE_H

#include "tcp/tcp_table.h"

/* tcp_ignore counts a segment and reports it. */
void tcp_ignore(struct tcp_table *table, struct tcp_conn *conn, int dir, const struct segment *segment);

/* tcp_count_ignored does the same without the facts of the connection. */
void tcp_count_ignored(struct tcp_table *table, struct tcp_conn *conn, int dir);

/* tcp_refuse does the same for a segment that no host accepts, of a connection that may be unknown
 * (NULL) or forgotten. Returns the number of one that is followed, otherwise 0. */
uint64_t tcp_refuse(struct tcp_table *table, struct tcp_conn *conn, int dir, const struct segment *segment);

#endif
