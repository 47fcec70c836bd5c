/*
 * shape_contexts.h - the contexts used for a node, as one set: those of the built-in table that
 * fits it (atom_shape_tables.h) and the learned ones (learned_shapes.h). The number of a context is
 * valid until another table is chosen; atoms have the numbers of learned_shapes.h.
 */
#ifndef DISSECT_SHAPE_CONTEXTS_H
#define DISSECT_SHAPE_CONTEXTS_H

#include "atoms/node_atoms_parts.h"

/* shape_contexts_find returns the largest known context of num keys, the smallest key being the
 * first; SHAPE_NONE: none. The built-in table is used from key number least on. *is_whole: there
 * is no larger key. */
unsigned shape_contexts_find(const struct node_atoms *book, const uint32_t *keys, unsigned num,
                             unsigned least, bool *is_whole);

/* shape_contexts_is_learned says whether a context is a learned one. */
bool shape_contexts_is_learned(unsigned context);

/* shape_contexts_has_names says whether a context has an atom that no built-in table has. */
bool shape_contexts_has_names(const struct node_atoms *book, unsigned context);

/* shape_contexts_novelty returns the probability of an atom that was not counted there, as -4
 * log2. */
unsigned shape_contexts_novelty(const struct node_atoms *book, unsigned context);

/* shape_contexts_num returns how many atoms a context has. */
unsigned shape_contexts_num(const struct node_atoms *book, unsigned context);

/* shape_contexts_filler returns the number of atom i of a context. */
unsigned shape_contexts_filler(const struct node_atoms *book, unsigned context, unsigned i);

/* shape_contexts_bits is shape_table_bits. */
double shape_contexts_bits(const struct node_atoms *book, unsigned context, unsigned atom,
                           double *rarity);

/* shape_contexts_times returns the counter of unknown slots in a context. */
uint16_t *shape_contexts_times(const struct node_atoms *book, unsigned context);

/* shape_contexts_atom returns the number of a text, or ATOM_TABLE_NONE; shape_contexts_text the text of
 * such a number. shape_contexts_num_atoms returns how many numbers there can be. */
unsigned shape_contexts_atom(const struct node_atoms *book, struct ds_text text);
struct ds_text shape_contexts_text(const struct node_atoms *book, unsigned atom);
unsigned shape_contexts_num_atoms(void);

#endif
