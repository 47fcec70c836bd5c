/*
 * socket_find.h - which protocol a connection beside the distribution has, see socket_find.c.
 */
#ifndef DISSECT_SOCKET_FIND_H
#define DISSECT_SOCKET_FIND_H

#include "conn/conn.h"

/* socket_find does for these what proto_find does for all. */
enum proto_guess socket_find(const struct dissect_ctx *env, const struct conn *conn, int dir,
                             struct cursor bytes, const struct proto **out);

#endif
