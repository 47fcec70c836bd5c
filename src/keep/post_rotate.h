/*
 * post_rotate.h - the command of -z, run with the name of each capture file that is complete.
 * It runs beside the capture, see command.h.
 */
#ifndef SRC_POST_ROTATE_H
#define SRC_POST_ROTATE_H

#include <stdbool.h>
#include <sys/types.h>

enum { POST_ROTATE_MAX = 64 }; /* running at once */

struct post_rotate {
    const char *command; /* NULL: there is none */
    pid_t running[POST_ROTATE_MAX]; /* 0: free */
    bool failed;                   /* some command could not be run, or did not end well */
};

/* post_rotate_run starts the command with the file's name as its only argument; without a
 * shell, found in PATH. What goes wrong is said, and noted as failed. */
void post_rotate_run(struct post_rotate *after, const char *name);

/* post_rotate_reap takes note of commands that have ended, without waiting. */
void post_rotate_reap(struct post_rotate *after);

/* post_rotate_wait waits for all. */
void post_rotate_wait(struct post_rotate *after);

#endif
