/*
 * post_rotate.h - the command of -z, run with the name of each capture file that is complete.
 * It runs beside the capture, see command.h; side_commands.h says how it ends.
 */
#ifndef SRC_POST_ROTATE_H
#define SRC_POST_ROTATE_H

#include "privsep/side_commands.h"

/* post_rotate_for returns the commands of -z; command may be NULL: then none is run. */
struct side_commands post_rotate_for(const char *command);

/* post_rotate_run starts the command with the file's name as its only argument; without a
 * shell, found in PATH. What goes wrong is said, and noted as failed. */
void post_rotate_run(struct side_commands *after, const char *name);

#endif
