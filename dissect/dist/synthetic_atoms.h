/*
 * synthetic_atoms.h - frames that were never sent, for slots of an atom cache whose content no kept
 * frame defined: atoms inferred from their places, and atoms that are likely after lost packets.
 */
#ifndef DISSECT_SYNTHETIC_ATOMS_H
#define DISSECT_SYNTHETIC_ATOMS_H

#include "atoms/atom_cache.h"

struct decoder_state;

/* synthetic_atoms contains frames: a tick, so that there is always one, those with certain atoms,
 * then those with likely ones. Zero-initialise it. */
struct synthetic_atoms {
    struct ds_buffer frames;
    size_t first_len, certain_len;
};

/* synthetic_atoms_make makes the frames of a direction. If memory ran out, counted, there are
 * fewer. */
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
