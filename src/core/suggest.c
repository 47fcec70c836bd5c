/*
 * suggest.c - see suggest.h. It uses the Damerau-Levenshtein distance: letters inserted, omitted or
 * changed, and adjacent letters swapped.
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

/* distance keeps three rows of the table of distances: the row for the letters of word so far, and the
 * two before it. */
static size_t distance(const char *word, size_t len, const char *name, size_t name_len)
{
    size_t rows[3][MAX_WORD + 1];
    for (size_t j = 0; j <= name_len; j++)
        rows[0][j] = j;
    for (size_t i = 0; i < len; i++) {
        const size_t *earlier = rows[(i + 2) % 3], *above = rows[i % 3];
        size_t *row = rows[(i + 1) % 3];
        row[0] = i + 1;
        for (size_t j = 0; j < name_len; j++) {
            row[j + 1] = least(above[j] + (word[i] != name[j]), above[j + 1] + 1, row[j] + 1);
            if (i > 0 && j > 0 && word[i] == name[j - 1] && word[i - 1] == name[j])
                row[j + 1] = least(row[j + 1], earlier[j - 1] + 1, SIZE_MAX);
        }
    }
    return rows[len % 3][name_len];
}

static size_t too_many(size_t len)
{
    return len / 3 + 2; /* anything further away is another word */
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
