/*
 * record_copy.h - a record that outlives the moment: copied with all it refers to into one
 * block of memory, which holds many and is emptied as a whole.
 */
#ifndef SRC_RECORD_COPY_H
#define SRC_RECORD_COPY_H

#include "record/record.h"

/* copied_record is one record of a block. What it refers to lies behind it, the record itself too. */
struct copied_record {
    struct copied_record *next;
    struct record *record; /* NULL: nothing is known of the event but itself */
    struct call *call;     /* that of record, which may be changed */
    const struct ds_event *event;        /* as it was; NULL: it is packed, or there is none */
    const struct compact_message *packed; /* what most messages are: a third as long */
};

/* record_view is where a copy is looked at: what was packed is unpacked there. Zero-initialise it. */
struct record_view {
    struct record record; /* of an event of which nothing else is known */
    struct ds_event event;
    uint32_t roles; /* that the event has, a bit each */
};

enum { RECORD_BLOCK_LEN = 256 * 1024 }; /* of one that no large record made grow */

/* record_block is memory that only moves forward. Zero-initialise it. */
struct record_block {
    unsigned char *data;
    size_t len, cap; /* bytes in use, allocated */
    size_t first_cap; /* what is allocated first, 0: RECORD_BLOCK_LEN */
    bool shares_atoms; /* of many records: atoms that several messages refer to are copied once */
    struct copied_record *first, *last;
    struct ds_conn *conn; /* the last connection copied, as it was then */
    struct shared_atoms *shared; /* NULL: none yet */
};

enum copy_status { COPY_OK, COPY_FULL, COPY_NO_MEMORY };

/* record_block_add copies a record to the end of the block. COPY_FULL: hand the block on and
 * try another; a record that is too large for an empty block makes it grow. */
enum copy_status record_block_add(struct record_block *block, const struct record *record);

/* record_block_refer does so but for the event, which is that of a copy in another block, as
 * copied_record_get returned it: the new copy refers to that. */
enum copy_status record_block_refer(struct record_block *block, const struct record *record,
                                    const struct copied_record *source);

/* record_block_add_event does so with an event of which nothing else is known: a record of it would be
 * as long again, and empty. */
enum copy_status record_block_add_event(struct record_block *block, const struct ds_event *event);

/* copied_record_get returns the record of a copy, which lives until the view is used for another one, or
 * the block is cleared. */
const struct record *copied_record_get(const struct copied_record *copy, struct record_view *view);

/* record_block_swap exchanges what two blocks hold; how they are filled stays. */
void record_block_swap(struct record_block *a, struct record_block *b);

/* record_block_clear empties the block and keeps its memory, if that is not unusually much. */
void record_block_clear(struct record_block *block);

void record_block_free(struct record_block *block);

#endif
