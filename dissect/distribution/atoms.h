/*
 * atoms.h - the atom cache of one direction (erl_ext_dist, "Distribution Header"): 8
 * segments of 256 slots, overwritten at any time.
 */
#ifndef DISSECT_ATOMS_H
#define DISSECT_ATOMS_H

#include "conn.h"

enum {
    ATOM_SEGMENTS = 8,
    ATOM_SEGMENT_SLOTS = 256,
    ATOM_SLOTS_USED = 2039, /* a node takes an atom's index modulo that */
    ATOM_MAX_CHARS = 255,
    ATOM_MAX_LEN = 4 * ATOM_MAX_CHARS,
    ATOM_ALL_SEGMENTS = (1 << ATOM_SEGMENTS) - 1,
};

/* atom_cache holds what is known of a direction's slots. Zero-initialise it. */
struct atom_cache {
    struct ds_atom *segment[ATOM_SEGMENTS]; /* NULL: all unknown */
    unsigned num_certain;                   /* slots */
};

static inline struct ds_atom atoms_get(const struct atom_cache *cache, uint16_t slot)
{
    const struct ds_atom *segment = cache->segment[slot / ATOM_SEGMENT_SLOTS];
    if (segment == NULL)
        return (struct ds_atom){.slot = slot, .state = DS_ATOM_UNKNOWN};
    return segment[slot % ATOM_SEGMENT_SLOTS];
}

/* atoms_set gives a slot its text, which is copied. When memory or the meter runs out the
 * slot becomes unknown. latin1: the text is converted to UTF-8. */
void atoms_set(struct atom_cache *cache, struct env *env, uint16_t slot, struct ds_text text,
               bool latin1, enum ds_atom_state state);

/* atoms_forget makes all slots of the segments in mask unknown. */
void atoms_forget(struct atom_cache *cache, struct env *env, unsigned mask);

/* atoms_doubt makes what is certain in the segments of mask likely: a slot changes only when another
 * atom with the same remainder is sent for the first time, which may have happened unseen. */
void atoms_doubt(struct atom_cache *cache, unsigned mask);

/* atoms_free releases the memory and empties the cache. */
void atoms_free(struct atom_cache *cache, struct env *env);

#endif
