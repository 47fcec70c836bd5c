/*
 * command.c - see command.h.
 *
 * The command must neither read the packets that come over standard input, nor write between the
 * records. The terminal's Ctrl-C is for the capture: a command still processes its last file. Secrets
 * in the environment are not for commands: a command gets only the variables that say where commands,
 * files and the user's home are, the language and the time zone.
 */
#include "privsep/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

enum { LOWEST_PRIORITY = 19, MAX_VARIABLES = 64 };

static const char *const variables[] = {
    "PATH=", "HOME=", "USER=", "LOGNAME=", "SHELL=", "TMPDIR=", "LANG=", "LANGUAGE=", "LC_", "TZ=",
};

static bool is_for_commands(const char *variable)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (strncmp(variable, variables[i], strlen(variables[i])) == 0)
            return true;
    }
    return false;
}

static void choose_environment(char *chosen[MAX_VARIABLES + 1])
{
    size_t num = 0;
    for (char **at = environ; *at != NULL && num < MAX_VARIABLES; at++) {
        if (is_for_commands(*at))
            chosen[num++] = *at;
    }
    chosen[num] = NULL;
}

/* set_usual lists the signals whose default action a command gets again: those that this program
 * ignores or handles, except SIGHUP, which nohup may have set. */
static void set_usual(sigset_t *usual)
{
    static const int signals[] = {SIGINT,  SIGTERM, SIGPIPE, SIGXFSZ,
                                  SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD};
    sigemptyset(usual);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaddset(usual, signals[i]);
}

/* keep_open_no_more makes the command start with the first three descriptors only. Some C libraries
 * have no function for that: there it sets close-on-exec for each, which does not affect this process. */
static int keep_open_no_more(posix_spawn_file_actions_t *actions)
{
#ifdef __GLIBC__
    return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#else
    (void)actions;
    for (long fd = STDERR_FILENO + 1, num = sysconf(_SC_OPEN_MAX); fd < num; fd++)
        (void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

/* set_input sets the standard input of a command. */
static int set_input(posix_spawn_file_actions_t *actions, int input)
{
    return input >= 0 ? posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO) :
                        posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
}

int command_spawn(const char *command, const char *name, int input, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    char *arguments[] = {(char *)(uintptr_t)command, (char *)(uintptr_t)name, NULL};
    char *environment[MAX_VARIABLES + 1];
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    set_usual(&usual);
    choose_environment(environment);
    if ((error = set_input(&actions, input)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)) == 0 &&
        (error = keep_open_no_more(&actions)) == 0 &&
        (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0 &&
        (error = posix_spawnattr_setsigdefault(&attributes, &usual)) == 0 &&
        (error = posix_spawnattr_setpgroup(&attributes, 0)) == 0 &&
        (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                                           POSIX_SPAWN_SETSIGDEF |
                                                           POSIX_SPAWN_SETPGROUP)) == 0)
        error = posix_spawnp(pid, command, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0)
        (void)setpriority(PRIO_PROCESS, (id_t)*pid, LOWEST_PRIORITY);
    return error;
}
