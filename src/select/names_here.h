/*
 * names_here.h - some of the names that occur, those that weigh most, for a user who asked for another one.
 */
#ifndef DISTSNIFF_NAMES_HERE_H
#define DISTSNIFF_NAMES_HERE_H

#include "select/suggestion.h"

enum { NAMES_HERE_MAX = 48, NAMES_HERE_SHOWN = 8 };

/* names_here: all zero in the beginning. */
struct names_here {
    struct name_here {
        char text[SUGGESTION_MAX];
        uint8_t len;
        uint64_t weight;
    } name[NAMES_HERE_MAX];
    size_t num;
    bool has_more; /* a name had no room: the lightest made room for it, and it has that one's weight */
};

/* names_here_add adds weight to a name; an absent, empty or long one is none. */
void names_here_add(struct names_here *names, struct ds_text name, uint64_t weight);

/* names_here_print adds the heaviest to a text, with commas between them. False: there are none. */
bool names_here_print(const struct names_here *names, struct ds_buffer *text);

#endif
