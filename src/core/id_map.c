/*
 * id_map.c - see id_map.h.
 */
#include "core/id_map.h"

#include <stdlib.h>

struct id_map_entry {
    uint64_t hash;
    uint32_t number; /* 0: free */
};

bool id_map_init(struct id_map *numbers, uint32_t max)
{
    *numbers = (struct id_map){.max = max};
    numbers->table = calloc((size_t)max * 2, sizeof *numbers->table);
    return numbers->table != NULL;
}

void id_map_free(struct id_map *numbers)
{
    free(numbers->table);
    *numbers = (struct id_map){0};
}

/* find returns the place of a thing, or the free place for it. */
static struct id_map_entry *find(const struct id_map *numbers, uint64_t hash)
{
    const uint64_t mask = (uint64_t)numbers->max * 2 - 1;
    uint64_t i = hash & mask;
    while (numbers->table[i].number != 0 && numbers->table[i].hash != hash)
        i = (i + 1) & mask;
    return &numbers->table[i];
}

uint32_t id_map_find(const struct id_map *numbers, uint64_t hash)
{
    return find(numbers, hash)->number;
}

uint32_t id_map_get(struct id_map *numbers, uint64_t hash, bool *is_new)
{
    struct id_map_entry *place = find(numbers, hash);
    *is_new = place->number == 0 && numbers->num < numbers->max;
    if (*is_new)
        *place = (struct id_map_entry){hash, ++numbers->num};
    return place->number;
}

void id_map_set(struct id_map *numbers, uint64_t hash, uint32_t number)
{
    struct id_map_entry *place = find(numbers, hash);
    if (place->number == 0 && numbers->num_same >= numbers->max / 2)
        return;
    if (place->number == 0)
        numbers->num_same++;
    *place = (struct id_map_entry){hash, number};
}

uint64_t hash_add_text(uint64_t hash, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
}
