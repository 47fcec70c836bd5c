/*
 * string_list.h - the values of an option that can be repeated. The texts belong to the command line.
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
