/*
 * stream_loop.h - the process that connects to servers of packets and hands over what they send, by a
 * pipe for each. It looks up their addresses, connects, and gives up all but connections to these ports.
 * Where a connection ends or brings nonsense it connects again, later and later. It reads no more than is
 * taken.
 */
#ifndef SRC_STREAM_LOOP_H
#define SRC_STREAM_LOOP_H

#include "send/stream/stream_url.h"

struct stream_loop_config {
    const struct stream_urls *urls;
    bool is_confined;
    int alive_fd; /* has its end once nobody wants any packets */
    int ready_fd; /* takes a byte once all are connected */
    int out_fd[STREAM_MAX_STREAMS];
};

/* stream_loop_run returns once the end is wanted, or after a complaint where one cannot be connected to at
 * first. */
void stream_loop_run(const struct stream_loop_config *config);

#endif
