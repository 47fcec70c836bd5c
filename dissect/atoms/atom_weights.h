/*
 * atom_weights.h - what a role in which a slot was seen says for an atom, or against it. All weights
 * are logarithms to the base 2; a ratio is that of P(role | atom) to P(role).
 */
#ifndef DISSECT_ATOM_WEIGHTS_H
#define DISSECT_ATOM_WEIGHTS_H

#include "atoms/node_atoms_parts.h"

enum {
    ATOM_OTHERS = 120, /* atoms that a node uses and that no table has */
    ATOM_NEVER = 1000 * 1000 * 1000, /* bits that nothing outweighs */
};

/* atom_share_of_role returns P(role) over all atoms. */
double atom_share_of_role(uint32_t role);

/* atom_prior returns P(a program uses an atom of OTP). */
double atom_prior(struct atom_table_use use);

/* atom_was_seen says whether an atom was in a role before: the sender's (learned may be NULL), or OTP's. */
bool atom_was_seen(const struct learned *learned, unsigned text, struct seen_role role);

/* atom_ratio_of_use returns the ratio of an atom of OTP. */
double atom_ratio_of_use(unsigned text, struct seen_role role);

/* atom_ratio_of_static is atom_ratio_of_use where it is known how an atom is used; else no role speaks
 * for it. */
double atom_ratio_of_static(const struct node_atoms *book, unsigned text, struct seen_role role);

/* atom_ratio_of_seen is that of an atom that was seen in a few messages; best: for a role that nobody
 * saw it in. */
double atom_ratio_of_seen(const struct learned *learned, struct seen_role role, double best);

/* atom_ratio_of_held is that of an atom that would be seen in a role of another kind. A name of a
 * field, which stands in lists and maps, hardly is a tag. */
double atom_ratio_of_held(const struct learned *learned, struct seen_role role);

/* atom_weight_of_text adds up what all roles of a slot say of an atom of a table. */
double atom_weight_of_text(const struct node_atoms *book, const struct book_slot *slot, unsigned text);

#endif
