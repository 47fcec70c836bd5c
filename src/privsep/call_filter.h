/*
 * call_filter.h - the filter of system calls, seccomp(2), made from sandbox_calls.def.
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

/* call_filter_enter allows this process and its children only these calls, and on the given sockets
 * only those that socket_calls.def allows; NULL: sockets are not checked. Other calls fail with EPERM,
 * and the first time they are reported on standard error. Returns false if there is no such filter. */
bool call_filter_enter(unsigned sets, const struct open_sockets *sockets);

/* call_filter_is_built says whether this build has the filter, whatever the kernel has. */
bool call_filter_is_built(void);

#endif
