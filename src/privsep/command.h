/*
 * command.h - runs the command of -z: beside the capture, at the lowest priority, with nothing
 * of the capture's: no descriptors, no signals of its terminal, and an environment of a few
 * variables.
 */
#ifndef SRC_COMMAND_H
#define SRC_COMMAND_H

#include <sys/types.h>

/* command_spawn starts the command, found in PATH, with a file's name as its only argument;
 * without a shell. Returns 0, or an error of errno. */
int command_spawn(const char *command, const char *name, pid_t *pid);

#endif
