/*
 * stack.c - see stack.h.
 */
#include "util/stack.h"

#include <stdlib.h>
#include <string.h>

void *stack_grow(void *entries, const void *few, size_t *cap, size_t size)
{
    const size_t len = *cap * size;
    void *grown = realloc(entries != few ? entries : NULL, 2 * len);
    if (grown == NULL)
        return NULL;
    if (entries == few)
        memcpy(grown, few, len);
    *cap *= 2;
    return grown;
}
