/*
 * numbers.c - see numbers.h.
 */
#include "numbers.h"

#include <stdlib.h>

struct number {
    uint64_t hash;
    uint32_t number; /* 0: free */
};

bool numbers_init(struct numbers *numbers, uint32_t max)
{
    *numbers = (struct numbers){.max = max};
    numbers->table = calloc((size_t)max * 2, sizeof *numbers->table);
    return numbers->table != NULL;
}

void numbers_free(struct numbers *numbers)
{
    free(numbers->table);
    *numbers = (struct numbers){0};
}

/* find returns the place of a thing, or where it would be. */
static struct number *find(const struct numbers *numbers, uint64_t hash)
{
    const uint64_t mask = (uint64_t)numbers->max * 2 - 1;
    uint64_t i = hash & mask;
    while (numbers->table[i].number != 0 && numbers->table[i].hash != hash)
        i = (i + 1) & mask;
    return &numbers->table[i];
}

uint32_t numbers_find(const struct numbers *numbers, uint64_t hash)
{
    return find(numbers, hash)->number;
}

uint32_t numbers_get(struct numbers *numbers, uint64_t hash, bool *is_new)
{
    struct number *place = find(numbers, hash);
    *is_new = place->number == 0 && numbers->num < numbers->max;
    if (*is_new)
        *place = (struct number){hash, ++numbers->num};
    return place->number;
}

void numbers_set(struct numbers *numbers, uint64_t hash, uint32_t number)
{
    struct number *place = find(numbers, hash);
    if (place->number == 0 && numbers->num_same >= numbers->max / 2)
        return;
    if (place->number == 0)
        numbers->num_same++;
    *place = (struct number){hash, number};
}

uint64_t hash_add_text(uint64_t hash, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
}
