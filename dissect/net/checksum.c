/*
 * checksum.c - see checksum.h. The sum of 16-bit words in ones' complement arithmetic (RFC 1071)
 * does not depend on the byte order within words, nor on how many words are added at once.
 * Including the checksum, it is 0xffff if the bytes are undamaged.
 *
 * The pseudo header of TCP: source and destination address, protocol 6, the length of the segment.
 */
#include "net/checksum.h"

#include "net/ip.h"

enum { CHECKSUM_AT = 16, WHOLE = 0xffff, IP4_LEN = 20 };

/* fold adds the words of a sum until one is left. It adds the halves to each other; the higher half
 * then includes the carry. */
static inline uint32_t fold(uint64_t sum)
{
    sum += sum << 32 | sum >> 32;
    uint32_t half = (uint32_t)(sum >> 32);
    half += half << 16 | half >> 16;
    return half >> 16;
}

/* add_word adds eight bytes; the carry of the highest bit is added at the lowest. */
static inline uint64_t add_word(uint64_t sum, uint64_t word)
{
    const bool carry = __builtin_add_overflow(sum, word, &sum);
    return sum + carry;
}

/* add_next adds the next eight bytes, which the caller knows exist. */
static inline uint64_t add_next(uint64_t sum, struct cursor *at)
{
    uint64_t word;
    return cursor_read_bytes(at, &word, sizeof word) ? add_word(sum, word) : sum;
}

/* add_bytes adds bytes, eight or more, as if zeros followed. */
static inline uint64_t add_bytes(uint64_t sum, struct cursor bytes)
{
    enum { AT_ONCE = 32 };
    struct cursor block; /* of constant length: the compiler checks it only once */
    const struct cursor whole = bytes;
    uint64_t last;
    while (cursor_child(&bytes, AT_ONCE, &block)) {
        sum = add_next(sum, &block);
        sum = add_next(sum, &block);
        sum = add_next(sum, &block);
        sum = add_next(sum, &block);
    }
    while (cursor_child(&bytes, sizeof last, &block))
        sum = add_next(sum, &block);
    /* The bytes not yet added are the highest of the last eight bytes. */
    const unsigned left = (unsigned)cursor_left(&bytes);
    if (left != 0 && cursor_peek_last_u64_le(&whole, &last))
        sum = add_word(sum, htole64(last >> (64 - 8 * left)));
    return sum;
}

static inline uint64_t halves(uint64_t word)
{
    return (word & UINT32_MAX) + (word >> 32);
}

/* add_addrs adds both addresses of a segment to a sum far below 64 bits. */
static inline uint64_t add_addrs(uint64_t sum, const struct segment *segment)
{
    uint32_t ip4[2];
    uint64_t word[4];
    memcpy(&ip4[0], segment->src.bytes, sizeof ip4[0]);
    memcpy(&ip4[1], segment->dst.bytes, sizeof ip4[1]);
    if (segment->src.family == 4)
        return sum + ip4[0] + ip4[1];
    memcpy(&word[0], segment->src.bytes, 2 * sizeof word[0]);
    memcpy(&word[2], segment->dst.bytes, 2 * sizeof word[0]);
    return sum + halves(word[0]) + halves(word[1]) + halves(word[2]) + halves(word[3]);
}

/* is_ip4_whole says whether the checksum of the IPv4 header is right, or there is no header. */
static inline bool is_ip4_whole(struct cursor header)
{
    struct cursor plain; /* of constant length */
    uint64_t word[2];
    uint32_t last;
    if (cursor_left(&header) == 0)
        return true;
    if (cursor_left(&header) != IP4_LEN || !cursor_child(&header, IP4_LEN, &plain) ||
        !cursor_read_bytes(&plain, word, sizeof word) || !cursor_read_bytes(&plain, &last, sizeof last))
        return fold(add_bytes(0, header)) == WHOLE;
    return fold(halves(word[0]) + halves(word[1]) + last) == WHOLE;
}

enum packet_sum checksum_check(const struct segment *segment)
{
    struct cursor at = segment->summed;
    const size_t len = cursor_left(&at);
    uint16_t checksum;
    if (segment->has_bad_len)
        return PACKET_SUM_BAD;
    if (len > UINT16_MAX || !cursor_skip(&at, CHECKSUM_AT) ||
        !cursor_read_bytes(&at, &checksum, sizeof checksum))
        return PACKET_SUM_UNKNOWN;
    if (!is_ip4_whole(segment->ip4))
        return PACKET_SUM_BAD;
    const uint64_t without_len = add_addrs(htobe16(IP_TCP), segment);
    const uint64_t pseudo = without_len + htobe16((uint16_t)len);
    if (checksum == fold(pseudo) || fold(add_bytes(pseudo, segment->summed)) == WHOLE)
        return PACKET_SUM_GOOD;
    return checksum == fold(without_len) ? PACKET_SUM_GOOD : PACKET_SUM_BAD;
}
