/*
 * match_habits.h - what users of redbug and recon write out of habit as a pattern of -m, and what
 * is to be written here instead.
 */
#ifndef SRC_MATCH_HABITS_H
#define SRC_MATCH_HABITS_H

#include <stddef.h>

/* match_habits_whole returns why a pattern, though it is one, is not what is meant; else NULL. */
const char *match_habits_whole(const char *text);

/* match_habits_at returns what to write instead of what is wrong at this place of a pattern; NULL
 * where nothing is known. */
const char *match_habits_at(const char *text, size_t at);

/* match_habits_module returns the length of the variable that a pattern begins with, where it is
 * likely to be meant as a module of Elixir's: Enum:map. Else 0. */
size_t match_habits_module(const char *text);

#endif
