/*
 * hash.c - see hash.h.
 */
#include "core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_seed_word = 0x9e3779b97f4a7c15;

void hash_seed(uint64_t seed)
{
    hash_seed_word = seed | 1;
}

uint32_t hash_text(struct ds_text text)
{
    return (uint32_t)XXH3_64bits_withSeed(text.data, text.len, hash_seed_word);
}

uint64_t hash_more(uint64_t before, const void *bytes, size_t len)
{
    return XXH3_64bits_withSeed(bytes, len, before ^ hash_seed_word);
}
