/*
 * stream_reader.h - -r tcp://HOST:PORT: a process of its own is connected to the servers
 * (stream_loop.h). The one that looks at packets reads a pipe for each, as it reads any.
 */
#ifndef SRC_STREAM_READER_H
#define SRC_STREAM_READER_H

#include "privsep/side_process.h"
#include "send/stream/stream_url.h"

struct stream_reader_config {
    const struct stream_urls *urls; /* have to stay */
    const char *user;               /* that root becomes, NULL: nobody */
    bool is_confined;
};

/* stream_reader: all zero where none was started. */
struct stream_reader {
    struct side_process process;
    int fds[STREAM_MAX_STREAMS]; /* of each URL; who takes one over writes -1 */
    size_t num;
};

/* stream_reader_start starts the process, and waits until it is connected to all. To be called before there
 * are threads. False after a complaint. */
bool stream_reader_start(struct stream_reader *reader, const struct stream_reader_config *config);

/* stream_reader_end ends the process. */
void stream_reader_end(struct stream_reader *reader);

#endif
