/*
 * term_get.c - reads one value of a term that was walked before.
 */
#include "etf/term_token.h"
#include "etf/value.h"

static bool get_token(const struct ds_term *term, struct cursor *at, struct term_token *token)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    const struct token_source source = {.env = &env};
    const char *what;
    if (term->data == NULL)
        return false;
    *at = cursor_make(term->data, term->len);
    return token_read(at, &source, token, &what) == TERM_OK;
}

/* get_text returns text that is UTF-8: marked as such, or latin-1 that is plain ASCII. */
static bool get_text(const struct cursor *text, bool latin1, struct ds_text *out)
{
    struct cursor c = *text;
    uint8_t byte;
    while (latin1 && cursor_read_u8(&c, &byte)) {
        if (byte >= 0x80)
            return false;
    }
    *out = (struct ds_text){(const char *)text->at, cursor_left(text)};
    return true;
}

bool term_get_integer(const struct ds_term *term, int64_t *out)
{
    struct cursor at;
    struct term_token token;
    return token_may_be(term, TERM_INTEGER) && get_token(term, &at, &token) && value_get_i64(&token, out);
}

bool term_get_binary(const struct ds_term *term, struct ds_text *out)
{
    struct cursor at;
    struct term_token token;
    return token_may_be(term, TERM_BINARY) && get_token(term, &at, &token) &&
           get_text(&token.body, false, out);
}

/* get_cached_atom returns an atom of the cache, as nearly all are. */
static inline bool get_cached_atom(const struct ds_term *term, struct ds_text *out)
{
    struct cursor at = cursor_make(term->data, term->len);
    uint8_t tag, number;
    if (!cursor_read_u8(&at, &tag) || tag != TERM_TAG_ATOM_CACHE_REF || !cursor_read_u8(&at, &number) ||
        number >= term->num_atoms || !ds_atom_has_name(term->atoms[number].state))
        return false;
    *out = (struct ds_text){(const char *)term->atoms[number].text, term->atoms[number].len};
    return true;
}

/* get_any_atom returns any atom. Not inline, or other terms would have to save registers. */
static __attribute__((noinline)) bool get_any_atom(const struct ds_term *term, struct ds_text *out)
{
    struct cursor at;
    struct term_token token;
    return get_token(term, &at, &token) &&
           (token.atom == NULL || ds_atom_has_name(token.atom->state)) &&
           get_text(&token.body, token.latin1, out);
}

bool term_get_atom(const struct ds_term *term, struct ds_text *out)
{
    return token_may_be(term, TERM_ATOM) &&
           (get_cached_atom(term, out) || get_any_atom(term, out));
}

bool term_is_unknown_atom(const struct ds_term *term)
{
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    uint8_t tag, number;
    return cursor_read_u8(&at, &tag) && tag == TERM_TAG_ATOM_CACHE_REF && cursor_read_u8(&at, &number) &&
           number < term->num_atoms && !ds_atom_has_name(term->atoms[number].state);
}

bool term_token_creation(const struct term_token *token, uint32_t *creation)
{
    struct value_pid pid;
    struct value_port port;
    struct value_reference reference;
    if (value_get_pid(token, &pid)) {
        *creation = pid.creation;
    } else if (value_get_port(token, &port)) {
        *creation = port.creation;
    } else if (value_get_reference(token, &reference)) {
        *creation = reference.creation;
    } else {
        return false;
    }
    return true;
}

bool term_get_node(const struct ds_term *term, struct ds_text *out, const struct ds_atom **atom,
                   uint32_t *creation)
{
    struct cursor at;
    struct term_token token;
    if (!get_token(term, &at, &token) || !term_token_creation(&token, creation))
        return false;
    *atom = token.atom;
    *out = (struct ds_text){0};
    if (token.atom != NULL && !ds_atom_is_certain(token.atom->state))
        return true;
    return get_text(&token.node, token.latin1, out);
}

/* read_small_tuple skips the head of a small tuple, as nearly all tuples are. */
static inline bool read_small_tuple(const struct ds_term *term, struct cursor *at, uint64_t *num)
{
    uint8_t tag, small;
    *at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    if (!cursor_read_u8(at, &tag) || tag != TERM_TAG_SMALL_TUPLE || !cursor_read_u8(at, &small))
        return false;
    *num = small;
    return true;
}

static __attribute__((noinline)) bool read_any_tuple(const struct ds_term *term, struct cursor *at,
                                                     uint64_t *num)
{
    struct term_token token;
    if (!get_token(term, at, &token) || token.class != TERM_TUPLE)
        return false;
    *num = token.num_terms;
    return true;
}

bool term_get_element(const struct ds_term *tuple, uint32_t i, struct ds_term *out)
{
    const struct term_env env = {tuple->atoms, tuple->num_atoms};
    struct cursor at;
    uint64_t num;
    if ((!read_small_tuple(tuple, &at, &num) && !read_any_tuple(tuple, &at, &num)) || i >= num ||
        term_skip(&at, &env, i, NULL) != TERM_OK)
        return false;
    struct cursor element = at;
    if (term_skip(&at, &env, 1, NULL) != TERM_OK)
        return false;
    *out = *tuple;
    out->data = element.at;
    out->len = cursor_offset(&at, &element);
    return true;
}
