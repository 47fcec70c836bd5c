/*
 * atom_shape_claims.h - which slot means an atom that only contexts support (atom_shape_fit.h).
 * Each atom has one slot, so if one slot most likely means it, others hardly do.
 */
#ifndef DISSECT_ATOM_SHAPE_CLAIMS_H
#define DISSECT_ATOM_SHAPE_CLAIMS_H

#include "atoms/node_atoms_parts.h"

/* shape_claims_add claims an atom that only contexts support for a slot. False if another slot
 * has as good a claim. odds: log2 of how much more likely it is than not. */
bool shape_claims_add(struct node_atoms *book, uint16_t slot, unsigned text, double odds);

/* shape_claims_against returns the evidence against an atom from the claim of another slot, in
 * bits. */
double shape_claims_against(const struct node_atoms *book, uint16_t slot, unsigned text);

/* shape_claims_have_news says whether other slots have made enough claims, since the last call
 * for a slot, to judge it again. */
bool shape_claims_have_news(struct node_atoms *book, uint16_t slot);

/* shape_claims_leave ends the claim of a slot. */
void shape_claims_leave(struct node_atoms *book, uint16_t slot);

/* shape_claims_define records that an atom is known to be in a slot. */
void shape_claims_define(struct node_atoms *book, uint16_t slot, unsigned text);

#endif
