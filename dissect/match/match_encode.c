/*
 * match_encode.c - see match_encode.h; the layouts are those of term_token.h.
 */
#include "match_encode.h"

#include "term.h"
#include "utf8.h"

static void add_u8(struct ds_buffer *out, unsigned byte)
{
    buffer_add_char(out, (char)byte);
}

static void add_u32(struct ds_buffer *out, uint32_t word)
{
    const uint32_t swapped = __builtin_bswap32(word);
    buffer_add_bytes(out, &swapped, sizeof swapped);
}

void encode_count(struct ds_buffer *out, uint8_t tag, uint32_t count)
{
    add_u8(out, tag);
    add_u32(out, count);
}

void encode_integer(struct ds_buffer *out, const uint8_t *magnitude, size_t len, bool negative)
{
    while (len != 0 && magnitude[len - 1] == 0)
        len--;
    if (len <= 1 && !negative) {
        add_u8(out, TERM_TAG_SMALL_INTEGER);
        add_u8(out, len != 0 ? magnitude[0] : 0);
        return;
    }
    if (len < 256) {
        add_u8(out, TERM_TAG_SMALL_BIG);
        add_u8(out, (unsigned)len);
    } else {
        encode_count(out, TERM_TAG_LARGE_BIG, (uint32_t)len);
    }
    add_u8(out, negative);
    buffer_add_bytes(out, magnitude, len);
}

void encode_float(struct ds_buffer *out, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    bits = __builtin_bswap64(bits);
    add_u8(out, TERM_TAG_NEW_FLOAT);
    buffer_add_bytes(out, &bits, sizeof bits);
}

void encode_atom(struct ds_buffer *out, const uint32_t *chars, size_t num)
{
    struct ds_buffer text = {0};
    for (size_t i = 0; i < num; i++)
        utf8_add(&text, chars[i]);
    out->failed |= text.failed;
    add_u8(out, text.len < 256 ? TERM_TAG_SMALL_ATOM_UTF8 : TERM_TAG_ATOM_UTF8);
    if (text.len >= 256)
        add_u8(out, (unsigned)(text.len >> 8));
    add_u8(out, text.len & 255);
    buffer_add_bytes(out, text.data, text.len);
    ds_buffer_free(&text);
}

void encode_char(struct ds_buffer *out, uint32_t c)
{
    add_u8(out, c < 256 ? TERM_TAG_SMALL_INTEGER : TERM_TAG_INTEGER);
    if (c < 256)
        add_u8(out, c);
    else
        add_u32(out, c);
}

void encode_string(struct ds_buffer *out, const uint32_t *chars, size_t num)
{
    if (num != 0)
        encode_count(out, TERM_TAG_LIST, (uint32_t)num);
    for (size_t i = 0; i < num; i++)
        encode_char(out, chars[i]);
    add_u8(out, TERM_TAG_NIL);
}

void encode_bits(struct ds_buffer *out, const char *bytes, uint64_t num_bits)
{
    const size_t len = (size_t)((num_bits + 7) / 8);
    encode_count(out, num_bits % 8 != 0 ? TERM_TAG_BIT_BINARY : TERM_TAG_BINARY, (uint32_t)len);
    if (num_bits % 8 != 0)
        add_u8(out, num_bits % 8);
    buffer_add_bytes(out, bytes, len);
}
