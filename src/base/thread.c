/* thread.c - see thread.h. */
#include "thread.h"

#include <signal.h>
#include <stddef.h>

/* Nothing recurses on what comes in; a sanitizer makes frames some three times as large. */
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
