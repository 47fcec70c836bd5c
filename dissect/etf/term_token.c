/*
 * term_token.c - the reader of term_token.h as functions, and its rare parts.
 */
#include "etf/term_token.h"
#include "util/utf8.h"

/* token_check_utf8 says whether text is UTF-8 of at most 255 characters. */
static bool token_check_utf8(struct cursor text)
{
    uint32_t code;
    unsigned num_chars = 0;
    while (utf8_read(&text, &code))
        num_chars++;
    return cursor_left(&text) == 0 && num_chars <= TOKEN_ATOM_CHARS_MAX;
}

bool ds_atom_ok(struct ds_text text)
{
    return token_check_utf8(cursor_make(text.data, text.len));
}

enum term_status token_read_inline_atom(struct cursor *at, uint8_t tag, struct cursor *text,
                                        bool *latin1, const char **what)
{
    uint8_t len8;
    uint16_t len;
    *latin1 = tag == TERM_TAG_ATOM || tag == TERM_TAG_SMALL_ATOM;
    if (tag == TERM_TAG_SMALL_ATOM_UTF8 || tag == TERM_TAG_SMALL_ATOM) {
        if (!cursor_read_u8(at, &len8))
            return token_cut(what);
        len = len8;
    } else if (tag == TERM_TAG_ATOM_UTF8 || tag == TERM_TAG_ATOM) {
        if (!cursor_read_u16(at, &len))
            return token_cut(what);
    } else {
        return token_malformed(what, "no atom where one must be");
    }
    if (len > TOKEN_ATOM_CHARS_MAX * (*latin1 ? 1 : UTF8_LEN_MAX))
        return token_malformed(what, "atom of more than 255 characters");
    if (!cursor_child(at, len, text))
        return token_cut(what);
    if (!*latin1 && !token_check_utf8(*text))
        return token_malformed(what, "atom is not UTF-8 of at most 255 characters");
    return TERM_OK;
}

enum term_status token_check_local(struct cursor *at, const struct token_source *source,
                                   const char **what)
{
    struct token_source inside = *source;
    inside.local = true;
    return token_walk(at, &inside, 1, what);
}

bool token_float_text_ok(struct cursor text)
{
    double value;
    return float_text_read(&text, &value);
}

enum term_status term_read_token(struct cursor *at, const struct term_env *env,
                                 struct term_token *token, const char **what)
{
    const struct token_source source = {.env = env};
    const char *ignored;
    struct cursor next = *at;
    what = what != NULL ? what : &ignored;
    enum term_status status = token_read(&next, &source, token, what);
    if (status != TERM_OK)
        return status;
    if (token->num_terms > cursor_left(&next)) {
        *what = "more terms announced than bytes left";
        return TERM_CUT;
    }
    *at = next;
    return TERM_OK;
}

bool term_read_char(struct cursor *at, uint32_t *code)
{
    uint8_t tag, small;
    if (!cursor_read_u8(at, &tag))
        return false;
    if (tag == TERM_TAG_INTEGER)
        return cursor_read_u32(at, code);
    if (tag != TERM_TAG_SMALL_INTEGER || !cursor_read_u8(at, &small))
        return false;
    *code = small;
    return true;
}
