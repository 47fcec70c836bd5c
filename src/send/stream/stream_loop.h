/*
 * stream_loop.h - the process that connects to packet servers and writes what they send to a pipe
 * for each. It resolves their addresses, connects, and drops all rights except connections to these
 * ports. If a connection ends or its data is invalid, it reconnects, with growing pauses. It reads
 * only as fast as the pipes are read.
 */
#ifndef SRC_STREAM_LOOP_H
#define SRC_STREAM_LOOP_H

#include "send/stream/stream_url.h"

struct stream_loop_config {
    const struct stream_urls *urls;
    bool is_confined;
    int alive_fd; /* at its end of file the loop ends */
    int ready_fd; /* receives a byte once all are connected */
    int out_fd[STREAM_MAX_STREAMS];
};

/* stream_loop_run returns at the end of alive_fd, or after an error message if a server cannot be
 * connected to at first. */
void stream_loop_run(const struct stream_loop_config *config);

#endif
