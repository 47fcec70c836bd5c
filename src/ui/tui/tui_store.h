/*
 * tui_store.h - the latest records, as they came: messages, other events, ends of calls, findings. Bounded
 * in bytes; the oldest go first. Whoever gathers records adds them; the thread that draws looks at a
 * state of it, which stays until it looks again, while more are added.
 *
 * A record in it has a number, from 1, in the order in which they came.
 */
#ifndef SRC_TUI_STORE_H
#define SRC_TUI_STORE_H

#include "record/record_copy.h"

struct tui_store;
struct store_block;

/* tui_store_new returns a store of at most so many bytes, more or less; NULL when memory ran out. */
struct tui_store *tui_store_new(uint64_t max_bytes);
void tui_store_free(struct tui_store *store); /* NULL is allowed */

/* tui_store_add keeps a record, if it is one to be shown. */
void tui_store_add(struct tui_store *store, const struct record *record);

/* store_look is a state of the store. Zero-initialise it. */
struct store_look {
    struct store_part {
        struct store_block *block;
        uint64_t first; /* number of its first record */
        uint32_t num;
    } *parts;
    size_t num_parts;
    uint64_t first, end;  /* numbers that there are: first <= number < end */
    uint64_t num_too_large; /* records that were not kept: each would have been most of the store */
};

/* tui_store_look looks at the store as it is now, in place of what was looked at before. To be
 * called by one thread at a time, as tui_store_add. False when memory ran out: then nothing
 * changes. */
bool tui_store_look(struct tui_store *store, struct store_look *look);

/* store_look_end ends that, in any thread. */
void store_look_end(struct store_look *look);

/* store_look_get returns a record, which lives until the view is used again or the look ends; NULL:
 * there is none of that number. */
const struct record *store_look_get(const struct store_look *look, uint64_t number,
                                    struct record_view *view);

/* store_look_find_packet returns the number of the first event of a packet, 0: there is none. */
uint64_t store_look_find_packet(const struct store_look *look, uint64_t frame);

#endif
