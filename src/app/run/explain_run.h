/*
 * explain_run.h - --explain call:24 and similar: two runs, one after the other.
 */
#ifndef SRC_EXPLAIN_RUN_H
#define SRC_EXPLAIN_RUN_H

#include "app/options/options.h"

/* explain_run reads the files in a separate process to find the thing, then again to show it. It
 * returns the exit status: STATUS_USAGE if the thing does not exist, after a complaint that says
 * which do. */
int explain_run(struct options *options);

#endif
