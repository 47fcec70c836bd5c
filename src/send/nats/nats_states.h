/*
 * nats_states.h - where a read of a stream begins, so that the records to show can be decoded: each
 * live capture point regularly publishes what it knows of its connections (nats_publish_state). The
 * read begins at the latest state of each host that is older than the records to show.
 */
#ifndef SRC_NATS_STATES_H
#define SRC_NATS_STATES_H

#include "send/nats/nats_pull.h"

enum { NATS_STATES_HOSTS = 256 };

/* nats_states: all zero if there are none. */
struct nats_states {
    struct {
        char host[NATS_MAX_WORD];
        uint64_t number; /* of the state's record in the stream: the read of this host's packets
                          * begins after it */
        int64_t slow_ns; /* its clock is slower than the servers' by this much, or less */
    } hosts[NATS_STATES_HOSTS];
    size_t num;
    int64_t from_ns; /* since 1970: records from then on are to be shown, by the slowest clock */
};

/* nats_states_find asks the servers. False after an error message. A host above the cap has none. */
bool nats_states_find(struct nats_states *states, const struct nats_url *url,
                      natsConnection *connection, jsCtx *context);

/* nats_states_first returns the number after which the read begins, 0: where it would without
 * states.
 */
uint64_t nats_states_first(const struct nats_states *states);

/* nats_states_accept says whether a record of a host, with this number in the stream, belongs to
 * the read. */
bool nats_states_accept(const struct nats_states *states, struct ds_text host, uint64_t number);

#endif
