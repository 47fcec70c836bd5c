/*
 * atom_fit.h - which OTP releases fit what was seen of a node. atom_tables.h has the atoms of each
 * release, and their slots.
 */
#ifndef DISSECT_ATOM_FIT_H
#define DISSECT_ATOM_FIT_H

#include "atoms/node_atoms_parts.h"

/* atom_fit_choose finds the releases that fit: mostly one, or several that differ only in atoms
 * that were not seen. It searches again when a quarter more was seen. */
void atom_fit_choose(struct node_atoms *book);

/* atom_fit_num returns how many atoms of a table, from its first one on, may be in the table's
 * slots. */
uint32_t atom_fit_num(const struct node_atoms *book, int t);

/* atom_fit_bits_against returns the evidence against an atom being where the table has it, in
 * bits. */
double atom_fit_bits_against(const struct node_atoms *book, int t, uint32_t index);

/* atom_fit_bits_of returns log2 of the probability that a table is the node's: 0 once a table
 * fits. */
double atom_fit_bits_of(const struct node_atoms *book, int t);

#endif
