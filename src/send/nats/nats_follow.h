/*
 * nats_follow.h - -r 'nats://...?follow': the packets of all hosts as they come. A separate process
 * reads them from the servers (nats_pull.h), merges them by time (host_merge.h) and writes them to
 * a pipe (capture/packet_pipe.h).
 */
#ifndef SRC_NATS_FOLLOW_H
#define SRC_NATS_FOLLOW_H

#include "privsep/side_process.h"
#include "send/nats/nats_reader.h"

/* nats_follower: all zero if none was started. */
struct nats_follower {
    struct side_process process;
    int fd; /* the read end; code that takes ownership of it writes -1 here */
    int64_t from_ns; /* since 1970: earlier records only help to decode later ones. INT64_MIN: all
                      * are shown */
};

/* nats_follow_start starts the process, and waits until it reads the stream. shown_ns: an earlier
 * run has shown the packets up to this time, in ns since 1970; 0: none. url has to stay valid. Call
 * it before there are threads. False after an error message. */
bool nats_follow_start(struct nats_follower *follower, const struct nats_reader_config *config,
                       const struct nats_url *url, int64_t shown_ns);

/* nats_follow_end ends the process. */
void nats_follow_end(struct nats_follower *follower);

#endif
