/*
 * malloc_tuning.h - what the C library is told of how this program takes memory. Only glibc listens:
 * others give back what is large, and have no heap for each thread that would have to be forbidden.
 */
#ifndef SRC_MALLOC_TUNING_H
#define SRC_MALLOC_TUNING_H

/* malloc_tune_size has what one large message took given back at once. glibc by itself would take ever
 * larger blocks from the heap after the first of them was freed, where they are copied as they grow
 * and leave holes. To be called before anything is taken. */
void malloc_tune_size(void);

/* malloc_tune_threads has all threads take memory where the first one does. They seldom ask for any,
 * and glibc's
 * heaps for threads read files to find out how many there may be and whether they can be shrunk, which
 * the sandbox does not allow. To be called before there are others. */
void malloc_tune_threads(void);

#endif
