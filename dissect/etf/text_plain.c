/*
 * text_plain.c - see text_plain.h. The position of the walk is in local variables, not in struct
 * text: a compiler must assume that each byte written may change that struct, and would reload it.
 */
#include "etf/text_plain.h"

#include "etf/identity_text.h"

_Static_assert(TEXT_ATOM_MAX + IDENTITY_TEXT_ROOM + sizeof(struct text_mark) <= TEXT_ROOM,
               "room for what is longest, and what stands before it");

/* put_atom writes an atom of the cache; at is on its number. NULL if the atom is not plain. */
TOKEN_INLINE char *put_atom(const struct text *text, struct cursor *at, char *pen)
{
    uint8_t number;
    if (!cursor_read_u8(at, &number) || number >= text->env.num_atoms)
        return NULL;
    const struct ds_atom *atom = &text->env.atoms[number];
    return text_atom_is_plain(atom, text->options) ? text_atom_put(atom, pen) : NULL;
}

/* put_quoted writes the next len bytes, a short text without escapes, between quotes. */
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

/* put_identity writes a pid or a reference. */
TOKEN_INLINE char *put_identity(const struct text *text, uint8_t tag, struct cursor *at, char *pen)
{
    struct identity identity;
    if (!identity_read(tag, at, &text->env, &identity) || identity.node->len > TEXT_ATOM_MAX)
        return NULL;
    return identity_text_put(text->options->memo, &identity, pen);
}

/* put_leaf writes a leaf; at is after the tag. NULL if it is not one of the plain leaves. */
TOKEN_INLINE char *put_leaf(const struct text *text, uint8_t tag, struct cursor *at, char *pen)
{
    switch (tag) {
    case TERM_TAG_SMALL_INTEGER:
        return put_byte(at, pen);
    case TERM_TAG_INTEGER:
        return put_integer(at, pen);
    case TERM_TAG_BINARY:
        return put_binary(text, at, pen);
    case TERM_TAG_STRING:
        return put_string(text, at, pen);
    case TERM_TAG_ATOM_CACHE_REF:
        return put_atom(text, at, pen);
    case TERM_TAG_NIL:
        memcpy(pen, "[]", 2);
        return pen + 2;
    case TERM_TAG_NEW_PID:
        return put_identity(text, TERM_TAG_NEW_PID, at, pen);
    case TERM_TAG_NEWER_REFERENCE:
        return put_identity(text, TERM_TAG_NEWER_REFERENCE, at, pen);
    default:
        return NULL;
    }
}

/* The current position of the writing and its limit, and the terms to come in the innermost open
 * container. */
struct plain {
    struct cursor at;
    char *pen, *mark;
    size_t comma;                  /* 1: a comma precedes the next element */
    union text_entry *end, *limit; /* after that entry, and after the last one that may be open */
    uint32_t max_items;
    bool is_map, has_tail;
    uint64_t left; /* terms except for the tail */
};

/* enter continues with the innermost open container. False if there is none, or it is not a plain
 * one. */
TOKEN_INLINE bool enter(const struct text *text, struct plain *p)
{
    if (p->end == text->entries)
        return false;
    const struct text_frame *frame = &p->end[-1].frame;
    if (frame->class > OPEN_MAP)
        return false;
    p->is_map = frame->class == OPEN_MAP;
    p->has_tail = frame->class == OPEN_LIST && frame->shown != 0 && frame->hidden == 0;
    p->left = frame->shown - p->has_tail;
    return true;
}

/* leave stores how many terms are to come in the innermost open container. */
TOKEN_INLINE void leave(struct plain *p)
{
    p->end[-1].frame.shown = p->left + p->has_tail;
}

/* put_open opens a tuple, list or map of num elements. False if a limit cuts it, and nothing
 * moves. */
TOKEN_INLINE bool put_open(struct plain *p, char *pen, struct cursor at, enum text_open class, uint32_t num)
{
    if (p->end == p->limit || num > p->max_items)
        return false;
    p->left--;
    leave(p);
    p->end->frame.class = (uint8_t)class;
    p->end->frame.hidden = 0;
    p->end++;
    p->is_map = class == OPEN_MAP;
    p->has_tail = class == OPEN_LIST;
    p->left = class == OPEN_MAP ? (uint64_t)num * 2 : num;
    if (class == OPEN_MAP)
        *pen++ = '#';
    *pen++ = class == OPEN_LIST ? '[' : '{';
    p->pen = pen;
    p->at = at;
    p->comma = 0;
    return true;
}

/* open_term opens a container; at is after the tag: a tuple, a list that is not a string, or a map.
 * False for any other term, or if a limit cuts it, and nothing moves. */
TOKEN_INLINE bool open_term(struct plain *p, uint8_t tag, struct cursor at, char *pen)
{
    uint8_t arity, first;
    uint32_t num;
    switch (tag) {
    case TERM_TAG_SMALL_TUPLE:
        return cursor_read_u8(&at, &arity) && put_open(p, pen, at, OPEN_TUPLE, arity);
    case TERM_TAG_LIST:
        return cursor_read_u32(&at, &num) && num != 0 && cursor_peek_u8(&at, &first) &&
               first != TERM_TAG_SMALL_INTEGER && first != TERM_TAG_INTEGER &&
               put_open(p, pen, at, OPEN_LIST, num);
    case TERM_TAG_MAP:
        return cursor_read_u32(&at, &num) && put_open(p, pen, at, OPEN_MAP, num);
    default:
        return false;
    }
}

/* put_separator writes what precedes the next term, and returns where the term begins. */
TOKEN_INLINE char *put_separator(const struct plain *p)
{
    if ((p->left & p->is_map) != 0) {
        memcpy(p->pen, " => ", 4);
        return p->pen + 4;
    }
    *p->pen = ',';
    return p->pen + p->comma;
}

/* put_term writes the next term if it is a leaf, or opens it. False if it is not plain, and nothing
 * moves. */
TOKEN_INLINE bool put_term(const struct text *text, struct plain *p)
{
    char *pen = put_separator(p);
    struct cursor at = p->at, behind;
    uint8_t tag;
    if (pen > p->mark || !cursor_read_u8(&at, &tag))
        return false;
    behind = at;
    char *end = put_leaf(text, tag, &behind, pen);
    if (end == NULL)
        return open_term(p, tag, at, pen);
    p->at = behind;
    p->pen = end;
    p->comma = 1;
    p->left--;
    return true;
}

/* put_tail writes the tail of a list, usually nothing. False if it is not a leaf, and nothing
 * moves. */
TOKEN_INLINE bool put_tail(const struct text *text, struct plain *p)
{
    struct cursor at = p->at;
    char *pen = p->pen;
    uint8_t tag;
    if (!cursor_read_u8(&at, &tag))
        return false;
    if (tag != TERM_TAG_NIL) {
        *pen++ = '|';
        pen = pen <= p->mark ? put_leaf(text, tag, &at, pen) : NULL;
    }
    if (pen == NULL)
        return false;
    p->at = at;
    p->pen = pen;
    return true;
}

/* put_end ends the innermost open container. False if elements are hidden in it, or its tail is not
 * plain, and nothing moves. */
TOKEN_INLINE bool put_end(const struct text *text, struct plain *p)
{
    static const char ends[] = {[OPEN_TUPLE] = '}', [OPEN_LIST] = ']', [OPEN_MAP] = '}'};
    const struct text_frame *frame = &p->end[-1].frame;
    if (p->pen > p->mark || frame->hidden != 0 || (p->has_tail && !put_tail(text, p)))
        return false;
    *p->pen++ = ends[frame->class];
    p->end--;
    p->comma = 1;
    return true;
}

/* may_open returns how many more containers may be open without reaching a limit or the end of the
 * memory for them. */
TOKEN_INLINE size_t may_open(const struct text *text)
{
    const size_t max = text->cap_entries < TEXT_DEPTH_MAX ? text->cap_entries : TEXT_DEPTH_MAX;
    const size_t room = max > text->num_entries ? max - text->num_entries : 0;
    const size_t max_depth = text->options->max_depth;
    const size_t depth = max_depth > text->depth ? max_depth - text->depth : 0;
    return max_depth != 0 && depth < room ? depth : room;
}

void text_put_plain(struct text *text)
{
    enum { AT_ONCE = 4096 };
    const uint32_t max_items = text->options->max_items;
    struct plain p = {
        .at = text->at,
        .pen = text->pen,
        .mark = text->pen_mark - text->pen > AT_ONCE ? text->pen + AT_ONCE : text->pen_mark,
        .comma = !text->first,
        .end = text->entries + text->num_entries,
        .limit = text->entries + text->num_entries + may_open(text),
        .max_items = max_items != 0 ? max_items : UINT32_MAX,
    };
    if (text->part != NULL && text->part < p.at.end)
        p.at.end = text->part;
    while (enter(text, &p)) {
        while (p.left != 0 && put_term(text, &p))
            ;
        if (p.left != 0 || !put_end(text, &p)) {
            leave(&p);
            break;
        }
    }
    text->depth -= text->num_entries;
    text->num_entries = (size_t)(p.end - text->entries);
    text->depth += text->num_entries;
    text->until_ask -= (int32_t)(p.pen - text->pen);
    text->first = p.comma == 0;
    text->pen = p.pen;
    text->at.at = p.at.at;
}
