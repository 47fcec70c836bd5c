/*
 * tui_store.h - the latest records, in the order in which they came: messages, other events, ends
 * of calls, findings. Its size in bytes is limited; the oldest are evicted first. The thread that
 * collects records adds them; the thread that draws looks at a state of the store, which does not
 * change until it looks again, while more are added.
 *
 * Each record has a number, from 1, in the order in which they came.
 */
#ifndef SRC_TUI_STORE_H
#define SRC_TUI_STORE_H

#include "record/record_copy.h"

struct tui_store;
struct store_block;

/* tui_store_new returns a store of about max_bytes at most; NULL if memory ran out. */
struct tui_store *tui_store_new(uint64_t max_bytes);
void tui_store_free(struct tui_store *store); /* NULL is allowed */

/* tui_store_add stores a record, if it is one that is shown. */
void tui_store_add(struct tui_store *store, const struct record *record);

/* store_look is a state of the store. It is all zero at first. */
struct store_look {
    struct store_part {
        struct store_block *block;
        uint64_t first; /* number of its first record */
        uint32_t num;
    } *parts;
    size_t num_parts;
    uint64_t first, end;  /* the valid numbers: first <= number < end */
    uint64_t num_too_large; /* records that were not stored: each would fill too much of the store */
};

/* tui_store_look replaces the state with the present one of the store. It must not run at the same
 * time as tui_store_add. False if memory ran out: then nothing changes. */
bool tui_store_look(struct tui_store *store, struct store_look *look);

/* store_look_end releases the state, in any thread. */
void store_look_end(struct store_look *look);

/* store_look_get returns a record, valid until the view is used again or the look ends; NULL if
 * there is none of that number. */
const struct record *store_look_get(const struct store_look *look, uint64_t number,
                                    struct record_view *view);

/* store_look_find_packet returns the number of the first event of a packet, 0 if there is none. */
uint64_t store_look_find_packet(const struct store_look *look, uint64_t frame);

#endif
