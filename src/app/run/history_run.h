/*
 * history_run.h - --report history: a stream of findings is read, instead of packets.
 */
#ifndef SRC_HISTORY_RUN_H
#define SRC_HISTORY_RUN_H

#include "app/options/options.h"

/* history_run reads the stream and prints its history. It returns the exit status. */
int history_run(const struct options *options);

#endif
