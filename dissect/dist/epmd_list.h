/*
 * epmd_list.h - the text in the answers to NAMES and DUMP.
 */
#ifndef DISSECT_EPMD_LIST_H
#define DISSECT_EPMD_LIST_H

#include "util/arena.h"
#include "util/cursor.h"

#include <distsniff/dissect.h>

/* epmd_read_list reads the lines up to the end of at into out->nodes, in arena memory; false if
 * that ran out. If a line makes no sense, at is left on it and *wrong is set; the other lines are
 * still read. *dump is set by the lines, and unchanged if there are none. */
bool epmd_read_list(struct cursor *at, struct arena *arena, struct ds_epmd *out, bool *dump,
                    const char **wrong);

#endif
