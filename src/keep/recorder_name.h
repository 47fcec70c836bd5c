/*
 * recorder_name.h - the names of the files of --trigger.
 */
#ifndef SRC_RECORDER_NAME_H
#define SRC_RECORDER_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum { RECORDER_NAME_LEN = 4096 };

/* recorder_name writes the name of a new file, and creates it: pattern put through strftime
 * with the local time of ts_ns; one without a time in it gets one, before its suffix. Where a
 * file of that name is there already, a number follows: none is overwritten. name has
 * RECORDER_NAME_LEN bytes. False after a complaint. */
bool recorder_name(const char *pattern, int64_t ts_ns, char *name);

#endif
