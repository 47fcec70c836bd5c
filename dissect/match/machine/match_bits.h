/*
 * match_bits.h - sequences of bits: read from a bit string that a peer sent, and written for the
 * binaries of a pattern.
 *
 * The first bit of a byte is its highest. In an integer whose lowest byte comes first, the last
 * byte may be short.
 */
#ifndef DISSECT_MATCH_BITS_H
#define DISSECT_MATCH_BITS_H

#include "util/buffer.h"

/* bit_reader is the rest of a bit string. */
struct bit_reader {
    struct cursor rest; /* whole bytes; the last one may count in part */
    uint8_t part;       /* a byte before rest whose low num_part bits are left */
    unsigned num_part;
    uint64_t left; /* number of bits */
};

/* bit_reader_make starts reading num_bits of bytes. */
struct bit_reader bit_reader_make(struct cursor bytes, uint64_t num_bits);

/* The next three functions process num_bits; false if fewer are left, and nothing moves.
 * bit_reader_get copies them, the first to the highest bit of out. bit_reader_view returns them in
 * place; it is also false if they do not begin at a byte. */
__attribute__((warn_unused_result)) bool bit_reader_skip(struct bit_reader *r, uint64_t num_bits);
__attribute__((warn_unused_result)) bool bit_reader_get(struct bit_reader *r, uint64_t num_bits,
                                                        uint8_t *out);
__attribute__((warn_unused_result)) bool bit_reader_view(struct bit_reader *r, uint64_t num_bits,
                                                         struct cursor *out);

/* bits is a bit string that grows. */
struct bits {
    struct ds_buffer bytes;
    uint64_t num; /* bits so far; the unused bits of the last byte are 0 */
};

/* magnitude is an integer: bytes, the lowest first, and a sign. */
struct magnitude {
    const uint8_t *bytes;
    size_t len;
    bool negative;
};

/* bits_add_integer adds the low num bits of an integer. */
void bits_add_integer(struct bits *bits, const struct magnitude *integer, unsigned num, bool is_little);

/* bits_add_bits adds num bits of bytes. */
void bits_add_bits(struct bits *bits, struct cursor bytes, uint64_t num);

/* bits_add_utf adds a character in words of 8, 16 or 32 bits. */
void bits_add_utf(struct bits *bits, uint32_t code, unsigned num, bool is_little);

/* bits_add_float adds a float of 16, 32 or 64 bits. */
void bits_add_float(struct bits *bits, double real, unsigned num, bool is_little);

/* magnitude_fits says whether an integer fits into num bits. */
bool magnitude_fits(const struct magnitude *integer, unsigned num, bool is_signed);

/* bits_to_magnitude converts num bits, as written by bit_reader_get, to the magnitude of the
 * integer they represent, in place and in the same number of bytes. */
void bits_to_magnitude(uint8_t *bytes, uint64_t num, bool is_signed, bool is_little, bool *negative);

#endif
