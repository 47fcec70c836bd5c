/*
 * arena.h - memory for one event: allocated in pieces, freed as a whole.
 */
#ifndef DISSECT_ARENA_H
#define DISSECT_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
};

/* arena_alloc returns len bytes aligned for any object, not zeroed; NULL if memory ran out. Valid
 * until arena_reset or arena_free. */
void *arena_alloc(struct arena *arena, size_t len);

/* arena_reset frees all pieces and keeps one small block for the next event. */
void arena_reset(struct arena *arena);

/* arena_free frees all pieces and all memory. */
void arena_free(struct arena *arena);

#endif
