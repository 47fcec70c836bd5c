/*
 * same_shape.h - whether two terms differ in their leaves alone: the same containers of as
 * many terms in the same places, binaries of as many bytes and bits, atoms of as many
 * characters, integers and floats where such were.
 */
#ifndef TESTS_SAME_SHAPE_H
#define TESTS_SAME_SHAPE_H

#include "etf/term.h"
#include "util/utf8.h"

static inline size_t shape_num_chars(const struct term_token *token)
{
    struct cursor at = token->body;
    size_t num = 0;
    uint32_t code;
    if (token->latin1)
        return cursor_left(&at);
    while (cursor_left(&at) != 0 && utf8_read(&at, &code))
        num++;
    return num;
}

static inline bool shape_same_token(const struct term_token *a, const struct term_token *b)
{
    if (a->class != b->class || a->num_terms != b->num_terms)
        return false;
    switch (a->class) {
    case TERM_BIT_BINARY:
        return a->last_bits == b->last_bits && cursor_left(&a->body) == cursor_left(&b->body);
    case TERM_BINARY:
    case TERM_STRING:
        return cursor_left(&a->body) == cursor_left(&b->body);
    case TERM_ATOM: /* a node's name may contain an IP address, whose length varies */
        return shape_num_chars(a) == shape_num_chars(b) ||
               memchr(a->body.at, '@', cursor_left(&a->body)) != NULL;
    case TERM_PID:
    case TERM_PORT:
    case TERM_REFERENCE:
        return cursor_left(&a->body) == cursor_left(&b->body) &&
               memcmp(a->body.at, b->body.at, cursor_left(&a->body)) == 0;
    default:
        return true;
    }
}

/* shape_same walks both terms; it returns false as well if one ends before the other or is not whole. */
static inline bool shape_same(const struct ds_term *a, const struct ds_term *b)
{
    const struct term_env a_env = {a->atoms, a->num_atoms}, b_env = {b->atoms, b->num_atoms};
    struct cursor a_at = cursor_make(a->data, a->len), b_at = cursor_make(b->data, b->len);
    for (uint64_t left = 1; left != 0;) {
        struct term_token x, y;
        if (term_read_token(&a_at, &a_env, &x, NULL) != TERM_OK ||
            term_read_token(&b_at, &b_env, &y, NULL) != TERM_OK || !shape_same_token(&x, &y))
            return false;
        left += x.num_terms - 1;
    }
    return cursor_left(&a_at) == 0 && cursor_left(&b_at) == 0;
}

#endif
