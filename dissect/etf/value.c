/*
 * value.c - decodes leaves. The cursor reads common ones (integers that fit, floats of 8 bytes,
 * pids, ports, references), which are a few numbers; erl_interface decodes the rare and complicated
 * ones. That is safe because each leaf has been checked byte by byte before, so ei finds all bytes
 * it reads.
 */
#include "etf/value.h"
#include "etf/float_text.h"
#include "etf/term_token.h"

#include <ei.h>
#include <stdlib.h>

static const char *value_bytes(const struct cursor *leaf)
{
    return (const char *)leaf->at;
}

/* value_get_magnitude reads an integer of at most 64 bits and a sign. */
static bool value_get_magnitude(const struct term_token *token, uint64_t *magnitude, bool *negative)
{
    struct cursor body = token->body;
    struct cursor head = token->bytes;
    uint32_t number;
    uint8_t byte;
    *negative = false;
    *magnitude = 0;
    switch (token->tag) {
    case TERM_TAG_SMALL_INTEGER:
        if (!cursor_read_u8(&body, &byte))
            return false;
        *magnitude = byte;
        return true;
    case TERM_TAG_INTEGER:
        if (!cursor_read_u32(&body, &number))
            return false;
        *negative = number >> 31 != 0;
        *magnitude = *negative ? -number : number;
        return true;
    case TERM_TAG_SMALL_BIG:
    case TERM_TAG_LARGE_BIG:
        /* The sign is right before the digits, the lowest digit first. */
        if (cursor_left(&body) > sizeof *magnitude ||
            !cursor_skip(&head, cursor_offset(&body, &head) - 1) || !cursor_read_u8(&head, &byte))
            return false;
        *negative = byte != 0;
        for (unsigned shift = 0; cursor_read_u8(&body, &byte); shift += 8)
            *magnitude |= (uint64_t)byte << shift;
        return true;
    default:
        return false;
    }
}

bool value_get_i64(const struct term_token *token, int64_t *out)
{
    uint64_t magnitude;
    bool negative;
    if (!value_get_magnitude(token, &magnitude, &negative) ||
        magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *out = (int64_t)(negative ? -magnitude : magnitude);
    return true;
}

bool value_get_u64(const struct term_token *token, uint64_t *out)
{
    bool negative;
    return value_get_magnitude(token, out, &negative) && !negative;
}

bool value_get_big(const struct term_token *token, struct value_big *out)
{
    size_t len = cursor_left(&token->body);
    out->num_digits = len / 2 + len % 2;
    out->digits = out->few;
    /* Its length is that of existing bytes. */
    if (out->num_digits > sizeof out->few / sizeof out->few[0])
        out->digits = malloc(out->num_digits * sizeof *out->digits);
    if (out->digits == NULL)
        return false;
    if (out->num_digits != 0)
        out->digits[out->num_digits - 1] = 0; /* an odd byte fills half of it */
    int index = 0;
    erlang_big big = {.arity = (unsigned)len, .digits = out->digits};
    if (ei_decode_big(value_bytes(&token->bytes), &index, &big) != 0) {
        value_big_free(out);
        return false;
    }
    for (size_t i = 0; i < out->num_digits; i++)
        out->digits[i] = htole16(out->digits[i]);
    out->negative = big.is_neg != 0;
    return true;
}

void value_big_free(struct value_big *big)
{
    if (big->digits != big->few)
        free(big->digits);
    big->digits = NULL;
}

bool value_get_float(const struct term_token *token, double *out)
{
    struct cursor body = token->body;
    uint64_t bits;
    _Static_assert(sizeof bits == sizeof *out, "a float is IEEE 754's of 64 bits");
    if (token->tag == TERM_TAG_FLOAT)
        return float_text_read(&body, out);
    if (token->tag != TERM_TAG_NEW_FLOAT || !cursor_read_u64(&body, &bits))
        return false;
    memcpy(out, &bits, sizeof *out);
    return true;
}

/* value_read_creation reads a creation. Before OTP 23 it was one byte with two significant bits. */
static bool value_read_creation(struct cursor *numbers, bool is_new, uint32_t *out)
{
    enum { OLD_CREATION_BITS = 3 };
    uint8_t small;
    if (is_new)
        return cursor_read_u32(numbers, out);
    if (!cursor_read_u8(numbers, &small))
        return false;
    *out = small & OLD_CREATION_BITS;
    return true;
}

bool value_get_pid(const struct term_token *token, struct value_pid *out)
{
    struct cursor numbers = token->body;
    return token->class == TERM_PID && cursor_read_u32(&numbers, &out->id) &&
           cursor_read_u32(&numbers, &out->serial) &&
           value_read_creation(&numbers, token->tag == TERM_TAG_NEW_PID, &out->creation);
}

bool value_get_port(const struct term_token *token, struct value_port *out)
{
    struct cursor numbers = token->body;
    uint32_t id;
    if (token->class != TERM_PORT)
        return false;
    if (token->tag == TERM_TAG_V4_PORT) {
        if (!cursor_read_u64(&numbers, &out->id))
            return false;
    } else {
        if (!cursor_read_u32(&numbers, &id))
            return false;
        out->id = id;
    }
    return value_read_creation(&numbers, token->tag != TERM_TAG_PORT, &out->creation);
}

bool value_get_reference(const struct term_token *token, struct value_reference *out)
{
    struct cursor numbers = token->body;
    uint8_t creation;
    if (token->class != TERM_REFERENCE)
        return false;
    if (token->tag == TERM_TAG_REFERENCE) { /* the oldest form: one word, then the creation */
        out->num_words = 1;
        if (!cursor_read_u32(&numbers, &out->words[0]) || !cursor_read_u8(&numbers, &creation))
            return false;
        out->creation = creation;
        return true;
    }
    if (!value_read_creation(&numbers, token->tag == TERM_TAG_NEWER_REFERENCE, &out->creation))
        return false;
    out->num_words = 0;
    while (out->num_words < TOKEN_REFERENCE_WORDS_MAX &&
           cursor_read_u32(&numbers, &out->words[out->num_words]))
        out->num_words++;
    return true;
}

static bool value_read_integer(struct cursor *at, int64_t *out)
{
    const struct term_env no_atoms = {0};
    struct term_token token;
    return term_read_token(at, &no_atoms, &token, NULL) == TERM_OK && value_get_i64(&token, out);
}

/* value_get_fun decodes only the three parts that are shown. ei_decode_fun would copy all free
 * variables first, so it reads the parts one by one, and ei decodes the integers. */
bool value_get_fun(const struct term_token *token, const struct term_env *env, struct value_fun *out)
{
    const size_t before_module = 1 + 4 + 1 + 16 + 4 + 4;
    struct cursor c = token->bytes;
    struct term_token part;
    if (token->tag == TERM_TAG_FUN) {
        if (!cursor_skip(&c, 1 + 4) || term_read_token(&c, env, &part, NULL) != TERM_OK)
            return false;
    } else if (token->tag != TERM_TAG_NEW_FUN || !cursor_skip(&c, before_module)) {
        return false;
    }
    if (term_read_token(&c, env, &part, NULL) != TERM_OK)
        return false;
    out->module = part.bytes;
    return value_read_integer(&c, &out->index) && value_read_integer(&c, &out->uniq);
}

bool value_get_bits(const struct term_token *token, struct cursor *bytes, unsigned *last_bits)
{
    const char *first;
    unsigned offset;
    size_t num_bits;
    int index = 0;
    if (token->class != TERM_BIT_BINARY ||
        ei_decode_bitstring(value_bytes(&token->bytes), &index, &first, &offset, &num_bits) != 0)
        return false;
    *bytes = cursor_make(first, (num_bits + 7) / 8);
    *last_bits = num_bits % 8 != 0 || num_bits == 0 ? num_bits % 8 : 8;
    return true;
}

bool value_get_latin1(const struct cursor *text, char *out, size_t *len)
{
    char leaf[1 + 1 + TOKEN_ATOM_CHARS_MAX];
    int index = 0;
    struct cursor c = *text;
    uint8_t byte;
    if (cursor_left(text) > TOKEN_ATOM_CHARS_MAX)
        return false;
    leaf[0] = ERL_SMALL_ATOM_EXT;
    leaf[1] = (char)cursor_left(text);
    memcpy(&leaf[2], text->at, cursor_left(text));
    if (ei_decode_atom_as(leaf, &index, out, VALUE_ATOM_LEN, ERLANG_UTF8, NULL, NULL) != 0)
        return false;
    /* Not strlen: a NUL is a character like others. */
    *len = cursor_left(text);
    while (cursor_read_u8(&c, &byte))
        *len += byte >= 0x80;
    return true;
}
