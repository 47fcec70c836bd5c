/*
 * pending_messages.h - the messages that something may still come of: requests that are not answered
 * yet, with the monitors that watch over them and what told of the processes that serve them. A file
 * that begins later has frames made anew of them, so that the answers in it find their calls.
 */
#ifndef SRC_PENDING_MESSAGES_H
#define SRC_PENDING_MESSAGES_H

#include "analyse/calls/correlate.h"
#include "core/table.h"

/* Calls whose messages are kept, what these take together, and how large one may be: it has to fit
 * into a packet. Monitors that may yet turn out to be a call's. */
enum {
    PENDING_MESSAGES_MAX = 8192,
    PENDING_MESSAGES_BYTES = 16 << 20,
    OPENING_LEN = 60000,
    MONITORS_PENDING = 64,
};

/* opening is one message. */
struct pending_message {
    struct table_entry entry;
    uint64_t call;    /* that it belongs to */
    uint64_t conn;    /* number of its connection in the session */
    uint64_t watcher; /* of a monitor: a hash of who watches */
    int64_t ns;
    struct ds_endpoint ends[2]; /* the sender, and the other; without names */
    uint8_t *frame;             /* NULL: it could not be kept */
    size_t len;
};

struct pending_messages {
    struct correlate *correlate;
    struct table table; /* in the order in which they came */
    struct pending_message pending[MONITORS_PENDING];
    uint64_t num_pending;
    size_t used;
    uint64_t num_dropped; /* for lack of room */
    uint64_t no_memory;
    struct ds_buffer scratch;
};

/* pending_messages_init begins; false without memory. limits are those of the session. */
bool pending_messages_init(struct pending_messages *openings, const struct own_labels *own,
                           const uint64_t limits[DS_LIMIT_COUNT]);
void pending_messages_free(struct pending_messages *openings);

/* pending_messages_event takes an event of the session, in order. */
void pending_messages_event(struct pending_messages *openings, const struct ds_event *event);

/* pending_messages_give gives out what is open between two ends, sent by either, oldest first. A monitor
 * that has no call yet is given when it was set up after since_ns. */
typedef void (*opening_fn)(void *context, const struct pending_message *opening);
void pending_messages_give(const struct pending_messages *openings, const struct ds_endpoint *ends,
                           int64_t since_ns, opening_fn give, void *context);

#endif
