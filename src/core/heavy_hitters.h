/*
 * heavy_hitters.h - heavy hitters in bounded memory: what weighs most among any number of kinds of
 * things (Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data
 * Streams": space-saving).
 *
 * Up to the cap each kind has an entry, and all is exact. Beyond it a new kind takes the place of
 * the one that weighs least and inherits its weight, as what it may have weighed before: an
 * entry's true weight is at least weight - most_missing and at most weight, and a kind without
 * an entry weighs at most what hitters_most_missing says, which is no more than the total divided
 * by the cap. What weighs more than that is never missing.
 *
 * An entry is a struct that begins with struct hitters_entry.
 */
#ifndef SRC_HEAVY_HITTERS_H
#define SRC_HEAVY_HITTERS_H

#include "core/table.h"

struct hitters_entry {
    struct table_entry entry;
    uint64_t key;
    uint64_t weight;       /* counted, and inherited: */
    uint64_t most_missing; /* at most this much of weight is not its own */
};
TABLE_KEYED(struct hitters_entry, key);

/* hitters_forget_fn releases what an entry owns. */
typedef void (*hitters_forget_fn)(void *entry);

struct heavy_hitters {
    struct table table;
    hitters_forget_fn forget; /* NULL: entries own nothing */
    struct hitters_place {
        uint64_t weight; /* when it was put there: no more than the entry's */
        uint32_t number;
    } * heap; /* the lightest on top; NULL until the cap was reached */
    uint32_t num_heap;
    uint64_t num_forgotten; /* times a kind lost its entry */
    uint64_t no_memory;
};

void hitters_init(struct heavy_hitters *hitters, size_t entry_size, uint64_t max,
                  hitters_forget_fn forget);
void hitters_free(struct heavy_hitters *hitters);

/* hitters_clear forgets all, as if nothing had been added. */
void hitters_clear(struct heavy_hitters *hitters);

/* hitters_add adds to the weight of the kind with that key, a hash of 64 bits under the secret of
 * this run (hash.h). *is_new: the entry has just been made, and is zero behind its head. NULL when
 * memory ran out: then the weight is not counted anywhere. */
void *hitters_add(struct heavy_hitters *hitters, uint64_t key, uint64_t weight, bool *is_new);

/* hitters_find finds the entry of a kind; NULL: it has none. */
void *hitters_find(const struct heavy_hitters *hitters, uint64_t key);

/* hitters_most_missing is what a kind without an entry may weigh; 0 while all is exact. */
uint64_t hitters_most_missing(struct heavy_hitters *hitters);

/* hitters_list returns all entries, sorted by compare as qsort does it, in memory to be freed; NULL
 * when there are none or memory ran out. */
void **hitters_list(const struct heavy_hitters *hitters, int (*compare)(const void *, const void *));

#endif
