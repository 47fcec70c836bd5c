/*
 * suggest.h - what a misspelt word was meant to be.
 */
#ifndef SRC_SUGGEST_H
#define SRC_SUGGEST_H

#include <stddef.h>

/* suggest_find returns the name that takes the fewest changes of a letter to become word,
 * NULL when all are too far from it. */
const char *suggest_find(const char *word, size_t len, const char *const *names, size_t num);

/* suggest_changes returns how many letters of word change to make it name, SIZE_MAX where these are so many
 * that it is another word. */
size_t suggest_changes(const char *word, size_t len, const char *name, size_t name_len);

#endif
