/*
 * option_habits.h - options that mean something else in tcpdump, tshark, ngrep and sngrep: instead
 * of doing something unwanted, the program says what to type.
 */
#ifndef SRC_OPTION_HABITS_H
#define SRC_OPTION_HABITS_H

#include "app/options/options.h"

#include <stdbool.h>

struct option_line;

/* option_habits_check checks an option after it was parsed: word is how it was typed, value its
 * argument or NULL, next the following word or NULL. False after a complaint: it is an option of
 * another tool. */
bool option_habits_check(const struct option_line *line, const char *word, const char *value,
                         const char *next);

/* option_habits_check_file complains about ngrep's -I FILE -w WORD, which would overwrite a file
 * here. */
bool option_habits_check_file(const struct options *options, const struct option_given *given, size_t num);

#endif
