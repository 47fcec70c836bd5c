/*
 * md5.c - see md5.h. MD5 (RFC 1321): the message in blocks of 64 bytes, the last ones filled up with
 * 0x80, zeros and the length in bits; in each 64 steps, in rounds of 16, change a state of 4 words.
 * All numbers are little endian.
 *
 * libcrypto has it, too; but to ask for a digest there reads tables that take longer than most
 * captures, and where only approved digests are allowed it has none.
 */
#include "md5.h"



enum { BLOCK_LEN = 64, LENGTH_AT = 56, STEPS = 64 };

/* The sines of 1 to 64, times 2^32, without their sign and what is behind the point. */
static const uint32_t sines[STEPS] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

/* By round: how far the four steps of a turn rotate, and which word comes next: step * factor + offset. */
static const struct {
    uint8_t rotate[4], factor, offset;
} rounds[] = {
    {{7, 12, 17, 22}, 1, 0},
    {{5, 9, 14, 20}, 5, 1},
    {{4, 11, 16, 23}, 3, 5},
    {{6, 10, 15, 21}, 7, 0},
};

struct md5 {
    uint32_t state[4];
    uint64_t len;
    uint8_t block[BLOCK_LEN];
};

static uint32_t mix(unsigned round, uint32_t x, uint32_t y, uint32_t z)
{
    switch (round) {
    case 0:
        return (x & y) | (~x & z);
    case 1:
        return (x & z) | (y & ~z);
    case 2:
        return x ^ y ^ z;
    default:
        return y ^ (x | ~z);
    }
}

static uint32_t word_at(const uint8_t *block, unsigned i)
{
    return block[4 * i] | (uint32_t)block[4 * i + 1] << 8 | (uint32_t)block[4 * i + 2] << 16 |
           (uint32_t)block[4 * i + 3] << 24;
}

static void take_block(struct md5 *md5)
{
    uint32_t a = md5->state[0], b = md5->state[1], c = md5->state[2], d = md5->state[3];
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned round = step / 16;
        const unsigned by = rounds[round].rotate[step % 4];
        const uint32_t sum =
            a + mix(round, b, c, d) + sines[step] +
            word_at(md5->block, (step * rounds[round].factor + rounds[round].offset) % 16);
        a = d;
        d = c;
        c = b;
        b += sum << by | sum >> (32 - by);
    }
    md5->state[0] += a;
    md5->state[1] += b;
    md5->state[2] += c;
    md5->state[3] += d;
}

static void take_byte(struct md5 *md5, uint8_t byte)
{
    md5->block[md5->len++ % BLOCK_LEN] = byte;
    if (md5->len % BLOCK_LEN == 0)
        take_block(md5);
}

void md5_of(const struct ds_text *texts, size_t num, uint8_t digest[MD5_LEN])
{
    struct md5 md5 = {.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
    for (size_t i = 0; i < num; i++) {
        for (size_t j = 0; j < texts[i].len; j++)
            take_byte(&md5, (uint8_t)texts[i].data[j]);
    }
    const uint64_t num_bits = md5.len * 8;
    take_byte(&md5, 0x80);
    while (md5.len % BLOCK_LEN != LENGTH_AT)
        take_byte(&md5, 0);
    for (unsigned i = 0; i < 8; i++)
        take_byte(&md5, (uint8_t)(num_bits >> 8 * i));
    for (unsigned i = 0; i < MD5_LEN; i++)
        digest[i] = (uint8_t)(md5.state[i / 4] >> 8 * (i % 4));
}
