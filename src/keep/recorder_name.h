/*
 * recorder_name.h - names for the files of --trigger.
 */
#ifndef SRC_RECORDER_NAME_H
#define SRC_RECORDER_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum { RECORDER_NAME_LEN = 4096 };

/* recorder_name writes the name of a new file, and creates it: strftime expands pattern with the local time
 * of ts_ns; a pattern without a time gets one before its suffix. If the file exists already, a number is
 * added: no file is overwritten. name has RECORDER_NAME_LEN bytes. Returns false after an error message. */
bool recorder_name(const char *pattern, int64_t ts_ns, char *name);

#endif
