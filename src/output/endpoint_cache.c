/*
 * endpoint_cache.c - see endpoint_cache.h. A direct-mapped cache, indexed by the connection's
 * number.
 */
#include "output/endpoint_cache.h"

#include "core/copy_short.h"

#include <stdlib.h>
#include <string.h>

enum { NUM_CONNS = 1024 };

/* known_node is what a text was made from, besides the addresses, which belong to the connection. */
struct known_node {
    bool is_inferred;
    struct ds_buffer name;
};

struct entry {
    uint64_t number; /* of the connection, 0: empty */
    uint64_t changes; /* of the connection when cached */
    struct known_node node[2];
    struct ds_buffer text;
};

struct endpoint_cache {
    endpoint_print_fn print;
    struct entry entries[NUM_CONNS][2];
};

struct endpoint_cache *endpoint_cache_new(endpoint_print_fn print)
{
    struct endpoint_cache *cache = calloc(1, sizeof *cache);
    if (cache != NULL)
        cache->print = print;
    return cache;
}

static inline bool is_same_node(const struct known_node *node, const struct ds_endpoint *endpoint)
{
    return node->name.len == endpoint->node.len && node->is_inferred == endpoint->node_inferred &&
           (node->name.len == 0 ||
            same_short(node->name.data, endpoint->node.data, node->name.len));
}

static void keep_node(struct known_node *node, const struct ds_endpoint *endpoint)
{
    node->is_inferred = endpoint->node_inferred;
    node->name.len = 0;
    if (endpoint->node.len != 0)
        ds_buffer_add(&node->name, endpoint->node.data, endpoint->node.len);
}

static void empty(struct entry *entry)
{
    ds_buffer_free(&entry->node[0].name);
    ds_buffer_free(&entry->node[1].name);
    ds_buffer_free(&entry->text);
    entry->number = 0;
}

/* fill makes the text of an entry; false if memory ran out. */
static __attribute__((noinline)) bool fill(const struct endpoint_cache *cache, struct entry *entry,
                                           const struct ds_conn *conn, unsigned from)
{
    entry->number = conn->number;
    entry->changes = conn->changes;
    keep_node(&entry->node[0], &conn->end[0]);
    keep_node(&entry->node[1], &conn->end[1]);
    entry->text.len = 0;
    cache->print(conn, from, &entry->text);
    ds_buffer_add(&entry->text, "", 1);
    if (!entry->node[0].name.failed && !entry->node[1].name.failed && !entry->text.failed)
        return true;
    empty(entry);
    return false;
}

/* renew updates an entry if the names of a connection that has changed are different. False if
 * memory ran out. */
static __attribute__((noinline)) bool renew(const struct endpoint_cache *cache, struct entry *entry,
                                            const struct ds_conn *conn, unsigned from)
{
    if (entry->number == 0 || entry->number != conn->number ||
        !is_same_node(&entry->node[0], &conn->end[0]) || !is_same_node(&entry->node[1], &conn->end[1]))
        return fill(cache, entry, conn, from);
    entry->changes = conn->changes;
    return true;
}

struct ds_text endpoint_cache_get(struct endpoint_cache *cache, const struct ds_conn *conn,
                                  unsigned from)
{
    struct entry *entry = &cache->entries[conn->number % NUM_CONNS][from];
    const bool is_current = entry->number == conn->number && entry->changes == conn->changes &&
                            conn->number != 0 && conn->changes != 0;
    if (!is_current && !renew(cache, entry, conn, from))
        return (struct ds_text){NULL, 0};
    return (struct ds_text){entry->text.data, entry->text.len - 1};
}

void endpoint_cache_free(struct endpoint_cache *cache)
{
    if (cache == NULL)
        return;
    for (int i = 0; i < NUM_CONNS; i++) {
        for (int from = 0; from < 2; from++)
            empty(&cache->entries[i][from]);
    }
    free(cache);
}
