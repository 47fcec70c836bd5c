/*
 * atom_verdicts.h - what slots were judged to mean, each in one direction: a node speaks with several
 * others in turns, and what it says to one of them does not change what was judged for another. A verdict
 * holds until something tells more of its slot (book_slot.changes) or of all slots (node_atoms.generation).
 */
#ifndef DISSECT_ATOM_VERDICTS_H
#define DISSECT_ATOM_VERDICTS_H

#include "atoms/node_atoms_parts.h"

/* atom_verdicts_find returns what a slot, of those that somebody wanted to know, was judged to mean in a
 * direction, an absent text where nothing is likely; NULL: that is to be judged. */
const struct ds_text *atom_verdicts_find(const struct node_atoms *book, uint16_t slot, uint64_t direction);

/* atom_verdicts_keep remembers it; another one may make room for it. */
void atom_verdicts_keep(struct node_atoms *book, uint16_t slot, uint64_t direction, struct ds_text text);

/* atom_verdicts_forget has a slot judged anew in all directions. */
void atom_verdicts_forget(struct node_atoms *book, uint16_t slot);

#endif
