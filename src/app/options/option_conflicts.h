/*
 * option_conflicts.h - detects options that do not go together, by the table option_conflicts.def.
 */
#ifndef SRC_OPTION_CONFLICTS_H
#define SRC_OPTION_CONFLICTS_H

#include "app/options/option_line.h"

/* option_given is an option of the command line. */
struct option_given {
    const struct option_line *line;
    const char *value; /* its argument, or NULL */
};

/* option_check_conflicts returns false after a complaint that names the two. */
bool option_check_conflicts(const struct option_given *given, size_t num);

#endif
