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

uint32_t numbers_get(struct numbers *numbers, uint64_t hash, bool *is_new)
{
    uint64_t mask = (uint64_t)numbers->max * 2 - 1;
    uint64_t i = hash & mask;
    *is_new = false;
    for (; numbers->table[i].number != 0; i = (i + 1) & mask) {
        if (numbers->table[i].hash == hash)
            return numbers->table[i].number;
    }
    if (numbers->num == numbers->max)
        return 0;
    *is_new = true;
    numbers->table[i] = (struct number){hash, ++numbers->num};
    return numbers->num;
}

uint32_t numbers_same(struct numbers *numbers, uint64_t hash, uint32_t number)
{
    uint64_t mask = (uint64_t)numbers->max * 2 - 1;
    uint64_t i = hash & mask;
    for (; numbers->table[i].number != 0; i = (i + 1) & mask) {
        if (numbers->table[i].hash == hash)
            return numbers->table[i].number;
    }
    if (numbers->num_same >= numbers->max / 2)
        return 0;
    numbers->num_same++;
    numbers->table[i] = (struct number){hash, number};
    return number;
}

uint64_t hash_add_text(uint64_t hash, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
}
