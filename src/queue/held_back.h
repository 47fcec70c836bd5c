/*
 * held_back.h - records of connections in which no message has been shown yet. With -c these are
 * not to be told of before one is: thousands may open first.
 *
 * What EPMD was asked before a connection was made, and that its node registered there, goes with
 * the connection.
 */
#ifndef SRC_HELD_BACK_H
#define SRC_HELD_BACK_H

#include "record.h"
#include "table.h"

enum { HELD_BACK_TOLD = 1024, HELD_BACK_BYTES = 16 * 1024 * 1024 };

/* told is a port that EPMD was told or told. */
struct held_back_told {
    uint64_t conn; /* number of the connection to EPMD; 0: none */
    uint16_t port;
    bool is_near; /* the node was on EPMD's own host, by whatever address */
    struct ds_addr addr;
};

struct held_back {
    struct table held;  /* connections, in the order in which they were met */
    struct table shown; /* connections of which all is shown */
    struct held_back_told told[HELD_BACK_TOLD];
    uint64_t num_told;
    uint64_t bytes, max_bytes;
    uint64_t num_dropped; /* connections of which something was dropped for lack of room */
    uint64_t no_memory;
};

/* held_back_init begins with at most that many connections and bytes. */
void held_back_init(struct held_back *held, uint64_t max_conns, uint64_t max_bytes);
void held_back_free(struct held_back *held);

/* held_back_add takes a record with an event. False when it is to be shown at once: something of
 * its connection has been, or there is no memory to keep it. */
bool held_back_add(struct held_back *held, const struct record *record);

/* held_back_is_shown says whether something of a connection has been shown, and it has not ended. */
bool held_back_is_shown(const struct held_back *held, uint64_t conn);

/* held_back_release gives out what was held back of a connection, what led to it first; from now
 * on nothing of it is. */
void held_back_release(struct held_back *held, const struct ds_conn *conn, record_fn give,
                       void *context);

/* held_back_end gives out what was held back of the first max_conns connections. */
void held_back_end(struct held_back *held, uint64_t max_conns, record_fn give, void *context);

#endif
