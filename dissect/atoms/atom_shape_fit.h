/*
 * atom_shape_fit.h - which application a node is, and in which contexts of it a slot was seen. A
 * table of contexts holds for one application of one release line: what another one says in the same
 * shapes is something else. So the shapes of the whole messages that a node sends tell which table
 * fits, if any does; until then, and where none does, contexts say nothing.
 */
#ifndef DISSECT_ATOM_SHAPE_FIT_H
#define DISSECT_ATOM_SHAPE_FIT_H

#include "atoms/atom_shapes.h"
#include "atoms/node_atoms_parts.h"

/* shape_fit_forget forgets in which contexts slots of a sender were seen, whatever its port. */
void shape_fit_forget(const struct node_atoms *book);

/* shape_fit_wants says for how many messages one is to count whose atoms have that hash; 0: not at all.
 * A node says the same many times: of messages with the same atoms the first ones are looked at, and then
 * one of several, which stands for them. */
unsigned shape_fit_wants(struct node_atoms *book, uint32_t hash);

/* shape_fit_see_whole takes note of the shape of a whole message. */
void shape_fit_see_whole(struct node_atoms *book, uint32_t whole);

/* shape_fit_learn_whole remembers the shape of a message whose atoms are all known, and where the node is:
 * that contexts are learned of it. */
void shape_fit_learn_whole(const struct node_atoms *book, uint32_t whole);

/* shape_fit_is_sure says whether it is known that the table which holds for a node fits it. As long as it
 * is not, the table holds for messages that have the shape of one that was counted, and for large
 * contexts. */
bool shape_fit_is_sure(const struct node_atoms *book);

/* shape_fit_see takes note of the contexts of a slot that is unknown in a direction; times: of so many
 * messages. */
void shape_fit_see(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot,
                   uint64_t direction, const struct atom_contexts *contexts, unsigned times);

/* shape_fit_see_known holds the table that fits against an atom that is known. */
void shape_fit_see_known(struct node_atoms *book, struct ds_text text,
                         const struct atom_contexts *contexts);

/* shape_weight is what the contexts of a slot say for an atom, in bits: those of the direction at hand,
 * and those of others. surprise: what it says against it how often the slot stands in the former, of all
 * times that an unknown slot does. */
struct shape_weight {
    double here, there, surprise;
};

/* shape_fit_weigh does that for several atoms, by their numbers; bit: of the direction. */
void shape_fit_weigh(const struct node_atoms *book, uint16_t slot, uint16_t bit, const unsigned *texts,
                     unsigned num, struct shape_weight *weights);

/* shape_fit_most_surprise returns how much of surprise at most speaks against an atom. */
double shape_fit_most_surprise(const struct node_atoms *book, uint16_t slot);

/* shape_fit_most_against_others returns that of atoms that no table has there: as much more as the slot was
 * seen more often; what was seen once may be what is new. */
double shape_fit_most_against_others(const struct node_atoms *book, uint16_t slot);

#endif
