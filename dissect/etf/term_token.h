/*
 * term_token.h - the grammar of the external term format, once, as an inline function: the check,
 * the token reader, the skip and the copy each use it, and the compiler removes the parts they do
 * not use. For that, no function that is not inline may get a pointer to a reader's variable: rare
 * parts use copies. erl_ext_dist has the layouts; T is the tag, numbers are bytes:
 *
 *     SMALL_INTEGER 1   INTEGER 4   NEW_FLOAT 8   FLOAT 31   NIL 0   ATOM_CACHE_REF 1
 *     SMALL_BIG    T n:1 sign:1 n     LARGE_BIG T n:4 sign:1 n
 *     ATOM, ATOM_UTF8 T n:2 n         SMALL_ATOM, SMALL_ATOM_UTF8 T n:1 n
 *     STRING       T n:2 n            BINARY T n:4 n        BIT_BINARY T n:4 bits:1 n
 *     NEW_PID      T node id:4 serial:4 creation:4          PID      ... creation:1
 *     NEW_PORT     T node id:4 creation:4                   PORT     ... creation:1
 *     V4_PORT      T node id:8 creation:4                   REFERENCE T node id:4 creation:1
 *     NEWER_REFERENCE T n:2 node creation:4 n*4             NEW_REFERENCE ... creation:1 n*4
 *     SMALL_TUPLE  T n:1   LARGE_TUPLE T n:4   then n terms
 *     LIST         T n:4                       then n terms and the tail
 *     MAP          T n:4                       then n times key and value
 *     EXPORT       T module function arity     (atom, atom, SMALL_INTEGER)
 *     NEW_FUN      T size:4 arity:1 uniq:16 index:4 n:4 module old_index old_uniq pid,
 *                  then n free variables
 *     FUN          T n:4 pid module index uniq, then n free variables
 *     RECORD       T n:4 flags:1 module name n*field, then n values
 *     LOCAL        T hash:4 term
 */
#ifndef DISSECT_TERM_TOKEN_H
#define DISSECT_TERM_TOKEN_H

#include "etf/float_text.h"
#include "etf/term.h"

#define TOKEN_INLINE static inline __attribute__((always_inline))

enum {
    TOKEN_ATOM_CHARS_MAX = 255,
    TOKEN_REFERENCE_WORDS_MAX = 5,
    TOKEN_PID_LEN = 9, /* id, serial, creation */
    TOKEN_NEW_PID_LEN = 12,
    TOKEN_TAG_COMPRESSED = 80, /* only at the top: term_inflate */
};

static const uint8_t token_classes[256] = {
#define TAG(code, id, kind) [code] = TERM_##kind,
#include "etf/tags.def"
#undef TAG
};

/* token_source says how to read tokens. Make it a constant where it is used: then the compiler
 * removes what is not needed. */
struct token_source {
    const struct term_env *env;
    /* cache_ref is called after each reference to the atom cache was read. May be NULL. */
    void (*cache_ref)(void *context, const struct cursor *after, const struct ds_atom *atom);
    void *context;
    bool local; /* inside LOCAL_EXT: the node of a local pid is NIL */
};

/* token_read_inline_atom reads an atom with text after its tag. */
enum term_status token_read_inline_atom(struct cursor *at, uint8_t tag, struct cursor *text,
                                        bool *latin1, const char **what);

/* token_check_local walks the one term inside a LOCAL_EXT. */
enum term_status token_check_local(struct cursor *at, const struct token_source *source,
                                   const char **what);

TOKEN_INLINE enum term_status token_cut(const char **what)
{
    *what = "bytes end inside a term";
    return TERM_CUT;
}

TOKEN_INLINE enum term_status token_malformed(const char **what, const char *why)
{
    *what = why;
    return TERM_MALFORMED;
}

/* token_read_atom reads an atom after its tag: its text and the entry it refers to. */
TOKEN_INLINE enum term_status token_read_atom(struct cursor *at, uint8_t tag,
                                              const struct token_source *source,
                                              struct cursor *text, const struct ds_atom **atom,
                                              bool *latin1, const char **what)
{
    if (__builtin_expect(tag != TERM_TAG_ATOM_CACHE_REF, 0)) {
        struct cursor next = *at, inline_text = {0};
        bool is_latin1 = false;
        enum term_status status =
            token_read_inline_atom(&next, tag, &inline_text, &is_latin1, what);
        *at = next;
        *text = inline_text;
        *atom = NULL;
        *latin1 = is_latin1;
        return status;
    }
    uint8_t number;
    if (!cursor_read_u8(at, &number))
        return token_cut(what);
    if (number >= source->env->num_atoms)
        return token_malformed(what, "reference to an atom that the header does not have");
    *atom = &source->env->atoms[number];
    *text = cursor_make((*atom)->text, (*atom)->len);
    *latin1 = false;
    if (source->cache_ref != NULL)
        source->cache_ref(source->context, at, *atom);
    return TERM_OK;
}

/* token_skip_atom reads an atom whose text does not matter. */
TOKEN_INLINE enum term_status token_skip_atom(struct cursor *at, const struct token_source *source,
                                              const char **what)
{
    uint8_t tag;
    struct cursor text;
    const struct ds_atom *atom;
    bool latin1;
    if (!cursor_read_u8(at, &tag))
        return token_cut(what);
    return token_read_atom(at, tag, source, &text, &atom, &latin1, what);
}

/* token_read_node reads the node of a pid, port or reference. */
TOKEN_INLINE enum term_status token_read_node(struct cursor *at, const struct token_source *source,
                                              struct term_token *token, const char **what)
{
    uint8_t tag;
    if (!cursor_read_u8(at, &tag))
        return token_cut(what);
    if (source->local && tag == TERM_TAG_NIL) {
        token->node = cursor_make(NULL, 0);
        return TERM_OK;
    }
    return token_read_atom(at, tag, source, &token->node, &token->atom, &token->latin1, what);
}

/* token_read_numbered reads a node and the len bytes of numbers after it. */
TOKEN_INLINE enum term_status token_read_numbered(struct cursor *at, size_t len,
                                                  const struct token_source *source,
                                                  struct term_token *token, const char **what)
{
    enum term_status status = token_read_node(at, source, token, what);
    if (status != TERM_OK)
        return status;
    return cursor_child(at, len, &token->body) ? TERM_OK : token_cut(what);
}

/* token_skip_pid reads the pid inside a fun. */
TOKEN_INLINE enum term_status token_skip_pid(struct cursor *at, const struct token_source *source,
                                             const char **what)
{
    struct term_token token;
    uint8_t tag;
    if (!cursor_read_u8(at, &tag))
        return token_cut(what);
    if (tag != TERM_TAG_NEW_PID && tag != TERM_TAG_PID)
        return token_malformed(what, "no pid where a fun has one");
    return token_read_numbered(at, tag == TERM_TAG_PID ? TOKEN_PID_LEN : TOKEN_NEW_PID_LEN, source,
                               &token, what);
}

/* token_skip_integer reads one of the small integers inside a fun. */
TOKEN_INLINE enum term_status token_skip_integer(struct cursor *at, const char **what)
{
    uint8_t tag;
    if (!cursor_read_u8(at, &tag))
        return token_cut(what);
    if (tag != TERM_TAG_SMALL_INTEGER && tag != TERM_TAG_INTEGER)
        return token_malformed(what, "no integer where a fun has one");
    return cursor_skip(at, tag == TERM_TAG_INTEGER ? 4 : 1) ? TERM_OK : token_cut(what);
}

TOKEN_INLINE enum term_status token_read_reference(struct cursor *at, size_t creation_len,
                                                   const struct token_source *source,
                                                   struct term_token *token, const char **what)
{
    uint16_t num_words;
    if (!cursor_read_u16(at, &num_words))
        return token_cut(what);
    if (num_words > TOKEN_REFERENCE_WORDS_MAX)
        return token_malformed(what, "reference of more than five words");
    return token_read_numbered(at, creation_len + 4u * num_words, source, token, what);
}

TOKEN_INLINE enum term_status token_read_big(struct cursor *at, uint32_t len,
                                             struct term_token *token, const char **what)
{
    uint8_t sign;
    if (!cursor_read_u8(at, &sign))
        return token_cut(what);
    if (sign > 1)
        return token_malformed(what, "sign of an integer is neither 0 nor 1");
    return cursor_child(at, len, &token->body) ? TERM_OK : token_cut(what);
}

/* A fun begins with its size, with cache references as they are on the wire; but all its parts have
 * their own lengths, so the size is neither needed nor trusted. */
TOKEN_INLINE enum term_status token_read_new_fun(struct cursor *at, const struct token_source *source,
                                                 struct term_token *token, const char **what)
{
    const size_t size_arity_uniq_index = 4 + 1 + 16 + 4;
    uint32_t num_free;
    if (!cursor_skip(at, size_arity_uniq_index) || !cursor_read_u32(at, &num_free))
        return token_cut(what);
    token->num_terms = num_free;
    enum term_status status;
    if ((status = token_skip_atom(at, source, what)) != TERM_OK ||
        (status = token_skip_integer(at, what)) != TERM_OK ||
        (status = token_skip_integer(at, what)) != TERM_OK)
        return status;
    return token_skip_pid(at, source, what);
}

TOKEN_INLINE enum term_status token_read_fun(struct cursor *at, const struct token_source *source,
                                             struct term_token *token, const char **what)
{
    uint32_t num_free;
    if (!cursor_read_u32(at, &num_free))
        return token_cut(what);
    token->num_terms = num_free;
    enum term_status status;
    if ((status = token_skip_pid(at, source, what)) != TERM_OK ||
        (status = token_skip_atom(at, source, what)) != TERM_OK ||
        (status = token_skip_integer(at, what)) != TERM_OK)
        return status;
    return token_skip_integer(at, what);
}

TOKEN_INLINE enum term_status
token_read_export(struct cursor *at, const struct token_source *source, const char **what)
{
    uint8_t tag, arity;
    enum term_status status;
    if ((status = token_skip_atom(at, source, what)) != TERM_OK ||
        (status = token_skip_atom(at, source, what)) != TERM_OK)
        return status;
    if (!cursor_read_u8(at, &tag))
        return token_cut(what);
    if (tag != TERM_TAG_SMALL_INTEGER)
        return token_malformed(what, "no arity where an export has one");
    return cursor_read_u8(at, &arity) ? TERM_OK : token_cut(what);
}

TOKEN_INLINE enum term_status token_read_record(struct cursor *at, const struct token_source *source,
                                                struct term_token *token, const char **what)
{
    uint32_t num_fields;
    uint8_t flags;
    if (!cursor_read_u32(at, &num_fields) || !cursor_read_u8(at, &flags))
        return token_cut(what);
    token->num_terms = num_fields;
    token->record_names = *at;
    for (uint64_t num_names = (uint64_t)num_fields + 2; num_names != 0; num_names--) {
        enum term_status status = token_skip_atom(at, source, what);
        if (status != TERM_OK)
            return status;
    }
    token->record_names.end = at->at;
    return TERM_OK;
}

/* token_read_local reads a whole LOCAL_EXT; inside another one, only its head. */
TOKEN_INLINE enum term_status token_read_local(struct cursor *at, const struct token_source *source,
                                               struct term_token *token, const char **what)
{
    const size_t hash_len = 4;
    token->body = *at;
    if (!cursor_skip(at, hash_len))
        return token_cut(what);
    if (source->local) {
        token->num_terms = 1;
    } else {
        struct cursor next = *at;
        enum term_status status = token_check_local(&next, source, what);
        if (status != TERM_OK)
            return status;
        *at = next;
    }
    token->body.end = at->at;
    return TERM_OK;
}

TOKEN_INLINE enum term_status token_read_float(struct cursor *at, struct term_token *token,
                                               const char **what)
{
    const uint64_t exponent_bits = 0x7ff0000000000000;
    uint64_t bits;
    token->body = *at;
    if (!cursor_read_u64(at, &bits))
        return token_cut(what);
    token->body.end = at->at;
    return (bits & exponent_bits) != exponent_bits
               ? TERM_OK
               : token_malformed(what, "float is infinite or no number");
}

/* token_float_text_ok says whether the 31 bytes of a FLOAT_EXT are a finite number. */
bool token_float_text_ok(struct cursor text);

TOKEN_INLINE enum term_status token_read_float_text(struct cursor *at, struct term_token *token,
                                                    const char **what)
{
    struct cursor text;
    if (!cursor_child(at, FLOAT_TEXT_LEN, &text))
        return token_cut(what);
    token->body = text;
    return token_float_text_ok(text) ? TERM_OK
                                     : token_malformed(what, "text of a float is no number");
}

TOKEN_INLINE enum term_status token_read_bit_binary(struct cursor *at, struct term_token *token,
                                                    const char **what)
{
    uint32_t len;
    if (!cursor_read_u32(at, &len) || !cursor_read_u8(at, &token->last_bits))
        return token_cut(what);
    if (token->last_bits > 8 || (token->last_bits == 0) != (len == 0))
        return token_malformed(what, "bits of a bit string's last byte are not 1 to 8");
    return cursor_child(at, len, &token->body) ? TERM_OK : token_cut(what);
}

/* token_read_inner reads the token at at, which also moves on failure. */
TOKEN_INLINE enum term_status token_read_inner(struct cursor *at, const struct token_source *source,
                                               struct term_token *token, const char **what)
{
    uint8_t len8;
    uint16_t len16;
    uint32_t len32;

    if (!cursor_read_u8(at, &token->tag))
        return token_cut(what);
    token->class = token_classes[token->tag];
    switch (token->tag) {
    case TERM_TAG_SMALL_INTEGER:
        return cursor_child(at, 1, &token->body) ? TERM_OK : token_cut(what);
    case TERM_TAG_INTEGER:
        return cursor_child(at, 4, &token->body) ? TERM_OK : token_cut(what);
    case TERM_TAG_SMALL_BIG:
        if (!cursor_read_u8(at, &len8))
            return token_cut(what);
        return token_read_big(at, len8, token, what);
    case TERM_TAG_LARGE_BIG:
        if (!cursor_read_u32(at, &len32))
            return token_cut(what);
        return token_read_big(at, len32, token, what);
    case TERM_TAG_NEW_FLOAT:
        return token_read_float(at, token, what);
    case TERM_TAG_FLOAT:
        return token_read_float_text(at, token, what);
    case TERM_TAG_NIL:
        return TERM_OK;
    case TERM_TAG_ATOM_CACHE_REF:
    case TERM_TAG_ATOM:
    case TERM_TAG_SMALL_ATOM:
    case TERM_TAG_ATOM_UTF8:
    case TERM_TAG_SMALL_ATOM_UTF8:
        return token_read_atom(at, token->tag, source, &token->body, &token->atom, &token->latin1,
                               what);
    case TERM_TAG_STRING:
        if (!cursor_read_u16(at, &len16))
            return token_cut(what);
        return cursor_child(at, len16, &token->body) ? TERM_OK : token_cut(what);
    case TERM_TAG_BINARY:
        if (!cursor_read_u32(at, &len32))
            return token_cut(what);
        return cursor_child(at, len32, &token->body) ? TERM_OK : token_cut(what);
    case TERM_TAG_BIT_BINARY:
        return token_read_bit_binary(at, token, what);
    case TERM_TAG_NEW_PID:
        return token_read_numbered(at, TOKEN_NEW_PID_LEN, source, token, what);
    case TERM_TAG_PID:
        return token_read_numbered(at, TOKEN_PID_LEN, source, token, what);
    case TERM_TAG_NEW_PORT:
        return token_read_numbered(at, 4 + 4, source, token, what);
    case TERM_TAG_V4_PORT:
        return token_read_numbered(at, 8 + 4, source, token, what);
    case TERM_TAG_PORT:
    case TERM_TAG_REFERENCE:
        return token_read_numbered(at, 4 + 1, source, token, what);
    case TERM_TAG_NEWER_REFERENCE:
        return token_read_reference(at, 4, source, token, what);
    case TERM_TAG_NEW_REFERENCE:
        return token_read_reference(at, 1, source, token, what);
    case TERM_TAG_SMALL_TUPLE:
        if (!cursor_read_u8(at, &len8))
            return token_cut(what);
        token->num_terms = len8;
        return TERM_OK;
    case TERM_TAG_LARGE_TUPLE:
        if (!cursor_read_u32(at, &len32))
            return token_cut(what);
        token->num_terms = len32;
        return TERM_OK;
    case TERM_TAG_LIST:
        if (!cursor_read_u32(at, &len32))
            return token_cut(what);
        token->num_terms = (uint64_t)len32 + 1;
        return TERM_OK;
    case TERM_TAG_MAP:
        if (!cursor_read_u32(at, &len32))
            return token_cut(what);
        token->num_terms = (uint64_t)len32 * 2;
        return TERM_OK;
    case TERM_TAG_EXPORT:
        return token_read_export(at, source, what);
    case TERM_TAG_NEW_FUN:
        return token_read_new_fun(at, source, token, what);
    case TERM_TAG_FUN:
        return token_read_fun(at, source, token, what);
    case TERM_TAG_RECORD:
        return token_read_record(at, source, token, what);
    case TERM_TAG_LOCAL:
        return token_read_local(at, source, token, what);
    case TOKEN_TAG_COMPRESSED:
        return token_malformed(what, "compressed term inside a term");
    default:
        return token_malformed(what, "tag is not one of the external term format");
    }
}

/* token_read reads the next token and advances past it. On failure, at is unchanged. Members of
 * particular classes (node, last_bits, record_names) are not set for others. The count of terms
 * that follow is not checked against the bytes left: loops over them end with the bytes. */
TOKEN_INLINE enum term_status token_read(struct cursor *at, const struct token_source *source,
                                         struct term_token *token, const char **what)
{
    struct cursor next = *at;
    token->num_terms = 0;
    token->bytes.at = at->at;
    token->body = cursor_make(NULL, 0);
    token->atom = NULL;
    token->latin1 = false;
    enum term_status status = token_read_inner(&next, source, token, what);
    if (status == TERM_OK) {
        token->bytes.end = next.at;
        at->at = next.at; /* not *at = next: reading back a pair just written is slow */
    }
    return status;
}

/* token_walk skips num_terms whole terms and keeps only the number of those to come: each token
 * subtracts one and adds the terms below it. The number needs no check against the bytes left,
 * because the walk ends with them; and it cannot overflow, because a token of five bytes or more
 * adds less than 2^33, and no message contains 2^33 bytes of tokens. On failure, at is before the
 * failed token. */
TOKEN_INLINE enum term_status token_walk(struct cursor *at, const struct token_source *source,
                                         uint64_t num_terms, const char **what)
{
    struct cursor c = *at;
    enum term_status status = TERM_OK;
    while (num_terms != 0 && status == TERM_OK) {
        struct term_token token;
        status = token_read(&c, source, &token, what);
        if (status == TERM_OK)
            num_terms = num_terms - 1 + token.num_terms;
    }
    *at = c;
    return status;
}

/* token_skip_plain skips an atom of the cache, or a pid or reference whose node is one, as most
 * elements of tuples are. atom is the entry it refers to. False for any other term, or a truncated
 * one, and nothing moves. */
TOKEN_INLINE bool token_skip_plain(struct cursor *at, const struct term_env *env,
                                   const struct ds_atom **atom)
{
    enum { WORD_LEN = 4 };
    struct cursor next = *at;
    uint8_t tag, number;
    uint16_t num_words;
    size_t len = 0;
    if (!cursor_read_u8(&next, &tag))
        return false;
    if (tag != TERM_TAG_ATOM_CACHE_REF) {
        if (tag == TERM_TAG_NEW_PID)
            len = TOKEN_NEW_PID_LEN;
        else if (tag == TERM_TAG_NEWER_REFERENCE && cursor_read_u16(&next, &num_words) &&
                 num_words <= TOKEN_REFERENCE_WORDS_MAX)
            len = (1u + num_words) * WORD_LEN;
        else
            return false;
        if (!cursor_read_u8(&next, &tag) || tag != TERM_TAG_ATOM_CACHE_REF)
            return false;
    }
    if (!cursor_read_u8(&next, &number) || number >= env->num_atoms || !cursor_skip(&next, len))
        return false;
    *atom = &env->atoms[number];
    *at = next;
    return true;
}

/* token_may_be says by the tag whether a term may be of that class: most terms tested are not. */
TOKEN_INLINE bool token_may_be(const struct ds_term *term, enum term_class class)
{
    const struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    uint8_t tag;
    return cursor_peek_u8(&at, &tag) && token_classes[tag] == class;
}

/* term_read_char reads one element of a list that may be a string: an integer of 1 or 4 bytes with
 * any value. False for any other term, or a truncated one. */
bool term_read_char(struct cursor *at, uint32_t *code);

#endif
