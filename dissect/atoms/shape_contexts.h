/*
 * shape_contexts.h - the contexts that hold for a node: those of the built-in table that fits it
 * (atom_shape_tables.h) and those that were learned (learned_shapes.h), as one set. A context has a number,
 * which means the same as long as the table that fits stays; atoms have those of learned_shapes.h.
 */
#ifndef DISSECT_SHAPE_CONTEXTS_H
#define DISSECT_SHAPE_CONTEXTS_H

#include "atoms/node_atoms_parts.h"

/* shape_contexts_find returns the largest context that is known, the smallest of num keys being the first;
 * SHAPE_NONE: there is none. The built-in table is believed from the key number least on. *is_whole: none
 * is larger. */
unsigned shape_contexts_find(const struct node_atoms *book, const uint32_t *keys, unsigned num,
                             unsigned least, bool *is_whole);

/* shape_contexts_is_learned says whether a context is one of those that were learned. */
bool shape_contexts_is_learned(unsigned context);

/* shape_contexts_has_names says whether it has an atom that no built-in table has. */
bool shape_contexts_has_names(const struct node_atoms *book, unsigned context);

/* shape_contexts_novelty returns how many other atoms are to be expected there, as -4 log2. */
unsigned shape_contexts_novelty(const struct node_atoms *book, unsigned context);

/* shape_contexts_num returns how many atoms stand there. */
unsigned shape_contexts_num(const struct node_atoms *book, unsigned context);

/* shape_contexts_filler returns the number of one of them. */
unsigned shape_contexts_filler(const struct node_atoms *book, unsigned context, unsigned i);

/* shape_contexts_bits is shape_table_bits. */
double shape_contexts_bits(const struct node_atoms *book, unsigned context, unsigned atom,
                           double *rarity);

/* shape_contexts_times returns where it is counted how often unknown slots stand there. */
uint16_t *shape_contexts_times(const struct node_atoms *book, unsigned context);

/* shape_contexts_atom returns the number of a text, or ATOM_TABLE_NONE; shape_contexts_text the text of
 * such a number. shape_contexts_num_atoms returns how many numbers there can be. */
unsigned shape_contexts_atom(const struct node_atoms *book, struct ds_text text);
struct ds_text shape_contexts_text(const struct node_atoms *book, unsigned atom);
unsigned shape_contexts_num_atoms(void);

#endif
