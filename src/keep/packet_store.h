/*
 * packet_store.h - packets in memory: in their order, and of each connection. Bounded in
 * bytes; the oldest go first. The exchange that led to a connection can be held back for as
 * long as the connection is of interest.
 */
#ifndef SRC_PACKET_STORE_H
#define SRC_PACKET_STORE_H

#include "core/table.h"

#include <distsniff/dissect.h>

struct stored_conn;

/* stored_packet is a packet in the store, with its bytes behind it. */
struct stored_packet {
    struct stored_packet *older, *newer;   /* of all */
    struct stored_packet *previous, *next; /* of the same connection */
    struct stored_conn *conn;
    int64_t at_ns; /* packet_store.now_ns when it came */
    struct ds_packet packet;
    uint8_t bytes[];
};

struct packet_list {
    struct stored_packet *first, *last;
};

/* stored_conn is a connection, or the fragments of a packet of which is not known yet where
 * they belong. It is there for as long as the store has packets of it, or it stays. */
struct stored_conn {
    struct table_entry entry;
    uint64_t key;
    struct packet_list packets;
    struct packet_list held_back; /* of what led to it; no longer among all packets */
    uint64_t leads_to;            /* key of the connection that it led to, else 0 */
    uint64_t led_by;              /* the same, seen from there */
    uint64_t number;              /* of ds_conn, 0 until known */
    bool pinned;                  /* its packets are wanted: nothing is held back for it */
    bool stays;                   /* even without packets */
    bool lingers;                 /* stays only for what trails behind its end */
    bool decoder_state_unknown;   /* packets of it have left */
    bool has_ends;
    struct ds_endpoint ends[2];
};
TABLE_KEYED(struct stored_conn, key);

struct packet_store {
    struct stored_packet *oldest, *newest;
    uint64_t used, max;  /* bytes, with what keeping them costs */
    uint64_t held_back;  /* of used */
    uint64_t newest_key; /* numbers of connections only grow */
    uint64_t no_memory;
    int64_t now_ns;  /* by a clock that is never set; the user's to tell */
    int64_t full_ns; /* that of the last packet that left for lack of room; INT64_MIN: none */
    struct table conns;
    /* called for each packet that leaves, before it is freed: for lack of room, or as asked
     * for; may be NULL. conn is NULL for one that never got in. It may not change the store. */
    void (*on_leave)(void *context, const struct stored_conn *conn, const struct ds_packet *packet);
    void *context;
};

/* packet_store_init makes an empty store of at most max_bytes, and of max_conns connections. */
void packet_store_init(struct packet_store *store, uint64_t max_bytes, uint64_t max_conns);
void packet_store_free(struct packet_store *store); /* nothing leaves */

/* packet_store_key returns what a packet is filed under; 0 when it is of no interest. Fragments
 * that were waiting for this packet are filed with it; or removed, where it is of no interest. */
uint64_t packet_store_key(struct packet_store *store, const struct ds_where *where);

/* packet_store_conn returns the connection of a key, new if need be; NULL when memory or room
 * ran out. */
struct stored_conn *packet_store_conn(struct packet_store *store, uint64_t key);
struct stored_conn *packet_store_find(const struct packet_store *store, uint64_t key);

/* packet_store_release removes a connection that neither stays nor has packets. */
void packet_store_release(struct packet_store *store, struct stored_conn *conn);

/* packet_store_add keeps a copy of a packet, the oldest leaving if need be. False when it could
 * not be kept: it has then left at once. */
bool packet_store_add(struct packet_store *store, uint64_t key, const struct ds_packet *packet);

/* packet_store_drop_oldest has a packet leave; held back where it led to a connection that
 * stays. There must be one. */
void packet_store_drop_oldest(struct packet_store *store);

/* packet_store_drop_conn has all packets of a connection leave, if it is there. */
void packet_store_drop_conn(struct packet_store *store, uint64_t key);

/* packet_store_remove removes a packet, which does not count as leaving. Its connection is
 * there until packet_store_release. */
void packet_store_remove(struct packet_store *store, struct stored_packet *packet);

/* packet_store_empty removes all packets of a connection, and so the connection unless it stays. */
void packet_store_empty(struct packet_store *store, struct stored_conn *conn);

/* packet_store_free_held_back removes what was held back for a connection. */
void packet_store_free_held_back(struct packet_store *store, struct stored_conn *conn);

#endif
