/*
 * atom_shape_fit.h - which application a node runs, and in which contexts of that application a
 * slot was seen. A table of contexts is valid for one application of one release line: in others
 * the same shapes have other meanings. So the shapes of whole messages from a node decide which
 * table fits, if any; until then, and if none does, contexts are not used.
 */
#ifndef DISSECT_ATOM_SHAPE_FIT_H
#define DISSECT_ATOM_SHAPE_FIT_H

#include "atoms/atom_shapes.h"
#include "atoms/node_atoms_parts.h"

/* shape_fit_forget forgets the contexts of all slots of a sender, on all its ports. */
void shape_fit_forget(const struct node_atoms *book);

/* shape_fit_wants returns how many messages the present one counts for; 0: it is skipped. hash
 * is that of its atoms. A node repeats messages: of those with the same atoms the first ones are
 * processed, and then one of several, which stands for them. */
unsigned shape_fit_wants(struct node_atoms *book, uint32_t hash);

/* shape_fit_see_whole processes the shape of a whole message. */
void shape_fit_see_whole(struct node_atoms *book, uint32_t whole);

/* shape_fit_learn_whole stores the shape of a message whose atoms are all known, and the places
 * of the node, as contexts are learned from it. */
void shape_fit_learn_whole(const struct node_atoms *book, uint32_t whole);

/* shape_fit_is_sure says whether the chosen table is known to fit the node. Until then it is
 * used only for messages whose shape was counted, and for large contexts. */
bool shape_fit_is_sure(const struct node_atoms *book);

/* shape_fit_see processes the contexts of a slot that is unknown in a direction; times: in so
 * many messages. */
void shape_fit_see(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot,
                   uint64_t direction, const struct atom_contexts *contexts, unsigned times);

/* shape_fit_see_known compares the chosen table with a known atom. */
void shape_fit_see_known(struct node_atoms *book, struct ds_text text,
                         const struct atom_contexts *contexts);

/* shape_weight is the evidence of a slot's contexts for an atom, in bits: contexts in the
 * direction that is judged, and in others. surprise is evidence against the atom: how often this
 * slot, of all unknown slots, is seen in the former. */
struct shape_weight {
    double here, there, surprise;
};

/* shape_fit_weigh computes this for several atoms, by their numbers; bit: of the direction. */
void shape_fit_weigh(const struct node_atoms *book, uint16_t slot, uint16_t bit, const unsigned *texts,
                     unsigned num, struct shape_weight *weights);

/* shape_fit_most_surprise returns the largest surprise that may count against an atom. */
double shape_fit_most_surprise(const struct node_atoms *book, uint16_t slot);

/* shape_fit_most_against_others returns the same for atoms that no table has there. It grows
 * with how often the slot was seen, as a slot that was seen once may be a new atom. */
double shape_fit_most_against_others(const struct node_atoms *book, uint16_t slot);

#endif
