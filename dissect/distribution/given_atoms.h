/*
 * given_atoms.h - frames that were never sent, for what slots of an atom cache hold that no frame
 * which is kept gave them: what follows from the places of atoms, and what is likely after lost
 * packets.
 */
#ifndef DISSECT_GIVEN_ATOMS_H
#define DISSECT_GIVEN_ATOMS_H

#include "atom_cache.h"

struct decoder_state;

/* given_atoms holds frames: a tick, so that there is one, those with certain atoms, those with
 * likely ones. Zero-initialise it. */
struct given_atoms {
    struct ds_buffer frames;
    size_t first_len, certain_len;
};

/* given_atoms_make makes the frames of a direction. Without memory, counted, there are fewer. */
void given_atoms_make(struct given_atoms *given, struct env *env, const struct decoder_state *state,
                      int dir, const struct atom_cache *atoms);
void given_atoms_free(struct given_atoms *given);

static inline size_t given_atoms_len(const struct given_atoms *given)
{
    return given->frames.len;
}

struct cursor given_atoms_first(const struct given_atoms *given);
struct cursor given_atoms_certain(const struct given_atoms *given);
struct cursor given_atoms_likely(const struct given_atoms *given);

#endif
