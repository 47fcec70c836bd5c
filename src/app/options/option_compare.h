/*
 * option_compare.h - options of --compare, once all have been read.
 */
#ifndef SRC_OPTION_COMPARE_H
#define SRC_OPTION_COMPARE_H

#include "app/options/options.h"

/* option_compare_begin fills in the defaults, option_compare_finish checks what belongs together
 * and finds out what the file of --compare is. False after a complaint. option_compare_free frees
 * what these have made. */
void option_compare_begin(struct options *options);
bool option_compare_finish(struct options *options);
void option_compare_free(struct options *options);

#endif
