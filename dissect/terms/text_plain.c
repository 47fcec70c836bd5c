/*
 * text_plain.c - see text_plain.h. Where the walk stands is kept in variables, not in struct text: what
 * is written could be any part of that one, for all that a compiler knows, and would be read again
 * after each byte.
 */
#include "text_plain.h"

#include "identity_text.h"

_Static_assert(TEXT_ATOM_MAX + IDENTITY_TEXT_ROOM + sizeof(struct text_mark) <= TEXT_ROOM,
               "room for what is longest, and what stands before it");

/* put_atom writes an atom of the cache, of which at stands on the number. NULL: it is none that stays as
 * it is. */
TOKEN_INLINE char *put_atom(const struct text *text, struct cursor *at, char *pen)
{
    uint8_t number;
    if (!cursor_read_u8(at, &number) || number >= text->env.num_atoms)
        return NULL;
    const struct ds_atom *atom = &text->env.atoms[number];
    return text_atom_is_plain(atom, text->options) ? text_atom_put(atom, pen) : NULL;
}

/* put_quoted writes the next len bytes, a short text of which nothing is escaped, between quotes. */
TOKEN_INLINE char *put_quoted(const struct text *text, struct cursor *at, size_t len, char *pen)
{
    static const char quotes[2][2] = {"\"", "\\\""};
    const bool in_string = text->options->in_string;
    const size_t max = text->options->max_bytes;
    struct cursor body;
    if (len == 0 || len > TEXT_ATOM_MAX || (max != 0 && len > max) ||
        !cursor_child(at, len, &body) || !escape_all_shown(body))
        return NULL;
    memcpy(pen, quotes[in_string], sizeof quotes[0]);
    pen += 1 + in_string;
    memcpy(pen, body.at, len);
    pen += len;
    memcpy(pen, quotes[in_string], sizeof quotes[0]);
    return pen + 1 + in_string;
}

TOKEN_INLINE char *put_binary(const struct text *text, struct cursor *at, char *pen)
{
    uint32_t len;
    if (!cursor_read_u32(at, &len))
        return NULL;
    memcpy(pen, "<<", 2);
    pen = put_quoted(text, at, len, pen + 2);
    if (pen == NULL)
        return NULL;
    memcpy(pen, ">>", 2);
    return pen + 2;
}

TOKEN_INLINE char *put_string(const struct text *text, struct cursor *at, char *pen)
{
    uint16_t len;
    return cursor_read_u16(at, &len) ? put_quoted(text, at, len, pen) : NULL;
}

TOKEN_INLINE char *put_integer(struct cursor *at, char *pen)
{
    uint32_t bits;
    if (!cursor_read_u32(at, &bits))
        return NULL;
    const bool is_negative = (int32_t)bits < 0;
    *pen = '-';
    return ds_digits_put(pen + is_negative, is_negative ? -bits : bits);
}

TOKEN_INLINE char *put_byte(struct cursor *at, char *pen)
{
    uint8_t value;
    return cursor_read_u8(at, &value) ? ds_digits_put(pen, value) : NULL;
}

/* put_leaf writes a leaf. NULL: it is none of those meant. */
TOKEN_INLINE char *put_leaf(const struct text *text, struct cursor *at, char *pen)
{
    struct identity identity;
    uint8_t tag;
    if (!cursor_read_u8(at, &tag))
        return NULL;
    if (tag == TERM_TAG_ATOM_CACHE_REF)
        return put_atom(text, at, pen);
    switch (tag) {
    case TERM_TAG_SMALL_INTEGER:
        return put_byte(at, pen);
    case TERM_TAG_INTEGER:
        return put_integer(at, pen);
    case TERM_TAG_BINARY:
        return put_binary(text, at, pen);
    case TERM_TAG_STRING:
        return put_string(text, at, pen);
    case TERM_TAG_NIL:
        memcpy(pen, "[]", 2);
        return pen + 2;
    case TERM_TAG_NEW_PID:
    case TERM_TAG_NEWER_REFERENCE:
        if (!identity_read(tag, at, &text->env, &identity) || identity.node->len > TEXT_ATOM_MAX)
            return NULL;
        return identity_text_put(text->options->memo, &identity, pen);
    default:
        return NULL;
    }
}

/* Where the writing is, and where it is to stop. */
struct plain {
    struct cursor at;
    char *pen, *mark;
    size_t comma; /* 1: one stands before the next element */
};

/* put_separator writes what stands before the next term of those left, and returns where that begins. */
TOKEN_INLINE char *put_separator(const struct plain *p, bool is_map, uint64_t left)
{
    if ((left & is_map) != 0) {
        memcpy(p->pen, " => ", 4);
        return p->pen + 4;
    }
    *p->pen = ',';
    return p->pen + p->comma;
}

/* put_leaves writes the leaves that come next, as many as left, and returns how many terms are left. */
TOKEN_INLINE uint64_t put_leaves(const struct text *text, struct plain *p, bool is_map, uint64_t left)
{
    for (; left != 0; left--) {
        char *pen = put_separator(p, is_map, left);
        struct cursor at = p->at;
        if (pen > p->mark || (pen = put_leaf(text, &at, pen)) == NULL)
            break;
        p->at = at;
        p->pen = pen;
        p->comma = 1;
    }
    return left;
}

/* put_tail writes the tail of a list, mostly nothing. False, and nothing moves: it is no leaf. */
TOKEN_INLINE bool put_tail(const struct text *text, struct plain *p)
{
    struct cursor at = p->at;
    uint8_t tag;
    if (cursor_read_u8(&at, &tag) && tag == TERM_TAG_NIL) {
        p->at = at;
        return true;
    }
    at = p->at;
    char *pen = p->pen;
    *pen++ = '|';
    if (pen > p->mark || (pen = put_leaf(text, &at, pen)) == NULL)
        return false;
    p->at = at;
    p->pen = pen;
    return true;
}

/* may_open says whether no limit, nor the room for what is open, is reached by num elements more. */
TOKEN_INLINE bool may_open(const struct text *text, uint32_t num)
{
    const struct ds_term_print_options *options = text->options;
    return text->num_entries < text->cap_entries && text->num_entries < TEXT_DEPTH_MAX &&
           (options->max_depth == 0 || text->depth < options->max_depth) &&
           (options->max_items == 0 || num <= options->max_items);
}

/* put_open opens a tuple, list or map of num elements, of num_parts terms each, behind a mark. False, and
 * nothing moves: it has to be cut. */
TOKEN_INLINE bool put_open(struct text *text, struct plain *p, char *pen, struct cursor at,
                           enum text_open class, uint32_t num)
{
    if (!may_open(text, num))
        return false;
    struct text_frame *frame = &text->entries[text->num_entries++].frame;
    frame->class = (uint8_t)class;
    frame->hidden = 0;
    frame->shown = class == OPEN_MAP ? (uint64_t)num * 2 : (uint64_t)num + (class == OPEN_LIST);
    text->depth++;
    if (class == OPEN_MAP)
        *pen++ = '#';
    *pen++ = class == OPEN_LIST ? '[' : '{';
    p->pen = pen;
    p->at = at;
    p->comma = 0;
    return true;
}

/* open_next opens what comes next: a tuple, a list that is no string, or a map. False, and nothing moves:
 * it is something else, or empty, or has to be cut. */
TOKEN_INLINE bool open_next(struct text *text, struct plain *p, const struct text_frame *frame)
{
    char *pen = put_separator(p, frame->class == OPEN_MAP, frame->shown);
    struct cursor at = p->at;
    uint8_t tag, arity, first;
    uint32_t num;
    if (pen > p->mark || !cursor_read_u8(&at, &tag))
        return false;
    switch (tag) {
    case TERM_TAG_SMALL_TUPLE:
        return cursor_read_u8(&at, &arity) && put_open(text, p, pen, at, OPEN_TUPLE, arity);
    case TERM_TAG_LIST:
        return cursor_read_u32(&at, &num) && num != 0 && cursor_peek_u8(&at, &first) &&
               first != TERM_TAG_SMALL_INTEGER && first != TERM_TAG_INTEGER &&
               put_open(text, p, pen, at, OPEN_LIST, num);
    case TERM_TAG_MAP:
        return cursor_read_u32(&at, &num) && put_open(text, p, pen, at, OPEN_MAP, num);
    default:
        return false;
    }
}

void text_put_plain(struct text *text)
{
    enum { AT_ONCE = 4096 };
    struct plain p = {
        .at = text->at,
        .pen = text->pen,
        .mark = text->pen_mark - text->pen > AT_ONCE ? text->pen + AT_ONCE : text->pen_mark,
        .comma = !text->first,
    };
    if (text->part != NULL && text->part < p.at.end)
        p.at.end = text->part;
    while (text->num_entries != 0) {
        struct text_frame *frame = &text->entries[text->num_entries - 1].frame;
        if (frame->class > OPEN_MAP)
            break;
        const bool has_tail = frame->class == OPEN_LIST && frame->shown != 0 && frame->hidden == 0;
        frame->shown = put_leaves(text, &p, frame->class == OPEN_MAP, frame->shown - has_tail) + has_tail;
        if (frame->shown != has_tail) {
            if (!open_next(text, &p, frame))
                break;
            frame->shown--;
            continue;
        }
        if (p.pen > p.mark || frame->hidden != 0 || (has_tail && !put_tail(text, &p)))
            break;
        *p.pen++ = frame->class == OPEN_LIST ? ']' : '}';
        text->num_entries--;
        text->depth--;
        p.comma = 1;
    }
    text->until_ask -= (int32_t)(p.pen - text->pen);
    text->first = p.comma == 0;
    text->pen = p.pen;
    text->at.at = p.at.at;
}
