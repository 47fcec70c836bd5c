/*
 * call_filter.h - the filter of system calls, seccomp(2), made of sandbox_calls.def.
 */
#ifndef SRC_CALL_FILTER_H
#define SRC_CALL_FILTER_H

#include "privsep/open_sockets.h"

#include <stdbool.h>

/* call_filter_set is a set of rows of the table. */
enum call_filter_set {
    CALLS_ALWAYS = 1,
    CALLS_LIVE = 2,
    CALLS_HELPER = 4,
    CALLS_SERVE = 8,
    CALLS_CLIENT = 16,
    CALLS_WIDENS = 32,
    CALLS_SCREEN = 64,
    CALLS_ASK = 128,
    CALLS_KERNEL = 256,
};

/* call_filter_enter leaves this process, and what comes of it, these calls alone, and on the sockets that
 * are given only those that socket_calls.def leaves; NULL: it does not look at sockets. Another one
 * fails with EPERM, and is named on standard error the first time. False when there is no such
 * filter. */
bool call_filter_enter(unsigned sets, const struct open_sockets *sockets);

/* call_filter_is_built says whether this build has it at all, whatever the kernel has. */
bool call_filter_is_built(void);

#endif
