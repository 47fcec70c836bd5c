/*
 * select.h - which records are shown: --node, --process, --op, --only, --hide, --calls-only,
 * -e, -m, -Y. What a message asked is selected with its answer, for which the numbers of selected
 * calls that are still open are remembered. Nothing here acts on decoding or on the
 * correlation.
 */
#ifndef DISTSNIFF_SELECT_H
#define DISTSNIFF_SELECT_H

#include "options.h"
#include "record.h"

struct select;

/* select_new returns NULL when memory ran out. */
struct select *select_new(const struct options *options);
void select_free(struct select *select);

/* select_wants says whether a record is to be shown. Every record is given once, in order. */
bool select_wants(struct select *select, const struct record *record);

/* select_num_given_up returns how many messages -e, -m and -Y gave up on. */
uint64_t select_num_given_up(const struct select *select);

/* select_add_stats adds what could not be remembered. */
void select_add_stats(const struct select *select, struct ds_stats *stats);

#endif
