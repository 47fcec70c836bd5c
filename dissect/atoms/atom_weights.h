/*
 * atom_weights.h - the evidence of a role in which a slot was seen, for an atom or against it. All
 * weights are logarithms to the base 2; a ratio is P(role | atom) / P(role).
 */
#ifndef DISSECT_ATOM_WEIGHTS_H
#define DISSECT_ATOM_WEIGHTS_H

#include "atoms/node_atoms_parts.h"

enum {
    ATOM_OTHERS = 120, /* estimate: atoms that a node uses and no table has */
    ATOM_NEVER = 1000 * 1000 * 1000, /* bits that no evidence outweighs */
};

/* atom_share_of_role returns P(role) over all atoms. */
double atom_share_of_role(uint32_t role);

/* atom_prior returns the probability that a program uses an atom of OTP. */
double atom_prior(struct atom_table_use use);

/* atom_was_seen says whether an atom was seen in a role before, in the sender's messages
 * (learned may be NULL) or in OTP's. */
bool atom_was_seen(const struct learned *learned, unsigned text, struct seen_role role);

/* atom_ratio_of_use returns the ratio of an atom of OTP. */
double atom_ratio_of_use(unsigned text, struct seen_role role);

/* atom_ratio_of_static is atom_ratio_of_use if the use of the atom is known; else no role
 * counts. */
double atom_ratio_of_static(const struct node_atoms *book, unsigned text, struct seen_role role);

/* atom_ratio_of_seen returns the ratio of an atom that was seen in a few messages; best: for a
 * role in which it was not seen. */
double atom_ratio_of_seen(const struct learned *learned, struct seen_role role, double best);

/* atom_ratio_of_held returns the ratio of an atom from before a loss, whose other roles would
 * probably have been seen. A field name, which occurs in lists and maps, is hardly a tag. */
double atom_ratio_of_held(const struct learned *learned, struct seen_role role);

/* atom_weight_of_text adds up the evidence of all roles of a slot for an atom of a table. */
double atom_weight_of_text(const struct node_atoms *book, const struct book_slot *slot, unsigned text);

#endif
