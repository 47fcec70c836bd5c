/*
 * node_name.h - names of nodes outside of terms. In handshakes and at EPMD a node writes its
 * name in UTF-8 or, before OTP 26, in latin-1; in terms it is always UTF-8.
 */
#ifndef DISSECT_NODE_NAME_H
#define DISSECT_NODE_NAME_H

#include "util/arena.h"

#include <distsniff/dissect.h>

/* node_name_to_utf8 converts a name that is not UTF-8 from latin-1, in arena memory, so that a node
 * has one name wherever it appears. False, and the name is unchanged, if memory ran out. */
bool node_name_to_utf8(struct arena *arena, struct ds_text *name);

#endif
