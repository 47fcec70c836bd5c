/*
 * near_word.h - a name that the user gave and that may be misspelt: whether it occurs, and if it does not,
 * which of those that do comes nearest.
 */
#ifndef SRC_NEAR_WORD_H
#define SRC_NEAR_WORD_H

#include <distsniff/term.h>

enum { NEAR_WORD_MAX = 63 }; /* bytes; longer names are not looked at */

/* near_word: all zero in the beginning. */
struct near_word {
    bool occurs;
    size_t changes; /* letters by which the nearest differs */
    size_t len;     /* of it; 0: none is near */
    char nearest[NEAR_WORD_MAX];
    uint64_t seen[128]; /* hashes of names that were looked at: most come again and again */
};

/* near_word_take takes a name that occurs, and is not the word. Both may be as either language writes
 * them; an absent name is none. */
void near_word_take(struct near_word *near, struct ds_text word, struct ds_text name);

/* near_word_tell says on standard error, where the word never occurred and some other is near, what occurs:
 * option and field (NULL: none) are where the user gave it. False where it said nothing. */
bool near_word_tell(const struct near_word *near, const char *option, const char *field,
                    struct ds_text word);

#endif
