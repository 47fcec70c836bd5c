/*
 * dist.h - a distribution connection from its first byte to its last, see dist.c.
 */
#ifndef DISSECT_DIST_H
#define DISSECT_DIST_H

#include "conn/conn.h"

extern const struct proto dist_proto;

/* dist_look_up_nodes names the ends of a connection of dist_proto that have no name yet, by the
 * nodes known to listen at their addresses. */
void dist_look_up_nodes(struct dissect_ctx *env, struct conn *conn);

#endif
