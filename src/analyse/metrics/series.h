/*
 * series.h - values kept apart by labels, as many as a cap allows: the heaviest of them.
 *
 * Labels are what peers call themselves, so that anybody could make any number of them. Up to the
 * cap each combination has an entry of its own; what comes beyond has none, and its user counts it
 * with the others. Once in a while (series_review) those not heard of for long are dropped, and who
 * weighs more among the others than the lightest with an entry does takes that one's place. A
 * counter of the others therefore never goes down, nor does one of an entry while it is there.
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
    int64_t last_ns; /* heard of */
    char *text;      /* of all labels, one behind the other */
    uint8_t len[SERIES_LABELS];
};

struct series_set {
    struct table table;
    struct heavy_hitters others; /* since the last review */
    unsigned num_labels;
    uint32_t generation; /* changes when an entry is gone: pointers to entries are to be forgotten */
    uint64_t no_memory;
};

/* series_init: max is how many there may be, at least 1. */
void series_init(struct series_set *set, size_t entry_size, unsigned num_labels, uint64_t max);
void series_free(struct series_set *set);

/* series_get returns the entry of these labels, made if there is room for one; NULL: it is one of
 * the others. A label beyond SERIES_LABEL_LEN bytes is cut. */
void *series_get(struct series_set *set, const struct ds_text *labels);

/* series_weigh_other adds to the weight of one of the others. */
void series_weigh_other(struct series_set *set, const struct ds_text *labels, uint64_t weight);

/* series_review drops what was not heard of since before_ns, and lets heavier ones in, at now_ns. */
void series_review(struct series_set *set, int64_t before_ns, int64_t now_ns);

/* series_label returns a label of an entry. */
struct ds_text series_label(const struct series *series, unsigned i);

#endif
