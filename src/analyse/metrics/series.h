/*
 * series.h - values by labels: the heaviest series, as many as a cap allows.
 *
 * Labels are names that peers choose, so that a peer could cause any number of series. Up to the
 * cap each combination has an entry; further ones have none, and the user of this counts them
 * together as the others. Now and then (series_review) entries without activity are evicted, and
 * labels without an entry that weigh more than twice as much as the lightest entry replace it. So a
 * counter of the others never decreases, nor does one of an entry while the entry exists.
 *
 * An entry is a struct that begins with struct series.
 */
#ifndef SRC_SERIES_H
#define SRC_SERIES_H

#include "core/heavy_hitters.h"

#include <distsniff/term.h>

enum { SERIES_LABELS = 4, SERIES_LABEL_LEN = 255 };

struct series {
    struct table_entry entry;
    uint64_t hash;
    uint64_t recent; /* its weight since the last review */
    int64_t last_ns; /* of its latest activity */
    char *text;      /* all labels, concatenated */
    uint8_t len[SERIES_LABELS];
};

struct series_set {
    struct table table;
    struct heavy_hitters others; /* since the last review */
    unsigned num_labels;
    uint32_t generation; /* changes when an entry is removed: pointers to entries become invalid */
    uint64_t no_memory;
};

/* series_init: max is the cap of entries, at least 1. */
void series_init(struct series_set *set, size_t entry_size, unsigned num_labels, uint64_t max);
void series_free(struct series_set *set);

/* series_get returns the entry with these labels, added if there is room. NULL: it is one of the
 * others. A label longer than SERIES_LABEL_LEN bytes is cut. */
void *series_get(struct series_set *set, const struct ds_text *labels);

/* series_weigh_other adds to the weight of one of the others. */
void series_weigh_other(struct series_set *set, const struct ds_text *labels, uint64_t weight);

/* series_review evicts entries without activity since before_ns, and adds heavier ones, at now_ns. */
void series_review(struct series_set *set, int64_t before_ns, int64_t now_ns);

/* series_label returns a label of an entry. */
struct ds_text series_label(const struct series *series, unsigned i);

#endif
