/*
 * stack.h - growing stacks, for walks over terms: the first entries are in the walk's own memory,
 * as most terms need no more.
 */
#ifndef DISSECT_STACK_H
#define DISSECT_STACK_H

#include <stddef.h>

/* stack_grow doubles a full stack of *cap entries of size bytes each, and returns its new place.
 * NULL if memory ran out, and nothing has changed then. few is the memory of the first entries;
 * free any other memory at the end. */
void *stack_grow(void *entries, const void *few, size_t *cap, size_t size);

#endif
