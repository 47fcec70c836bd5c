/*
 * rewrite_leaf.c - see rewriter.h: atoms, numbers, binaries and terms with a node's name.
 */
#include "etf/rewriter.h"
#include "etf/value.h"
#include "util/utf8.h"

#include <distsniff/encode.h>

enum { ATOM_CHARS_MAX = 255 };

/* mend_atom makes text a valid atom: an atom that a peer put into the atom cache need not be UTF-8,
 * and is inline from now on. Returns its length. */
static size_t mend_atom(char *text, size_t len)
{
    struct cursor at = cursor_make(text, len);
    size_t num_chars = 0;
    uint32_t code;
    while (utf8_read(&at, &code))
        num_chars++;
    if (cursor_left(&at) == 0 && num_chars <= ATOM_CHARS_MAX)
        return len;
    for (size_t i = 0; i < len; i++)
        text[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    return len < ATOM_CHARS_MAX ? len : ATOM_CHARS_MAX;
}

static void put_atom_text(struct rewrite *r, char *text, size_t len)
{
    ds_encode_atom(r->out, (struct ds_text){text, mend_atom(text, len)});
}

/* rewrite_atom writes an atom, or the node of a term, after the callback has replaced it. Returns
 * whether it may be another one now: an unknown atom may be any. */
static bool rewrite_atom(struct rewrite *r, struct cursor text, bool latin1,
                         const struct ds_atom *atom, const struct cursor *bytes, bool is_node)
{
    char utf8[VALUE_ATOM_LEN];
    struct ds_text old = {(const char *)text.at, cursor_left(&text)};
    if (atom != NULL && !ds_atom_is_certain(atom->state)) {
        struct cursor at = *bytes;
        struct term_token token;
        if (term_read_token(&at, r->env, &token, NULL) == TERM_OK)
            buffer_add_cursor(r->out, &token.bytes);
        return true;
    }
    if (latin1) {
        old.data = utf8;
        if (!value_get_latin1(&text, utf8, &old.len))
            old.len = 0; /* cannot happen: the token has been checked */
    }
    if (old.data == NULL)
        old.data = "";
    r->scratch.len = 0;
    (is_node ? r->to->node : r->to->atom)(r->to->context, old, &r->scratch);
    put_atom_text(r, r->scratch.data, r->scratch.len);
    return r->scratch.len != old.len ||
           (old.len != 0 && memcmp(r->scratch.data, old.data, old.len) != 0);
}

bool rewrite_next_atom(struct rewrite *r, struct cursor *at)
{
    struct term_token token;
    return term_read_token(at, r->env, &token, NULL) == TERM_OK &&
           rewrite_atom(r, token.body, token.latin1, token.atom, &token.bytes, false);
}

/* rewrite_numbered copies tag, count of words, node and numbers. */
void rewrite_numbered(struct rewrite *r, const struct term_token *token)
{
    const bool counted =
        token->tag == TERM_TAG_NEWER_REFERENCE || token->tag == TERM_TAG_NEW_REFERENCE;
    const size_t head_len = counted ? 3 : 1;
    struct cursor node = token->bytes;
    buffer_add_bytes(r->out, node.at, head_len);
    if (cursor_skip(&node, head_len))
        rewrite_atom(r, token->node, token->latin1, token->atom, &node, true);
    buffer_add_cursor(r->out, &token->body);
}

static void rewrite_export(struct rewrite *r, const struct term_token *token)
{
    struct cursor at = token->bytes;
    encode_u8(r->out, token->tag);
    if (!cursor_skip(&at, 1))
        return;
    rewrite_next_atom(r, &at);
    rewrite_next_atom(r, &at);
    buffer_add_cursor(r->out, &at);
}

/* rewrite_local replaces opaque data by an equally opaque binary, equal for equal input. */
static void rewrite_local(struct rewrite *r, const struct term_token *token)
{
    enum { HASH_LEN = 4, BINARY_LEN = 8 };
    r->scratch.len = 0;
    buffer_add_cursor(&r->scratch, &token->body);
    if (r->scratch.failed)
        return;
    r->to->fingerprint(r->to->context, (uint8_t *)r->scratch.data, r->scratch.len);
    uint8_t bytes[HASH_LEN + BINARY_LEN] = {0};
    memcpy(bytes, r->scratch.data, r->scratch.len < sizeof bytes ? r->scratch.len : sizeof bytes);
    encode_u8(r->out, TERM_TAG_LOCAL);
    buffer_add_bytes(r->out, bytes, HASH_LEN);
    ds_encode_binary(r->out, (struct ds_text){(const char *)bytes + HASH_LEN, BINARY_LEN});
}

/* read_magnitude writes the absolute value of an integer to scratch, lowest byte first. */
static bool read_magnitude(struct rewrite *r, const struct term_token *token, bool *negative)
{
    struct cursor body = token->body, at = token->bytes;
    uint32_t value = 0;
    uint8_t small = 0;
    r->scratch.len = 0;
    *negative = false;
    if (token->tag == TERM_TAG_SMALL_BIG || token->tag == TERM_TAG_LARGE_BIG) {
        uint8_t sign = 0;
        const size_t sign_at = token->tag == TERM_TAG_SMALL_BIG ? 2 : 5;
        if (!cursor_skip(&at, sign_at) || !cursor_read_u8(&at, &sign))
            return false;
        *negative = sign != 0;
        buffer_add_cursor(&r->scratch, &body);
    } else {
        if (token->tag == TERM_TAG_INTEGER ? !cursor_read_u32(&body, &value)
                                           : !cursor_read_u8(&body, &small))
            return false;
        value = token->tag == TERM_TAG_INTEGER ? value : small;
        *negative = value > INT32_MAX;
        value = *negative ? (uint32_t)-value : value;
        const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                                 (uint8_t)(value >> 24)};
        buffer_add_bytes(&r->scratch, bytes, sizeof bytes);
    }
    while (r->scratch.len != 0 && r->scratch.data[r->scratch.len - 1] == 0)
        r->scratch.len--;
    return !r->scratch.failed;
}

static void rewrite_integer(struct rewrite *r, const struct term_token *token)
{
    bool negative;
    if (!read_magnitude(r, token, &negative))
        return;
    if (r->scratch.len != 0)
        r->to->integer(r->to->context, negative, (uint8_t *)r->scratch.data, r->scratch.len);
    ds_encode_integer(r->out, negative && r->scratch.len != 0, (const uint8_t *)r->scratch.data,
                        r->scratch.len);
}

static void rewrite_real(struct rewrite *r, const struct term_token *token)
{
    double value;
    if (!value_get_float(token, &value))
        return;
    r->to->real(r->to->context, &value);
    ds_encode_float(r->out, value);
}

static void rewrite_bytes(struct rewrite *r, const struct term_token *token)
{
    const struct ds_text old = {(const char *)token->body.at, cursor_left(&token->body)};
    const bool whole = token->class == TERM_BINARY;
    encode_u8(r->out, token->tag);
    encode_u32(r->out, (uint32_t)old.len);
    if (!whole)
        encode_u8(r->out, token->last_bits);
    if (old.len != 0)
        r->to->bytes(r->to->context, old, whole ? 8 : token->last_bits, r->out);
}

void rewrite_leaf(struct rewrite *r, const struct term_token *token)
{
    switch (token->class) {
    case TERM_INTEGER:
        rewrite_integer(r, token);
        break;
    case TERM_FLOAT:
        rewrite_real(r, token);
        break;
    case TERM_ATOM:
        rewrite_atom(r, token->body, token->latin1, token->atom, &token->bytes, false);
        break;
    case TERM_BINARY:
    case TERM_BIT_BINARY:
        rewrite_bytes(r, token);
        break;
    case TERM_STRING:
        rewrite_string(r, token);
        break;
    case TERM_PID:
    case TERM_PORT:
    case TERM_REFERENCE:
        rewrite_numbered(r, token);
        break;
    case TERM_EXPORT:
        rewrite_export(r, token);
        break;
    case TERM_LOCAL:
        rewrite_local(r, token);
        break;
    default: /* NIL */
        buffer_add_cursor(r->out, &token->bytes);
        break;
    }
}
