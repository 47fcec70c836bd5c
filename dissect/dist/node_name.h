/*
 * node_name.h - names of nodes outside of terms. In handshakes and at EPMD a node writes its
 * name in UTF-8 or, before OTP 26, in latin-1; in terms it is always UTF-8.
 */
#ifndef DISSECT_NODE_NAME_H
#define DISSECT_NODE_NAME_H

#include "util/arena.h"

#include <distsniff/dissect.h>

/* node_name_to_utf8 makes UTF-8 of a name that is none, in arena memory: it is latin-1 then, so
 * that a node has one name wherever it comes from. False, and the name stays, when memory ran
 * out. */
bool node_name_to_utf8(struct arena *arena, struct ds_text *name);

#endif
