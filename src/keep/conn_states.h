/*
 * conn_states.h - the state of connections as segments, for readers that begin later: the snapshot of a
 * session (ds_session_snapshot), and behind that of each connection its messages that may still be
 * answered (pending_messages.h), as retransmissions.
 */
#ifndef SRC_CONN_STATES_H
#define SRC_CONN_STATES_H

#include "keep/pending_messages.h"

#include <distsniff/dissect.h>

/* conn_states: all zero, except for what conn_states_write gets. Its members are for conn_states.c. */
struct conn_states {
    struct ds_session *session;
    const struct pending_messages *openings;
    ds_snapshot_fn give;
    void *context;
    int64_t now_ns;
    bool has_conn;              /* a connection's snapshot is being written */
    struct ds_endpoint ends[2]; /* of that connection */
    uint32_t point[2];          /* sequence numbers after the snapshot */
    bool knows[2];
    struct ds_buffer sealed;
    uint64_t num_incomplete, no_memory; /* messages that were left out, in total */
};

/* conn_states_write calls give with the segments of one connection, or of all if ends is NULL. now_ns is
 * the time of the next packet. */
void conn_states_write(struct conn_states *states, struct ds_session *session,
                       const struct pending_messages *openings, const struct ds_endpoint *ends,
                       int64_t now_ns, ds_snapshot_fn give, void *context);

void conn_states_free(struct conn_states *states);

#endif
