/*
 * compare_run.h - --compare CAPTURE: that capture is read first, in a process of its own.
 */
#ifndef SRC_COMPARE_RUN_H
#define SRC_COMPARE_RUN_H

#include "app/options/options.h"

/* compare_run reads the capture that is compared with, if it is one, and then does what the options
 * ask for. Returns the exit status. */
int compare_run(struct options *options);

#endif
