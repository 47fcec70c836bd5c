/*
 * guard.c - see guard.h. The guard waits for the end of a pipe whose other end this process alone has. It
 * is in a session of its own, so that neither Ctrl-C nor the end of a terminal reaches it.
 */
#include "guard.h"

#include "fail.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 100 };

static pid_t guard_pid;

/* remove_all tries for ten seconds: an event is busy until the last reader has let go of it. */
static bool remove_all(const char *group, unsigned num)
{
    const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
    for (int i = 0; i < TRIES; i++) {
        if (probe_remove(group, num))
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static void guard(int fd, const char *group, unsigned num)
{
    char byte;
    ssize_t len;
    (void)setsid();
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_IGN);
    do {
        len = read(fd, &byte, 1);
    } while (len > 0 || (len < 0 && errno == EINTR));
    _exit(remove_all(group, num) ? 0 : 1);
}

int guard_start(const char *group, unsigned num)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0 || (guard_pid = fork()) < 0) {
        fail_say("no process can be started: %s", strerror(errno));
        return -1;
    }
    if (guard_pid == 0) {
        close(fds[1]);
        guard(fds[0], group, num);
    }
    close(fds[0]);
    return fds[1];
}

bool guard_end(int guard_fd, const char *group, unsigned num)
{
    int status = 0;
    close(guard_fd);
    while (waitpid(guard_pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || remove_all(group, num))
        return true;
    fail_say("events of the group %s are still in /sys/kernel/tracing/uprobe_events; they touch no process",
             group);
    return false;
}
