/*
 * atom_cache.h - the atom cache of one direction (erl_ext_dist, "Distribution Header"): 8
 * segments of 256 slots, overwritten at any time.
 */
#ifndef DISSECT_ATOM_CACHE_H
#define DISSECT_ATOM_CACHE_H

#include "conn/conn.h"

#include <string.h>

enum {
    ATOM_SEGMENTS = 8,
    ATOM_SEGMENT_SLOTS = 256,
    ATOM_SLOTS_USED = 2039, /* a node takes an atom's index modulo that */
    ATOM_MAX_CHARS = 255,
    ATOM_MAX_LEN = 4 * ATOM_MAX_CHARS,
    ATOM_ALL_SEGMENTS = (1 << ATOM_SEGMENTS) - 1,
};

/* atom_doubt is what speaks for and against an atom that is likely because its slot held it before
 * packets were lost. */
struct atom_doubt {
    float lost;     /* definitions that had been when it was certain, by estimate */
    float weight;   /* log2 of how much better it explains its roles since than any atom does */
    float again;    /* of that, by roles in which it stood once more */
    uint32_t roles; /* those: a bit each, by hash */
    uint32_t kinds; /* of those: by their coarse forms */
};

/* atom_segment is 256 slots. */
struct atom_segment {
    struct ds_atom atoms[ATOM_SEGMENT_SLOTS];
    struct atom_doubt *doubts; /* of each; NULL: there was none so far */
};

/* atom_rate is how many definitions had been seen in how many bytes. */
struct atom_rate {
    uint64_t num_defined, seen;
};

/* atom_cache holds what is known of a direction's slots. Zero-initialise it. */
struct atom_cache {
    struct atom_segment *segment[ATOM_SEGMENTS]; /* NULL: all unknown */
    unsigned num_certain;                        /* slots */
    uint64_t num_defined;                        /* on the wire, as far as that was seen */
    double num_lost;                             /* definitions, by estimate, that were not */
    struct atom_rate marks[2];                   /* when half, and a quarter, of the bytes were */
};


/* atoms_read copies what a slot, index of a segment, holds in one piece: there are a handful in each
 * message. */
static inline void atoms_read(const struct atom_cache *cache, unsigned number, unsigned index,
                              struct ds_atom *out)
{
    const struct atom_segment *segment = cache->segment[number];
    if (segment != NULL)
        memcpy(out, &segment->atoms[index], sizeof *out);
    else
        *out = (struct ds_atom){.slot = (uint16_t)(number * ATOM_SEGMENT_SLOTS + index),
                                .state = DS_ATOM_UNKNOWN};
}

static inline struct ds_atom atoms_get(const struct atom_cache *cache, uint16_t slot)
{
    struct ds_atom atom;
    atoms_read(cache, slot / ATOM_SEGMENT_SLOTS, slot % ATOM_SEGMENT_SLOTS, &atom);
    return atom;
}

/* atoms_set gives a slot its text, which is copied. When memory or the meter runs out the
 * slot becomes unknown. latin1: the text is converted to UTF-8. */
void atoms_set(struct atom_cache *cache, struct dissect_ctx *env, uint16_t slot, struct ds_text text,
               bool latin1, enum ds_atom_state state);

/* atoms_forget makes all slots of the segments in mask unknown. */
void atoms_forget(struct atom_cache *cache, struct dissect_ctx *env, unsigned mask);

/* atoms_doubt makes what is certain in the segments of mask likely: a slot changes only when another
 * atom with the same remainder is sent for the first time, which may have happened unseen. What had the
 * address of a node is unknown again. */
void atoms_doubt(struct atom_cache *cache, struct dissect_ctx *env, unsigned mask);

/* atoms_on_loss tells that bytes of the frames were not seen; seen is how many were. As many
 * definitions are taken to be in them as in the latter half of what was seen: a connection defines
 * most of its atoms at its beginning. */
void atoms_on_loss(struct atom_cache *cache, uint64_t bytes, uint64_t seen);

/* atoms_doubt_of returns the doubt of a slot; NULL where there is none. */
struct atom_doubt *atoms_doubt_of(const struct atom_cache *cache, uint16_t slot);

/* atoms_changed returns how probable it is that a slot was given another atom than the one in doubt;
 * and *lost which share of all definitions was lost since that was certain. */
double atoms_changed(const struct atom_cache *cache, const struct atom_doubt *doubt, double *lost);

/* atoms_settle ends the doubt of a slot: it still holds what it held, or it is unknown. */
void atoms_settle(struct atom_cache *cache, struct dissect_ctx *env, uint16_t slot, bool holds);

/* atoms_free releases the memory and empties the cache. */
void atoms_free(struct atom_cache *cache, struct dissect_ctx *env);

#endif
