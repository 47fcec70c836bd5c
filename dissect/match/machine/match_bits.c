/*
 * match_bits.c - see match_bits.h.
 */
#include "match/machine/match_bits.h"

#include "util/utf8.h"

#include <math.h>

struct bit_reader bit_reader_make(struct cursor bytes, uint64_t num_bits)
{
    return (struct bit_reader){.rest = bytes, .left = num_bits};
}

/* read_bits reads 1 to 8 bits, which must be left. */
static bool read_bits(struct bit_reader *r, unsigned num, uint8_t *out)
{
    unsigned bits = r->part & ((1u << r->num_part) - 1u);
    if (r->num_part < num) {
        if (!cursor_read_u8(&r->rest, &r->part))
            return false;
        bits = bits << 8 | r->part;
        r->num_part += 8;
    }
    r->num_part -= num;
    r->left -= num;
    *out = (uint8_t)(bits >> r->num_part & ((1u << num) - 1u));
    return true;
}

bool bit_reader_skip(struct bit_reader *r, uint64_t num_bits)
{
    struct bit_reader next = *r;
    uint8_t last;
    if (num_bits > r->left)
        return false;
    if (num_bits <= r->num_part) {
        next.num_part -= (unsigned)num_bits;
        next.left -= num_bits;
    } else {
        next.left -= next.num_part;
        num_bits -= next.num_part;
        next.num_part = 0;
        next.left -= num_bits / 8 * 8;
        if (!cursor_skip(&next.rest, (size_t)(num_bits / 8)) ||
            (num_bits % 8 != 0 && !read_bits(&next, num_bits % 8, &last)))
            return false;
    }
    *r = next;
    return true;
}

bool bit_reader_get(struct bit_reader *r, uint64_t num_bits, uint8_t *out)
{
    struct bit_reader next = *r;
    if (num_bits > r->left)
        return false;
    for (; num_bits >= 8; num_bits -= 8)
        if (!read_bits(&next, 8, out++))
            return false;
    if (num_bits != 0) {
        if (!read_bits(&next, (unsigned)num_bits, out))
            return false;
        *out = (uint8_t)(*out << (8 - num_bits));
    }
    *r = next;
    return true;
}

bool bit_reader_view(struct bit_reader *r, uint64_t num_bits, struct cursor *out)
{
    struct cursor rest = r->rest;
    return r->num_part == 0 && num_bits <= r->left &&
           cursor_child(&rest, (size_t)(num_bits / 8 + (num_bits % 8 != 0)), out) &&
           bit_reader_skip(r, num_bits);
}

static void add_bit(struct bits *bits, unsigned bit)
{
    if (bits->num % 8 == 0)
        buffer_add_char(&bits->bytes, 0);
    if (!bits->bytes.failed)
        bits->bytes.data[bits->bytes.len - 1] |= (char)(bit << (7 - bits->num % 8));
    bits->num++;
}

static unsigned bit_of(const struct magnitude *integer, unsigned i)
{
    return i / 8 < integer->len ? integer->bytes[i / 8] >> i % 8 & 1 : 0;
}

/* bits_add_integer inverts all bits of a negative integer above the lowest one that is set. */
void bits_add_integer(struct bits *bits, const struct magnitude *integer, unsigned num, bool is_little)
{
    unsigned lowest = 0;
    while (integer->negative && lowest < num && bit_of(integer, lowest) == 0)
        lowest++;
    for (unsigned i = 0; i < num; i++) {
        const unsigned first = i / 8 * 8; /* of this byte, if the lowest byte comes first */
        const unsigned in_byte = num - first < 8 ? num - first : 8;
        const unsigned at = is_little ? first + in_byte - 1 - i % 8 : num - 1 - i;
        add_bit(bits, bit_of(integer, at) ^ (integer->negative && at > lowest));
    }
}

void bits_add_bits(struct bits *bits, struct cursor bytes, uint64_t num)
{
    struct bit_reader r = bit_reader_make(bytes, num);
    struct cursor whole;
    if (bits->num % 8 == 0 && bit_reader_view(&r, num / 8 * 8, &whole)) {
        buffer_add_cursor(&bits->bytes, &whole);
        bits->num += num / 8 * 8;
    }
    while (r.left != 0 && !bits->bytes.failed) {
        const unsigned some = r.left < 8 ? (unsigned)r.left : 8;
        uint8_t byte;
        if (!bit_reader_get(&r, some, &byte))
            return;
        for (unsigned i = 0; i < some; i++)
            add_bit(bits, byte >> (7 - i) & 1);
    }
}

static void add_word(struct bits *bits, uint64_t word, unsigned num, bool is_little)
{
    uint8_t bytes[sizeof word];
    for (size_t i = 0; i < sizeof word; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
    bits_add_integer(bits, &(struct magnitude){bytes, sizeof bytes, false}, num, is_little);
}

void bits_add_utf(struct bits *bits, uint32_t code, unsigned num, bool is_little)
{
    struct ds_buffer utf8 = {0};
    if (num == 16 && code > 0xffff) {
        add_word(bits, 0xd800 + ((code - 0x10000) >> 10), num, is_little);
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    if (num != 8) {
        add_word(bits, code, num, is_little);
        return;
    }
    utf8_add(&utf8, code);
    bits->bytes.failed |= utf8.failed;
    bits_add_bits(bits, cursor_make(utf8.data, utf8.len), utf8.len * 8);
    ds_buffer_free(&utf8);
}

/* half_of_float makes a float of 16 bits: a sign, 5 bits of exponent, 10 of fraction. */
static unsigned half_of_float(double real)
{
    const unsigned sign = signbit(real) != 0 ? 0x8000 : 0;
    const double size = fabs(real);
    if (size >= 65520)
        return sign | 0x7c00; /* infinity */
    if (size < 0x1p-14)
        return sign | (unsigned)nearbyint(ldexp(size, 24));
    const int exponent = ilogb(size);
    /* A fraction that rounds up to 2 increments the exponent. */
    return sign |
           (((unsigned)(exponent + 14) << 10) + (unsigned)nearbyint(ldexp(size, 10 - exponent)));
}

void bits_add_float(struct bits *bits, double real, unsigned num, bool is_little)
{
    const float single = (float)real;
    uint32_t single_word;
    uint64_t word;
    memcpy(&single_word, &single, sizeof single);
    memcpy(&word, &real, sizeof real);
    add_word(bits,
             num == 16   ? half_of_float(single)
             : num == 32 ? single_word
                         : word,
             num, is_little);
}

bool magnitude_fits(const struct magnitude *integer, unsigned num, bool is_signed)
{
    size_t top = integer->len * 8; /* number of bits of the magnitude */
    while (top != 0 && bit_of(integer, (unsigned)top - 1) == 0)
        top--;
    if (!is_signed || top == 0)
        return top == 0 || (!integer->negative && top <= num);
    if (!integer->negative || top != num)
        return top < num;
    for (unsigned i = 0; i + 1 < num; i++) /* the lowest one, -2^(num - 1) */
        if (bit_of(integer, i) != 0)
            return false;
    return true;
}

static void reverse(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len / 2; i++) {
        const uint8_t byte = bytes[i];
        bytes[i] = bytes[len - 1 - i];
        bytes[len - 1 - i] = byte;
    }
}

static void negate(uint8_t *bytes, size_t len)
{
    unsigned carry = 1;
    for (size_t i = 0; i < len; i++) {
        carry += (uint8_t)~bytes[i];
        bytes[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

void bits_to_magnitude(uint8_t *bytes, uint64_t num, bool is_signed, bool is_little, bool *negative)
{
    const size_t len = (size_t)((num + 7) / 8);
    const unsigned missing = (unsigned)(len * 8 - num);
    *negative = false;
    if (len == 0)
        return;
    if (!is_little) {
        reverse(bytes, len);
        for (size_t i = 0; i < len; i++)
            bytes[i] =
                (uint8_t)(bytes[i] >> missing | (i + 1 < len ? bytes[i + 1] << (8 - missing) : 0));
    } else {
        bytes[len - 1] = (uint8_t)(bytes[len - 1] >> missing);
    }
    *negative = is_signed && (bytes[len - 1] >> (7 - missing) & 1) != 0;
    if (*negative) {
        bytes[len - 1] |= (uint8_t)(0xff << (8 - missing));
        negate(bytes, len);
    }
}
