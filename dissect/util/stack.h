/*
 * stack.h - growing stacks, for walks over terms: the first entries lie in what the walk itself
 * occupies, as most terms need no more.
 */
#ifndef DISSECT_STACK_H
#define DISSECT_STACK_H

#include <stddef.h>

/* stack_grow makes a full stack of *cap entries, size bytes each, twice as large, and returns
 * where it is now: NULL when memory ran out, and nothing has changed then. few is where the first
 * entries lie; what lies elsewhere is to be freed in the end. */
void *stack_grow(void *entries, const void *few, size_t *cap, size_t size);

#endif
