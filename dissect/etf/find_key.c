/*
 * find_key.c - finds a key whose value is a text: {password, <<"x">>}, #{<<"password">> => "x"}.
 * Some callers check every message for this: most messages are ruled out without a walk.
 *
 *     BINARY 109 length:4 bytes   STRING 107 length:2 bytes   SMALL_ATOM_UTF8 119 length:1 bytes
 */
#include <distsniff/identity.h>

#include "etf/term.h"

enum { MAX_TOKENS = 4096, MAX_BYTES = 65536 };

static int find_word(struct cursor word, const struct ds_text *keys, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (cursor_left(&word) == keys[i].len && memcmp(word.at, keys[i].data, keys[i].len) == 0)
            return (int)i;
    }
    return -1;
}

static bool has_atom(const struct ds_term *term, const struct ds_text *keys, size_t num)
{
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        const struct ds_atom *atom = &term->atoms[i];
        if (ds_atom_is_certain(atom->state) &&
            find_word(cursor_make(atom->text, atom->len), keys, num) >= 0)
            return true;
    }
    return false;
}

static bool read_len(struct cursor *at, uint8_t tag, uint32_t *len)
{
    uint8_t len8;
    if (tag == TERM_TAG_BINARY)
        return cursor_read_u32(at, len);
    if (!cursor_read_u8(at, &len8))
        return false;
    *len = len8;
    return true;
}

/* has_inline searches for bytes that may be such a binary or atom, at any offset. */
static bool has_inline(struct cursor at, uint8_t tag, const struct ds_text *keys, size_t num)
{
    uint32_t len;
    while (cursor_find(&at, tag) && cursor_skip(&at, 1)) {
        struct cursor next = at, word;
        if (!read_len(&next, tag, &len))
            return false;
        if (cursor_child(&next, len, &word) && find_word(word, keys, num) >= 0)
            return true;
    }
    return false;
}

int ds_term_find_key(const struct ds_term *term, const struct ds_text *keys, size_t num)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    struct term_token token;
    uint64_t left = 1;
    int key = -1;
    at = cursor_first(at, MAX_BYTES);
    if (!has_atom(term, keys, num) && !has_inline(at, TERM_TAG_BINARY, keys, num) &&
        !has_inline(at, TERM_TAG_SMALL_ATOM_UTF8, keys, num))
        return -1;
    for (unsigned i = 0; i < MAX_TOKENS && left != 0; i++) {
        if (term_read_token(&at, &env, &token, NULL) != TERM_OK)
            return -1;
        left = left - 1 + token.num_terms;
        const bool is_text = token.class == TERM_BINARY || token.class == TERM_STRING;
        if (key >= 0 && is_text && cursor_left(&token.body) != 0)
            return key;
        const bool is_word =
            token.class == TERM_BINARY ||
            (token.class == TERM_ATOM &&
             (token.atom == NULL || ds_atom_is_certain(token.atom->state)));
        key = is_word ? find_word(token.body, keys, num) : -1;
    }
    return -1;
}
