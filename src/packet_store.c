/*
 * packet_store.c - see packet_store.h.
 */
#include "packet_store.h"

#include "keys.h"

#include <stdlib.h>
#include <string.h>

/* What is filed under the number of an IP packet, not of a connection. */
#define WHOLE ((uint64_t)1 << 63)

void packet_store_init(struct packet_store *store, uint64_t max_bytes, uint64_t max_conns)
{
    *store = (struct packet_store){.max = max_bytes};
    table_init(&store->conns, sizeof(struct stored_conn), max_conns);
}

void packet_store_free(struct packet_store *store)
{
    store->on_drop = NULL;
    while (store->oldest != NULL)
        packet_store_drop_oldest(store);
    table_free(&store->conns);
}

static uint32_t hash_key(uint64_t key)
{
    return key_hash(&key, sizeof key);
}

struct stored_conn *packet_store_find(const struct packet_store *store, uint64_t key)
{
    struct stored_conn *conn = table_first(&store->conns, hash_key(key));
    while (conn != NULL && conn->key != key)
        conn = table_next(&store->conns, conn);
    return conn;
}

/* make_room drops what is pinned only for its trailing packets, else the oldest packets. */
static void make_room(struct packet_store *store)
{
    struct stored_conn *conn = table_oldest(&store->conns);
    while (conn != NULL && !conn->ended)
        conn = table_newer(&store->conns, conn);
    if (conn != NULL)
        conn->pinned = false;
    if (conn != NULL)
        packet_store_release(store, conn);
    while (table_is_full(&store->conns) && store->oldest != NULL)
        packet_store_drop_oldest(store);
}

struct stored_conn *packet_store_conn(struct packet_store *store, uint64_t key)
{
    struct stored_conn *conn = packet_store_find(store, key);
    if (conn != NULL)
        return conn;
    if (table_is_full(&store->conns))
        make_room(store);
    conn = table_add(&store->conns, hash_key(key));
    if (conn == NULL) {
        store->no_memory++;
        return NULL;
    }
    conn->key = key;
    if ((key & WHOLE) == 0) {
        conn->past_unknown = key <= store->newest_key;
        if (key > store->newest_key)
            store->newest_key = key;
    }
    return conn;
}

void packet_store_release(struct packet_store *store, struct stored_conn *conn)
{
    if (!conn->pinned && conn->first == NULL)
        table_remove(&store->conns, conn);
}

static void append(struct stored_conn *conn, struct stored_packet *first,
                   struct stored_packet *last)
{
    *(conn->last != NULL ? &conn->last->next_same : &conn->first) = first;
    conn->last = last;
}

uint64_t packet_store_key(struct packet_store *store, const struct ds_where *where)
{
    if (where->tcp == 0)
        return where->whole != 0 ? WHOLE | where->whole : 0;
    struct stored_conn *waiting =
        where->whole != 0 ? packet_store_find(store, WHOLE | where->whole) : NULL;
    if (waiting == NULL || waiting->first == NULL)
        return where->tcp;
    const uint64_t waiting_key = waiting->key;
    struct stored_conn *conn = packet_store_conn(store, where->tcp);
    waiting = packet_store_find(store, waiting_key); /* making room may have dropped it */
    if (conn != NULL && waiting != NULL && waiting->first != NULL) {
        for (struct stored_packet *p = waiting->first; p != NULL; p = p->next_same)
            p->key = where->tcp;
        append(conn, waiting->first, waiting->last);
        waiting->first = waiting->last = NULL;
        packet_store_release(store, waiting);
    }
    return where->tcp;
}

static uint64_t cost(const struct ds_packet *packet)
{
    return sizeof(struct stored_packet) + packet->cap_len;
}

void packet_store_drop_oldest(struct packet_store *store)
{
    struct stored_packet *packet = store->oldest;
    struct stored_conn *conn = packet_store_find(store, packet->key);
    store->oldest = packet->next;
    if (store->oldest == NULL)
        store->newest = NULL;
    if (conn != NULL) {
        /* Nearly always the first; fragments are filed late. */
        struct stored_packet *before = NULL;
        struct stored_packet *at = conn->first;
        while (at != NULL && at != packet) {
            before = at;
            at = at->next_same;
        }
        if (at != NULL) {
            *(before != NULL ? &before->next_same : &conn->first) = packet->next_same;
            if (conn->last == packet)
                conn->last = before;
        }
        conn->past_unknown = true;
        packet_store_release(store, conn);
    }
    store->used -= cost(&packet->packet);
    if (store->on_drop != NULL)
        store->on_drop(store->context, &packet->packet);
    free(packet);
}

bool packet_store_add(struct packet_store *store, uint64_t key, const struct ds_packet *packet)
{
    const uint64_t len = cost(packet);
    while (store->oldest != NULL && (len > store->max || store->used > store->max - len)) {
        store->was_full = true;
        packet_store_drop_oldest(store);
    }
    struct stored_conn *conn = packet_store_conn(store, key);
    struct stored_packet *stored =
        conn != NULL && len <= store->max ? malloc(sizeof *stored + packet->cap_len) : NULL;
    if (stored == NULL) {
        store->no_memory += conn != NULL && len <= store->max;
        if (conn != NULL)
            conn->past_unknown = true;
        if (conn != NULL)
            packet_store_release(store, conn);
        if (store->on_drop != NULL)
            store->on_drop(store->context, packet);
        return false;
    }
    *stored = (struct stored_packet){.key = key, .packet = *packet};
    stored->packet.data = stored->bytes;
    if (packet->cap_len != 0)
        memcpy(stored->bytes, packet->data, packet->cap_len);
    *(store->newest != NULL ? &store->newest->next : &store->oldest) = stored;
    store->newest = stored;
    append(conn, stored, stored);
    store->used += len;
    return true;
}
