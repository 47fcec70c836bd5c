/*
 * duplicate_maps.h - the maps of a term that have a key twice: where they begin (duplicate_keys.h
 * finds them).
 */
#ifndef DISSECT_DUPLICATE_MAPS_H
#define DISSECT_DUPLICATE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* duplicate_keys is a set of offsets into the term: those of such maps. */
struct duplicate_keys {
    uint8_t *bits; /* NULL: there is none */
};

/* duplicate_keys_has says whether the map at that offset is one. */
static inline bool duplicate_keys_has(const struct duplicate_keys *twice, size_t offset)
{
    return twice->bits != NULL && (twice->bits[offset / 8] >> offset % 8 & 1) != 0;
}

#endif
