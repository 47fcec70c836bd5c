/*
 * names_here.h - some of the names that occur, the ones with the greatest weight, for a user who asked
 * for a name that does not occur.
 */
#ifndef DISTSNIFF_NAMES_HERE_H
#define DISTSNIFF_NAMES_HERE_H

#include "select/suggestion.h"

enum { NAMES_HERE_MAX = 48, NAMES_HERE_SHOWN = 8 };

/* names_here must be all zero at first. */
struct names_here {
    struct name_here {
        char text[SUGGESTION_MAX];
        uint8_t len;
        uint64_t weight;
    } name[NAMES_HERE_MAX];
    size_t num;
    bool has_more; /* a name had no room: it replaced the lightest, and inherited its weight */
};

/* names_here_add adds weight to a name; absent, empty and long names are ignored. */
void names_here_add(struct names_here *names, struct ds_text name, uint64_t weight);

/* names_here_print appends the heaviest names to a text, separated by commas. Returns false if there
 * are none. */
bool names_here_print(const struct names_here *names, struct ds_buffer *text);

#endif
