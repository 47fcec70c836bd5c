/*
 * run_name.h - the names that later files of a run can have.
 */
#ifndef SRC_RUN_NAME_H
#define SRC_RUN_NAME_H

#include <stdbool.h>

/* run_name_fits says whether name can be made of what -w was given: its conversions of
 * strftime(3) stand for any time, and numbers and a time may stand before its suffix and at its
 * end. Nothing that is made so leaves the folders that the pattern names. */
bool run_name_fits(const char *pattern, const char *name);

#endif
