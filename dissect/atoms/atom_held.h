/*
 * atom_held.h - whether a slot still holds what it held before packets were lost.
 */
#ifndef DISSECT_ATOM_HELD_H
#define DISSECT_ATOM_HELD_H

#include "atoms/node_atoms.h"

enum { ATOM_HELD_ROLES = 8 };

/* atom_held is what a slot held before packets were lost. */
struct atom_held {
    struct ds_text text;
    double changed; /* how probable it is that the slot was given another atom since, and */
    double lost;    /* that a definition was not seen */
    struct seen_role roles[ATOM_HELD_ROLES]; /* in which the slot stands now, */
    unsigned num_roles, num_new;             /* the first of them for the first time since */
    uint32_t alike;      /* a bit for each that is of a kind with one before, */
    unsigned num_before; /* of so many */
    double weight; /* what these said; then with the new ones */
    double again;  /* of it, by roles in which it stood once more; the same */
};

enum atom_held_verdict {
    ATOM_HELD_DOUBTFUL,
    ATOM_HELD_STILL, /* beyond doubt */
    ATOM_HELD_GONE,
};

/* atom_infer_held says whether a slot still holds what it held. *out is what it likely means
 * in this message: held->text, another text that lives as long as the book, or absent. */
enum atom_held_verdict atom_infer_held(struct node_atoms *book, uint16_t slot, uint64_t direction,
                                       struct atom_held *held, struct ds_text *out);

#endif
