/*
 * diagram_row.h - what is drawn for one record: sender, receiver, content. A row may wait, packed
 * into bytes, until its nodes are known.
 */
#ifndef SRC_DIAGRAM_ROW_H
#define SRC_DIAGRAM_ROW_H

#include "output/diagram/diagram_ends.h"

#include <distsniff/term.h>

enum diagram_row_kind {
    STEP_NOTHING, /* ticks, handshakes, EPMD: not drawn */
    STEP_MESSAGE,
    STEP_ANSWER, /* a message that answers another one */
    STEP_NOTE,   /* something happened between the ends */
    STEP_CALL,   /* a call from start to end */
};

/* diagram_row_at is the place of an end, and what is known of its node's name. */
struct diagram_row_at {
    uint64_t number; /* of the end of its connection, see diagram_ends.h; 0: unknown */
    uint64_t host, port; /* hashes of the address, see diagram_ends.h */
    bool is_unsure;      /* node is not a whole name */
    bool has_name;       /* node is not just an address */
    bool is_end_unsure;  /* the connection's end has no whole name, whatever node is */
    bool is_by_process;  /* node comes from a process identifier */
};

/* diagram_row_end is a process, or a node if process is empty. */
struct diagram_row_end {
    struct ds_buffer node, process;
    struct diagram_row_at at;
};

/* All texts are printable, but may contain anything from a peer. Zero-initialise it;
 * diagram_row_free releases it. */
struct diagram_row {
    enum diagram_row_kind kind;
    struct diagram_row_end from, to;
    struct ds_buffer verb; /* "CALL #7", "reply #7 after 412 us" */
    struct ds_buffer text; /* the term, shortened, or what happened */
    struct ds_buffer more; /* this and the members below belong to the format */
    uint64_t number;
    int64_t start_ns, end_ns;
};

/* diagram_row_place returns the place of an end, for diagram_ends_node. */
struct diagram_place diagram_row_place(const struct diagram_row_end *end);

/* diagram_row_settle sets the names of a row's ends that were learnt since the row was made. False
 * if memory ran out. */
bool diagram_row_settle(struct diagram_row *row, const struct diagram_ends *ends);

/* diagram_row_pack appends a row as bytes; diagram_row_unpack restores it. False if memory ran out. */
bool diagram_row_pack(const struct diagram_row *row, struct ds_buffer *out);
bool diagram_row_unpack(struct ds_text packed, struct diagram_row *row);

/* diagram_row_failed says whether memory ran out for one of its texts. */
bool diagram_row_failed(const struct diagram_row *row);

void diagram_row_free(struct diagram_row *row);

#endif
