/*
 * nearest.h - what a misspelt word was meant to be.
 */
#ifndef SRC_NEAREST_H
#define SRC_NEAREST_H

#include <stddef.h>

/* nearest_find returns the name that takes the fewest changes of a letter to become word,
 * NULL when all are too far from it. */
const char *nearest_find(const char *word, size_t len, const char *const *names, size_t num);

#endif
