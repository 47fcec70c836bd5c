/*
 * after_file.c - see after_file.h.
 */
#include "after_file.h"

#include "complain.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LOWEST_PRIORITY = 19 };

/* The command must not read the packets that come over standard input, nor write between
 * the records. The terminal's Ctrl-C is for the capture: its last file is still to be
 * worked on. */
static int spawn(const char *command, const char *name, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    char *arguments[] = {(char *)(uintptr_t)command, (char *)(uintptr_t)name, NULL};
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE); /* which are ignored here */
    sigaddset(&usual, SIGXFSZ);
    if ((error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
                                                  0)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)) == 0 &&
        (error = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)) == 0 &&
        (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0 &&
        (error = posix_spawnattr_setsigdefault(&attributes, &usual)) == 0 &&
        (error = posix_spawnattr_setpgroup(&attributes, 0)) == 0 &&
        (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                                           POSIX_SPAWN_SETSIGDEF |
                                                           POSIX_SPAWN_SETPGROUP)) == 0)
        error = posix_spawnp(pid, command, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

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
        complain("-z %s is not run for %s: %d are still running", after->command, name,
                 AFTER_FILE_MAX);
    else if ((error = spawn(after->command, name, &pid)) != 0)
        complain("cannot run %s for %s: %s", after->command, name, strerror(error));
    if (pid == 0) {
        after->failed = true;
        return;
    }
    after->running[slot] = pid;
    (void)setpriority(PRIO_PROCESS, (id_t)pid, LOWEST_PRIORITY);
}

static void reap(struct after_file *after, int flags)
{
    for (size_t i = 0; i < AFTER_FILE_MAX; i++) {
        int status = 0;
        if (after->running[i] == 0)
            continue;
        pid_t pid;
        do
            pid = waitpid(after->running[i], &status, flags);
        while (pid < 0 && errno == EINTR);
        if (pid == 0)
            continue;
        after->running[i] = 0;
        if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        after->failed = true;
        if (pid > 0 && WIFSIGNALED(status))
            complain("-z %s was ended by signal %d", after->command, WTERMSIG(status));
        else if (pid > 0)
            complain("-z %s ended with %d", after->command, WEXITSTATUS(status));
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
