/*
 * arena.c - memory for one event: a list of blocks, the newest first, each filled from its start.
 * Most events need none; the first small block is kept from event to event.
 */
#include "util/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

enum { ARENA_BLOCK_LEN = 16 * 1024 };

struct arena_block {
    struct arena_block *next;
    size_t used, len;
    alignas(max_align_t) unsigned char bytes[];
};

void *arena_alloc(struct arena *arena, size_t len)
{
    const size_t align = alignof(max_align_t);
    if (len > SIZE_MAX / 2)
        return NULL;
    len = (len + align - 1) / align * align;
    struct arena_block *block = arena->blocks;
    if (block == NULL || block->len - block->used < len) {
        size_t block_len = len > ARENA_BLOCK_LEN ? len : ARENA_BLOCK_LEN;
        block = malloc(sizeof *block + block_len);
        if (block == NULL)
            return NULL;
        *block = (struct arena_block){.next = arena->blocks, .len = block_len};
        arena->blocks = block;
    }
    void *piece = block->bytes + block->used;
    block->used += len;
    return piece;
}

void arena_reset(struct arena *arena)
{
    struct arena_block *kept = NULL;
    struct arena_block *next;
    for (struct arena_block *block = arena->blocks; block != NULL; block = next) {
        next = block->next;
        if (kept == NULL && block->len == ARENA_BLOCK_LEN) {
            kept = block;
        } else {
            free(block);
        }
    }
    if (kept != NULL) {
        kept->used = 0;
        kept->next = NULL;
    }
    arena->blocks = kept;
}

void arena_free(struct arena *arena)
{
    struct arena_block *next;
    for (struct arena_block *block = arena->blocks; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    arena->blocks = NULL;
}
