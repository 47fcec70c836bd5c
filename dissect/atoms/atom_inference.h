/*
 * atom_inference.h - what a slot most likely means, by what is known of the node (node_atoms.h). It is
 * told from the slot's candidates, by the roles in which it was seen (atom_roles.h):
 *
 *     score = log2 P(atom is used) + sum over roles of log2 P(role | atom) / P(role)
 *
 * against "some other atom". A candidate that has 99 % of all is likely; else nothing is.
 */
#ifndef DISSECT_ATOM_INFERENCE_H
#define DISSECT_ATOM_INFERENCE_H

#include "atoms/node_atoms.h"

/* atom_infer returns what a slot most likely means in that direction; absent: nothing is likely. The
 * text lives as long as the book, which remembers the verdict until something says otherwise. */
struct ds_text atom_infer(struct node_atoms *book, uint16_t slot, uint64_t direction);

/* atom_infer_guess says what a slot may mean in that direction where nothing is likely. The texts live as
 * long as the book. */
void atom_infer_guess(struct node_atoms *book, uint16_t slot, uint64_t direction,
                      struct ds_guess *guess);

#define ATOM_LIKELY_FROM 0.99

/* atom_share_unlearned returns how many of all atoms of a node nobody was seen to define. */
double atom_share_unlearned(const struct node_atoms *book);

#endif
