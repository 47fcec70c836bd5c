/*
 * infer.h - what the place of an atom in a control message says for certain, whether or not the
 * atom itself was ever seen.
 */
#ifndef DISSECT_INFER_H
#define DISSECT_INFER_H

#include "dist/control.h"

/* infer_nodes learns from the pids and references of a message who is at the two ends; and where
 * that is certain, what the slots mean that their nodes refer to. A slot that means a node of
 * which only the address is known gets that (DS_ATOM_ADDRESS). The third element of REG_SEND is
 * ''. refs are those of the message and of the cache as it is; NULL without. event's counts are
 * brought up to date. */
void infer_nodes(const struct control_source *source, struct dissect_ctx *env, struct conn *conn,
                 struct atom_cache *cache, struct ds_atom *refs, struct ds_event *event);

enum { INFER_ADDRESS_LEN = DS_ADDR_LEN + 16 };

/* infer_address writes what stands for the name of a node of which only the address is known, and returns
 * its length. */
size_t infer_address(const struct ds_endpoint *end, char text[INFER_ADDRESS_LEN]);

#endif
