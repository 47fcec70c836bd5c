/*
 * option_line.h - the table of options.def, for who reads the command line and who explains
 * it.
 */
#ifndef SRC_OPTION_LINE_H
#define SRC_OPTION_LINE_H

#include "app/options/options.h"

enum option_kind {
    OPTION_SECTION, /* no option: a heading, its title is name */
    OPTION_SETTER,  /* set takes the argument */
    OPTION_FLAG,    /* the bool at offset becomes true */
    OPTION_WORD,    /* the text at offset becomes the argument */
    OPTION_SAME,    /* another option with a value: same_as and value */
};

/* option_line is one line of the table. */
struct option_line {
    enum option_kind kind;
    bool (*set)(struct options *options, const char *value);
    size_t offset; /* in struct options */
    const char *name;
    int letter;           /* 0: none */
    const char *argument; /* what it is called; NULL: none; in brackets: may be left out */
    const char *help;
    const char *same_as, *value; /* of OPTION_SAME: the long name, and its argument */
};

enum {
    NUM_OPTION_LINES = 0
#define SECTION(title) +1
#define OPTION(setter, name, letter, argument, help) +1
#define FLAG(field, name, letter, help) +1
#define WORD(field, name, letter, argument, help) +1
#define SAME(name, other, value) +1
#include "app/options/options.def"
#undef SECTION
#undef OPTION
#undef FLAG
#undef WORD
#undef SAME
};

extern const struct option_line option_lines[NUM_OPTION_LINES];

/* option_line_find returns the option of that long name, or NULL. */
const struct option_line *option_line_find(const char *name);

/* option_line_may_lack_argument says whether all of it stands in brackets. */
bool option_line_may_lack_argument(const struct option_line *line);

/* option_line_nearest returns the option, caps among them, that a misspelt name was meant to be; NULL
 * when there is none. It lives until the next call. */
const char *option_line_nearest(const char *name, size_t len);

/* option_take puts an option that was given into options. value is the argument, or NULL.
 * False after a complaint. */
bool option_take(struct options *options, const struct option_line *line, const char *value);

#endif
