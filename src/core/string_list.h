/*
 * string_list.h - what was given with an option that can be given again. The texts are the command
 * line's.
 */
#ifndef SRC_STRING_LIST_H
#define SRC_STRING_LIST_H

#include <stddef.h>

enum { MAX_WORDS = 64 };

struct string_list {
    const char *word[MAX_WORDS];
    size_t num;
};

#endif
