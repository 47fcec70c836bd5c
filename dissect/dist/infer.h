/*
 * infer.h - atoms that their place in a control message determines, even if the atom itself was
 * never seen.
 */
#ifndef DISSECT_INFER_H
#define DISSECT_INFER_H

#include "dist/control.h"

/* infer_nodes learns from the pids and references of a message which nodes are at the two ends; if
 * that is certain, it resolves the slots of these nodes' names. If only the address of a node is
 * known, its slot gets that (DS_ATOM_ADDRESS). The third element of REG_SEND is ''. refs are the
 * references of the message, of the current cache; NULL if there are none. The counts in event are
 * updated. */
void infer_nodes(const struct control_source *source, struct dissect_ctx *env, struct conn *conn,
                 struct atom_cache *cache, struct ds_atom *refs, struct ds_event *event);

enum { INFER_ADDRESS_LEN = DS_ADDR_LEN + 16 };

/* infer_address writes a placeholder for the name of a node that is only known by its address, and
 * returns its length. */
size_t infer_address(const struct ds_endpoint *end, char text[INFER_ADDRESS_LEN]);

#endif
