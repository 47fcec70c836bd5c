/*
 * failing_alloc.h - makes allocations fail, one after the other.
 *
 * Every unit test is linked with --wrap for malloc, calloc and realloc: the library's calls
 * (and those of the test) come through here; those of shared libraries do not. Each thread
 * counts its own.
 */
#ifndef TESTS_FAILING_ALLOC_H
#define TESTS_FAILING_ALLOC_H

#include <stdbool.h>

/* failing_alloc_at makes the n-th allocation from now fail, and only that one. n counts
 * from 1; 0 lets all succeed. The count begins anew. */
void failing_alloc_at(unsigned long n);

/* failing_alloc_from makes the n-th allocation from now and all after it fail. */
void failing_alloc_from(unsigned long n);

/* failing_alloc_count returns the allocations since the last of the calls above. */
unsigned long failing_alloc_count(void);

/* failing_alloc_failed says whether one of them was made to fail. */
bool failing_alloc_failed(void);

/* failing_alloc_each calls run with the first allocation failing, then with the second ...
 * until a run needs no more; then the same with all allocations from the n-th on failing.
 * Returns how many allocations a run makes. Leaks and bad accesses are the sanitizer's to
 * find; what else must hold, run asserts. */
unsigned long failing_alloc_each(void (*run)(void *context), void *context);

#endif
