/*
 * packet_store.c - see packet_store.h.
 */
#include "keep/packet_store.h"

#include <stdlib.h>
#include <string.h>

/* Marks keys that are the number of an IP packet, not of a connection. */
#define WHOLE ((uint64_t)1 << 63)

/* The held-back packets may use this fraction of all bytes. */
enum { HELD_BACK_PART = 8 };

void packet_store_init(struct packet_store *store, uint64_t max_bytes, uint64_t max_conns)
{
    *store = (struct packet_store){.max = max_bytes, .full_ns = INT64_MIN};
    table_init(&store->conns, sizeof(struct stored_conn), max_conns);
}

static void free_packets(struct stored_packet *first)
{
    struct stored_packet *next;
    for (struct stored_packet *packet = first; packet != NULL; packet = next) {
        next = packet->next;
        free(packet);
    }
}

void packet_store_free(struct packet_store *store)
{
    for (struct stored_conn *conn = table_oldest(&store->conns); conn != NULL;
         conn = table_newer(&store->conns, conn)) {
        free_packets(conn->packets.first);
        free_packets(conn->held_back.first);
    }
    table_free(&store->conns);
    store->oldest = store->newest = NULL;
}

struct stored_conn *packet_store_find(const struct packet_store *store, uint64_t key)
{
    return table_find(&store->conns, key);
}

static void make_room(struct packet_store *store)
{
    store->full_ns = store->oldest->at_ns;
    packet_store_drop_oldest(store);
}

struct stored_conn *packet_store_conn(struct packet_store *store, uint64_t key)
{
    struct stored_conn *conn = packet_store_find(store, key);
    if (conn != NULL)
        return conn;
    while (table_is_full(&store->conns) && store->oldest != NULL)
        make_room(store);
    conn = table_put(&store->conns, key);
    if (conn == NULL) {
        store->no_memory++;
        return NULL;
    }
    conn->key = key;
    if ((key & WHOLE) == 0) {
        conn->decoder_state_unknown = key <= store->newest_key;
        if (key > store->newest_key)
            store->newest_key = key;
    }
    return conn;
}

static uint64_t cost(const struct ds_packet *packet)
{
    return sizeof(struct stored_packet) + packet->cap_len;
}

static void append(struct packet_list *list, struct stored_packet *packet)
{
    packet->previous = list->last;
    packet->next = NULL;
    *(list->last != NULL ? &list->last->next : &list->first) = packet;
    list->last = packet;
}

static void unlink_from(struct packet_list *list, struct stored_packet *packet)
{
    *(packet->previous != NULL ? &packet->previous->next : &list->first) = packet->next;
    *(packet->next != NULL ? &packet->next->previous : &list->last) = packet->previous;
}

static void unlink_from_all(struct packet_store *store, struct stored_packet *packet)
{
    *(packet->older != NULL ? &packet->older->newer : &store->oldest) = packet->newer;
    *(packet->newer != NULL ? &packet->newer->older : &store->newest) = packet->older;
}

void packet_store_free_held_back(struct packet_store *store, struct stored_conn *conn)
{
    for (const struct stored_packet *p = conn->held_back.first; p != NULL; p = p->next) {
        store->used -= cost(&p->packet);
        store->held_back -= cost(&p->packet);
    }
    free_packets(conn->held_back.first);
    conn->held_back = (struct packet_list){NULL, NULL};
}

void packet_store_release(struct packet_store *store, struct stored_conn *conn)
{
    if (conn->stays || conn->packets.first != NULL)
        return;
    packet_store_free_held_back(store, conn);
    table_remove(&store->conns, conn);
}

void packet_store_remove(struct packet_store *store, struct stored_packet *packet)
{
    unlink_from(&packet->conn->packets, packet);
    unlink_from_all(store, packet);
    store->used -= cost(&packet->packet);
    free(packet);
}

void packet_store_empty(struct packet_store *store, struct stored_conn *conn)
{
    while (conn->packets.first != NULL)
        packet_store_remove(store, conn->packets.first);
    packet_store_release(store, conn);
}

uint64_t packet_store_key(struct packet_store *store, const struct ds_where *where)
{
    if (where->tcp == 0 && !where->is_complete)
        return where->whole != 0 ? WHOLE | where->whole : 0;
    struct stored_conn *waiting =
        where->whole != 0 ? packet_store_find(store, WHOLE | where->whole) : NULL;
    if (waiting == NULL)
        return where->tcp;
    if (where->tcp == 0) {
        packet_store_empty(store, waiting);
        return 0;
    }
    const uint64_t waiting_key = waiting->key;
    struct stored_conn *conn = packet_store_conn(store, where->tcp);
    waiting = packet_store_find(store, waiting_key); /* making room may have removed it */
    if (conn == NULL || waiting == NULL)
        return where->tcp;
    struct stored_packet *next;
    for (struct stored_packet *p = waiting->packets.first; p != NULL; p = next) {
        next = p->next;
        p->conn = conn;
        append(&conn->packets, p);
    }
    waiting->packets = (struct packet_list){NULL, NULL};
    packet_store_release(store, waiting);
    return where->tcp;
}

/* hold_back moves a packet to the connection to which its own connection led. Returns false if there is
 * none, or no room. */
static bool hold_back(struct packet_store *store, struct stored_packet *packet)
{
    const uint64_t len = cost(&packet->packet);
    struct stored_conn *conn = packet->conn;
    struct stored_conn *led = conn->leads_to != 0 ? packet_store_find(store, conn->leads_to) : NULL;
    if (led == NULL || led->pinned || conn->pinned ||
        store->held_back + len > store->max / HELD_BACK_PART)
        return false;
    store->held_back += len;
    unlink_from(&conn->packets, packet);
    unlink_from_all(store, packet);
    packet->conn = led;
    append(&led->held_back, packet);
    return true;
}

static void leave(struct packet_store *store, struct stored_packet *packet)
{
    packet->conn->decoder_state_unknown = true;
    if (store->on_leave != NULL)
        store->on_leave(store->context, packet->conn, &packet->packet);
    packet_store_remove(store, packet);
}

void packet_store_drop_oldest(struct packet_store *store)
{
    struct stored_packet *packet = store->oldest;
    struct stored_conn *conn = packet->conn;
    if (!hold_back(store, packet))
        leave(store, packet);
    packet_store_release(store, conn);
}

void packet_store_drop_conn(struct packet_store *store, uint64_t key)
{
    struct stored_conn *conn = packet_store_find(store, key);
    if (conn == NULL)
        return;
    while (conn->packets.first != NULL)
        leave(store, conn->packets.first);
    packet_store_release(store, conn);
}

bool packet_store_add(struct packet_store *store, uint64_t key, const struct ds_packet *packet)
{
    const uint64_t len = cost(packet);
    while (store->oldest != NULL && (len > store->max || store->used > store->max - len))
        make_room(store);
    const bool fits = len <= store->max && store->used <= store->max - len;
    struct stored_conn *conn = packet_store_conn(store, key);
    struct stored_packet *stored =
        conn != NULL && fits ? malloc(sizeof *stored + packet->cap_len) : NULL;
    if (stored == NULL) {
        store->no_memory += conn != NULL && fits;
        if (!fits)
            store->full_ns = store->now_ns;
        if (conn != NULL)
            conn->decoder_state_unknown = true;
        if (store->on_leave != NULL)
            store->on_leave(store->context, conn, packet);
        if (conn != NULL)
            packet_store_release(store, conn);
        return false;
    }
    *stored = (struct stored_packet){
        .conn = conn, .older = store->newest, .at_ns = store->now_ns, .packet = *packet};
    stored->packet.data = stored->bytes;
    if (packet->cap_len != 0)
        memcpy(stored->bytes, packet->data, packet->cap_len);
    *(store->newest != NULL ? &store->newest->newer : &store->oldest) = stored;
    store->newest = stored;
    append(&conn->packets, stored);
    store->used += len;
    return true;
}
