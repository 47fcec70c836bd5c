/*
 * option_compare.h - options of --compare, processed after all have been read.
 */
#ifndef SRC_OPTION_COMPARE_H
#define SRC_OPTION_COMPARE_H

#include "app/options/options.h"

/* option_compare_begin fills in the defaults. option_compare_finish checks combinations and finds
 * out what kind of file --compare names; false after a complaint. option_compare_free frees their
 * allocations. */
void option_compare_begin(struct options *options);
bool option_compare_finish(struct options *options);
void option_compare_free(struct options *options);

#endif
