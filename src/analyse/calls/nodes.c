/*
 * nodes.c - see nodes.h.
 */
#include "analyse/calls/nodes.h"

/* conn_ends is a connection that is up. */
struct conn_ends {
    struct table_entry entry;
    uint64_t number;
    uint32_t name[2];
};
TABLE_KEYED(struct conn_ends, number);

void nodes_init(struct nodes *nodes, uint64_t max)
{
    table_init(&nodes->table, sizeof(struct node), max);
    table_init(&nodes->conns, sizeof(struct conn_ends), max);
}

void nodes_free(struct nodes *nodes)
{
    table_free(&nodes->table);
    table_free(&nodes->conns);
}

struct node *nodes_find(const struct nodes *nodes, uint32_t name)
{
    struct node *node = table_first(&nodes->table, name);
    while (node != NULL && node->name != name)
        node = table_next(&nodes->table, node);
    return node;
}

struct node *nodes_add(struct nodes *nodes, uint32_t name)
{
    struct node *node = nodes_find(nodes, name);
    if (node == NULL && (node = table_add(&nodes->table, name)) != NULL)
        node->name = name;
    return node;
}

void nodes_release(struct nodes *nodes, struct node *node)
{
    if (node->num_conns == 0 && node->known == 0 && node->num_unresolved == 0)
        table_remove(&nodes->table, node);
}

void nodes_conn_up(struct nodes *nodes, uint64_t number, const uint32_t name[2])
{
    if (table_find(&nodes->conns, number) != NULL)
        return;
    struct conn_ends *conn = table_put(&nodes->conns, number);
    if (conn == NULL)
        return;
    for (int end = 0; end < 2; end++) {
        struct node *node = name[end] != 0 ? nodes_add(nodes, name[end]) : NULL;
        if (node == NULL)
            continue;
        conn->name[end] = name[end];
        node->num_conns++;
    }
}

void nodes_conn_ended(struct nodes *nodes, uint64_t number)
{
    struct conn_ends *conn = table_find(&nodes->conns, number);
    if (conn == NULL)
        return;
    for (int end = 0; end < 2; end++) {
        struct node *node = conn->name[end] != 0 ? nodes_find(nodes, conn->name[end]) : NULL;
        if (node == NULL)
            continue;
        node->num_conns--;
        nodes_release(nodes, node);
    }
    table_remove(&nodes->conns, conn);
}
