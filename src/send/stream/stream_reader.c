/*
 * stream_reader.c - see stream_reader.h.
 */
#include "send/stream/stream_reader.h"

#include "core/complain.h"
#include "core/signals.h"
#include "privsep/own_process.h"
#include "privsep/privileges.h"
#include "send/stream/stream_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* pipes are what the two processes share: [0] is read, [1] written. */
struct pipes {
    int alive[2], ready[2], out[STREAM_MAX_STREAMS][2];
};

static _Noreturn void run(const struct stream_reader_config *config, struct pipes *pipes)
{
    struct stream_loop_config loop = {
        .urls = config->urls,
        .is_confined = config->is_confined,
        .alive_fd = pipes->alive[0],
        .ready_fd = pipes->ready[1],
    };
    signals_ignore_all();
    close(STDIN_FILENO);
    close(STDOUT_FILENO); /* who reads it need not wait for this process */
    close(pipes->alive[1]);
    close(pipes->ready[0]);
    for (size_t i = 0; i < config->urls->num; i++) {
        close(pipes->out[i][0]);
        loop.out_fd[i] = pipes->out[i][1];
    }
    if (!privileges_return() || !privileges_drop(config->user))
        _exit(EXIT_FAILURE);
    (void)own_process_hide(); /* there may be secrets in what comes */
    stream_loop_run(&loop);
    _exit(EXIT_SUCCESS);
}

static void close_pair(int fds[2])
{
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

static void close_all(struct pipes *pipes)
{
    close_pair(pipes->alive);
    close_pair(pipes->ready);
    for (size_t i = 0; i < STREAM_MAX_STREAMS; i++)
        close_pair(pipes->out[i]);
}

static bool open_all(struct pipes *pipes, size_t num)
{
    memset(pipes, 0xff, sizeof *pipes); /* all -1 */
    bool ok = pipe2(pipes->alive, O_CLOEXEC) == 0 && pipe2(pipes->ready, O_CLOEXEC) == 0;
    for (size_t i = 0; i < num && ok; i++)
        ok = pipe2(pipes->out[i], O_CLOEXEC) == 0;
    return ok;
}

/* is_ready waits until all are connected. */
static bool is_ready(const struct stream_reader *reader, int ready_fd)
{
    char byte;
    struct pollfd fd = {ready_fd, POLLIN, 0};
    while (!stop_wanted && poll(&fd, 1, 50) <= 0)
        ;
    if (stop_wanted) {
        kill(reader->pid, SIGKILL); /* it may wait for servers of names */
        return true;
    }
    return read(ready_fd, &byte, 1) == 1; /* else it has said why */
}

bool stream_reader_start(struct stream_reader *reader, const struct stream_reader_config *config)
{
    struct pipes pipes;
    *reader = (struct stream_reader){0};
    bool ok = open_all(&pipes, config->urls->num);
    if (ok) {
        fflush(NULL); /* or both would write it */
        reader->pid = fork();
        ok = reader->pid >= 0;
    }
    if (reader->pid == 0 && ok)
        run(config, &pipes);
    if (!ok) {
        complain("cannot start the process that reads from servers: %s", strerror(errno));
        close_all(&pipes);
        *reader = (struct stream_reader){0};
        return false;
    }
    close(pipes.ready[1]);
    pipes.ready[1] = -1;
    ok = is_ready(reader, pipes.ready[0]);
    reader->alive_fd = pipes.alive[1];
    pipes.alive[1] = -1;
    reader->num = config->urls->num;
    for (size_t i = 0; i < reader->num; i++) {
        reader->fds[i] = pipes.out[i][0];
        pipes.out[i][0] = -1;
    }
    close_all(&pipes);
    return ok;
}

void stream_reader_end(struct stream_reader *reader)
{
    if (reader->pid <= 0)
        return;
    close(reader->alive_fd); /* it ends when it sees that */
    for (size_t i = 0; i < reader->num; i++) {
        if (reader->fds[i] >= 0)
            close(reader->fds[i]);
    }
    (void)waitpid(reader->pid, NULL, WNOHANG);
    *reader = (struct stream_reader){0};
}
