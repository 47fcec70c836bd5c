/*
 * side_commands.h - commands that run in parallel to the capture, started by the file helper
 * (command.h): how many run at once, and how they end. Used for the commands of -z and of --on-finding.
 */
#ifndef SRC_SIDE_COMMANDS_H
#define SRC_SIDE_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SIDE_COMMANDS_MAX = 64 };

struct side_commands {
    const char *option;  /* the option of the command, for error messages: "-z" */
    const char *command; /* NULL: none */
    size_t most;         /* maximum number at once, up to SIDE_COMMANDS_MAX */
    pid_t running[SIDE_COMMANDS_MAX]; /* 0: free */
    bool failed;         /* a command could not be started, or failed */
};

/* side_commands_have_room says whether another one may run now; it also removes those that have ended. */
bool side_commands_have_room(struct side_commands *s);

/* side_commands_add adds a command that was started. There must be room. */
void side_commands_add(struct side_commands *s, pid_t pid);

/* side_commands_reap removes commands that have ended, without waiting. Errors are reported, and
 * `failed` is set. */
void side_commands_reap(struct side_commands *s);

/* side_commands_wait waits until all have ended. */
void side_commands_wait(struct side_commands *s);

/* side_commands_wait_for waits at most that many nanoseconds, and returns how many still run. */
size_t side_commands_wait_for(struct side_commands *s, int64_t most_ns);

#endif
