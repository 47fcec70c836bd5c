/*
 * make_pool.c - runs at build time: the texts of all tables, sorted and without duplicates, so that
 * each has a number.
 */
#include "atoms/make_tables.h"

#include <stdlib.h>
#include <string.h>

static struct pool_text texts[MAX_TEXTS];
static size_t num_texts;

int make_compare(const void *a, const void *b)
{
    const struct pool_text *x = a, *y = b;
    const size_t len = x->len < y->len ? x->len : y->len;
    const int order = memcmp(x->bytes, y->bytes, len);
    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

void make_add(struct pool_text text)
{
    if (num_texts == MAX_TEXTS)
        exit(1);
    texts[num_texts++] = text;
}

size_t make_pool(const struct pool_text **pool)
{
    size_t num = 0;
    qsort(texts, num_texts, sizeof texts[0], make_compare);
    for (size_t i = 0; i < num_texts; i++) {
        if (num == 0 || make_compare(&texts[num - 1], &texts[i]) != 0)
            texts[num++] = texts[i];
    }
    num_texts = num;
    *pool = texts;
    return num;
}

unsigned make_find(struct pool_text text)
{
    const struct pool_text *found = bsearch(&text, texts, num_texts, sizeof text, make_compare);
    return (unsigned)(found - texts);
}
