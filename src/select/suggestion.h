/*
 * suggestion.h - finds out whether a name that the user gave occurs, and if not, which of the names
 * that do is the most similar: it may be misspelt.
 */
#ifndef SRC_SUGGESTION_H
#define SRC_SUGGESTION_H

#include <distsniff/term.h>

enum { SUGGESTION_MAX = 63 }; /* in bytes; longer names are ignored */

/* suggestion must be all zero at first. */
struct suggestion {
    bool occurs;
    size_t changes; /* number of letters in which the nearest name differs */
    size_t len;     /* of that name; 0: no name is near */
    char nearest[SUGGESTION_MAX];
    uint64_t seen[128]; /* hashes of names that were checked: most occur again and again */
};

/* suggestion_add keeps a name that occurs, and is not the word, if it is the most similar one so far.
 * Both may be in either language's syntax; an absent name is ignored. */
void suggestion_add(struct suggestion *near, struct ds_text word, struct ds_text name);

/* suggestion_say reports on standard error which similar name occurs, if the word never occurred.
 * option and field (NULL: none) say where the user gave it. Returns false if it reported nothing. */
bool suggestion_say(const struct suggestion *near, const char *option, const char *field,
                    struct ds_text word);

#endif
