/*
 * atom_candidates.h - the candidates for a slot, with their weights: atoms that the sender was seen
 * to define there, those that a fitting release has there, and atoms of OTP with the same roles as
 * the slot. atom_weights.h weighs the evidence, atom_fit.h the releases.
 */
#ifndef DISSECT_ATOM_CANDIDATES_H
#define DISSECT_ATOM_CANDIDATES_H

#include "atoms/node_atoms_parts.h"

enum { MAX_CANDIDATES = 64 };
/* The largest weight that other directions can give to an atom. */
#define JUDGE_MOST_THERE -0.07

/* candidate is an atom that the slot may mean. */
struct candidate {
    struct ds_text text;
    double weight;
    unsigned number;  /* from atom_table_find */
    bool is_by_shape; /* only contexts indicate that it is in this slot */
    bool is_rival;    /* it cannot be likely itself: it only competes for the roles */
    bool is_of_any;   /* of a release that may not fit */
};

/* judge weighs the candidates for one slot in one direction. */
struct judge {
    struct node_atoms *book;
    const struct book_slot *slot;
    uint16_t number, bit; /* bit: of the direction */
    double unlearned; /* log2, added to atoms whose definition was not seen */
    double num_others; /* atoms that are not candidates and may be in this slot */
    double others[ATOM_BOOK_ROLES]; /* log2 P(role | atom that is not a candidate) / P(role) */
    struct candidate candidates[MAX_CANDIDATES];
    unsigned num, num_held; /* num_held is 1 if the first one is the atom from before a loss */
    unsigned num_claimed;   /* atoms of its contexts that are in other slots */
};

/* candidates_find returns the candidate with a text, or NULL. */
struct candidate *candidates_find(struct judge *judge, struct ds_text text);

/* candidates_add adds a candidate if there is room. */
void candidates_add(struct judge *judge, struct ds_text text, double weight);

/* judge_is_here says whether the slot has a role, by its number, in the direction that is
 * judged. */
bool judge_is_here(const struct judge *judge, unsigned role);

/* candidates_bits_if_later returns the evidence against a text that the direction defines later:
 * just before that, the slot contains another atom. But it may be defined twice, the first time
 * unseen. */
double candidates_bits_if_later(const struct judge *judge, const struct learned *learned,
                                uint64_t direction);

/* candidates_add_learned adds the texts that the slot was seen to be given. */
void candidates_add_learned(struct judge *judge, uint64_t direction);

/* candidates_add_node adds the name of the node with the creation of the slot's pids. */
void candidates_add_node(struct judge *judge);

/* candidates_add_named adds the name that message data gives the slot. */
void candidates_add_named(struct judge *judge);

/* candidates_add_static adds the atoms that releases which fit, or may fit, have in the slot. */
void candidates_add_static(struct judge *judge);

/* candidates_rarity returns the evidence against an atom in this slot, in bits: it could be in
 * as many others. ATOM_NEVER if it is known to be in another slot, as each atom has one slot. */
double candidates_rarity(const struct judge *judge, unsigned number);

/* candidates_add_by_role adds atoms of OTP that may be in any slot, if the slot has a role that
 * hardly any other atom has. */
void candidates_add_by_role(struct judge *judge);

/* candidates_pop_best returns the most probable candidate and sets its weight to 0; NULL if none
 * is left. */
const struct candidate *candidates_pop_best(struct judge *judge, double *weight);

#endif
