/*
 * twice_maps.h - the maps of a term that have a key twice: where they begin (term_twice.h finds them).
 */
#ifndef DISSECT_TWICE_MAPS_H
#define DISSECT_TWICE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* term_twice is a set of offsets into the term: those of such maps. */
struct term_twice {
    uint8_t *bits; /* NULL: there is none */
};

/* term_twice_has says whether the map at that offset is one. */
static inline bool term_twice_has(const struct term_twice *twice, size_t offset)
{
    return twice->bits != NULL && (twice->bits[offset / 8] >> offset % 8 & 1) != 0;
}

#endif
