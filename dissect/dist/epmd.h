/*
 * epmd.h - the protocol between nodes and EPMD, see epmd.c.
 */
#ifndef DISSECT_EPMD_H
#define DISSECT_EPMD_H

#include "conn/conn.h"

extern const struct proto epmd_proto;

#endif
