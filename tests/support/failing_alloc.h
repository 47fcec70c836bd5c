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

/* failing_alloc_at makes only the n-th allocation from now fail. n counts from 1; 0 lets all
 * succeed. It resets the count. */
void failing_alloc_at(unsigned long n);

/* failing_alloc_from makes the n-th allocation from now and all after it fail. */
void failing_alloc_from(unsigned long n);

/* failing_alloc_count returns the allocations since the last of the calls above. */
unsigned long failing_alloc_count(void);

/* failing_alloc_failed returns whether an allocation was made to fail. */
bool failing_alloc_failed(void);

/* failing_alloc_each calls run with the first allocation failing, then with the second, and so on,
 * until a run needs no more. Then it repeats this with all allocations from the n-th on failing. It
 * returns the number of allocations of a run. The sanitizer finds leaks and invalid accesses; run
 * asserts the rest. */
unsigned long failing_alloc_each(void (*run)(void *context), void *context);

#endif
