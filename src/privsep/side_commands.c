/*
 * side_commands.c - see side_commands.h.
 */
#include "privsep/side_commands.h"

#include "core/complain.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

enum { POLL_NS = 20000000 };

bool side_commands_have_room(struct side_commands *s)
{
    side_commands_reap(s);
    for (size_t i = 0; i < s->most; i++) {
        if (s->running[i] == 0)
            return true;
    }
    return false;
}

void side_commands_add(struct side_commands *s, pid_t pid)
{
    size_t slot = 0;
    while (slot + 1 < s->most && s->running[slot] != 0)
        slot++;
    s->running[slot] = pid;
}

static void reap(struct side_commands *s, int flags)
{
    for (size_t i = 0; i < s->most; i++) {
        int status = 0;
        if (s->running[i] == 0)
            continue;
        pid_t pid;
        do
            pid = file_helper_wait(s->running[i], &status, flags);
        while (pid < 0 && errno == EINTR);
        if (pid == 0)
            continue;
        s->running[i] = 0;
        if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        s->failed = true;
        if (pid > 0 && WIFSIGNALED(status))
            complain("%s %s was killed by signal %d", s->option, s->command, WTERMSIG(status));
        else if (pid > 0)
            complain("%s %s exited with %d", s->option, s->command, WEXITSTATUS(status));
    }
}

void side_commands_reap(struct side_commands *s)
{
    reap(s, WNOHANG);
}

void side_commands_wait(struct side_commands *s)
{
    reap(s, 0);
}

size_t side_commands_wait_for(struct side_commands *s, int64_t most_ns)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    for (int64_t waited = 0;; waited += POLL_NS) {
        size_t num = 0;
        reap(s, WNOHANG);
        for (size_t i = 0; i < s->most; i++)
            num += s->running[i] != 0;
        if (num == 0 || waited >= most_ns)
            return num;
        nanosleep(&pause, NULL);
    }
}
