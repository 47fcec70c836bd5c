/*
 * side_process.c - see side_process.h.
 */
#include "privsep/side_process.h"

#include "core/signals.h"
#include "privsep/file_helper.h"
#include "privsep/own_fds.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 50 };

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

bool side_process_start(struct side_process *process, void (*run)(void *context, int wake_fd, int told_fd),
                        void *context)
{
    int wake[2] = {-1, -1}, told[2] = {-1, -1};
    *process = SIDE_PROCESS_NONE;
    bool ok = pipe2(wake, O_CLOEXEC | O_NONBLOCK) == 0 && pipe2(told, O_CLOEXEC) == 0 &&
              fcntl(told[0], F_SETFL, O_NONBLOCK) == 0;
    if (ok) {
        fflush(NULL); /* otherwise both would write the buffer */
        process->pid = fork();
        ok = process->pid >= 0;
    }
    if (ok && process->pid == 0) {
        close(wake[1]);
        close(told[0]);
        close(STDIN_FILENO);
        close(STDOUT_FILENO); /* its reader need not wait for this process */
        file_helper_forget();
        own_fds_close();
        signals_ignore_all();
        run(context, wake[0], told[1]);
        _exit(EXIT_FAILURE);
    }
    const int error = errno;
    close_end(&wake[0]);
    close_end(&told[1]);
    process->wake_fd = wake[1];
    process->told_fd = told[0];
    if (!ok) {
        process->pid = 0;
        side_process_close(process);
    }
    errno = error;
    return ok;
}

bool side_process_wait(const struct side_process *process)
{
    struct pollfd fd = {process->told_fd, POLLIN, 0};
    while (!stop_wanted && poll(&fd, 1, LOOK_MS) <= 0)
        ;
    if (stop_wanted)
        kill(process->pid, SIGKILL);
    return !stop_wanted;
}

void side_process_close(struct side_process *process)
{
    close_end(&process->wake_fd);
    close_end(&process->told_fd);
}

void side_process_end(struct side_process *process)
{
    side_process_close(process);
    if (process->pid > 0)
        (void)waitpid(process->pid, NULL, WNOHANG);
    process->pid = 0;
}
