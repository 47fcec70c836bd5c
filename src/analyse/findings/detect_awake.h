/*
 * detect_awake.h - the state of nodes that were silent for a while and send again. See
 * detect_awake.c.
 */
#ifndef SRC_DETECT_AWAKE_H
#define SRC_DETECT_AWAKE_H

#include "record/finding.h"

#include <distsniff/event.h>
#include <distsniff/tcp_stats.h>

/* awake is a node that was silent on a link for a while, and sends again. callee is the hash of the
 * process that answered last, of those that got requests in that time: [0] calls, [1] late replies
 * that no process waits for. num_callees counts its changes. */
enum { MAX_AWAKE = 16 };
struct awake {
    bool is_used, is_told;
    uint8_t dir; /* its end of the connection */
    uint64_t conn, frame; /* the latest packet from it */
    int64_t from_ns, to_ns, heard_ns, usual_ns;
    size_t len;
    char name[FINDING_NODE_LEN];
    struct ds_addr addr; /* its address, if it has no name */
    uint16_t port;
    uint64_t callee[2];
    unsigned num_callees[2];
    int64_t first_ns, last_ns; /* requests */
    int64_t answered_ns[2];    /* the first and the last answer */
    uint64_t first_frame;
};

#define DETECT_AWAKE_NS INT64_C(500000000) /* all waiting requests are answered within this time */

#endif
