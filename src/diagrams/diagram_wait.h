/*
 * diagram_wait.h - records that wait until it is known which nodes they are between, and behind
 * them what came after. Names are mostly learnt soon; where one is not, its connection ends, or
 * too much waits, the oldest go on without.
 */
#ifndef SRC_DIAGRAM_WAIT_H
#define SRC_DIAGRAM_WAIT_H

#include "diagram_ends.h"
#include "loss.h"
#include "record_copy.h"

enum { DIAGRAM_WAIT_BYTES = 8 * 1024 * 1024 };

struct diagram_waiting;
struct sink;

struct diagram_wait {
    struct diagram_ends *ends;
    /* What is done with records, and with losses between them, when they have waited. */
    void (*record)(struct sink *sink, const struct record *record);
    void (*lost)(struct sink *sink, const struct loss *loss);
    struct diagram_waiting *first, *last;
    size_t bytes;
    struct record_block measure;
};

void diagram_wait_record(struct diagram_wait *wait, struct sink *sink,
                         const struct record *record);
void diagram_wait_lost(struct diagram_wait *wait, struct sink *sink, const struct loss *loss);

/* diagram_wait_end lets go of everything. */
void diagram_wait_end(struct diagram_wait *wait, struct sink *sink);

void diagram_wait_free(struct diagram_wait *wait);

#endif
