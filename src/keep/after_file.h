/*
 * after_file.h - the command of -z, run with the name of each capture file that is complete.
 * It runs beside the capture, see command.h.
 */
#ifndef SRC_AFTER_FILE_H
#define SRC_AFTER_FILE_H

#include <stdbool.h>
#include <sys/types.h>

enum { AFTER_FILE_MAX = 64 }; /* running at once */

struct after_file {
    const char *command; /* NULL: there is none */
    pid_t running[AFTER_FILE_MAX]; /* 0: free */
    bool failed;                   /* some command could not be run, or did not end well */
};

/* after_file_run starts the command with the file's name as its only argument; without a
 * shell, found in PATH. What goes wrong is said, and noted as failed. */
void after_file_run(struct after_file *after, const char *name);

/* after_file_reap takes note of commands that have ended, without waiting. */
void after_file_reap(struct after_file *after);

/* after_file_wait waits for all. */
void after_file_wait(struct after_file *after);

#endif
