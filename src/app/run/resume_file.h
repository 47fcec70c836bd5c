/*
 * resume_file.h - --resume: how much of a NATS stream a run has shown, so that the next run goes on
 * there.
 */
#ifndef SRC_RESUME_FILE_H
#define SRC_RESUME_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* resume_file_read reads the time of the latest packet of a stream that was shown, in ns since
 * 1970; 0: the file does not exist yet. False after a complaint. */
bool resume_file_read(const char *name, const char *stream, int64_t *shown_ns);

/* resume_file_write replaces the file. False after a complaint. */
bool resume_file_write(const char *name, const char *stream, int64_t shown_ns);

#endif
