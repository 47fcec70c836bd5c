/*
 * malloc_tuning.h - settings of malloc for the way in which this program allocates memory. Only glibc
 * has them: other C libraries return large blocks to the system, and have no heaps per thread that
 * would have to be turned off.
 */
#ifndef SRC_MALLOC_TUNING_H
#define SRC_MALLOC_TUNING_H

/* malloc_tune_size makes malloc return the memory of a large message at once. By default, glibc would
 * allocate ever larger blocks from the heap after the first of them was freed; they are copied as they
 * grow and leave holes. Call it before anything is allocated. */
void malloc_tune_size(void);

/* malloc_tune_threads makes all threads use the heap of the first one. They seldom allocate, and
 * glibc's heaps for threads read files to find out how many there may be and whether they can be
 * shrunk, which the sandbox does not allow. Call it before other threads start. */
void malloc_tune_threads(void);

#endif
