/*
 * id_map.h - things seen, numbered from 1 in the order in which they were first seen: the
 * lanes of a diagram, the tracks of a trace. Things are known by a hash.
 */
#ifndef SRC_ID_MAP_H
#define SRC_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_map {
    struct id_map_entry *table; /* max * 2 of them, to be searched from the hash on */
    uint32_t num, max, num_same;
};

/* id_map_init makes room for max things, a power of two. False when memory ran out. */
bool id_map_init(struct id_map *numbers, uint32_t max);
void id_map_free(struct id_map *numbers);

/* id_map_get returns the number of a thing; *is_new says that it had none. 0 when max things
 * have one already. */
uint32_t id_map_get(struct id_map *numbers, uint64_t hash, bool *is_new);

/* id_map_find returns the number of a thing, 0 when it has none. */
uint32_t id_map_find(const struct id_map *numbers, uint64_t hash);

/* id_map_set gives a thing the number of another, whatever it had. Where many things share numbers
 * it does nothing for one that has none. */
void id_map_set(struct id_map *numbers, uint64_t hash, uint32_t number);

/* hash_add_text hashes text, from the hash of what stands before it. */
uint64_t hash_add_text(uint64_t hash, const char *text, size_t len);

#endif
