/*
 * match_bits.h - bits, one after the other: read out of a bit string that a peer sent, and
 * written for what a pattern has in it.
 *
 * The first bit of a byte is its highest. Of an integer whose lowest byte comes first, the last
 * byte may be short.
 */
#ifndef DISSECT_MATCH_BITS_H
#define DISSECT_MATCH_BITS_H

#include "util/buffer.h"

/* bit_reader is what is left of a bit string. */
struct bit_reader {
    struct cursor rest; /* whole bytes, the last of which may count in part */
    uint8_t part;       /* a byte of which the low num_part bits are left, before rest */
    unsigned num_part;
    uint64_t left; /* all bits */
};

/* bit_reader_make begins to read num_bits of bytes. */
struct bit_reader bit_reader_make(struct cursor bytes, uint64_t num_bits);

/* The next three are about num_bits that are left: false, and nothing moves, when they are
 * not. bit_reader_get copies them, the first to the highest bit of out; bit_reader_view gives
 * them where they stand, false as well when they do not begin with a byte. */
__attribute__((warn_unused_result)) bool bit_reader_skip(struct bit_reader *r, uint64_t num_bits);
__attribute__((warn_unused_result)) bool bit_reader_get(struct bit_reader *r, uint64_t num_bits,
                                                        uint8_t *out);
__attribute__((warn_unused_result)) bool bit_reader_view(struct bit_reader *r, uint64_t num_bits,
                                                         struct cursor *out);

/* bits is a bit string that grows. */
struct bits {
    struct ds_buffer bytes;
    uint64_t num; /* bits so far; those of the last byte that are missing are 0 */
};

/* magnitude is an integer: bytes, the lowest first, and a sign. */
struct magnitude {
    const uint8_t *bytes;
    size_t len;
    bool negative;
};

/* bits_add_integer adds the low num bits of an integer. */
void bits_add_integer(struct bits *bits, const struct magnitude *integer, unsigned num, bool is_little);

/* bits_add_bits adds num bits, which bytes has. */
void bits_add_bits(struct bits *bits, struct cursor bytes, uint64_t num);

/* bits_add_utf adds a character in words of 8, 16 or 32 bits. */
void bits_add_utf(struct bits *bits, uint32_t code, unsigned num, bool is_little);

/* bits_add_float adds a float of 16, 32 or 64 bits. */
void bits_add_float(struct bits *bits, double real, unsigned num, bool is_little);

/* magnitude_fits says whether num bits can hold an integer. */
bool magnitude_fits(const struct magnitude *integer, unsigned num, bool is_signed);

/* bits_to_magnitude turns num bits, as bit_reader_get left them, into the magnitude of the
 * integer that they are, in place: the same number of bytes. */
void bits_to_magnitude(uint8_t *bytes, uint64_t num, bool is_signed, bool is_little, bool *negative);

#endif
