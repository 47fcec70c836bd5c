/*
 * nearest.h - what a misspelt word was meant to be.
 */
#ifndef SRC_NEAREST_H
#define SRC_NEAREST_H

#include <stddef.h>

/* nearest_find returns the name that takes the fewest changes of a letter to become word,
 * NULL when all are too far from it. */
const char *nearest_find(const char *word, size_t len, const char *const *names, size_t num);

/* nearest_changes returns how many letters of word change to make it name, SIZE_MAX where these are so many
 * that it is another word. */
size_t nearest_changes(const char *word, size_t len, const char *name, size_t name_len);

#endif
