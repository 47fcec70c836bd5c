/*
 * match_habits.h - recognises patterns of -m that users of redbug and recon write out of habit, and
 * says what to write instead.
 */
#ifndef SRC_MATCH_HABITS_H
#define SRC_MATCH_HABITS_H

#include <stddef.h>

/* match_habits_whole returns why a valid pattern does not mean what was intended; otherwise NULL. */
const char *match_habits_whole(const char *text);

/* match_habits_at returns what to write instead of the error at this place of a pattern; NULL if
 * nothing is known about it. */
const char *match_habits_at(const char *text, size_t at);

/* match_habits_module returns the length of the variable at the beginning of a pattern, if it is
 * probably meant as an Elixir module: Enum:map. Otherwise 0. */
size_t match_habits_module(const char *text);

#endif
