/*
 * compare_run.h - --compare CAPTURE: a separate process reads that capture first.
 */
#ifndef SRC_COMPARE_RUN_H
#define SRC_COMPARE_RUN_H

#include "app/options/options.h"

/* compare_run reads the other capture, if --compare names one, and then does what the options ask
 * for. It returns the exit status. */
int compare_run(struct options *options);

#endif
