/*
 * deferred_records.h - records of connections without a shown message so far. With -c these must not be
 * shown before one of their messages is: thousands of connections may open before that.
 *
 * The records of EPMD questions before the connection, and of its node's registration there, belong to
 * it, too.
 */
#ifndef SRC_DEFERRED_RECORDS_H
#define SRC_DEFERRED_RECORDS_H

#include "core/table.h"
#include "record/record.h"

enum { DEFERRED_RECORDS_TOLD = 1024, DEFERRED_RECORDS_BYTES = 16 * 1024 * 1024 };

/* deferred_records_told is a port that an answer or a registration of EPMD contained. */
struct deferred_records_told {
    uint64_t conn; /* number of the connection to EPMD; 0: none */
    uint16_t port;
    bool is_near; /* the node was on EPMD's own host, at any of its addresses */
    struct ds_addr addr;
};

struct deferred_records {
    struct table held;  /* connections, oldest first */
    struct table shown; /* connections whose records are all shown */
    struct deferred_records_told told[DEFERRED_RECORDS_TOLD];
    uint64_t num_told;
    uint64_t bytes, max_bytes;
    uint64_t num_dropped; /* connections of which something was dropped because of max_bytes */
    uint64_t no_memory;
};

/* deferred_records_init initialises it. max_conns and max_bytes limit what is kept. */
void deferred_records_init(struct deferred_records *held, uint64_t max_conns, uint64_t max_bytes);
void deferred_records_free(struct deferred_records *held);

/* deferred_records_add keeps a record with an event. Returns false if the caller must show it now:
 * records of its connection have been shown, or memory ran out. Without room, the record is dropped and
 * counted. */
bool deferred_records_add(struct deferred_records *held, const struct record *record);

/* deferred_records_is_shown says whether records of a connection have been shown and the connection has
 * not ended. */
bool deferred_records_is_shown(const struct deferred_records *held, uint64_t conn);

/* deferred_records_release passes the kept records of a connection to give, preceded by the EPMD
 * exchanges that led to it. From now on none of its records are kept. */
void deferred_records_release(struct deferred_records *held, const struct ds_conn *conn, record_fn give,
                              void *context);

/* deferred_records_end passes the kept records of the first max_conns connections to give. */
void deferred_records_end(struct deferred_records *held, uint64_t max_conns, record_fn give,
                          void *context);

#endif
