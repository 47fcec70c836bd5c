/*
 * packet_store.h - packets in memory: in order, and by connection. The number of bytes is limited; the
 * oldest packets leave first. The exchange that led to a connection can be held back as long as the
 * connection is of interest.
 */
#ifndef SRC_PACKET_STORE_H
#define SRC_PACKET_STORE_H

#include "core/table.h"

#include <distsniff/dissect.h>

struct stored_conn;

/* stored_packet is a packet in the store, followed by its bytes. */
struct stored_packet {
    struct stored_packet *older, *newer;   /* in the list of all packets */
    struct stored_packet *previous, *next; /* in the list of the same connection */
    struct stored_conn *conn;
    int64_t at_ns; /* packet_store.now_ns when it was added */
    struct ds_packet packet;
    uint8_t bytes[];
};

struct packet_list {
    struct stored_packet *first, *last;
};

/* stored_conn is a connection, or the fragments of an IP packet whose connection is not known yet. It
 * exists as long as the store has packets of it, or `stays` is true. */
struct stored_conn {
    struct table_entry entry;
    uint64_t key;
    struct packet_list packets;
    struct packet_list held_back; /* packets of the connection that led to it; not in the list of all
                                     packets */
    uint64_t leads_to;            /* key of the connection to which it led, otherwise 0 */
    uint64_t led_by;              /* key of the connection that led to it, otherwise 0 */
    uint64_t number;              /* ds_conn.number, 0 until known */
    bool pinned;                  /* its packets are wanted: nothing needs to be held back for it */
    bool stays;                   /* it stays even without packets */
    bool lingers;                 /* it has ended, and stays only for late packets */
    bool decoder_state_unknown;   /* some of its packets have left */
    bool has_ends;
    struct ds_endpoint ends[2];
};
TABLE_KEYED(struct stored_conn, key);

struct packet_store {
    struct stored_packet *oldest, *newest;
    uint64_t used, max;  /* bytes, including overhead */
    uint64_t held_back;  /* part of used */
    uint64_t newest_key; /* keys of connections only grow */
    uint64_t no_memory;
    int64_t now_ns;  /* by a clock that cannot be set; the caller sets it */
    int64_t full_ns; /* now_ns when the last packet left for lack of room; INT64_MIN: none did */
    struct table conns;
    /* called for each packet that leaves, before it is freed: for lack of room, or at the caller's request;
     * may be NULL. conn is NULL for a packet that was never added. It must not change the store. */
    void (*on_leave)(void *context, const struct stored_conn *conn, const struct ds_packet *packet);
    void *context;
};

/* packet_store_init makes an empty store for at most max_bytes, and max_conns connections. */
void packet_store_init(struct packet_store *store, uint64_t max_bytes, uint64_t max_conns);
void packet_store_free(struct packet_store *store); /* calls no on_leave */

/* packet_store_key returns the key of a packet; 0 if it is of no interest. Fragments that were waiting
 * for this packet get its key, or are removed if it is of no interest. */
uint64_t packet_store_key(struct packet_store *store, const struct ds_where *where);

/* packet_store_conn returns the connection of a key, and creates it if necessary; NULL when memory or
 * room ran out. */
struct stored_conn *packet_store_conn(struct packet_store *store, uint64_t key);
struct stored_conn *packet_store_find(const struct packet_store *store, uint64_t key);

/* packet_store_release removes a connection that neither stays nor has packets. */
void packet_store_release(struct packet_store *store, struct stored_conn *conn);

/* packet_store_add stores a copy of a packet; if necessary the oldest ones leave. Returns false if it
 * could not be stored: then on_leave has been called for it. */
bool packet_store_add(struct packet_store *store, uint64_t key, const struct ds_packet *packet);

/* packet_store_drop_oldest makes the oldest packet leave, or holds it back if its connection led to one
 * that stays. The store must not be empty. */
void packet_store_drop_oldest(struct packet_store *store);

/* packet_store_drop_conn makes all packets of a connection leave, if the connection exists. */
void packet_store_drop_conn(struct packet_store *store, uint64_t key);

/* packet_store_remove removes a packet without on_leave. Its connection exists until
 * packet_store_release. */
void packet_store_remove(struct packet_store *store, struct stored_packet *packet);

/* packet_store_empty removes all packets of a connection, and the connection unless it stays. */
void packet_store_empty(struct packet_store *store, struct stored_conn *conn);

/* packet_store_free_held_back removes the packets held back for a connection. */
void packet_store_free_held_back(struct packet_store *store, struct stored_conn *conn);

#endif
