/*
 * option_set.h - a setter for each OPTION of options.def: it processes the argument, NULL if there
 * is none, and returns false after a one-line complaint that says what would be right.
 */
#ifndef SRC_OPTION_SET_H
#define SRC_OPTION_SET_H

#include "app/options/options.h"

#define SECTION(title)
#define OPTION(setter, name, letter, argument, help)                                              \
    bool option_set_##setter(struct options *options, const char *value);
#define FLAG(field, name, letter, help)
#define WORD(field, name, letter, argument, help)
#define SAME(name, other, value)
#include "app/options/options.def"
#undef SECTION
#undef OPTION
#undef FLAG
#undef WORD
#undef SAME

#endif
