/*
 * differ.h - finds the differences between two profiles.
 *
 * A difference is shown if it is large enough (thresholds.def), and if the values within each capture
 * do not vary so much that it may be chance:
 *
 *   rate       the rates in the slices of both captures, made equally wide, by the rank-sum test
 *              (significance.h). If one capture is too short for that, all rates in its parts must be
 *              beyond all rates in the slices of the other one
 *   presence   it is in every part of one capture, and nowhere in the other; for a finding, one
 *              occurrence is enough. Tools that come and go, whose names contain a *, are judged by rate
 *   latency    each part of one capture is beyond each part of the other one. Each part must have 5
 *              values, 50 for a 99th percentile. In addition, Fisher's exact test on the calls that
 *              last longer than that percentile of the faster capture
 *   size       the same for mean sizes
 *   failed     Fisher's exact test on the calls that failed, of those that ended
 *
 * Unread messages are not missing: if what a capture seems to lack could be among its unread messages,
 * of a link or of the whole capture, the difference is not shown but counted as not judged.
 */
#ifndef SRC_DIFFER_H
#define SRC_DIFFER_H

#include "compare/profile.h"

enum threshold {
#define THRESHOLD(id, name, value, least, most, what) THRESHOLD_##id,
#include "compare/thresholds.def"
#undef THRESHOLD
    THRESHOLD_COUNT_OF
};

enum measure {
#define MEASURE(id, name, words, is_worse_grown, is_worse_shrunk) MEASURE_##id,
#include "compare/measures.def"
#undef MEASURE
    MEASURE_COUNT
};

/* In the order of the output. */
enum change { CHANGE_APPEARED, CHANGE_VANISHED, CHANGE_GROWN, CHANGE_SHRUNK, CHANGE_COUNT };

/* difference is one row. Rates are per second, latencies in seconds, sizes in bytes, failed is a
 * fraction of 1. before and after point into the profiles; NULL if that one has no such kind. */
struct difference {
    enum change change;
    enum measure measure;
    enum profile_kind kind;
    struct ds_text key;
    double before_value, after_value;
    const struct profile_entry *before, *after;
    bool is_worse;
    bool is_implied; /* it follows from another difference, and is left out */
};

struct differences {
    struct difference *rows; /* in the order of the output; owned */
    size_t num, cap;
    uint64_t num_implied;    /* rows left out because they follow from a node or call that is also shown */
    uint64_t num_compared;   /* kinds that both sides have; messages and calls only with known names of
                                their nodes, nodes and links also by their addresses */
    uint64_t num_not_judged; /* kinds that one side seems to lack, but that may be among its unread
                                messages */
    uint64_t num_too_thin;   /* kinds that only one side has, too rarely to be judged */
    bool is_incomplete;      /* a profile has left out kinds: none is reported as appeared or vanished */
    bool is_worse; /* one of the rows is worse */
    bool no_memory, is_joined;
    struct profile joined[2]; /* if is_joined: what was compared (same_nodes.h) */
};

/* thresholds_init sets the defaults. */
void thresholds_init(double thresholds[static THRESHOLD_COUNT_OF]);
const char *threshold_name(enum threshold threshold);

/* differ compares two profiles. A node that is an address in one of them and has its name in the other
 * one is the same. differences_free releases what out owns. */
void differ(const struct profile *before, const struct profile *after,
            const double thresholds[static THRESHOLD_COUNT_OF], struct differences *out);

void differences_free(struct differences *differences);

const char *change_name(enum change change);
const char *measure_name(enum measure measure);
const char *measure_words(enum measure measure);

#endif
