/*
 * option_habits.h - options as people know them from tcpdump, tshark, ngrep and sngrep, which mean
 * something else here: they are answered, where they would do what nobody wants.
 */
#ifndef SRC_OPTION_HABITS_H
#define SRC_OPTION_HABITS_H

#include "app/options/options.h"

#include <stdbool.h>

struct option_line;

/* option_habits_check takes an option as it was read: word is how it was typed, value what it is
 * given, NULL: nothing, and next the word behind it, NULL: none. False: it is another tool's, which is
 * said. */
bool option_habits_check(const struct option_line *line, const char *word, const char *value,
                         const char *next);

/* option_habits_check_file: ngrep's -I FILE -w WORD searches, and would write over a file here. */
bool option_habits_check_file(const struct options *options, const struct option_given *given, size_t num);

#endif
