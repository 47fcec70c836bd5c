/*
 * novelty.h - what happens now and did not happen while a baseline was made: --baseline.
 *
 * It reports what is new to the whole cluster: a function that a node calls is not new if another node
 * has called it. Each new thing is reported once:
 *
 *   node, link      at its first message; the links of a new node are not reported
 *   function, name, the first time; but if things of that kind still appeared for the first time in
 *   shape           the second half of the baseline, only after THRESHOLD_COUNT times
 *   latency, size   when two consecutive windows (profile.h) both exceed the maximum that two
 *                   consecutive windows had in the baseline, by THRESHOLD_NEW_LATENCY or
 *                   THRESHOLD_SIZE; again after it no longer did
 *
 * Something that may be among the unread messages of the baseline is not reported, unless it is so
 * frequent that THRESHOLD_RATE times as many messages would have to be unread.
 */
#ifndef SRC_NOVELTY_H
#define SRC_NOVELTY_H

#include "analyse/findings/unusual.h"
#include "compare/differ.h"
#include "compare/profile.h"

/* Maximum number reported of one kind; the others are counted. */
enum { NOVELTY_MOST = 50, NOVELTY_WAITING = 8 };

/* novelty_source is the message or call in which an entry occurs. */
struct novelty_source {
    struct ds_text node[2]; /* from, to; data NULL: unknown */
    int64_t ts_ns;
    uint64_t frame, conn;
};

struct novelty {
    const struct profile *before, *now;
    const double *thresholds; /* THRESHOLD_COUNT_OF values */
    bool are_pseudonyms;
    uint64_t num_unnamed; /* messages of the baseline whose nodes may be any nodes */
    uint64_t least[PROFILE_KIND_COUNT]; /* how often a new thing of a kind must occur */
    uint64_t num_told[UNUSUAL_KIND_COUNT];
    struct baseline_checks checks;
    struct unusual waiting[NOVELTY_WAITING]; /* reports for the latest record */
    size_t num_waiting, next_waiting;
    char name[NOVELTY_WAITING][2][256]; /* names of the nodes in waiting */
};

/* novelty_begin compares what is counted in now with before; the caller owns all arguments.
 * are_pseudonyms: names are pseudonyms. */
void novelty_begin(struct novelty *novelty, const struct profile *before, const struct profile *now,
                   const double thresholds[static THRESHOLD_COUNT_OF], bool are_pseudonyms);

/* novelty_look examines an entry that was counted. novelty_look_link examines the entry of a link,
 * after its two nodes were examined. Entries may be NULL. */
void novelty_look(struct novelty *novelty, struct profile_entry *entry, const struct novelty_source *from);
void novelty_look_link(struct novelty *novelty, struct profile_entry *link, const struct profile_entry *a,
                       const struct profile_entry *b, const struct novelty_source *from);

/* novelty_look_window examines a value that two consecutive windows of an entry both reached. */
void novelty_look_window(struct novelty *novelty, struct profile_entry *entry, uint64_t value,
                         const struct novelty_source *from);

/* novelty_next returns the next report for the latest record; NULL: no more. It lives until the next
 * record is counted. */
const struct unusual *novelty_next(struct novelty *novelty);

/* novelty_check returns what has been compared so far. */
struct baseline_checks novelty_check(const struct novelty *novelty);

#endif
