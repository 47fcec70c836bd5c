/*
 * hash.h - hashes for tables, keyed with a secret of this run.
 */
#ifndef SRC_HASH_H
#define SRC_HASH_H

#include <distsniff/term.h>

#include <stdint.h>
#include <string.h>

/* hash_seed sets the secret of this run. Without it, a peer could send references whose hashes are all
 * equal. Call it once, before everything else. */
void hash_seed(uint64_t seed);

/* hash_text hashes a text with the secret. */
uint32_t hash_text(struct ds_text text);

/* hash_more hashes bytes with the secret, continuing the hash `before`; 0 begins a new one. It has 64
 * bits, for callers that store no keys and rely on different things having different hashes. */
uint64_t hash_more(uint64_t before, const void *bytes, size_t len);

extern uint64_t hash_seed_word;

/* hash_fold multiplies and xors the upper half of the product into the lower one. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else /* the same, from 32-bit halves */
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t left = (a >> 32) * (b & UINT32_MAX), right = (a & UINT32_MAX) * (b >> 32);
    const uint64_t middle = (low >> 32) + (left & UINT32_MAX) + (right & UINT32_MAX);
    const uint64_t high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);
    return (middle << 32 | (low & UINT32_MAX)) ^ high;
#endif
}

/* hash_words hashes two words, as hash_more does with bytes. */
static inline uint64_t hash_words(uint64_t before, uint64_t a, uint64_t b)
{
    const uint64_t folded = hash_fold(a ^ before ^ 0x9e3779b97f4a7c15, b ^ hash_seed_word);
    return hash_fold(folded ^ before, 0xd6e8feb86659fd93 ^ hash_seed_word << 32);
}

/* hash_text_ends reads both ends of a text, which may overlap. They cover all of a text of up to 16
 * bytes. */
static inline void hash_text_ends(struct ds_text text, uint64_t ends[2])
{
    uint32_t half[2];
    ends[0] = ends[1] = 0;
    if (text.len >= sizeof ends[0]) {
        memcpy(&ends[0], text.data, sizeof ends[0]);
        memcpy(&ends[1], text.data + text.len - sizeof ends[1], sizeof ends[1]);
    } else if (text.len >= sizeof half[0]) {
        memcpy(&half[0], text.data, sizeof half[0]);
        memcpy(&half[1], text.data + text.len - sizeof half[1], sizeof half[1]);
        ends[0] = half[0];
        ends[1] = half[1];
    } else {
        for (size_t n = 0; n < text.len; n++)
            ends[0] = ends[0] << 8 | (uint8_t)text.data[n];
    }
}

/* hash_short hashes a text, as hash_more does. Names seldom have more than 16 bytes: their two ends,
 * which may overlap, cover all of it, and the length distinguishes overlaps. */
static inline uint64_t hash_short(uint64_t before, struct ds_text text)
{
    uint64_t ends[2];
    if (text.len > sizeof ends)
        return hash_more(before, text.data, text.len);
    hash_text_ends(text, ends);
    return hash_words(before ^ (uint64_t)(text.len + 1) << 56, ends[0], ends[1]);
}

/* hash_key hashes a key of 8-byte words; len is a constant at each call. */
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
