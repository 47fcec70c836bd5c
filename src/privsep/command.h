/*
 * command.h - runs the commands of -z and --on-finding: beside the capture, at the lowest priority,
 * with nothing of the capture's: no descriptors, no signals of its terminal, and an environment of a
 * few variables.
 */
#ifndef SRC_COMMAND_H
#define SRC_COMMAND_H

#include <sys/types.h>

/* command_spawn starts the command, found in PATH, without a shell. Its only argument is name, a
 * file's; NULL: it has none. Its standard input is the descriptor input, which stays the caller's; -1:
 * nothing. Returns 0, or an error of errno. */
int command_spawn(const char *command, const char *name, int input, pid_t *pid);

#endif
