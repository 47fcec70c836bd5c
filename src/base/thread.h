/*
 * thread.h - threads of this program. Their stacks have the same size everywhere: C libraries have
 * their own idea of it, from 128 kB to 8 MB.
 */
#ifndef SRC_THREAD_H
#define SRC_THREAD_H

#include <pthread.h>

/* thread_start runs run(context) in a thread of its own, in which no signal is taken but SIGSYS (the
 * sandbox's; blocked it would be the end) and, if not 0, wake. It returns 0, or what pthread_create
 * does. To be joined. */
int thread_start(pthread_t *thread, int wake, void *(*run)(void *context), void *context);

#endif
