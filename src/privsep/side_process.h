/*
 * side_process.h - a process beside the one that reads packets, with privileges or connections that
 * that one does not have. There is a pipe to it and one back; the caller decides what goes through
 * them. The process ends when the pipe to it is closed.
 */
#ifndef SRC_SIDE_PROCESS_H
#define SRC_SIDE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct side_process {
    pid_t pid;
    int wake_fd, told_fd; /* to it, and from it; -1: it has ended */
};

/* SIDE_PROCESS_NONE is a process that was not started. */
#define SIDE_PROCESS_NONE ((struct side_process){.wake_fd = -1, .told_fd = -1})

/* side_process_start starts it: it calls run there, with its ends of the pipes; run must not return.
 * The process has no standard input and output, ignores the signals that stop a run, and cannot use the
 * file helper. This process never blocks on the pipes: reads and writes fail with EAGAIN. Call it
 * before other threads start. Returns false if it could not be started, see errno. */
bool side_process_start(struct side_process *process, void (*run)(void *context, int wake_fd, int told_fd),
                        void *context);

/* side_process_wait waits until it sends something, or has ended. Returns false if the user wants to
 * stop. Then the process was killed, because it may be waiting for something. */
bool side_process_wait(const struct side_process *process);

/* side_process_close closes the pipes. side_process_end does so, too, and reaps the process if it has
 * ended. */
void side_process_close(struct side_process *process);
void side_process_end(struct side_process *process);

#endif
