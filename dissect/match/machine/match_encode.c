/*
 * match_encode.c - see match_encode.h.
 */
#include "match/machine/match_encode.h"

#include "util/utf8.h"

#include <distsniff/encode.h>

void encode_atom(struct ds_buffer *out, const uint32_t *chars, size_t num)
{
    struct ds_buffer text = {0};
    for (size_t i = 0; i < num; i++)
        utf8_add(&text, chars[i]);
    out->failed |= text.failed;
    ds_encode_atom(out, (struct ds_text){text.data, text.len});
    ds_buffer_free(&text);
}

void encode_char(struct ds_buffer *out, uint32_t c)
{
    const uint8_t bytes[] = {(uint8_t)c, (uint8_t)(c >> 8), (uint8_t)(c >> 16)};
    ds_encode_integer(out, false, bytes, sizeof bytes);
}

void encode_chars(struct ds_buffer *out, const uint32_t *chars, size_t num)
{
    if (num != 0)
        ds_encode_list(out, (uint32_t)num);
    for (size_t i = 0; i < num; i++)
        encode_char(out, chars[i]);
    ds_encode_nil(out);
}
