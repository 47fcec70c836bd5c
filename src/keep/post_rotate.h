/*
 * post_rotate.h - runs the command of -z with the name of each completed capture file. It runs in
 * parallel to the capture, see command.h; side_commands.h reports how it ends.
 */
#ifndef SRC_POST_ROTATE_H
#define SRC_POST_ROTATE_H

#include "privsep/side_commands.h"

/* post_rotate_for returns the commands of -z; command may be NULL: then no command is run. */
struct side_commands post_rotate_for(const char *command);

/* post_rotate_run starts the command, found in PATH, without a shell, with the file's name as its only
 * argument. Errors are reported, and `failed` is set. */
void post_rotate_run(struct side_commands *after, const char *name);

#endif
