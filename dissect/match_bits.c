/*
 * match_bits.c - see match_bits.h.
 */
#include "match_bits.h"

struct bit_reader bit_reader_make(struct cursor bytes, uint64_t num_bits)
{
    return (struct bit_reader){.rest = bytes, .left = num_bits};
}

/* take reads 1 to 8 bits that are left. */
static bool take(struct bit_reader *r, unsigned num, uint8_t *out)
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
            (num_bits % 8 != 0 && !take(&next, num_bits % 8, &last)))
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
        if (!take(&next, 8, out++))
            return false;
    if (num_bits != 0) {
        if (!take(&next, (unsigned)num_bits, out))
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

/* Of a negative integer all bits above the lowest that is set are turned round. */
void bits_add_integer(struct bits *bits, const struct magnitude *integer, unsigned num,
                      bool is_little)
{
    unsigned lowest = 0;
    while (integer->negative && lowest < num && bit_of(integer, lowest) == 0)
        lowest++;
    for (unsigned i = 0; i < num; i++) {
        const unsigned first = i / 8 * 8; /* of this byte, when the lowest come first */
        const unsigned in_byte = num - first < 8 ? num - first : 8;
        const unsigned at = is_little ? first + in_byte - 1 - i % 8 : num - 1 - i;
        add_bit(bits, bit_of(integer, at) ^ (integer->negative && at > lowest));
    }
}

void bits_add_bits(struct bits *bits, const uint8_t *bytes, uint64_t num)
{
    for (uint64_t i = 0; i < num && !bits->bytes.failed; i++)
        add_bit(bits, bytes[i / 8] >> (7 - i % 8) & 1);
}

bool magnitude_fits(const struct magnitude *integer, unsigned num, bool is_signed)
{
    size_t top = integer->len * 8; /* how many bits the magnitude has */
    while (top != 0 && bit_of(integer, (unsigned)top - 1) == 0)
        top--;
    if (!is_signed || top == 0)
        return top == 0 || (!integer->negative && top <= num);
    if (!integer->negative || top != num)
        return top < num;
    for (unsigned i = 0; i + 1 < num; i++) /* the one negative that has no positive */
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
