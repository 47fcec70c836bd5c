/*
 * command.h - runs the commands of -z and --on-finding: in parallel to the capture, at the lowest
 * priority, without its descriptors and without the signals of its terminal, and with an environment of
 * a few variables.
 */
#ifndef SRC_COMMAND_H
#define SRC_COMMAND_H

#include <sys/types.h>

/* command_spawn starts the command, found in PATH, without a shell. Its only argument is name, the name
 * of a file; NULL: it has none. Its standard input is the descriptor input, which the caller still
 * owns; -1: it has none. Returns 0, or an errno value. */
int command_spawn(const char *command, const char *name, int input, pid_t *pid);

#endif
