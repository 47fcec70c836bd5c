/*
 * post_rotate.c - see post_rotate.h.
 */
#include "keep/post_rotate.h"

#include "core/complain.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

void post_rotate_run(struct post_rotate *after, const char *name)
{
    if (after->command == NULL)
        return;
    post_rotate_reap(after);
    size_t slot = 0;
    while (slot < POST_ROTATE_MAX && after->running[slot] != 0)
        slot++;
    pid_t pid = 0;
    int error = 0;
    if (slot == POST_ROTATE_MAX)
        complain("-z %s is not run for %s: %d commands are still running", after->command, name,
                 POST_ROTATE_MAX);
    else if ((error = file_helper_spawn(after->command, name, &pid)) != 0)
        complain("cannot run %s for %s: %s", after->command, name, strerror(error));
    if (pid == 0) {
        after->failed = true;
        return;
    }
    after->running[slot] = pid;
}

static void reap(struct post_rotate *after, int flags)
{
    for (size_t i = 0; i < POST_ROTATE_MAX; i++) {
        int status = 0;
        if (after->running[i] == 0)
            continue;
        pid_t pid;
        do
            pid = file_helper_wait(after->running[i], &status, flags);
        while (pid < 0 && errno == EINTR);
        if (pid == 0)
            continue;
        after->running[i] = 0;
        if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        after->failed = true;
        if (pid > 0 && WIFSIGNALED(status))
            complain("-z %s was killed by signal %d", after->command, WTERMSIG(status));
        else if (pid > 0)
            complain("-z %s exited with %d", after->command, WEXITSTATUS(status));
    }
}

void post_rotate_reap(struct post_rotate *after)
{
    reap(after, WNOHANG);
}

void post_rotate_wait(struct post_rotate *after)
{
    reap(after, 0);
}
