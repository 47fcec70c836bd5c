/*
 * side_commands.h - commands that run beside the capture, started by the file helper (command.h): how many
 * run at once, and how they end. The command of -z is one, that of --on-finding another.
 */
#ifndef SRC_SIDE_COMMANDS_H
#define SRC_SIDE_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SIDE_COMMANDS_MAX = 64 };

struct side_commands {
    const char *option;  /* that named the command, for complaints: "-z" */
    const char *command; /* NULL: there is none */
    size_t most;         /* how many may run at once, at most SIDE_COMMANDS_MAX */
    pid_t running[SIDE_COMMANDS_MAX]; /* 0: free */
    bool failed;         /* a command could not be started, or did not end well */
};

/* side_commands_have_room says whether one more may run now; it takes note of those that have ended. */
bool side_commands_have_room(struct side_commands *s);

/* side_commands_add takes note of a command that was started; there is room for it. */
void side_commands_add(struct side_commands *s, pid_t pid);

/* side_commands_reap takes note of commands that have ended, without waiting. What went wrong is said, and
 * noted as failed. */
void side_commands_reap(struct side_commands *s);

/* side_commands_wait waits until all have ended. */
void side_commands_wait(struct side_commands *s);

/* side_commands_wait_for waits no longer than so many nanoseconds, and returns how many still run. */
size_t side_commands_wait_for(struct side_commands *s, int64_t most_ns);

#endif
