/*
 * socket_filter.h - a filter of system calls, seccomp(2), made of socket_calls.def: what is left of them on
 * sockets that are open. It stands before the one of call_filter.h, and allows nothing that the other
 * refuses.
 */
#ifndef SRC_SOCKET_FILTER_H
#define SRC_SOCKET_FILTER_H

#include "privsep/open_sockets.h"

/* socket_filter_enter has the calls of the table fail on these sockets from now on, with SIGSYS. sets are
 * of call_filter.h. False when there is no such filter. */
bool socket_filter_enter(unsigned sets, const struct open_sockets *sockets);

#endif
