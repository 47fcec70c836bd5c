/*
 * atom_verdicts.h - what slots were judged to mean, each in one direction: a node talks to several
 * others in turn, and what it sends to one does not change the verdict for another. A verdict is
 * valid until there is new evidence about its slot (book_slot.changes) or about all slots
 * (node_atoms.generation).
 */
#ifndef DISSECT_ATOM_VERDICTS_H
#define DISSECT_ATOM_VERDICTS_H

#include "atoms/node_atoms_parts.h"

/* atom_verdicts_find returns the verdict for a slot in a direction, an absent text if nothing is
 * likely; NULL: it has to be judged. The book must have slots. */
const struct ds_text *atom_verdicts_find(const struct node_atoms *book, uint16_t slot, uint64_t direction);

/* atom_verdicts_keep stores a verdict, perhaps in place of another one. */
void atom_verdicts_keep(struct node_atoms *book, uint16_t slot, uint64_t direction, struct ds_text text);

/* atom_verdicts_forget makes a slot be judged again in all directions. */
void atom_verdicts_forget(struct node_atoms *book, uint16_t slot);

#endif
