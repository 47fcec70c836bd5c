/*
 * atom_fit.h - which releases fit what was seen of a node: atom_tables.h has the atoms of each, and in
 * which slots these are.
 */
#ifndef DISSECT_ATOM_FIT_H
#define DISSECT_ATOM_FIT_H

#include "atoms/node_atoms_parts.h"

/* atom_fit_choose finds the releases that fit: mostly one; or several that differ where nothing was
 * seen. It looks again once a quarter more was. */
void atom_fit_choose(struct node_atoms *book);

/* atom_fit_num returns how many atoms of a table may be where it has them. */
uint32_t atom_fit_num(const struct node_atoms *book, int t);

/* atom_fit_bits_against returns how many bits speak against that an atom is where a table has it. */
double atom_fit_bits_against(const struct node_atoms *book, int t, uint32_t index);

/* atom_fit_bits_of returns, as log2, how probable it is that a table is the node's: 0 once one fits. */
double atom_fit_bits_of(const struct node_atoms *book, int t);

#endif
