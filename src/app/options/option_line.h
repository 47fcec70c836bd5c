/*
 * option_line.h - the table of options.def, for parsing the command line and for its help.
 */
#ifndef SRC_OPTION_LINE_H
#define SRC_OPTION_LINE_H

#include "app/options/options.h"

enum option_kind {
    OPTION_SECTION, /* not an option: a heading with the title name */
    OPTION_SETTER,  /* set processes the argument */
    OPTION_FLAG,    /* the bool at offset becomes true */
    OPTION_WORD,    /* the text at offset becomes the argument */
    OPTION_SAME,    /* another option with a value: same_as and value */
};

/* option_line is a line of the table. */
struct option_line {
    enum option_kind kind;
    bool (*set)(struct options *options, const char *value);
    size_t offset; /* in struct options */
    const char *name;
    int letter;           /* 0: none */
    const char *argument; /* NULL: none; in brackets: it may be left out */
    const char *help;
    const char *same_as, *value; /* of OPTION_SAME: the other option's long name, and its argument */
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

/* option_line_may_lack_argument says whether the whole argument is in brackets. */
bool option_line_may_lack_argument(const struct option_line *line);

/* option_line_nearest returns the option, including caps, that is most similar to a misspelt name;
 * NULL if there is none. Valid until the next call. */
const char *option_line_nearest(const char *name, size_t len);

/* option_apply stores an option in options. value is the argument, or NULL. False after a complaint. */
bool option_apply(struct options *options, const struct option_line *line, const char *value);

#endif
