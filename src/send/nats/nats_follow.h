/*
 * nats_follow.h - -r 'nats://...?follow': the packets of all hosts as they come. A process of its own
 * reads them from the servers (nats_pull.h), merges them by time (host_merge.h) and hands them over
 * through a pipe (capture/packet_pipe.h).
 */
#ifndef SRC_NATS_FOLLOW_H
#define SRC_NATS_FOLLOW_H

#include "privsep/side_process.h"
#include "send/nats/nats_reader.h"

/* nats_follower: all zero where none was started. */
struct nats_follower {
    struct side_process process;
    int fd; /* what is read; who takes it over writes -1 */
    int64_t from_ns; /* since 1970: what is before serves to decode what follows. INT64_MIN: all is shown */
};

/* nats_follow_start starts the process, and waits until it reads the stream. shown_ns: an earlier run has
 * shown what is up to that time of packets, in ns since 1970; 0: none has. url has to stay. To be called
 * before there are threads. False after a complaint. */
bool nats_follow_start(struct nats_follower *follower, const struct nats_reader_config *config,
                       const struct nats_url *url, int64_t shown_ns);

/* nats_follow_end ends the process. */
void nats_follow_end(struct nats_follower *follower);

#endif
