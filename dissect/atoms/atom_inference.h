/*
 * atom_inference.h - what a slot most likely means, inferred from what is known of the node
 * (node_atoms.h). The candidates of the slot are compared by the roles in which it was seen
 * (atom_roles.h):
 *
 *     score = log2 P(atom is used) + sum over roles of log2 P(role | atom) / P(role)
 *
 * against "some other atom". A candidate with 99 % of the total is likely; otherwise none is.
 */
#ifndef DISSECT_ATOM_INFERENCE_H
#define DISSECT_ATOM_INFERENCE_H

#include "atoms/node_atoms.h"

/* atom_infer returns the likely meaning of a slot in a direction; absent: none is likely. The
 * text lives as long as the book, which keeps the verdict until something contradicts it. */
struct ds_text atom_infer(struct node_atoms *book, uint16_t slot, uint64_t direction);

/* atom_infer_guess reports what a slot may mean in a direction if nothing is likely. The texts
 * live as long as the book. */
void atom_infer_guess(struct node_atoms *book, uint16_t slot, uint64_t direction,
                      struct ds_guess *guess);

#define ATOM_LIKELY_FROM 0.99

/* atom_share_unlearned returns the share of a node's atoms whose definition was not seen. */
double atom_share_unlearned(const struct node_atoms *book);

#endif
