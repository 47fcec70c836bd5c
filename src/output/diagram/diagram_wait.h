/*
 * diagram_wait.h - rows that wait until their nodes are known, and the rows after them. Most names
 * are learnt quickly; otherwise the connection ends. Rows for which memory has no room wait in a
 * temporary file; if there is none, or it is full, the oldest are drawn without the name.
 */
#ifndef SRC_DIAGRAM_WAIT_H
#define SRC_DIAGRAM_WAIT_H

#include "output/diagram/diagram_row.h"
#include "output/diagram/row_queue.h"
#include "record/loss.h"
#include "record/record.h"

enum { DIAGRAM_WAIT_BYTES = 4 * 1024 * 1024 }; /* in memory */

struct sink;

/* The functions of a format. A diagram_row_fn makes the row of a record, valid until the next call; NULL
 * if memory ran out. diagram_draw draws a row after its wait, diagram_draw_lost a loss between rows. */
typedef struct diagram_row *diagram_row_fn(struct sink *sink, const struct record *record);
typedef void diagram_draw(struct sink *sink, const struct diagram_row *row);
typedef void diagram_draw_lost(struct sink *sink, const struct loss *loss);

struct diagram_wait {
    struct diagram_ends *ends;
    diagram_row_fn *describe;
    diagram_draw *draw;
    diagram_draw_lost *lost;
    struct row_queue queue;
    struct diagram_row row;  /* the first one, unpacked */
    struct ds_buffer packed; /* the last one */
};

void diagram_wait_init(struct diagram_wait *wait, struct diagram_ends *ends, diagram_row_fn *describe,
                       diagram_draw *draw, diagram_draw_lost *lost);

void diagram_wait_record(struct diagram_wait *wait, struct sink *sink, const struct record *record);
void diagram_wait_lost(struct diagram_wait *wait, struct sink *sink, const struct loss *loss);

/* diagram_wait_end draws everything that still waits. */
void diagram_wait_end(struct diagram_wait *wait, struct sink *sink);

void diagram_wait_free(struct diagram_wait *wait);

#endif
