/*
 * proto.h - detects the protocol of a TCP connection.
 */
#ifndef DISSECT_PROTO_H
#define DISSECT_PROTO_H

#include "conn/conn.h"

/* proto_find returns the protocol of the first bytes of a direction; bytes is empty when the
 * connection opens. PROTO_NO: none of them. */
enum proto_guess proto_find(const struct dissect_ctx *env, const struct conn *conn, int dir,
                            struct cursor bytes, const struct proto **out);

#endif
