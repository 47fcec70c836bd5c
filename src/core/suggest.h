/*
 * suggest.h - finds the word that a misspelt word was meant to be.
 */
#ifndef SRC_SUGGEST_H
#define SRC_SUGGEST_H

#include <stddef.h>

/* suggest_find returns the name that is nearest to word, in changed letters; NULL if all are too far
 * away. */
const char *suggest_find(const char *word, size_t len, const char *const *names, size_t num);

/* suggest_changes returns how many letters of word must change to make it name; SIZE_MAX if there are
 * so many that it is another word. */
size_t suggest_changes(const char *word, size_t len, const char *name, size_t name_len);

#endif
