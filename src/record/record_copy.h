/*
 * record_copy.h - copies of records that live longer than their event: a record is copied with all data
 * that it refers to into one block of memory, which contains many records and is emptied as a whole.
 */
#ifndef SRC_RECORD_COPY_H
#define SRC_RECORD_COPY_H

#include "record/record.h"

/* copied_record is one record of a block. The data that it refers to follows it, including the record
 * itself. */
struct copied_record {
    struct copied_record *next;
    struct record *record; /* NULL: only the event is known */
    struct call *call;     /* the call of record; it may be changed */
    const struct ds_event *event;        /* not packed; NULL: it is packed, or there is none */
    const struct compact_message *packed; /* most messages: a third of the event's size */
};

/* record_view is a buffer to read copies in: packed messages are unpacked there. Zero-initialise it. */
struct record_view {
    struct record record; /* for an event without further data */
    struct ds_event event;
    uint32_t roles; /* that the event has, one bit each */
};

enum { RECORD_BLOCK_LEN = 256 * 1024 }; /* size of a block that no large record has enlarged */

/* record_block is memory that is only appended to. Zero-initialise it. */
struct record_block {
    unsigned char *data;
    size_t len, cap; /* bytes in use, allocated */
    size_t first_cap; /* size of the first allocation, 0: RECORD_BLOCK_LEN */
    bool shares_atoms; /* for many records: atoms of several messages are copied once */
    struct copied_record *first, *last;
    struct ds_conn *conn; /* the connection copied last, as it was then */
    struct shared_atoms *shared; /* NULL: none so far */
};

enum copy_status { COPY_OK, COPY_FULL, COPY_NO_MEMORY };

/* record_block_add appends a copy of a record to the block. COPY_FULL: hand the block on and try
 * another. A record that is too large for an empty block makes the block grow. */
enum copy_status record_block_add(struct record_block *block, const struct record *record);

/* record_block_refer does the same, but the event is part of a copy in another block, as
 * copied_record_get returned it: the new copy refers to that one. */
enum copy_status record_block_refer(struct record_block *block, const struct record *record,
                                    const struct copied_record *source);

/* record_block_add_event does the same with an event without further data. A record of it would double
 * its size and be empty. */
enum copy_status record_block_add_event(struct record_block *block, const struct ds_event *event);

/* copied_record_get returns the record of a copy. It lives until the view is used for another one, or
 * the block is cleared. */
const struct record *copied_record_get(const struct copied_record *copy, struct record_view *view);

/* record_block_swap exchanges the contents of two blocks, but not their settings. */
void record_block_swap(struct record_block *a, struct record_block *b);

/* record_block_clear empties the block. It keeps its memory unless that is unusually large. */
void record_block_clear(struct record_block *block);

void record_block_free(struct record_block *block);

#endif
