/*
 * nodes.h - how many connections each node has, and the knowledge that ends with the last one.
 */
#ifndef DISTSNIFF_NODES_H
#define DISTSNIFF_NODES_H

#include "analyse/calls/pid_key.h"

struct node {
    struct table_entry entry;
    uint32_t name;      /* interned */
    uint32_t num_conns; /* that are up */
    uint32_t known;     /* head of a list of processes */
    uint32_t num_unresolved; /* open calls to names there whose pid is not known */
};

struct nodes {
    struct table table;
    struct table conns;
};

void nodes_init(struct nodes *nodes, uint64_t max);
void nodes_free(struct nodes *nodes);

struct node *nodes_find(const struct nodes *nodes, uint32_t name);

/* nodes_add finds or adds one. NULL at the cap, or if memory ran out. */
struct node *nodes_add(struct nodes *nodes, uint32_t name);

/* nodes_release forgets a node about which nothing is left to know. */
void nodes_release(struct nodes *nodes, struct node *node);

/* A connection that could not be counted, because of the cap or because it was joined late, does
 * not preserve what is known. */
void nodes_conn_up(struct nodes *nodes, uint64_t conn, const uint32_t name[2]);
void nodes_conn_ended(struct nodes *nodes, uint64_t conn);

#endif
