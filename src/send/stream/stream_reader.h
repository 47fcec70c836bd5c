/*
 * stream_reader.h - -r tcp://HOST:PORT: a separate process is connected to the servers
 * (stream_loop.h). The one that looks at packets reads a pipe for each, like any other pipe.
 */
#ifndef SRC_STREAM_READER_H
#define SRC_STREAM_READER_H

#include "privsep/side_process.h"
#include "send/stream/stream_url.h"

struct stream_reader_config {
    const struct stream_urls *urls; /* must stay valid */
    const char *user;               /* that root becomes, NULL: root stays */
    bool is_confined;
};

/* stream_reader: all zero if none was started. */
struct stream_reader {
    struct side_process process;
    int fds[STREAM_MAX_STREAMS]; /* one for each URL; code that takes ownership of one writes -1 here */
    size_t num;
};

/* stream_reader_start starts the process, and waits until it is connected to all. Call it before
 * there are threads. False after an error message. */
bool stream_reader_start(struct stream_reader *reader, const struct stream_reader_config *config);

/* stream_reader_end ends the process. */
void stream_reader_end(struct stream_reader *reader);

#endif
