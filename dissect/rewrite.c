/*
 * rewrite.c - see rewrite.h. The walk keeps a number for each open container: how many terms
 * are still to come in it. The layouts are those of term_token.h.
 */
#include <distsniff/rewrite.h>

#include "buffer.h"
#include "escape.h"
#include "term.h"
#include "utf8.h"
#include "value.h"

#include <stdlib.h>

enum { CHARACTER_MAX = 0x10ffff, FUN_UNIQ_LEN = 16, ATOM_CHARS_MAX = 255 };

/* level is one container. */
struct level {
    uint64_t left : 62; /* terms to come */
    uint64_t in_list : 1;
    uint64_t is_fun : 1;
};

struct rewrite {
    const struct ds_rewriter *to;
    const struct term_env *env;
    struct ds_buffer *out;
    struct level *levels;
    size_t num_levels, cap_levels;
    struct ds_buffer funs;    /* size_t each: where the size of an open fun stands in out */
    struct ds_buffer scratch; /* texts and strings under work */
    bool no_memory;
};

static void put_u8(struct rewrite *r, uint8_t value)
{
    buffer_add_char(r->out, (char)value);
}

static void put_u16(struct rewrite *r, uint16_t value)
{
    value = __builtin_bswap16(value);
    buffer_add_bytes(r->out, &value, sizeof value);
}

static void put_u32(struct rewrite *r, uint32_t value)
{
    value = __builtin_bswap32(value);
    buffer_add_bytes(r->out, &value, sizeof value);
}

/* put_integer writes an integer of any size: its absolute value, lowest byte first. */
static void put_integer(struct rewrite *r, bool negative, const uint8_t *bytes, size_t len)
{
    uint64_t value = 0;
    while (len != 0 && bytes[len - 1] == 0)
        len--;
    for (size_t i = 0; i < len && len <= 4; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    if (len <= 1 && !negative) {
        put_u8(r, TERM_TAG_SMALL_INTEGER);
        put_u8(r, (uint8_t)value);
    } else if (len <= 4 && value <= INT32_MAX + (uint64_t)negative) {
        put_u8(r, TERM_TAG_INTEGER);
        put_u32(r, negative ? (uint32_t)-value : (uint32_t)value);
    } else {
        if (len <= UINT8_MAX) {
            put_u8(r, TERM_TAG_SMALL_BIG);
            put_u8(r, (uint8_t)len);
        } else {
            put_u8(r, TERM_TAG_LARGE_BIG);
            put_u32(r, (uint32_t)len);
        }
        put_u8(r, negative);
        buffer_add_bytes(r->out, bytes, len);
    }
}

static void put_character(struct rewrite *r, uint32_t code)
{
    const uint8_t bytes[4] = {(uint8_t)code, (uint8_t)(code >> 8), (uint8_t)(code >> 16), 0};
    put_integer(r, false, bytes, sizeof bytes);
}

/* mend_atom makes text that of an atom which can be read back: what a peer put into the atom
 * cache need not be UTF-8, and stands inline from now on. Returns its length. */
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
    len = mend_atom(text, len);
    if (len <= UINT8_MAX) {
        put_u8(r, TERM_TAG_SMALL_ATOM_UTF8);
        put_u8(r, (uint8_t)len);
    } else {
        put_u8(r, TERM_TAG_ATOM_UTF8);
        put_u16(r, (uint16_t)len);
    }
    buffer_add_bytes(r->out, text, len);
}

/* rewrite_atom writes an atom, or the node of something, anew. Returns whether it may be
 * another one now: what is unknown may be any. */
static bool rewrite_atom(struct rewrite *r, struct cursor text, bool latin1,
                         const struct ds_atom *atom, const struct cursor *bytes, bool is_node)
{
    char utf8[VALUE_ATOM_LEN];
    struct ds_text old = {(const char *)text.at, cursor_left(&text)};
    if (atom != NULL && atom->state == DS_ATOM_UNKNOWN) {
        struct cursor at = *bytes;
        struct term_token token;
        if (term_read_token(&at, r->env, &token, NULL) == TERM_OK)
            buffer_add_cursor(r->out, &token.bytes);
        return true;
    }
    if (latin1) {
        old.data = utf8;
        if (!value_get_latin1(&text, utf8, &old.len))
            old.len = 0; /* does not happen: the token has been checked */
    }
    if (old.data == NULL)
        old.data = "";
    r->scratch.len = 0;
    (is_node ? r->to->node : r->to->atom)(r->to->context, old, &r->scratch);
    put_atom_text(r, r->scratch.data, r->scratch.len);
    return r->scratch.len != old.len ||
           (old.len != 0 && memcmp(r->scratch.data, old.data, old.len) != 0);
}

/* read_atom rewrites the atom at at, which is part of a larger token. */
static bool read_atom(struct rewrite *r, struct cursor *at)
{
    struct term_token token;
    return term_read_token(at, r->env, &token, NULL) == TERM_OK &&
           rewrite_atom(r, token.body, token.latin1, token.atom, &token.bytes, false);
}

/* rewrite_numbered writes a pid, port or reference: tag, count of words, node, numbers. */
static void rewrite_numbered(struct rewrite *r, const struct term_token *token)
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

static bool read_numbered(struct rewrite *r, struct cursor *at)
{
    struct term_token token;
    if (term_read_token(at, r->env, &token, NULL) != TERM_OK)
        return false;
    rewrite_numbered(r, &token);
    return true;
}

static void rewrite_export(struct rewrite *r, const struct term_token *token)
{
    struct cursor at = token->bytes;
    put_u8(r, token->tag);
    if (!cursor_skip(&at, 1))
        return;
    read_atom(r, &at);
    read_atom(r, &at);
    buffer_add_cursor(r->out, &at);
}

/* read_small copies an integer inside a fun; of a module that has another name now, not as it
 * is. */
static void read_small(struct rewrite *r, struct cursor *at, bool is_uniq)
{
    struct term_token token;
    uint8_t bytes[4] = {0};
    if (term_read_token(at, r->env, &token, NULL) != TERM_OK)
        return;
    const size_t len = cursor_left(&token.body);
    if (!cursor_read_bytes(&token.body, bytes, len))
        return;
    if (is_uniq)
        r->to->fingerprint(r->to->context, bytes, len);
    put_u8(r, token.tag);
    buffer_add_bytes(r->out, bytes, len);
}

static void rewrite_new_fun(struct rewrite *r, const struct term_token *token)
{
    struct cursor at = token->bytes;
    uint8_t uniq[FUN_UNIQ_LEN], head[1 + 4 + 1], counts[4 + 4];
    if (!cursor_read_bytes(&at, head, sizeof head) || !cursor_read_bytes(&at, uniq, sizeof uniq) ||
        !cursor_read_bytes(&at, counts, sizeof counts))
        return;
    const size_t size_at = r->out->len + 1;
    buffer_add_bytes(&r->funs, &size_at, sizeof size_at);
    buffer_add_bytes(r->out, head, sizeof head);
    const size_t uniq_at = r->out->len;
    buffer_add_bytes(r->out, uniq, sizeof uniq);
    buffer_add_bytes(r->out, counts, sizeof counts);
    const bool renamed = read_atom(r, &at);
    if (renamed)
        r->to->fingerprint(r->to->context, uniq, sizeof uniq);
    if (!r->out->failed)
        memcpy(r->out->data + uniq_at, uniq, sizeof uniq);
    read_small(r, &at, false);
    read_small(r, &at, renamed);
    read_numbered(r, &at);
}

static void rewrite_fun(struct rewrite *r, const struct term_token *token)
{
    struct cursor at = token->bytes;
    uint8_t head[1 + 4];
    if (token->tag == TERM_TAG_NEW_FUN) {
        rewrite_new_fun(r, token);
        return;
    }
    if (!cursor_read_bytes(&at, head, sizeof head))
        return;
    buffer_add_bytes(r->out, head, sizeof head);
    read_numbered(r, &at);
    const bool renamed = read_atom(r, &at);
    read_small(r, &at, false);
    read_small(r, &at, renamed);
}

/* end_fun fills in the size of the fun that ends here. */
static void end_fun(struct rewrite *r)
{
    size_t size_at;
    r->funs.len -= sizeof size_at;
    memcpy(&size_at, r->funs.data + r->funs.len, sizeof size_at);
    const uint32_t size = __builtin_bswap32((uint32_t)(r->out->len - size_at));
    if (!r->out->failed)
        memcpy(r->out->data + size_at, &size, sizeof size);
}

static void rewrite_record(struct rewrite *r, const struct term_token *token)
{
    const size_t head_len = 1 + 4 + 1;
    struct cursor at = token->record_names;
    buffer_add_bytes(r->out, token->bytes.at, head_len);
    while (cursor_left(&at) != 0) {
        const size_t left = cursor_left(&at);
        read_atom(r, &at);
        if (cursor_left(&at) == left)
            return; /* does not happen: the token has been checked */
    }
}

/* rewrite_local replaces what is opaque by as opaque a binary, the same for the same. */
static void rewrite_local(struct rewrite *r, const struct term_token *token)
{
    enum { HASH_LEN = 4, BINARY_LEN = 8 };
    r->scratch.len = 0;
    buffer_add_cursor(&r->scratch, &token->body);
    if (r->scratch.failed)
        return;
    r->to->fingerprint(r->to->context, (uint8_t *)r->scratch.data, r->scratch.len);
    uint8_t bytes[HASH_LEN + BINARY_LEN] = {0};
    memcpy(bytes, r->scratch.data,
           r->scratch.len < sizeof bytes ? r->scratch.len : sizeof bytes);
    put_u8(r, TERM_TAG_LOCAL);
    buffer_add_bytes(r->out, bytes, HASH_LEN);
    put_u8(r, TERM_TAG_BINARY);
    put_u32(r, BINARY_LEN);
    buffer_add_bytes(r->out, bytes + HASH_LEN, BINARY_LEN);
}

/* read_magnitude puts the absolute value of an integer into scratch, lowest byte first. */
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
    put_integer(r, negative && r->scratch.len != 0, (const uint8_t *)r->scratch.data,
                r->scratch.len);
}

/* get_small returns the value of an integer from 0 to max. */
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

static void rewrite_real(struct rewrite *r, const struct term_token *token)
{
    double value;
    uint64_t bits;
    if (!value_get_float(token, &value))
        return;
    r->to->real(r->to->context, &value);
    memcpy(&bits, &value, sizeof bits);
    bits = __builtin_bswap64(bits);
    put_u8(r, TERM_TAG_NEW_FLOAT);
    buffer_add_bytes(r->out, &bits, sizeof bits);
}

static void rewrite_bytes(struct rewrite *r, const struct term_token *token)
{
    const struct ds_text old = {(const char *)token->body.at, cursor_left(&token->body)};
    const bool whole = token->class == TERM_BINARY;
    put_u8(r, token->tag);
    put_u32(r, (uint32_t)old.len);
    if (!whole)
        put_u8(r, token->last_bits);
    if (old.len != 0)
        r->to->bytes(r->to->context, old, whole ? 8 : token->last_bits, r->out);
}

/* Strings */

static void add_code(struct rewrite *r, uint32_t code)
{
    buffer_add_bytes(&r->scratch, &code, sizeof code);
}

static size_t num_codes(const struct rewrite *r)
{
    return r->scratch.len / sizeof(uint32_t);
}

/* replace_codes has the codes gathered in scratch replaced. whole: they are a whole list. */
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

static void rewrite_string(struct rewrite *r, const struct term_token *token)
{
    struct cursor body = token->body;
    uint8_t byte;
    put_u8(r, token->tag);
    put_u16(r, (uint16_t)cursor_left(&body));
    r->scratch.len = 0;
    while (cursor_read_u8(&body, &byte))
        add_code(r, byte);
    const uint32_t *codes = r->scratch.len != 0 ? replace_codes(r, true) : NULL;
    for (size_t i = 0; codes != NULL && i < num_codes(r); i++)
        put_u8(r, (uint8_t)codes[i]);
}

/* rewrite_run takes as many characters as follow each other in the list that at stands in.
 * Returns how many. */
static uint64_t rewrite_run(struct rewrite *r, struct cursor *at, uint64_t left, bool first)
{
    struct cursor next = *at;
    struct term_token token;
    uint32_t code;
    uint64_t num = 0;
    bool whole = false;
    r->scratch.len = 0;
    while (num < left && term_read_token(&next, r->env, &token, NULL) == TERM_OK) {
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

/* rewrite_address takes a tuple, whose head has been read, as an IP address if it can. */
static bool rewrite_address(struct rewrite *r, struct cursor *at, const struct term_token *tuple)
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

/* The walk */

static bool push(struct rewrite *r, struct level level)
{
    if (r->num_levels == r->cap_levels) {
        const size_t cap = r->cap_levels != 0 ? r->cap_levels * 2 : 64;
        struct level *levels = realloc(r->levels, cap * sizeof *levels);
        if (levels == NULL) {
            r->no_memory = true;
            return false;
        }
        r->levels = levels;
        r->cap_levels = cap;
    }
    r->levels[r->num_levels++] = level;
    return true;
}

/* pop_ended ends the containers of which nothing is to come. */
static void pop_ended(struct rewrite *r)
{
    while (r->num_levels != 0 && r->levels[r->num_levels - 1].left == 0) {
        if (r->levels[--r->num_levels].is_fun)
            end_fun(r);
    }
}

/* open_container writes the head of a token under which others follow. One that ends with its
 * last term needs no memory while that is written: lists and tuples nest for free there. */
static bool open_container(struct rewrite *r, struct cursor *at, const struct term_token *token)
{
    if (token->class == TERM_TUPLE && rewrite_address(r, at, token))
        return true;
    const bool is_new_fun = token->tag == TERM_TAG_NEW_FUN;
    if (token->class == TERM_FUN)
        rewrite_fun(r, token);
    else if (token->class == TERM_RECORD)
        rewrite_record(r, token);
    else
        buffer_add_cursor(r->out, &token->bytes);
    if (r->num_levels != 0 && r->levels[r->num_levels - 1].left == 0 &&
        !r->levels[r->num_levels - 1].is_fun)
        r->num_levels--;
    const uint64_t most = ((uint64_t)1 << 62) - 1; /* far more than any message holds */
    return push(r, (struct level){.left = token->num_terms & most,
                                  .in_list = token->class == TERM_LIST,
                                  .is_fun = is_new_fun});
}

static void rewrite_leaf(struct rewrite *r, const struct term_token *token)
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

static bool is_container(enum term_class class)
{
    return class == TERM_TUPLE || class == TERM_LIST || class == TERM_MAP || class == TERM_FUN ||
           class == TERM_RECORD;
}

static bool out_of_memory(const struct rewrite *r)
{
    return r->no_memory || r->out->failed || r->scratch.failed || r->funs.failed;
}

static enum ds_rewrite_status walk(struct rewrite *r, struct cursor *at)
{
    if (!push(r, (struct level){.left = 1}))
        return DS_REWRITE_NO_MEMORY;
    bool first = false; /* at stands before the first element of a list */
    for (pop_ended(r); r->num_levels != 0; pop_ended(r)) {
        struct level *level = &r->levels[r->num_levels - 1];
        const uint64_t num = level->in_list ? rewrite_run(r, at, level->left, first) : 0;
        level->left -= num;
        first = false;
        if (num == 0) {
            struct term_token token;
            if (term_read_token(at, r->env, &token, NULL) != TERM_OK)
                return out_of_memory(r) ? DS_REWRITE_NO_MEMORY : DS_REWRITE_DAMAGED;
            level->left--;
            if (!is_container(token.class))
                rewrite_leaf(r, &token);
            else if (open_container(r, at, &token))
                first = token.class == TERM_LIST;
        }
        if (out_of_memory(r))
            return DS_REWRITE_NO_MEMORY;
    }
    return DS_REWRITE_OK;
}

enum ds_rewrite_status ds_term_rewrite(const struct ds_term *term,
                                       const struct ds_rewriter *rewriter, struct ds_buffer *out)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    struct rewrite r = {.to = rewriter, .env = &env, .out = out};
    struct cursor at = cursor_make(term->data, term->len);
    const enum ds_rewrite_status status = walk(&r, &at);
    free(r.levels);
    ds_buffer_free(&r.funs);
    ds_buffer_free(&r.scratch);
    return status;
}
