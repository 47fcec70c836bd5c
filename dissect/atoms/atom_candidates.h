/*
 * atom_candidates.h - what a slot may mean, each with its weight: what the sender was seen to give to the
 * slot, the atoms that the release which fits has there, and atoms of OTP whose roles are those in which
 * the slot was seen. What these say is weighed in atom_weights.h, the releases in atom_fit.h.
 */
#ifndef DISSECT_ATOM_CANDIDATES_H
#define DISSECT_ATOM_CANDIDATES_H

#include "atoms/node_atoms_parts.h"

enum { MAX_CANDIDATES = 64 };
/* As far as other directions can say that it is this atom. */
#define JUDGE_MOST_THERE -0.07

/* candidate is an atom that the slot may mean. */
struct candidate {
    struct ds_text text;
    double weight;
    unsigned number;  /* as atom_table_find has it */
    bool is_by_shape; /* nothing but contexts says that it is in this slot */
    bool is_rival;    /* it cannot be likely itself: its roles are not its own */
    bool is_of_any;   /* some release has it there, of which it is not known yet that it fits */
};

/* judge is of one slot, in one direction. */
struct judge {
    struct node_atoms *book;
    const struct book_slot *slot;
    uint16_t number, bit; /* the latter: of the direction */
    double unlearned; /* what an atom loses of which no definition was seen */
    double num_others; /* atoms that are no candidates, as far as they can be in this slot */
    double others[ATOM_BOOK_ROLES]; /* log2 P(role | an atom that is no candidate) / P(role) */
    struct candidate candidates[MAX_CANDIDATES];
    unsigned num, num_held; /* the latter: the first one is what the slot held before */
    unsigned num_claimed;   /* atoms of its contexts that other slots are */
};

/* candidates_find returns the candidate with a text, or NULL. */
struct candidate *candidates_find(struct judge *judge, struct ds_text text);

/* candidates_add adds one, where there is room. */
void candidates_add(struct judge *judge, struct ds_text text, double weight);

/* judge_is_here says whether the slot stands in a role, by its number, in the direction at hand. */
bool judge_is_here(const struct judge *judge, unsigned role);

/* candidates_bits_if_later weighs that a direction is going to define a text, so that its slot holds
 * another one just before: but that may be a second time, and the first one was not seen. */
double candidates_bits_if_later(const struct judge *judge, const struct learned *learned,
                                uint64_t direction);

/* candidates_add_learned adds what the slot was seen to get. */
void candidates_add_learned(struct judge *judge, uint64_t direction);

/* candidates_add_node adds the name of the node whose creation the pids have that the slot stands in. */
void candidates_add_node(struct judge *judge);

/* candidates_add_named adds the name that data says the slot has. */
void candidates_add_named(struct judge *judge);

/* candidates_add_static adds what the releases that fit, or may, have in the slot. */
void candidates_add_static(struct judge *judge);

/* candidates_rarity returns how many bits speak against that an atom is in the slot at hand: in so many
 * others it could be; or ATOM_NEVER, where it is known to be in another one: each has one. */
double candidates_rarity(const struct judge *judge, unsigned number);

/* candidates_add_by_role adds atoms of OTP that can be in any slot, for the roles that hardly another
 * has. */
void candidates_add_by_role(struct judge *judge);

/* candidates_pop_best returns the candidate that is most probable, and leaves nothing of that to it; NULL
 * where none is any more. */
const struct candidate *candidates_pop_best(struct judge *judge, double *weight);

#endif
