/*
 * tui_store.c - see tui_store.h.
 *
 * Records are copied into blocks. A record in a block never changes until the block is freed, by
 * its last user: so one thread can read existing records while another adds more.
 */
#include "ui/tui/tui_store.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_RECORDS = 4096,
    BLOCK_COST = BLOCK_RECORDS * sizeof(void *) + 64, /* memory besides its records */
    LARGEST_PARTS = 4, /* no record may be larger than this fraction of the store */
};

struct store_block {
    struct record_block block;
    _Atomic unsigned num_users;
    uint64_t first; /* number of its first record */
    uint32_t num;
    const struct copied_record *copy[BLOCK_RECORDS];
};

struct tui_store {
    uint64_t max_bytes, used; /* used: by the full blocks */
    struct store_block **blocks; /* the oldest first; the last one is being filled */
    size_t num, cap;
    uint64_t next; /* number of the next record */
    uint64_t num_too_large;
};

struct tui_store *tui_store_new(uint64_t max_bytes)
{
    struct tui_store *store = calloc(1, sizeof *store);
    if (store != NULL) {
        store->max_bytes = max_bytes;
        store->next = 1;
    }
    return store;
}

static void leave(struct store_block *block)
{
    if (atomic_fetch_sub(&block->num_users, 1) != 1)
        return;
    record_block_free(&block->block);
    free(block);
}

void tui_store_free(struct tui_store *store)
{
    if (store == NULL)
        return;
    for (size_t i = 0; i < store->num; i++)
        leave(store->blocks[i]);
    free(store->blocks);
    free(store);
}

static uint64_t cost_of(const struct store_block *block)
{
    return block->block.cap + BLOCK_COST;
}

/* make_room drops the oldest blocks. */
static void make_room(struct tui_store *store)
{
    size_t num = 0;
    while (num < store->num && store->used + RECORD_BLOCK_LEN + BLOCK_COST > store->max_bytes) {
        store->used -= cost_of(store->blocks[num]);
        leave(store->blocks[num++]);
    }
    store->num -= num;
    if (num != 0)
        memmove(store->blocks, store->blocks + num, store->num * sizeof *store->blocks);
}

/* begin_block appends an empty block. NULL if memory ran out. */
static struct store_block *begin_block(struct tui_store *store)
{
    if (store->num != 0)
        store->used += cost_of(store->blocks[store->num - 1]);
    make_room(store);
    if (store->num == store->cap) {
        const size_t cap = store->cap != 0 ? 2 * store->cap : 16;
        struct store_block **blocks = realloc(store->blocks, cap * sizeof *blocks);
        if (blocks == NULL)
            return NULL;
        store->blocks = blocks;
        store->cap = cap;
    }
    struct store_block *block = calloc(1, sizeof *block);
    if (block == NULL)
        return NULL;
    block->num_users = 1;
    block->first = store->next;
    block->block.shares_atoms = true;
    store->blocks[store->num++] = block;
    return block;
}

/* last_block returns the block that is being filled; NULL if memory ran out. */
static struct store_block *last_block(struct tui_store *store)
{
    struct store_block *block = store->num != 0 ? store->blocks[store->num - 1] : NULL;
    return block == NULL || block->num == BLOCK_RECORDS ? begin_block(store) : block;
}

/* is_kept says whether any list, page or ladder shows a record. */
static bool is_kept(const struct record *record)
{
    if (record->finding != NULL)
        return record->finding->kind != NULL && record->finding->happening == HAPPENING_NONE &&
               !record->finding->is_update;
    if (record->call != NULL)
        return true;
    return record->monitor == NULL && !record->link_facts && !record->event->past &&
           record->event->type != DS_EVENT_TICK && !ds_event_is_raw(record->event) &&
           !ds_event_is_of_tables(record->event);
}

static void add_to(struct tui_store *store, struct store_block *block, const struct record *record)
{
    if (record_block_add(&block->block, record) != COPY_OK) {
        store->num_too_large++; /* or memory ran out */
        return;
    }
    block->copy[block->num++] = block->block.last;
    store->next++;
}

void tui_store_add(struct tui_store *store, const struct record *record)
{
    if (!is_kept(record))
        return;
    if (record_terms_len(record) > store->max_bytes / LARGEST_PARTS) {
        store->num_too_large++;
        return;
    }
    struct store_block *block = last_block(store);
    if (block == NULL) {
        store->num_too_large++;
        return;
    }
    if (block->num != 0) {
        const enum copy_status status = record_block_add(&block->block, record);
        if (status == COPY_OK) {
            block->copy[block->num++] = block->block.last;
            store->next++;
            return;
        }
        block = status == COPY_FULL ? begin_block(store) : NULL;
    }
    if (block != NULL)
        add_to(store, block, record);
    else
        store->num_too_large++;
}

void store_look_end(struct store_look *look)
{
    for (size_t i = 0; i < look->num_parts; i++)
        leave(look->parts[i].block);
    free(look->parts);
    *look = (struct store_look){0};
}

bool tui_store_look(struct tui_store *store, struct store_look *look)
{
    struct store_part *parts = calloc(store->num + 1, sizeof *parts);
    if (parts == NULL)
        return false;
    store_look_end(look);
    for (size_t i = 0; i < store->num; i++) {
        struct store_block *block = store->blocks[i];
        atomic_fetch_add(&block->num_users, 1);
        parts[i] = (struct store_part){block, block->first, block->num};
    }
    *look = (struct store_look){
        .parts = parts,
        .num_parts = store->num,
        .first = store->num != 0 ? store->blocks[0]->first : store->next,
        .end = store->next,
        .num_too_large = store->num_too_large,
    };
    return true;
}

const struct record *store_look_get(const struct store_look *look, uint64_t number,
                                    struct record_view *view)
{
    size_t low = 0, high = look->num_parts;
    if (number < look->first || number >= look->end)
        return NULL;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (look->parts[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    const struct store_part *part = &look->parts[low];
    if (number - part->first >= part->num)
        return NULL;
    return copied_record_get(part->block->copy[number - part->first], view);
}

uint64_t store_look_find_packet(const struct store_look *look, uint64_t frame)
{
    struct record_view view = {0};
    uint64_t low = look->first, high = look->end;
    /* Packets have their frame numbers in the order in which they came; records without an event
     * are skipped. */
    for (uint64_t number = low; number < high; number++) {
        const struct record *record = store_look_get(look, number, &view);
        if (record != NULL && record->event != NULL && record->call == NULL &&
            record->event->frame == frame)
            return number;
    }
    return 0;
}
