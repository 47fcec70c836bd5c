/*
 * known_conn.h - compares the connection of an event with that of an earlier event: while
 * ds_conn.changes is the same, all members that it counts are the same. It aborts if they differ.
 */
#ifndef TESTS_KNOWN_CONN_H
#define TESTS_KNOWN_CONN_H

#include <distsniff/dissect.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known_conn {
    struct ds_conn view; /* number 0: none so far */
    char node[2][1024];
};

static inline bool known_conn_is_same(const struct known_conn *known, const struct ds_conn *conn, int end)
{
    const struct ds_endpoint *old = &known->view.end[end], *now = &conn->end[end];
    const struct ds_counters *was = &known->view.counters[end], *is = &conn->counters[end];
    return old->creation == now->creation && old->node_inferred == now->node_inferred &&
           was->gaps == is->gaps && was->faults == is->faults && old->node.len == now->node.len &&
           (now->node.len == 0 || memcmp(known->node[end], now->node.data, now->node.len) == 0);
}

static inline void known_conn_check(struct known_conn *known, const struct ds_conn *conn)
{
    for (int end = 0; end < 2; end++) {
        if (known->view.number == conn->number && known->view.changes == conn->changes &&
            !known_conn_is_same(known, conn, end)) {
            fprintf(stderr, "a connection has changed and does not say so\n");
            abort();
        }
        if (conn->end[end].node.len != 0 && conn->end[end].node.len <= sizeof known->node[end])
            memcpy(known->node[end], conn->end[end].node.data, conn->end[end].node.len);
    }
    known->view = *conn;
}

#endif
