/*
 * novelty.h - what happens now and did not while a baseline was made: --baseline.
 *
 * It looks for what is new to the whole cluster: a function that a node calls is not new when another
 * node called it. Each new thing is given out once:
 *
 *   node, link      with its first message; the links of a new node are not given out
 *   function, name, the first time; where things of that kind still appeared for the first time in the
 *   shape           second half of the baseline, only when it has come THRESHOLD_COUNT times
 *   latency, size   when two windows in a row (profile.h) are both beyond the most that two windows in a
 *                   row had in the baseline, by THRESHOLD_NEW_LATENCY or THRESHOLD_SIZE; again, once it
 *                   was not
 *
 * What may be among the messages that could not be read when the baseline was made is not given out,
 * unless it comes so often that THRESHOLD_RATE times as many messages would have to be unread.
 */
#ifndef SRC_NOVELTY_H
#define SRC_NOVELTY_H

#include "analyse/findings/unusual.h"
#include "compare/differ.h"
#include "compare/profile.h"

/* How many of one kind are given out; the others are counted. */
enum { NOVELTY_MOST = 50, NOVELTY_WAITING = 8 };

/* novelty_source is what shows an entry: a message or a call. */
struct novelty_source {
    struct ds_text node[2]; /* from, to; data NULL: not known */
    int64_t ts_ns;
    uint64_t frame, conn;
};

struct novelty {
    const struct profile *before, *now;
    const double *thresholds; /* of THRESHOLD_COUNT_OF */
    bool are_pseudonyms;
    uint64_t num_unnamed; /* messages of the baseline whose nodes may be any */
    uint64_t least[PROFILE_KIND_COUNT]; /* how often something new of a kind has to come */
    uint64_t num_told[UNUSUAL_KIND_COUNT];
    struct baseline_checks checks;
    struct unusual waiting[NOVELTY_WAITING]; /* of the latest record */
    size_t num_waiting, next_waiting;
    char name[NOVELTY_WAITING][2][256]; /* their nodes */
};

/* novelty_begin compares what is counted in now with before; all that it is given stays the caller's.
 * are_pseudonyms: names are. */
void novelty_begin(struct novelty *novelty, const struct profile *before, const struct profile *now,
                   const double thresholds[static THRESHOLD_COUNT_OF], bool are_pseudonyms);

/* novelty_look looks at an entry that was counted, novelty_look_link at that of a link, whose two nodes
 * were looked at before it. Entries may be NULL. */
void novelty_look(struct novelty *novelty, struct profile_entry *entry, const struct novelty_source *from);
void novelty_look_link(struct novelty *novelty, struct profile_entry *link, const struct profile_entry *a,
                       const struct profile_entry *b, const struct novelty_source *from);

/* novelty_look_window looks at what two windows of an entry both came to. */
void novelty_look_window(struct novelty *novelty, struct profile_entry *entry, uint64_t value,
                         const struct novelty_source *from);

/* novelty_next gives out what was found in the latest record, one at a time; NULL: no more. It lives until
 * the next record is counted. */
const struct unusual *novelty_next(struct novelty *novelty);

/* novelty_check tells what was compared so far. */
struct baseline_checks novelty_check(const struct novelty *novelty);

#endif
