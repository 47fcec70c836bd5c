/*
 * explain_run.h - --explain call:24 and its like: two runs, one after the other.
 */
#ifndef SRC_EXPLAIN_RUN_H
#define SRC_EXPLAIN_RUN_H

#include "app/options/options.h"

/* explain_run reads the files in a process of its own to find the thing, then again to show it. Returns the
 * exit status: STATUS_USAGE, after a complaint that says which there are, where the thing is not there. */
int explain_run(struct options *options);

#endif
