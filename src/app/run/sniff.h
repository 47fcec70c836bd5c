/*
 * sniff.h - the whole run: capture, filter, dissect, sinks, summary.
 */
#ifndef SRC_SNIFF_H
#define SRC_SNIFF_H

#include "app/options/options.h"

enum {
    STATUS_OK = 0,
    STATUS_TROUBLE = 1,
    STATUS_USAGE = 2,
    STATUS_INCOMPLETE = 2,
    STATUS_FOUND = 3,
    STATUS_WORSE = 4,
};

/* sniff_run does what the options ask for and returns the exit status. */
int sniff_run(const struct options *options);

#endif
