/*
 * deferred_records.h - records of connections in which no message has been shown yet. With -c these are
 * not to be told of before one is: thousands may open first.
 *
 * What EPMD was asked before a connection was made, and that its node registered there, goes with
 * the connection.
 */
#ifndef SRC_DEFERRED_RECORDS_H
#define SRC_DEFERRED_RECORDS_H

#include "core/table.h"
#include "record/record.h"

enum { DEFERRED_RECORDS_TOLD = 1024, DEFERRED_RECORDS_BYTES = 16 * 1024 * 1024 };

/* told is a port that EPMD was told or told. */
struct deferred_records_told {
    uint64_t conn; /* number of the connection to EPMD; 0: none */
    uint16_t port;
    bool is_near; /* the node was on EPMD's own host, by whatever address */
    struct ds_addr addr;
};

struct deferred_records {
    struct table held;  /* connections, in the order in which they were met */
    struct table shown; /* connections of which all is shown */
    struct deferred_records_told told[DEFERRED_RECORDS_TOLD];
    uint64_t num_told;
    uint64_t bytes, max_bytes;
    uint64_t num_dropped; /* connections of which something was dropped for lack of room */
    uint64_t no_memory;
};

/* deferred_records_init begins with at most that many connections and bytes. */
void deferred_records_init(struct deferred_records *held, uint64_t max_conns, uint64_t max_bytes);
void deferred_records_free(struct deferred_records *held);

/* deferred_records_add takes a record with an event. False when it is to be shown at once: something of
 * its connection has been, or there is no memory to keep it. */
bool deferred_records_add(struct deferred_records *held, const struct record *record);

/* deferred_records_is_shown says whether something of a connection has been shown, and it has not ended. */
bool deferred_records_is_shown(const struct deferred_records *held, uint64_t conn);

/* deferred_records_release gives out what was held back of a connection, what led to it first; from now
 * on nothing of it is. */
void deferred_records_release(struct deferred_records *held, const struct ds_conn *conn, record_fn give,
                              void *context);

/* deferred_records_end gives out what was held back of the first max_conns connections. */
void deferred_records_end(struct deferred_records *held, uint64_t max_conns, record_fn give,
                          void *context);

#endif
