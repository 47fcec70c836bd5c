/*
 * term_text_cache.c - see term_text_cache.h. Direct-mapped by the number of the call. Within a
 * call, terms with equal bytes are equal: they come from one message, whose atoms do not change any
 * more.
 */
#include "output/term_text_cache.h"

#include <stdlib.h>
#include <string.h>

enum { NUM_CALLS = 32, MAX_TERM = 1024, MAX_TEXT = 2048 };

struct said_entry {
    uint64_t call; /* 0: none */
    struct ds_buffer term, text;
};

struct term_text_cache {
    struct said_entry entries[NUM_CALLS][CACHED_NUM];
};

struct term_text_cache *term_text_cache_new(void)
{
    return calloc(1, sizeof(struct term_text_cache));
}

void term_text_cache_free(struct term_text_cache *said)
{
    for (size_t i = 0; said != NULL && i < (size_t)NUM_CALLS * CACHED_NUM; i++) {
        struct said_entry *entry = &said->entries[i / CACHED_NUM][i % CACHED_NUM];
        ds_buffer_free(&entry->term);
        ds_buffer_free(&entry->text);
    }
    free(said);
}

bool term_text_cache_wants(const struct ds_term *term)
{
    return term->data != NULL && !term->damaged && term->len <= MAX_TERM;
}

void term_text_cache_keep(struct term_text_cache *said, uint64_t call, enum cached_what what,
                          const struct ds_term *term, struct ds_text text)
{
    struct said_entry *entry = &said->entries[call % NUM_CALLS][what];
    entry->call = 0;
    if (!term_text_cache_wants(term) || text.len > MAX_TEXT)
        return;
    entry->term.len = entry->text.len = 0;
    ds_buffer_add(&entry->term, term->data, term->len);
    ds_buffer_add(&entry->text, text.data, text.len);
    if (!entry->term.failed && !entry->text.failed) {
        entry->call = call;
        return;
    }
    ds_buffer_free(&entry->term);
    ds_buffer_free(&entry->text);
}

struct ds_text term_text_cache_find(const struct term_text_cache *said, uint64_t call,
                                    enum cached_what what, const struct ds_term *term)
{
    const struct said_entry *entry = &said->entries[call % NUM_CALLS][what];
    if (call == 0 || entry->call != call || entry->term.len != term->len ||
        memcmp(entry->term.data, term->data, term->len) != 0)
        return (struct ds_text){0};
    return (struct ds_text){entry->text.data, entry->text.len};
}
