/*
 * resume_file.h - --resume: how far a run has shown what a stream of NATS has, for the next one to go on
 * there.
 */
#ifndef SRC_RESUME_FILE_H
#define SRC_RESUME_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* resume_file_read reads the time of the latest packet that was shown of a stream, in ns since 1970; 0: the
 * file is not there yet. False after a complaint. */
bool resume_file_read(const char *name, const char *stream, int64_t *shown_ns);

/* resume_file_write replaces the file. False after a complaint. */
bool resume_file_write(const char *name, const char *stream, int64_t shown_ns);

#endif
