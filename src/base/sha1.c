/*
 * sha1.c - see sha1.h.
 */
#include "sha1.h"

#include <assert.h>
#include <string.h>

enum { BLOCK = 64, WORDS = 5, ROUNDS = 80, LEN_FIELD = 8 };

static uint32_t rotate(uint32_t word, unsigned by)
{
    return word << by | word >> (32 - by);
}

static uint32_t read_word(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void take_block(uint32_t state[WORDS], const uint8_t *block)
{
    uint32_t w[ROUNDS];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int t = 0; t < ROUNDS; t++)
        w[t] = t < 16 ? read_word(block + 4 * t)
                      : rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < ROUNDS; t++) {
        const uint32_t mixed = t < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                               : t < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                               : t < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                                        : (b ^ c ^ d) + 0xca62c1d6;
        const uint32_t next = rotate(a, 5) + mixed + e + w[t];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void sha1(const uint8_t *bytes, size_t len, uint8_t out[SHA1_LEN])
{
    uint32_t state[WORDS] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint8_t padded[2 * BLOCK] = {0};
    assert(len <= SHA1_MAX_INPUT);
    const size_t all = len + 1 + LEN_FIELD <= BLOCK ? BLOCK : 2 * BLOCK;
    if (len != 0)
        memcpy(padded, bytes, len);
    padded[len] = 0x80;
    padded[all - 2] = (uint8_t)(8 * len >> 8); /* bits */
    padded[all - 1] = (uint8_t)(8 * len);
    for (size_t at = 0; at < all; at += BLOCK)
        take_block(state, padded + at);
    for (int i = 0; i < SHA1_LEN; i++)
        out[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
