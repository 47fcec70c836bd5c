/*
 * endpoint_cache.c - see endpoint_cache.h. Direct-mapped by the connection's number.
 */
#include "endpoint_cache.h"

#include "copy_short.h"

#include <stdlib.h>
#include <string.h>

enum { NUM_CONNS = 1024 };

struct entry {
    uint64_t number; /* of the connection, 0: empty */
    bool node_inferred;
    struct ds_buffer node; /* as the text was made from */
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

static bool is_current(const struct entry *entry, const struct ds_conn *conn,
                       const struct ds_endpoint *endpoint)
{
    return entry->number == conn->number && entry->node.len == endpoint->node.len &&
           entry->node_inferred == endpoint->node_inferred &&
           (entry->node.len == 0 ||
            same_short(entry->node.data, endpoint->node.data, entry->node.len));
}

/* fill makes an entry's text; false when memory ran out. */
static __attribute__((noinline)) bool fill(const struct endpoint_cache *cache, struct entry *entry,
                                           const struct ds_conn *conn,
                                           const struct ds_endpoint *endpoint)
{
    entry->number = conn->number;
    entry->node_inferred = endpoint->node_inferred;
    entry->node.len = 0;
    if (endpoint->node.len != 0)
        ds_buffer_add(&entry->node, endpoint->node.data, endpoint->node.len);
    entry->text.len = 0;
    cache->print(endpoint, &entry->text);
    ds_buffer_add(&entry->text, "", 1);
    if (!entry->node.failed && !entry->text.failed)
        return true;
    ds_buffer_free(&entry->node);
    ds_buffer_free(&entry->text);
    entry->number = 0;
    return false;
}

struct ds_text endpoint_cache_get(struct endpoint_cache *cache, const struct ds_conn *conn,
                                  unsigned end)
{
    const struct ds_endpoint *endpoint = &conn->end[end];
    struct entry *entry = &cache->entries[conn->number % NUM_CONNS][end];

    if ((entry->number == 0 || !is_current(entry, conn, endpoint)) &&
        !fill(cache, entry, conn, endpoint))
        return (struct ds_text){NULL, 0};
    return (struct ds_text){entry->text.data, entry->text.len - 1};
}

void endpoint_cache_free(struct endpoint_cache *cache)
{
    if (cache == NULL)
        return;
    for (int i = 0; i < NUM_CONNS; i++) {
        for (int end = 0; end < 2; end++) {
            ds_buffer_free(&cache->entries[i][end].node);
            ds_buffer_free(&cache->entries[i][end].text);
        }
    }
    free(cache);
}
