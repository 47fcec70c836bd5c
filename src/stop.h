/*
 * stop.h - signals. The first SIGINT or SIGTERM asks for an orderly end, the second one ends
 * the program at once; SIGUSR1 asks for the counts so far. STOP_WAKE does nothing but
 * interrupt a thread that waits in a system call. SIGPIPE is ignored: writes fail.
 */
#ifndef SRC_STOP_H
#define SRC_STOP_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { STOP_WAKE = SIGURG }; /* which does no harm when others send it */

extern atomic_int stop_wanted; /* an orderly end: the signal that asked for it */
extern volatile sig_atomic_t counts_wanted; /* to be cleared by who writes them */

void stop_install(void);

#endif
