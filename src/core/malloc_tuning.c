/*
 * malloc_tuning.c - see malloc_tuning.h.
 */
#include "core/malloc_tuning.h"

#include <stdlib.h> /* it defines __GLIBC__ */

#ifdef __GLIBC__

#include <malloc.h>

enum { LARGE = 1024 * 1024 };

void malloc_tune_size(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, 2 * LARGE);
}

void malloc_tune_threads(void)
{
    mallopt(M_ARENA_MAX, 1);
}

#else

void malloc_tune_size(void)
{
}

void malloc_tune_threads(void)
{
}

#endif
