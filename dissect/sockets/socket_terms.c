/*
 * socket_terms.c - reads the beginnings of terms, which distinguish the protocols that send terms
 * (erl_ext_dist, "Distribution Header" and the tags after it). It reads at most the first two
 * atoms.
 */
#include "sockets/socket.h"

#include <string.h>

enum {
    VERSION = 131,
    SMALL_TUPLE = 104,
    LIST = 108,
    ATOM = 100,
    SMALL_ATOM_UTF8 = 119,
    ATOM_UTF8 = 118,
    MAX_NAME_LEN = 1024,
};

/* read_atom reads an atom of any of its forms. */
static enum proto_guess read_atom(struct cursor *at, struct ds_text *out)
{
    uint8_t tag, small;
    uint16_t len;
    struct cursor text;
    if (!cursor_read_u8(at, &tag))
        return PROTO_MORE;
    if (tag != ATOM && tag != ATOM_UTF8 && tag != SMALL_ATOM_UTF8)
        return PROTO_NO;
    if (tag == SMALL_ATOM_UTF8) {
        if (!cursor_read_u8(at, &small))
            return PROTO_MORE;
        len = small;
    } else if (!cursor_read_u16(at, &len)) {
        return PROTO_MORE;
    }
    if (!cursor_child(at, len, &text))
        return PROTO_MORE;
    *out = cursor_text(text);
    return PROTO_YES;
}

/* read_arity reads the head of a tuple; *arity is 0 if it is not a tuple. */
static enum proto_guess read_arity(struct cursor *at, uint32_t *arity)
{
    uint8_t tag, small;
    *arity = 0;
    if (!cursor_peek_u8(at, &tag))
        return PROTO_MORE;
    if (tag != SMALL_TUPLE)
        return PROTO_YES;
    if (!cursor_skip(at, 1) || !cursor_read_u8(at, &small))
        return PROTO_MORE;
    *arity = small;
    return small != 0 ? PROTO_YES : PROTO_NO;
}

enum proto_guess socket_read_head(struct cursor bytes, struct socket_head *out)
{
    uint8_t version, tag;
    uint32_t num;
    enum proto_guess guess;
    *out = (struct socket_head){0};
    if (!cursor_read_u8(&bytes, &version) || !cursor_peek_u8(&bytes, &tag))
        return PROTO_MORE;
    if (version != VERSION)
        return PROTO_NO;
    if (tag == LIST) {
        out->is_list = true;
        if (!cursor_skip(&bytes, 1) || !cursor_read_u32(&bytes, &num))
            return PROTO_MORE;
    }
    if ((guess = read_arity(&bytes, &out->arity)) != PROTO_YES)
        return guess;
    if (out->arity == 0) {
        guess = read_atom(&bytes, &out->word);
    } else if ((guess = read_arity(&bytes, &out->inner_arity)) == PROTO_YES) {
        guess = read_atom(&bytes, out->inner_arity != 0 ? &out->inner : &out->word);
    }
    out->behind = bytes;
    return guess;
}

bool socket_word_is(struct ds_text word, const char *text)
{
    return word.data != NULL && word.len == strlen(text) && memcmp(word.data, text, word.len) == 0;
}

bool socket_read_node(struct cursor *at, struct ds_text *out)
{
    return read_atom(at, out) == PROTO_YES && out->len != 0 && out->len <= MAX_NAME_LEN &&
           memchr(out->data, '@', out->len) != NULL;
}

enum proto_guess socket_measure_packet4(const struct socket *socket, int dir, struct cursor at,
                                        struct socket_unit *unit)
{
    uint32_t len;
    uint8_t version;
    (void)socket;
    (void)dir;
    if (!cursor_read_u32(&at, &len))
        return PROTO_MORE;
    unit->len = unit->need = sizeof len + (uint64_t)len;
    return cursor_peek_u8(&at, &version) && version != VERSION ? PROTO_NO : PROTO_YES;
}

enum proto_guess socket_begins_packet4(struct cursor bytes, struct socket_head *head)
{
    enum { LONGEST = 1 << 28 };
    uint32_t len;
    *head = (struct socket_head){0};
    if (cursor_left(&bytes) == 0)
        return PROTO_NO;
    if (!cursor_read_u32(&bytes, &len))
        return PROTO_MORE;
    if (len < 2 || len > LONGEST)
        return PROTO_NO;
    const enum proto_guess guess = socket_read_head(cursor_first(bytes, len), head);
    return guess == PROTO_MORE && cursor_left(&bytes) >= len ? PROTO_NO : guess;
}
