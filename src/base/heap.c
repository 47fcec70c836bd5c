/*
 * heap.c - see heap.h.
 */
#include "heap.h"

#include <stdlib.h> /* which says whether this is glibc */

#ifdef __GLIBC__

#include <malloc.h>

enum { LARGE = 1024 * 1024 };

void heap_stay_small(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, 2 * LARGE);
}

void heap_share(void)
{
    mallopt(M_ARENA_MAX, 1);
}

#else

void heap_stay_small(void)
{
}

void heap_share(void)
{
}

#endif
