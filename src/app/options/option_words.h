/*
 * option_words.h - the words after the options, which are a BPF expression: whether the first of them is
 * likely meant as something else, such as a command, the argument of an option, or a file.
 */
#ifndef SRC_OPTION_WORDS_H
#define SRC_OPTION_WORDS_H

#include "app/options/option_conflicts.h"
#include "app/options/options.h"

/* option_words_check says what to type if the first word of the expression is likely meant as something
 * else, and then returns false. words ends with NULL; given has num options. */
bool option_words_check(const struct options *options, char **words, const struct option_given *given,
                        size_t num);

#endif
