/*
 * stream_reader.c - see stream_reader.h.
 */
#include "send/stream/stream_reader.h"

#include "core/complain.h"
#include "privsep/own_process.h"
#include "privsep/privileges.h"
#include "send/stream/stream_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* start is passed to the other process: the pipes of the servers, [0] is the read end, [1] the
 * write end. */
struct start {
    const struct stream_reader_config *config;
    int out[STREAM_MAX_STREAMS][2];
};

static void run(void *context, int alive_fd, int ready_fd)
{
    const struct start *start = context;
    const struct stream_reader_config *config = start->config;
    struct stream_loop_config loop = {
        .urls = config->urls,
        .is_confined = config->is_confined,
        .alive_fd = alive_fd,
        .ready_fd = ready_fd,
    };
    for (size_t i = 0; i < config->urls->num; i++) {
        close(start->out[i][0]);
        loop.out_fd[i] = start->out[i][1];
    }
    if (!privileges_return() || !privileges_drop(config->user))
        _exit(EXIT_FAILURE);
    (void)own_process_hide(); /* the packets may contain secrets */
    stream_loop_run(&loop);
    _exit(EXIT_SUCCESS);
}

/* close_side closes one side of the pipes. */
static void close_side(struct start *start, int side)
{
    for (size_t i = 0; i < STREAM_MAX_STREAMS; i++) {
        if (start->out[i][side] >= 0)
            close(start->out[i][side]);
        start->out[i][side] = -1;
    }
}

/* is_ready waits until all are connected. */
static bool is_ready(const struct side_process *process)
{
    char byte;
    return !side_process_wait(process) || read(process->told_fd, &byte, 1) == 1; /* if not, it said why */
}

bool stream_reader_start(struct stream_reader *reader, const struct stream_reader_config *config)
{
    struct start start = {.config = config};
    bool ok = true;
    *reader = (struct stream_reader){0};
    memset(start.out, 0xff, sizeof start.out); /* all -1 */
    for (size_t i = 0; i < config->urls->num && ok; i++)
        ok = pipe2(start.out[i], O_CLOEXEC) == 0;
    ok = ok && side_process_start(&reader->process, run, &start);
    if (!ok)
        complain("cannot start the process that reads from servers: %s", strerror(errno));
    close_side(&start, 1);
    if (!ok) {
        close_side(&start, 0);
        return false;
    }
    reader->num = config->urls->num;
    for (size_t i = 0; i < reader->num; i++)
        reader->fds[i] = start.out[i][0];
    return is_ready(&reader->process);
}

void stream_reader_end(struct stream_reader *reader)
{
    if (reader->process.pid <= 0)
        return;
    for (size_t i = 0; i < reader->num; i++) {
        if (reader->fds[i] >= 0)
            close(reader->fds[i]);
    }
    side_process_end(&reader->process);
    *reader = (struct stream_reader){0};
}
