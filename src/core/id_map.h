/*
 * id_map.h - numbers things from 1 in the order in which they are first seen: the lanes of a diagram,
 * the tracks of a trace. A thing is identified by a hash.
 */
#ifndef SRC_ID_MAP_H
#define SRC_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_map {
    struct id_map_entry *table; /* max * 2 entries; a search begins at the hash */
    uint32_t num, max, num_same;
};

/* id_map_init makes room for max things, a power of two. Returns false when memory ran out. */
bool id_map_init(struct id_map *numbers, uint32_t max);
void id_map_free(struct id_map *numbers);

/* id_map_get returns the number of a thing, and assigns one if it has none: then *is_new is true. 0 if
 * max things have one already. */
uint32_t id_map_get(struct id_map *numbers, uint64_t hash, bool *is_new);

/* id_map_find returns the number of a thing, 0 if it has none. */
uint32_t id_map_find(const struct id_map *numbers, uint64_t hash);

/* id_map_set sets the number of a thing to another thing's number. If many things share numbers
 * already, it does nothing for a thing without one. */
void id_map_set(struct id_map *numbers, uint64_t hash, uint32_t number);

/* hash_add_text hashes text, continuing the hash of the preceding text. */
uint64_t hash_add_text(uint64_t hash, const char *text, size_t len);

#endif
