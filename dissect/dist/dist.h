/*
 * dist.h - a distribution connection from its first byte to its last, see dist.c.
 */
#ifndef DISSECT_DIST_H
#define DISSECT_DIST_H

#include "conn/conn.h"

extern const struct proto dist_proto;

#endif
