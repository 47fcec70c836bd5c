/*
 * differ.h - in what two profiles differ.
 *
 * A difference is shown when it is large enough (thresholds.def) and when the figures of neither
 * capture vary so much that it may be chance:
 *
 *   rate       the rates in the slices of both captures, made equally wide, by the rank-sum test
 *              (significance.h). Where one capture is too short for that, the rates in its parts
 *              are all beyond those in the slices of the other one
 *   presence   it is in every part of one capture, and nowhere in the other; of a finding, once is
 *              enough. What a tool that came and went did is judged by rate: its name has a * in it
 *   latency    each part of one capture is beyond each part of the other one. Each part has 5
 *              values, for a 99th percentile 50. And Fisher's exact test on the calls that take
 *              longer than that percentile of the quicker capture
 *   size       the same, of mean sizes
 *   failed     Fisher's exact test on the calls that failed, of those that ended
 *
 * What could not be read is not missing: where a capture has more unread messages, of a link or at
 * all, than what it seems to lack could have been, the difference is not shown but counted as not
 * judged.
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

/* In the order in which they are shown. */
enum change { CHANGE_APPEARED, CHANGE_VANISHED, CHANGE_GROWN, CHANGE_SHRUNK, CHANGE_COUNT };

/* difference is one row. Rates are a second, latencies in seconds, sizes in bytes, failed as a
 * share of 1. before and after point into the profiles; NULL where one has no such kind. */
struct difference {
    enum change change;
    enum measure measure;
    enum profile_kind kind;
    struct ds_text key;
    double before_value, after_value;
    const struct profile_entry *before, *after;
    bool is_worse;
    bool is_implied; /* it follows from another one, and is left out */
};

struct differences {
    struct difference *rows; /* ordered as they are shown; owned */
    size_t num, cap;
    uint64_t num_implied;    /* were left out, as they follow from a node or call that is there as well */
    uint64_t num_compared;   /* kinds that both sides have, with the names of their nodes */
    uint64_t num_not_judged; /* kinds that one side seems to lack, and may have among what is unread */
    uint64_t num_too_thin;   /* kinds that only one side has, too seldom to say more */
    bool is_incomplete;      /* a profile left out things: nothing is said to appear or vanish */
    bool is_worse; /* one of the rows is */
    bool no_memory;
};

/* thresholds_init fills in the defaults. */
void thresholds_init(double thresholds[static THRESHOLD_COUNT_OF]);
const char *threshold_name(enum threshold threshold);

/* differ compares two profiles. out->rows is to be freed. */
void differ(const struct profile *before, const struct profile *after,
            const double thresholds[static THRESHOLD_COUNT_OF], struct differences *out);

const char *change_name(enum change change);
const char *measure_name(enum measure measure);
const char *measure_words(enum measure measure);

#endif
