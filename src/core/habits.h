/*
 * habits.h - words that people know from other tools, or guess, and what to use instead: habits.def.
 */
#ifndef DISTSNIFF_HABITS_H
#define DISTSNIFF_HABITS_H

#include <stddef.h>

enum habit_where { HABIT_OPTION, HABIT_REPORT, HABIT_FORMAT, HABIT_FIELD, HABIT_VALUE,
                   HABIT_NEXT };

/* habit_answer returns what to use instead of a word; NULL: unknown. */
const char *habit_answer(enum habit_where where, const char *word, size_t len);

#endif
