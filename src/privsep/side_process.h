/*
 * side_process.h - a process beside the one that looks at packets, with rights or connections that that one
 * has not. A pipe leads to it, and one back: what each end means is the user's business. It ends when the
 * pipe to it does.
 */
#ifndef SRC_SIDE_PROCESS_H
#define SRC_SIDE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct side_process {
    pid_t pid;
    int wake_fd, told_fd; /* to it, and from it; -1: it is gone */
};

/* side_process_none is one that was not started. */
#define SIDE_PROCESS_NONE ((struct side_process){.wake_fd = -1, .told_fd = -1})

/* side_process_start starts it: run is called there, with its ends of the pipes, and must not return.
 * It has no standard input and output, ignores the signals that end a run, and cannot ask the file
 * helper. This process never waits for the pipes: reads and writes fail with EAGAIN. To be called before
 * there are threads. False: it could not be started, see errno. */
bool side_process_start(struct side_process *process, void (*run)(void *context, int wake_fd, int told_fd),
                        void *context);

/* side_process_wait waits until it tells something, or has ended. False: the user wants to end. Then it was
 * killed, because it may wait for others. */
bool side_process_wait(const struct side_process *process);

/* side_process_close closes the pipes. side_process_end does so, too, and takes its status if it has
 * ended. */
void side_process_close(struct side_process *process);
void side_process_end(struct side_process *process);

#endif
