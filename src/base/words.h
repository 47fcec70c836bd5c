/*
 * words.h - what was given with an option that can be given again. The texts are the command
 * line's.
 */
#ifndef SRC_WORDS_H
#define SRC_WORDS_H

#include <stddef.h>

enum { MAX_WORDS = 64 };

struct words {
    const char *word[MAX_WORDS];
    size_t num;
};

#endif
