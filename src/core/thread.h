/*
 * thread.h - threads of this program. Their stacks have the same size everywhere: the defaults of C
 * libraries range from 128 kB to 8 MB.
 */
#ifndef SRC_THREAD_H
#define SRC_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* thread_start runs run(context) in a new thread, in which all signals are blocked except SIGSYS (of
 * the sandbox; if it were blocked, it would end the program) and, if not 0, wake. It returns 0, or the
 * error of pthread_create. The caller joins the thread. */
int thread_start(pthread_t *thread, int wake, void *(*run)(void *context), void *context);

/* thread_condition_init makes a condition for thread_wait_until. Destroy it like any other. */
void thread_condition_init(pthread_cond_t *condition);

/* thread_wait_until waits for a condition as pthread_cond_wait does, at most until clock_now_ns is
 * until_ns. Returns false if it timed out. */
bool thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns);

#endif
