/*
 * hash.h - hashes for tables, under a secret of this run.
 */
#ifndef SRC_HASH_H
#define SRC_HASH_H

#include <distsniff/term.h>

#include <stdint.h>
#include <string.h>

/* hash_seed makes hashes depend on a secret of this run, so that nobody can send references
 * that all hash alike. To be called once, before all else. */
void hash_seed(uint64_t seed);

/* hash_text hashes a text under that secret. */
uint32_t hash_text(struct ds_text text);

/* hash_more hashes bytes under that secret and what was hashed before them, 0 for nothing: 64
 * bits, for those who keep no keys and rely on different things having different hashes. */
uint64_t hash_more(uint64_t before, const void *bytes, size_t len);

extern uint64_t hash_seed_word;

/* hash_fold multiplies and folds the upper half of the product onto the lower one. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else /* the same, of halves */
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t left = (a >> 32) * (b & UINT32_MAX), right = (a & UINT32_MAX) * (b >> 32);
    const uint64_t middle = (low >> 32) + (left & UINT32_MAX) + (right & UINT32_MAX);
    const uint64_t high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);
    return (middle << 32 | (low & UINT32_MAX)) ^ high;
#endif
}

/* hash_key hashes a key of whole 8-byte words; len is a constant where it is used. */
static inline uint32_t hash_key(const void *key, size_t len)
{
    const unsigned char *bytes = key;
    uint64_t hash = hash_seed_word;
    for (size_t i = 0; i < len; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = hash_fold(word ^ hash, 0xd6e8feb86659fd93 ^ hash_seed_word << 32) ^ word;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

#endif
