/*
 * socket_filter.h - a filter of system calls, seccomp(2), made from socket_calls.def: what they may do
 * with open sockets. It is applied in addition to the one of call_filter.h, and allows nothing that
 * that one refuses.
 */
#ifndef SRC_SOCKET_FILTER_H
#define SRC_SOCKET_FILTER_H

#include "privsep/open_sockets.h"

/* socket_filter_enter makes the calls of the table fail on these sockets from now on, with SIGSYS. sets
 * are those of call_filter.h. Returns false if there is no such filter. */
bool socket_filter_enter(unsigned sets, const struct open_sockets *sockets);

#endif
