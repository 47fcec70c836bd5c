/*
 * diagram_row.h - what is drawn for one record: who, to whom, what. It may wait, packed into bytes,
 * until it is known which nodes it is between.
 */
#ifndef SRC_DIAGRAM_ROW_H
#define SRC_DIAGRAM_ROW_H

#include "output/diagram/diagram_ends.h"

#include <distsniff/term.h>

enum diagram_row_kind {
    STEP_NOTHING, /* ticks, handshakes, EPMD: not for diagrams */
    STEP_MESSAGE,
    STEP_ANSWER, /* a message that answers one */
    STEP_NOTE,   /* something happened between the two */
    STEP_CALL,   /* a call from start to end */
};

/* diagram_row_at is where an end is, and what is known of its node's name. */
struct diagram_row_at {
    uint64_t number; /* of the end of a connection that it is at, see diagram_ends.h; 0: not said */
    uint64_t host, port; /* stand for the address, see diagram_ends.h */
    bool is_unsure;      /* node is no whole name */
    bool has_name;       /* nor is it an address */
    bool is_end_unsure;  /* the end of the connection has no whole name, whatever node is */
    bool is_by_process;  /* node is what a process has as its own */
};

/* diagram_row_end is a process, or a node when process is empty. */
struct diagram_row_end {
    struct ds_buffer node, process;
    struct diagram_row_at at;
};

/* All texts are printable, but hold whatever a peer sent. Zero-initialise it; diagram_row_free
 * releases it. */
struct diagram_row {
    enum diagram_row_kind kind;
    struct diagram_row_end from, to;
    struct ds_buffer verb; /* "CALL #7", "reply #7 after 412 us" */
    struct ds_buffer text; /* the term, shortened, or what happened */
    struct ds_buffer more; /* these are the format's own */
    uint64_t number;
    int64_t start_ns, end_ns;
};

/* diagram_row_place returns where an end is, for diagram_ends_node. */
struct diagram_place diagram_row_place(const struct diagram_row_end *end);

/* diagram_row_settle gives the ends of a row the names that were learnt since it was told. False when
 * memory ran out. */
bool diagram_row_settle(struct diagram_row *row, const struct diagram_ends *ends);

/* diagram_row_pack appends a row as bytes; diagram_row_unpack makes it of them again. False when memory
 * ran out. */
bool diagram_row_pack(const struct diagram_row *row, struct ds_buffer *out);
bool diagram_row_unpack(struct ds_text packed, struct diagram_row *row);

/* diagram_row_failed says whether memory ran out for one of its texts. */
bool diagram_row_failed(const struct diagram_row *row);

void diagram_row_free(struct diagram_row *row);

#endif
