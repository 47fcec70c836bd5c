/*
 * duplicate_maps.h - the maps of a term that have a duplicate key: where they begin
 * (duplicate_keys.h finds them).
 */
#ifndef DISSECT_DUPLICATE_MAPS_H
#define DISSECT_DUPLICATE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* duplicate_keys is the set of the offsets of these maps in the term. */
struct duplicate_keys {
    uint8_t *bits; /* NULL: the set is empty */
};

/* duplicate_keys_has says whether the map at that offset has a duplicate key. */
static inline bool duplicate_keys_has(const struct duplicate_keys *twice, size_t offset)
{
    return twice->bits != NULL && (twice->bits[offset / 8] >> offset % 8 & 1) != 0;
}

#endif
