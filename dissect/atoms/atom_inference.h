/*
 * atom_inference.h - what a slot most likely means, by what is known of the node (node_atoms.h). It is
 * told from the slot's candidates, by the roles in which it was seen (atom_roles.h):
 *
 *     score = log2 P(atom is used) + sum over roles of log2 P(role | atom) / P(role)
 *
 * against "some other atom". A candidate that has 99 % of all is likely; else nothing is.
 */
#ifndef DISSECT_ATOM_INFERENCE_H
#define DISSECT_ATOM_INFERENCE_H

#include "atoms/node_atoms.h"

/* atom_infer returns what a slot most likely means in that direction; absent: nothing is likely. The
 * text lives as long as the book, which remembers the verdict until something says otherwise. */
struct ds_text atom_infer(struct node_atoms *book, uint16_t slot, uint64_t direction);

/* atom_infer_guess says what a slot may mean in that direction where nothing is likely. The texts live as
 * long as the book. */
void atom_infer_guess(struct node_atoms *book, uint16_t slot, uint64_t direction,
                      struct ds_guess *guess);

enum { ATOM_HELD_ROLES = 8 };
#define ATOM_LIKELY_FROM 0.99

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
