/*
 * thread.h - threads of this program. Their stacks have the same size everywhere: C libraries have
 * their own idea of it, from 128 kB to 8 MB.
 */
#ifndef SRC_THREAD_H
#define SRC_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* thread_start runs run(context) in a thread of its own, in which no signal is taken but SIGSYS (the
 * sandbox's; blocked it would be the end) and, if not 0, wake. It returns 0, or what pthread_create
 * does. To be joined. */
int thread_start(pthread_t *thread, int wake, void *(*run)(void *context), void *context);

/* thread_condition_init makes a condition for thread_wait_until. To be destroyed as any. */
void thread_condition_init(pthread_cond_t *condition);

/* thread_wait_until waits for a condition as pthread_cond_wait does, until it is until_ns by
 * clock_now_ns. False when that time has come. */
bool thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns);

#endif
