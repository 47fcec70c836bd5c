/*
 * suggest.c - see suggest.h. The distance is Levenshtein's: letters put in, left out or
 * changed.
 */
#include "core/suggest.h"

#include <stdint.h>
#include <string.h>

enum { MAX_WORD = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* One row of the table of distances is kept: that of the letters of word up to here. */
static size_t distance(const char *word, size_t len, const char *name, size_t name_len)
{
    size_t row[MAX_WORD + 1];
    for (size_t j = 0; j <= name_len; j++)
        row[j] = j;
    for (size_t i = 0; i < len; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < name_len; j++) {
            const size_t above = row[j + 1];
            row[j + 1] = least(diagonal + (word[i] != name[j]), above + 1, row[j] + 1);
            diagonal = above;
        }
    }
    return row[name_len];
}

static size_t too_many(size_t len)
{
    return len / 3 + 2; /* what is further away is another word */
}

size_t suggest_changes(const char *word, size_t len, const char *name, size_t name_len)
{
    if (len > MAX_WORD || name_len > MAX_WORD)
        return SIZE_MAX;
    const size_t changes = distance(word, len, name, name_len);
    return changes < too_many(len) ? changes : SIZE_MAX;
}

const char *suggest_find(const char *word, size_t len, const char *const *names, size_t num)
{
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < num; i++) {
        const size_t changes = suggest_changes(word, len, names[i], strlen(names[i]));
        if (changes < best) {
            best = changes;
            nearest = names[i];
        }
    }
    return nearest;
}
