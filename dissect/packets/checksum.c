/*
 * checksum.c - see checksum.h. The sum of 16-bit words in ones' complement arithmetic (RFC 1071):
 * in which order the bytes of a word stand, and how many words are added at once, does not matter
 * to it. With the checksum among them it is 0xffff where they are whole.
 *
 * The pseudo header of TCP: source and destination address, protocol 6, the length of the segment.
 */
#include "checksum.h"

#include "ip.h"

enum { CHECKSUM_AT = 16, WHOLE = 0xffff };

/* fold adds the words of a sum until one is left. */
static uint32_t fold(uint64_t sum)
{
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & WHOLE) + (sum >> 16);
    return (uint32_t)((sum & WHOLE) + (sum >> 16));
}

/* add_word adds eight bytes; what is carried out of the highest comes in again at the lowest. */
static inline uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum += word;
    return sum + (sum < word);
}

/* add_bytes adds bytes, eight or more, as if zeros followed. */
static inline uint64_t add_bytes(uint64_t sum, struct cursor bytes)
{
    enum { AT_ONCE = 32 };
    struct cursor block; /* of known length: the compiler checks it only once */
    struct cursor whole = bytes;
    uint64_t word[AT_ONCE / 8], last;
    while (cursor_child(&bytes, AT_ONCE, &block)) {
        memcpy(word, block.at, sizeof word);
        sum = add_word(add_word(add_word(add_word(sum, word[0]), word[1]), word[2]), word[3]);
    }
    while (cursor_child(&bytes, sizeof last, &block)) {
        memcpy(&last, block.at, sizeof last);
        sum = add_word(sum, last);
    }
    /* Of the last eight bytes those that have not been added stand highest. */
    const unsigned left = (unsigned)cursor_left(&bytes);
    if (left != 0 && cursor_peek_last_u64_le(&whole, &last))
        sum = add_word(sum, htole64(last >> (64 - 8 * left)));
    return sum;
}

static uint64_t add_addr(uint64_t sum, const struct ds_addr *addr)
{
    uint64_t word[2];
    uint32_t ip4;
    if (addr->family == 4) {
        memcpy(&ip4, addr->bytes, sizeof ip4);
        return sum + ip4;
    }
    memcpy(word, addr->bytes, sizeof word);
    return add_word(add_word(sum, word[0]), word[1]);
}

enum packet_sum checksum_check(const struct segment *segment)
{
    struct cursor at = segment->summed;
    const size_t len = cursor_left(&at);
    uint16_t checksum;
    if (len > UINT16_MAX || !cursor_skip(&at, CHECKSUM_AT) || cursor_left(&at) < sizeof checksum)
        return PACKET_SUM_UNKNOWN;
    memcpy(&checksum, at.at, sizeof checksum);
    if (cursor_left(&segment->ip4) != 0 && fold(add_bytes(0, segment->ip4)) != WHOLE)
        return PACKET_SUM_BAD;
    uint64_t pseudo = add_addr(add_addr(htobe16(IP_TCP), &segment->src), &segment->dst);
    const uint64_t without_len = pseudo;
    pseudo = add_word(pseudo, htobe16((uint16_t)len));
    if (checksum == fold(pseudo) || fold(add_bytes(pseudo, segment->summed)) == WHOLE)
        return PACKET_SUM_GOOD;
    return checksum == fold(without_len) ? PACKET_SUM_GOOD : PACKET_SUM_BAD;
}
