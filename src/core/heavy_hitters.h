/*
 * heavy_hitters.h - heavy hitters in bounded memory: finds the kinds of things with the greatest
 * weights among any number of kinds (Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent
 * and Top-k Elements in Data Streams": space-saving).
 *
 * Up to the cap each kind has an entry, and everything is exact. After that, a new kind replaces the
 * lightest entry and inherits its weight, which is the most it may have weighed before. So an entry's
 * true weight is between weight - most_missing and weight. A kind without an entry weighs at most
 * hitters_most_missing, which is no more than the total divided by the cap. A heavier kind always has
 * an entry.
 *
 * An entry is a struct that begins with struct hitters_entry.
 */
#ifndef SRC_HEAVY_HITTERS_H
#define SRC_HEAVY_HITTERS_H

#include "core/table.h"

struct hitters_entry {
    struct table_entry entry;
    uint64_t key;
    uint64_t weight;       /* counted and inherited weight */
    uint64_t most_missing; /* at most this much of weight is inherited */
};
TABLE_KEYED(struct hitters_entry, key);

/* hitters_forget_fn releases what an entry owns. */
typedef void (*hitters_forget_fn)(void *entry);

struct heavy_hitters {
    struct table table;
    hitters_forget_fn forget; /* NULL: entries own nothing */
    struct hitters_place {
        uint64_t weight; /* at the last check: at most the entry's weight */
        uint32_t number;
    } * heap; /* the lightest on top; NULL until the cap is reached */
    uint32_t num_heap;
    uint64_t num_forgotten; /* times an entry was replaced */
    uint64_t no_memory;
};

void hitters_init(struct heavy_hitters *hitters, size_t entry_size, uint64_t max,
                  hitters_forget_fn forget);
void hitters_free(struct heavy_hitters *hitters);

/* hitters_clear removes all entries. */
void hitters_clear(struct heavy_hitters *hitters);

/* hitters_add adds to the weight of the kind with that key, a 64-bit hash with the secret of this run
 * (hash.h). *is_new: the entry has just been made, and is zero after its head. NULL when memory ran
 * out: then the weight is not counted. */
void *hitters_add(struct heavy_hitters *hitters, uint64_t key, uint64_t weight, bool *is_new);

/* hitters_find returns the entry of a kind; NULL if it has none. */
void *hitters_find(const struct heavy_hitters *hitters, uint64_t key);

/* hitters_most_missing returns the most that a kind without an entry may weigh; 0 as long as everything
 * is exact. */
uint64_t hitters_most_missing(struct heavy_hitters *hitters);

/* hitters_list returns all entries, sorted with compare as by qsort, in memory that the caller frees;
 * NULL if there are none or memory ran out. */
void **hitters_list(const struct heavy_hitters *hitters, int (*compare)(const void *, const void *));

#endif
