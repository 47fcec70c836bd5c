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
    ATOM_SLOTS_USED = 2039, /* a node uses the index of an atom modulo this */
    ATOM_MAX_CHARS = 255,
    ATOM_MAX_LEN = 4 * ATOM_MAX_CHARS,
    ATOM_ALL_SEGMENTS = (1 << ATOM_SEGMENTS) - 1,
};

/* atom_doubt is the evidence for and against an atom that is likely because it was in its slot
 * before packets were lost. */
struct atom_doubt {
    float lost;     /* lost definitions at the time when it was certain, estimated */
    float weight;   /* log2 of how much better than other atoms it explains its roles since */
    float again;    /* the part of weight from roles that were seen again */
    uint32_t roles; /* those roles: a bit each, by hash */
    uint32_t kinds; /* the same for their coarse forms */
};

/* atom_segment is 256 slots. */
struct atom_segment {
    struct ds_atom atoms[ATOM_SEGMENT_SLOTS];
    struct atom_doubt *doubts; /* one for each slot; NULL: none so far */
};

/* atom_rate is how many definitions had been seen in how many bytes. */
struct atom_rate {
    uint64_t num_defined, seen;
};

/* atom_cache is what is known of a direction's slots. Initialize it with zeros. */
struct atom_cache {
    struct atom_segment *segment[ATOM_SEGMENTS]; /* NULL: all unknown */
    unsigned num_certain;                        /* slots */
    uint64_t num_defined;                        /* definitions seen */
    double num_lost;                             /* definitions lost, estimated */
    struct atom_rate marks[2];                   /* when a half and a quarter of the bytes had been seen */
};


/* atoms_read copies the entry of a slot, the one at index of a segment. It is inline because
 * each message needs a few. */
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

/* atoms_set stores the text of a slot, which is copied. If memory runs out or the cap is
 * reached, the slot becomes unknown. latin1: the text is converted to UTF-8. */
void atoms_set(struct atom_cache *cache, struct dissect_ctx *env, uint16_t slot, struct ds_text text,
               bool latin1, enum ds_atom_state state);

/* atoms_forget makes all slots of the segments in mask unknown. */
void atoms_forget(struct atom_cache *cache, struct dissect_ctx *env, unsigned mask);

/* atoms_doubt makes the certain slots of the segments in mask likely: a slot changes only when
 * another atom with the same remainder is sent for the first time, which may be among the lost
 * packets. Slots that stand for a node's address become unknown. */
void atoms_doubt(struct atom_cache *cache, struct dissect_ctx *env, unsigned mask);

/* atoms_on_loss records that bytes of the frames are missing; seen is how many were seen. It
 * estimates the lost definitions from the rate in the latter half of the seen bytes, as a
 * connection defines most of its atoms at its beginning. */
void atoms_on_loss(struct atom_cache *cache, uint64_t bytes, uint64_t seen);

/* atoms_doubt_of returns the doubt of a slot; NULL if there is none. */
struct atom_doubt *atoms_doubt_of(const struct atom_cache *cache, uint16_t slot);

/* atoms_changed returns the probability that a slot was given another atom than the one in
 * doubt. *lost is the share of all definitions that were lost since that atom was certain. */
double atoms_changed(const struct atom_cache *cache, const struct atom_doubt *doubt, double *lost);

/* atoms_settle ends the doubt of a slot: if holds, it still contains the same atom, else it is
 * unknown. */
void atoms_settle(struct atom_cache *cache, struct dissect_ctx *env, uint16_t slot, bool holds);

/* atoms_free empties the cache and frees its memory. */
void atoms_free(struct atom_cache *cache, struct dissect_ctx *env);

#endif
