/*
 * term_encode.c - see distsniff/encode.h, and term_encode.h for the shared parts. The layouts,
 * numbers with the highest byte first:
 *
 *     SMALL_TUPLE n:1 element ...     LARGE_TUPLE n:4 element ...     MAP n:4 key value ...
 *     LIST n:4 element ... tail       NIL       STRING n:2 bytes      BINARY n:4 bytes
 *     BIT_BINARY n:4 bits:1 bytes     SMALL_ATOM_UTF8 n:1 text        ATOM_UTF8 n:2 text
 *     SMALL_INTEGER value:1           INTEGER value:4                 NEW_FLOAT ieee:8
 *     SMALL_BIG n:1 sign:1 bytes      LARGE_BIG n:4 sign:1 bytes      (these, the lowest first)
 *     NEW_PID node id:4 serial:4 creation:4
 *     NEWER_REFERENCE n:2 node creation:4 word:4 ...
 */
#include "etf/term_encode.h"

#include "etf/term_token.h"

#include <distsniff/encode.h>

enum { VERSION = 131 };

void ds_encode_version(struct ds_buffer *out)
{
    encode_u8(out, VERSION);
}

void ds_encode_tuple(struct ds_buffer *out, uint32_t num)
{
    if (num <= UINT8_MAX) {
        encode_u8(out, TERM_TAG_SMALL_TUPLE);
        encode_u8(out, (uint8_t)num);
    } else {
        encode_count(out, TERM_TAG_LARGE_TUPLE, num);
    }
}

void ds_encode_list(struct ds_buffer *out, uint32_t num)
{
    encode_count(out, TERM_TAG_LIST, num);
}

void ds_encode_map(struct ds_buffer *out, uint32_t num_pairs)
{
    encode_count(out, TERM_TAG_MAP, num_pairs);
}

void ds_encode_nil(struct ds_buffer *out)
{
    encode_u8(out, TERM_TAG_NIL);
}

size_t ds_encode_open_list(struct ds_buffer *out)
{
    ds_encode_list(out, 0);
    return out->len - sizeof(uint32_t);
}

size_t ds_encode_open_map(struct ds_buffer *out)
{
    ds_encode_map(out, 0);
    return out->len - sizeof(uint32_t);
}

void ds_encode_close(struct ds_buffer *out, size_t opened, uint32_t num)
{
    encode_set_u32(out, opened, num);
}

void ds_encode_atom(struct ds_buffer *out, struct ds_text text)
{
    const size_t len = text.len <= UINT16_MAX ? text.len : UINT16_MAX;
    if (len <= UINT8_MAX) {
        encode_u8(out, TERM_TAG_SMALL_ATOM_UTF8);
        encode_u8(out, (uint8_t)len);
    } else {
        encode_u8(out, TERM_TAG_ATOM_UTF8);
        encode_u16(out, (uint16_t)len);
    }
    buffer_add_bytes(out, text.data, len);
}

void ds_encode_number(struct ds_buffer *out, bool negative, uint64_t magnitude)
{
    const uint8_t head[] = {TERM_TAG_SMALL_BIG, sizeof magnitude, negative};
    if (magnitude <= INT32_MAX + (uint64_t)negative) {
        encode_u8(out, TERM_TAG_INTEGER);
        encode_u32(out, negative ? -(uint32_t)magnitude : (uint32_t)magnitude);
    } else {
        magnitude = htole64(magnitude);
        buffer_add_bytes(out, head, sizeof head);
        buffer_add_bytes(out, &magnitude, sizeof magnitude);
    }
}

void ds_encode_integer(struct ds_buffer *out, bool negative, const uint8_t *magnitude, size_t len)
{
    uint64_t value = 0;
    while (len != 0 && magnitude[len - 1] == 0)
        len--;
    for (size_t i = 0; i < len && len <= sizeof(uint32_t); i++)
        value |= (uint64_t)magnitude[i] << 8 * i;
    if (len <= 1 && !negative) {
        encode_u8(out, TERM_TAG_SMALL_INTEGER);
        encode_u8(out, (uint8_t)value);
    } else if (len <= sizeof(uint32_t) && value <= INT32_MAX + (uint64_t)negative) {
        encode_u8(out, TERM_TAG_INTEGER);
        encode_u32(out, negative ? -(uint32_t)value : (uint32_t)value);
    } else {
        if (len <= UINT8_MAX) {
            encode_u8(out, TERM_TAG_SMALL_BIG);
            encode_u8(out, (uint8_t)len);
        } else {
            encode_count(out, TERM_TAG_LARGE_BIG, (uint32_t)len);
        }
        encode_u8(out, negative);
        buffer_add_bytes(out, magnitude, len);
    }
}

void ds_encode_float(struct ds_buffer *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htobe64(bits);
    encode_u8(out, TERM_TAG_NEW_FLOAT);
    buffer_add_bytes(out, &bits, sizeof bits);
}

void ds_encode_binary(struct ds_buffer *out, struct ds_text bytes)
{
    encode_count(out, TERM_TAG_BINARY, (uint32_t)bytes.len);
    buffer_add_bytes(out, bytes.data, bytes.len);
}

void ds_encode_bits(struct ds_buffer *out, const void *bytes, uint64_t num_bits)
{
    const struct ds_text text = {bytes, (size_t)((num_bits + 7) / 8)};
    if (num_bits % 8 == 0) {
        ds_encode_binary(out, text);
        return;
    }
    encode_count(out, TERM_TAG_BIT_BINARY, (uint32_t)text.len);
    encode_u8(out, num_bits % 8);
    buffer_add_bytes(out, text.data, text.len);
}

void ds_encode_string(struct ds_buffer *out, struct ds_text bytes)
{
    const size_t len = bytes.len <= UINT16_MAX ? bytes.len : UINT16_MAX;
    encode_u8(out, TERM_TAG_STRING);
    encode_u16(out, (uint16_t)len);
    buffer_add_bytes(out, bytes.data, len);
}

void ds_encode_pid(struct ds_buffer *out, struct ds_text node, uint32_t id, uint32_t serial,
                   uint32_t creation)
{
    encode_u8(out, TERM_TAG_NEW_PID);
    ds_encode_atom(out, node);
    encode_u32(out, id);
    encode_u32(out, serial);
    encode_u32(out, creation);
}

void ds_encode_reference(struct ds_buffer *out, struct ds_text node, const uint32_t *words,
                         uint16_t num_words, uint32_t creation)
{
    encode_u8(out, TERM_TAG_NEWER_REFERENCE);
    encode_u16(out, num_words);
    ds_encode_atom(out, node);
    encode_u32(out, creation);
    for (uint16_t i = 0; i < num_words; i++)
        encode_u32(out, words[i]);
}
