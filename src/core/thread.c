/* thread.c - see thread.h. */
#include "core/thread.h"

#include "core/clock.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

/* The depth of input causes no recursion; a sanitizer makes stack frames about three times as large. */
enum { STACK_SIZE = 2 * 1024 * 1024 };

int thread_start(pthread_t *thread, int wake, void *(*run)(void *context), void *context)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    sigfillset(&all);
    sigdelset(&all, SIGSYS);
    if (wake != 0)
        sigdelset(&all, wake);
    error = pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error == 0)
        error = pthread_create(thread, &attributes, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

/* macOS has no conditions that use the monotonic clock, but it can wait for a duration. */
#ifdef __APPLE__

void thread_condition_init(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

bool thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns)
{
    const int64_t now_ns = clock_now_ns(), left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    const struct timespec left = {(time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000)};
    return pthread_cond_timedwait_relative_np(condition, lock, &left) != ETIMEDOUT;
}

#else

void thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns)
{
    const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    return pthread_cond_timedwait(condition, lock, &until) != ETIMEDOUT;
}

#endif
