/*
 * after_file.c - see after_file.h.
 */
#include "after_file.h"

#include "complain.h"
#include "file_helper.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

void after_file_run(struct after_file *after, const char *name)
{
    if (after->command == NULL)
        return;
    after_file_reap(after);
    size_t slot = 0;
    while (slot < AFTER_FILE_MAX && after->running[slot] != 0)
        slot++;
    pid_t pid = 0;
    int error = 0;
    if (slot == AFTER_FILE_MAX)
        complain("-z %s is not run for %s: %d commands are still running", after->command, name,
                 AFTER_FILE_MAX);
    else if ((error = file_helper_spawn(after->command, name, &pid)) != 0)
        complain("cannot run %s for %s: %s", after->command, name, strerror(error));
    if (pid == 0) {
        after->failed = true;
        return;
    }
    after->running[slot] = pid;
}

static void reap(struct after_file *after, int flags)
{
    for (size_t i = 0; i < AFTER_FILE_MAX; i++) {
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

void after_file_reap(struct after_file *after)
{
    reap(after, WNOHANG);
}

void after_file_wait(struct after_file *after)
{
    reap(after, 0);
}
