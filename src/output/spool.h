/*
 * spool.h - text that comes later in a file than where it arises: kept in a temporary file
 * without a name, not in memory.
 */
#ifndef SRC_SPOOL_H
#define SRC_SPOOL_H

#include "output.h"

#include <stdio.h>

struct spool {
    FILE *file;
    struct ds_buffer text; /* append here, then spool_end_record */
};

/* spool_open creates the file. False after a complaint. */
bool spool_open(struct spool *spool);

/* spool_end_record writes text to the file when enough has gathered. False after a complaint:
 * the file cannot be written, or memory ran out. */
bool spool_end_record(struct spool *spool);

/* spool_copy appends everything to output. False after a complaint. */
bool spool_copy(struct spool *spool, struct output *output);

void spool_close(struct spool *spool);

#endif
