#include "failing_alloc.h"

#include <stddef.h>

void *__real_malloc(size_t len);
void *__real_calloc(size_t count, size_t len);
void *__real_realloc(void *old, size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t count, size_t len);
void *__wrap_realloc(void *old, size_t len);

static _Thread_local struct {
    unsigned long count, first, last; /* fail when first <= count <= last */
    bool failed;
} state;

static void start(unsigned long first, unsigned long last)
{
    state.count = 0;
    state.first = first;
    state.last = last;
    state.failed = false;
}

void failing_alloc_at(unsigned long n)
{
    start(n, n);
}

void failing_alloc_from(unsigned long n)
{
    start(n, n != 0 ? (unsigned long)-1 : 0);
}

unsigned long failing_alloc_count(void)
{
    return state.count;
}

bool failing_alloc_failed(void)
{
    return state.failed;
}

static bool must_fail(void)
{
    state.count++;
    if (state.count < state.first || state.count > state.last)
        return false;
    state.failed = true;
    return true;
}

void *__wrap_malloc(size_t len)
{
    return must_fail() ? NULL : __real_malloc(len);
}

void *__wrap_calloc(size_t count, size_t len)
{
    return must_fail() ? NULL : __real_calloc(count, len);
}

void *__wrap_realloc(void *old, size_t len)
{
    return must_fail() ? NULL : __real_realloc(old, len);
}

static unsigned long each(void (*set)(unsigned long), void (*run)(void *), void *context)
{
    unsigned long n = 0;
    bool failed;
    do {
        set(++n);
        run(context);
        failed = failing_alloc_failed();
        set(0);
    } while (failed);
    return n - 1;
}

unsigned long failing_alloc_each(void (*run)(void *context), void *context)
{
    unsigned long num = each(failing_alloc_at, run, context);
    each(failing_alloc_from, run, context);
    return num;
}
