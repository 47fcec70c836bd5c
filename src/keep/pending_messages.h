/*
 * pending_messages.h - messages that may still have an effect: requests that are not answered yet, with
 * their monitors and the messages that named the processes that serve them. A file that begins later
 * gets newly encoded frames of them, so that the answers in it find their calls.
 */
#ifndef SRC_PENDING_MESSAGES_H
#define SRC_PENDING_MESSAGES_H

#include "analyse/calls/correlate.h"
#include "core/table.h"

/* Limits: calls whose messages are kept, total size of the messages, size of one message, which must
 * fit into a packet; and monitors that may still turn out to belong to a call. */
enum {
    PENDING_MESSAGES_MAX = 8192,
    PENDING_MESSAGES_BYTES = 16 << 20,
    OPENING_LEN = 60000,
    MONITORS_PENDING = 64,
};

/* pending_message is one message. */
struct pending_message {
    struct table_entry entry;
    uint64_t call;    /* number of its call */
    uint64_t conn;    /* number of its connection in the session */
    uint64_t watcher; /* of a monitor: a hash of the watching process */
    int64_t ns;
    struct ds_endpoint ends[2]; /* sender and receiver; without names */
    uint8_t *frame;             /* NULL: it could not be kept */
    size_t len;
};

struct pending_messages {
    struct correlate *correlate;
    struct table table; /* oldest first */
    struct pending_message pending[MONITORS_PENDING];
    uint64_t num_pending;
    size_t used;
    uint64_t num_dropped; /* for lack of room */
    uint64_t no_memory;
    struct ds_buffer scratch;
};

/* pending_messages_init initialises it. Returns false when memory ran out. limits are the session's. */
bool pending_messages_init(struct pending_messages *openings, const struct own_labels *own,
                           const uint64_t limits[DS_LIMIT_COUNT]);
void pending_messages_free(struct pending_messages *openings);

/* pending_messages_event processes an event of the session, in order. */
void pending_messages_event(struct pending_messages *openings, const struct ds_event *event);

/* pending_messages_write calls give with the open messages between two ends, sent by either, oldest
 * first. Monitors that belong to no call yet are included if they were set up after since_ns. */
typedef void (*opening_fn)(void *context, const struct pending_message *opening);
void pending_messages_write(const struct pending_messages *openings, const struct ds_endpoint *ends,
                            int64_t since_ns, opening_fn give, void *context);

#endif
