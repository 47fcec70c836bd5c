/*
 * selector.h - which records are shown: --node, --process, --op, --only, --hide, --calls-only,
 * -e, -m, -Y. What a message asked is selected with its answer, for which the numbers of selected
 * calls that are still open are remembered. Nothing here acts on decoding or on the
 * correlation.
 */
#ifndef DISTSNIFF_SELECTOR_H
#define DISTSNIFF_SELECTOR_H

#include "options.h"
#include "record.h"

struct selector;

/* selector_new returns NULL when memory ran out. */
struct selector *selector_new(const struct options *options);
void selector_free(struct selector *select);

/* selector_wants says whether a record is to be shown. Every record is given once, in order. */
bool selector_wants(struct selector *select, const struct record *record);

/* selector_num_given_up returns how many messages -e, -m and -Y gave up on. */
uint64_t selector_num_given_up(const struct selector *select);

/* selector_add_stats adds what could not be remembered. */
void selector_add_stats(const struct selector *select, struct ds_stats *stats);

#endif
