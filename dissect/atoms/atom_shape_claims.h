/*
 * atom_shape_claims.h - which slot means an atom that nothing but contexts speak for (atom_shape_fit.h).
 * Each atom has one slot, so what one most likely means, others hardly do.
 */
#ifndef DISSECT_ATOM_SHAPE_CLAIMS_H
#define DISSECT_ATOM_SHAPE_CLAIMS_H

#include "atoms/node_atoms_parts.h"

/* shape_claims_add says whether an atom that only contexts speak for may be what a slot means: each
 * atom has one slot. odds: log2 of how much more likely it is than not. */
bool shape_claims_add(struct node_atoms *book, uint16_t slot, unsigned text, double odds);

/* shape_claims_against returns how many bits speak against an atom as another slot most likely means it. */
double shape_claims_against(const struct node_atoms *book, uint16_t slot, unsigned text);

/* shape_claims_have_news says whether, since that was last asked of a slot, so many others were told that
 * it may be told by now. */
bool shape_claims_have_news(struct node_atoms *book, uint16_t slot);

/* shape_claims_leave ends the claim of a slot. */
void shape_claims_leave(struct node_atoms *book, uint16_t slot);

/* shape_claims_define tells that an atom is known to be in a slot. */
void shape_claims_define(struct node_atoms *book, uint16_t slot, unsigned text);

#endif
