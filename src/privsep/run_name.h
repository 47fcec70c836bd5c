/*
 * run_name.h - the names that later files of a run can have.
 */
#ifndef SRC_RUN_NAME_H
#define SRC_RUN_NAME_H

#include <stdbool.h>

/* run_name_fits says whether name can be made from the argument of -w: its strftime(3) conversions
 * match any time, and numbers and a time may precede its suffix and appear at its end. No such name is
 * outside of the folders that the pattern names. */
bool run_name_fits(const char *pattern, const char *name);

#endif
