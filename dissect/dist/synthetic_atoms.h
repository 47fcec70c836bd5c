/*
 * synthetic_atoms.h - frames that were never sent, for what slots of an atom cache hold that no frame
 * which is kept gave them: what follows from the places of atoms, and what is likely after lost
 * packets.
 */
#ifndef DISSECT_SYNTHETIC_ATOMS_H
#define DISSECT_SYNTHETIC_ATOMS_H

#include "atoms/atom_cache.h"

struct decoder_state;

/* synthetic_atoms holds frames: a tick, so that there is one, those with certain atoms, those with
 * likely ones. Zero-initialise it. */
struct synthetic_atoms {
    struct ds_buffer frames;
    size_t first_len, certain_len;
};

/* synthetic_atoms_make makes the frames of a direction. Without memory, counted, there are fewer. */
void synthetic_atoms_make(struct synthetic_atoms *given, struct dissect_ctx *env,
                          const struct decoder_state *state, int dir, const struct atom_cache *atoms);
void synthetic_atoms_free(struct synthetic_atoms *given);

static inline size_t synthetic_atoms_len(const struct synthetic_atoms *given)
{
    return given->frames.len;
}

struct cursor synthetic_atoms_first(const struct synthetic_atoms *given);
struct cursor synthetic_atoms_certain(const struct synthetic_atoms *given);
struct cursor synthetic_atoms_likely(const struct synthetic_atoms *given);

#endif
