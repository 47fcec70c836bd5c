/*
 * rewrite_list.c - see rewriter.h: integers whose neighbours matter, because they may be characters
 * or parts of an address.
 */
#include "etf/rewriter.h"
#include "util/escape.h"

#include <distsniff/encode.h>

enum { CHARACTER_MAX = 0x10ffff };

static void put_character(struct rewrite *r, uint32_t code)
{
    const uint8_t bytes[4] = {(uint8_t)code, (uint8_t)(code >> 8), (uint8_t)(code >> 16), 0};
    ds_encode_integer(r->out, false, bytes, sizeof bytes);
}

/* get_small reads an integer from 0 to max. */
static bool get_small(const struct term_token *token, uint32_t max, uint32_t *out)
{
    struct cursor body = token->body;
    uint8_t small;
    if (token->tag == TERM_TAG_SMALL_INTEGER && cursor_read_u8(&body, &small))
        *out = small;
    else if (token->tag != TERM_TAG_INTEGER || !cursor_read_u32(&body, out))
        return false;
    return *out <= max;
}

static void add_code(struct rewrite *r, uint32_t code)
{
    buffer_add_bytes(&r->scratch, &code, sizeof code);
}

static size_t num_codes(const struct rewrite *r)
{
    return r->scratch.len / sizeof(uint32_t);
}

/* replace_codes lets the callback replace the codes in scratch. whole: they are a whole list. */
static const uint32_t *replace_codes(struct rewrite *r, bool whole)
{
    uint32_t *codes = (uint32_t *)(void *)r->scratch.data;
    const size_t num = num_codes(r);
    bool is_text = whole;
    if (r->scratch.failed)
        return NULL;
    for (size_t i = 0; i < num && is_text; i++)
        is_text = escape_is_printable(codes[i]);
    r->to->characters(r->to->context, codes, num, is_text);
    return codes;
}

void rewrite_string(struct rewrite *r, const struct term_token *token)
{
    struct cursor body = token->body;
    uint8_t byte;
    encode_u8(r->out, token->tag);
    encode_u16(r->out, (uint16_t)cursor_left(&body));
    r->scratch.len = 0;
    while (cursor_read_u8(&body, &byte))
        add_code(r, byte);
    const uint32_t *codes = r->scratch.len != 0 ? replace_codes(r, true) : NULL;
    for (size_t i = 0; codes != NULL && i < num_codes(r); i++)
        encode_u8(r->out, (uint8_t)codes[i]);
}

uint64_t rewrite_run(struct rewrite *r, struct cursor *at, uint64_t left, bool first)
{
    struct cursor next = *at;
    struct term_token token;
    uint32_t code;
    uint64_t num = 0;
    bool whole = false;
    r->scratch.len = 0;
    while (num < left && num < DS_REWRITE_CHARACTERS &&
           term_read_token(&next, r->env, &token, NULL) == TERM_OK) {
        whole = first && num + 1 == left && token.class == TERM_NIL;
        if (!get_small(&token, CHARACTER_MAX, &code))
            break;
        *at = next;
        add_code(r, code);
        num++;
    }
    const uint32_t *codes = num != 0 ? replace_codes(r, whole) : NULL;
    for (size_t i = 0; codes != NULL && i < num; i++)
        put_character(r, codes[i]);
    return num;
}

bool rewrite_address(struct rewrite *r, struct cursor *at, const struct term_token *tuple)
{
    enum { V4_NUM = 4, V6_NUM = 8, V6_LEN = 16 };
    const bool is_v4 = tuple->num_terms == V4_NUM;
    struct cursor next = *at;
    struct term_token token;
    uint8_t bytes[V6_LEN];
    uint32_t value;
    if (!is_v4 && tuple->num_terms != V6_NUM)
        return false;
    for (uint64_t i = 0; i < tuple->num_terms; i++) {
        if (term_read_token(&next, r->env, &token, NULL) != TERM_OK ||
            !get_small(&token, is_v4 ? UINT8_MAX : UINT16_MAX, &value))
            return false;
        bytes[is_v4 ? i : 2 * i] = (uint8_t)(is_v4 ? value : value >> 8);
        if (!is_v4)
            bytes[2 * i + 1] = (uint8_t)value;
    }
    if (!r->to->address(r->to->context, bytes, is_v4 ? V4_NUM : V6_LEN))
        return false;
    *at = next;
    buffer_add_cursor(r->out, &tuple->bytes);
    for (uint64_t i = 0; i < tuple->num_terms; i++)
        put_character(r, is_v4 ? bytes[i] : (uint32_t)bytes[2 * i] << 8 | bytes[2 * i + 1]);
    return true;
}
