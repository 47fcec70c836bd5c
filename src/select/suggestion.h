/*
 * suggestion.h - a name that the user gave and that may be misspelt: whether it occurs, and if it does
 * not, which of those that do comes nearest.
 */
#ifndef SRC_SUGGESTION_H
#define SRC_SUGGESTION_H

#include <distsniff/term.h>

enum { SUGGESTION_MAX = 63 }; /* bytes; longer names are not looked at */

/* suggestion: all zero in the beginning. */
struct suggestion {
    bool occurs;
    size_t changes; /* letters by which the nearest differs */
    size_t len;     /* of it; 0: none is near */
    char nearest[SUGGESTION_MAX];
    uint64_t seen[128]; /* hashes of names that were looked at: most come again and again */
};

/* suggestion_take takes a name that occurs, and is not the word. Both may be as either language writes
 * them; an absent name is none. */
void suggestion_take(struct suggestion *near, struct ds_text word, struct ds_text name);

/* suggestion_tell says on standard error, where the word never occurred and some other is near, what
 * occurs:
 * option and field (NULL: none) are where the user gave it. False where it said nothing. */
bool suggestion_tell(const struct suggestion *near, const char *option, const char *field,
                     struct ds_text word);

#endif
