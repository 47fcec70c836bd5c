/*
 * atom_held.h - whether a slot still contains the atom that it contained before packets were lost.
 */
#ifndef DISSECT_ATOM_HELD_H
#define DISSECT_ATOM_HELD_H

#include "atoms/node_atoms.h"

enum { ATOM_HELD_ROLES = 8 };

/* atom_held is the atom of a slot from before packets were lost. */
struct atom_held {
    struct ds_text text;
    double changed; /* probability that the slot was given another atom since */
    double lost;    /* probability that a definition was not seen */
    struct seen_role roles[ATOM_HELD_ROLES]; /* roles that the slot has now */
    unsigned num_roles, num_new;             /* num_new: the first of them, seen for the first time since */
    uint32_t alike;      /* a bit for each new role that resembles an earlier one */
    unsigned num_before; /* number of earlier roles */
    double weight; /* weight of the earlier roles; on return also of the new ones */
    double again;  /* the part of weight from roles that were seen again */
};

enum atom_held_verdict {
    ATOM_HELD_DOUBTFUL,
    ATOM_HELD_STILL, /* certain */
    ATOM_HELD_GONE,
};

/* atom_infer_held says whether a slot still contains the same atom. *out is the likely meaning
 * in this message: held->text, another text that lives as long as the book, or absent. */
enum atom_held_verdict atom_infer_held(struct node_atoms *book, uint16_t slot, uint64_t direction,
                                       struct atom_held *held, struct ds_text *out);

#endif
