/*
 * packet_store.h - packets in memory: in their order, and of each connection. Bounded in
 * bytes; the oldest go first.
 */
#ifndef SRC_PACKET_STORE_H
#define SRC_PACKET_STORE_H

#include "table.h"

#include <distsniff/dissect.h>

/* stored_packet is a packet in the store, with its bytes behind it. */
struct stored_packet {
    struct stored_packet *next;      /* the next one of all */
    struct stored_packet *next_same; /* of the same connection */
    uint64_t key;                    /* of the connection */
    struct ds_packet packet;
    uint8_t bytes[];
};

/* stored_conn is a connection, or the fragments of a packet of which is not known yet where
 * they belong. It is there for as long as the store has packets of it, or it is pinned. */
struct stored_conn {
    struct table_entry entry;
    uint64_t key;
    struct stored_packet *first, *last;
    uint64_t number; /* of ds_conn, 0 until known */
    bool pinned;
    bool ended;         /* pinned, but only for what trails behind its end */
    bool past_unknown;  /* packets of it have been dropped */
    bool has_ends;
    uint16_t epmd_port; /* that EPMD told in it; 0: none */
    struct ds_endpoint ends[2];
};

struct packet_store {
    struct stored_packet *oldest, *newest;
    uint64_t used, max; /* bytes, with what keeping them costs */
    uint64_t newest_key; /* numbers of connections only grow */
    uint64_t no_memory;
    bool was_full; /* packets had to be dropped for lack of room */
    struct table conns;
    /* called for each packet that is dropped before it is freed; may be NULL */
    void (*on_drop)(void *context, const struct ds_packet *packet);
    void *context;
};

/* packet_store_init makes an empty store of at most max_bytes, and of max_conns connections. */
void packet_store_init(struct packet_store *store, uint64_t max_bytes, uint64_t max_conns);
void packet_store_free(struct packet_store *store); /* nothing counts as dropped */

/* packet_store_key returns what a packet is filed under; 0 when it is of no interest. Fragments
 * that were waiting for this packet are filed with it. */
uint64_t packet_store_key(struct packet_store *store, const struct ds_where *where);

/* packet_store_conn returns the connection of a key, new if need be; NULL when memory or room
 * ran out. */
struct stored_conn *packet_store_conn(struct packet_store *store, uint64_t key);
struct stored_conn *packet_store_find(const struct packet_store *store, uint64_t key);

/* packet_store_release drops a connection that is neither pinned nor has packets. */
void packet_store_release(struct packet_store *store, struct stored_conn *conn);

/* packet_store_add keeps a copy of a packet, dropping old ones if need be. False when it could
 * not be kept: it is then as if it were dropped. */
bool packet_store_add(struct packet_store *store, uint64_t key, const struct ds_packet *packet);

/* packet_store_drop_oldest drops a packet. There must be one. */
void packet_store_drop_oldest(struct packet_store *store);

#endif
