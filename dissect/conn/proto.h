/*
 * proto.h - the protocols that are looked for in TCP connections.
 */
#ifndef DISSECT_PROTO_H
#define DISSECT_PROTO_H

#include "conn/conn.h"

/* proto_find says which protocol the first bytes of a direction are; bytes is empty when
 * the connection opens. PROTO_NO: none of them. */
enum proto_guess proto_find(const struct dissect_ctx *env, const struct conn *conn, int dir,
                            struct cursor bytes, const struct proto **out);

#endif
