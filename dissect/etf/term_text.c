/*
 * term_text.c - a term in Erlang syntax, by the walk of text_walk.h.
 */
#include "etf/identity_text.h"
#include "etf/term_inspect.h"
#include "etf/text_plain.h"

/* add_unknown writes a cached atom whose text was never seen. */
static void add_unknown(struct text *text, const struct ds_atom *atom)
{
    TEXT_PUT(text, "'?atom:");
    text_put_u64(text, atom->slot);
    TEXT_PUT(text, "'");
}

/* add_inline_atom writes an atom that was not checked for escapes before; ei converts latin-1 to
 * UTF-8. */
static void add_inline_atom(struct text *text, const struct cursor *body, bool latin1)
{
    char utf8[VALUE_ATOM_LEN];
    struct cursor atom = *body;
    size_t len;
    if (latin1) {
        if (!value_get_latin1(body, utf8, &len))
            return;
        atom = cursor_make(utf8, len);
    }
    text_lend(text);
    escape_add_atom_in(text->out, atom, text->options->in_string);
    text_resume(text);
}

static inline void add_atom(struct text *text, const struct term_token *token)
{
    const struct ds_atom *atom = token->atom;
    text_add_likely(text, token);
    if (atom != NULL && (atom->looks & DS_ATOM_SHOWN) != 0 && atom->len <= TEXT_ATOM_MAX) {
        const bool is_bare = (atom->looks & DS_ATOM_BARE) != 0;
        if (!is_bare)
            TEXT_PUT(text, "'");
        text_put(text, atom->text, atom->len);
        if (!is_bare)
            TEXT_PUT(text, "'");
    } else if (atom != NULL && atom->state == DS_ATOM_UNKNOWN) {
        add_unknown(text, atom);
    } else {
        add_inline_atom(text, &token->body, token->latin1);
    }
}

/* add_node writes a node without quotes, between other parts. */
static void add_node(struct text *text, const struct term_token *token)
{
    const struct escape_style style = {0, text->options->in_string};
    const struct ds_atom *atom = token->atom;
    text_add_likely(text, token);
    if (atom != NULL && (atom->looks & DS_ATOM_SHOWN) != 0 && atom->len <= TEXT_ATOM_MAX) {
        text_put(text, atom->text, atom->len);
    } else if (atom != NULL && atom->state == DS_ATOM_UNKNOWN) {
        add_unknown(text, atom);
    } else {
        text_lend(text);
        if (token->latin1)
            escape_add_latin1(text->out, token->node, style);
        else
            escape_add_utf8(text->out, token->node, style);
        text_resume(text);
    }
}

/* add_part writes an atom that is part of a token already read. */
static void add_part(struct text *text, struct cursor *at)
{
    struct term_token token;
    if (term_read_token(at, &text->env, &token, NULL) == TERM_OK)
        add_atom(text, &token);
}

static void add_fun(struct text *text, const struct term_token *token)
{
    struct value_fun fun;
    if (!value_get_fun(token, &text->env, &fun))
        return;
    TEXT_PUT(text, "#Fun<");
    add_part(text, &fun.module);
    TEXT_PUT(text, ".");
    text_put_i64(text, fun.index);
    TEXT_PUT(text, ".");
    text_put_i64(text, fun.uniq);
    TEXT_PUT(text, ">");
}

static void add_export(struct text *text, const struct term_token *token)
{
    struct cursor parts = token->bytes;
    struct term_token arity;
    if (!cursor_skip(&parts, 1))
        return;
    TEXT_PUT(text, "fun ");
    add_part(text, &parts);
    TEXT_PUT(text, ":");
    add_part(text, &parts);
    TEXT_PUT(text, "/");
    int64_t value;
    if (term_read_token(&parts, &text->env, &arity, NULL) == TERM_OK &&
        value_get_i64(&arity, &value))
        text_put_i64(text, value);
}

/* add_bytes writes num bytes as numbers. */
static void add_bytes(struct text *text, struct cursor *bytes, size_t num)
{
    struct cursor these;
    if (!cursor_child(bytes, num, &these))
        return;
    text_lend(text);
    buffer_add_numbers(text->out, &these);
    text_resume(text);
}

/* add_quote begins or ends a string; in_quotes is the style of its characters. */
static void add_quote(struct text *text)
{
    if (text->options->in_string)
        TEXT_PUT(text, "\\\"");
    else
        TEXT_PUT(text, "\"");
}

static struct escape_style in_quotes(const struct text *text)
{
    return (struct escape_style){'"', text->options->in_string};
}

/* add_string writes a list of bytes: as a string if all of them are printable. */
static void add_string(struct text *text, const struct term_token *token)
{
    struct cursor body = token->body;
    size_t len = cursor_left(&body);
    if (len != 0 && text_may_be_string(text) && escape_is_latin1(body)) {
        size_t shown = text_shown_len(text, len);
        struct cursor prefix;
        if (!cursor_child(&body, shown, &prefix))
            return;
        add_quote(text);
        text_lend(text);
        escape_add_latin1(text->out, prefix, in_quotes(text));
        text_resume(text);
        add_quote(text);
        if (shown < len)
            text_add_more_bytes(text, len - shown);
        return;
    }
    size_t max = text->options->max_items;
    size_t shown = max != 0 && len > max ? max : len;
    TEXT_PUT(text, "[");
    add_bytes(text, &body, shown);
    if (shown < len) {
        TEXT_PUT(text, ",");
        text_add_more(text, len - shown, "");
    }
    TEXT_PUT(text, "]");
}

/* add_base64 writes bytes as an expression that evaluates to them. */
static void add_base64(struct text *text, const struct cursor *bytes, size_t num_hidden)
{
    TEXT_PUT(text, "base64:decode(");
    add_quote(text);
    text_lend(text);
    ds_buffer_add_base64(text->out, bytes->at, cursor_left(bytes));
    text_resume(text);
    add_quote(text);
    TEXT_PUT(text, ")");
    if (num_hidden != 0)
        text_add_more_bytes(text, num_hidden);
}

static void add_binary(struct text *text, const struct term_token *token)
{
    size_t len = cursor_left(&token->body);
    size_t shown = text_shown_len(text, len);
    struct cursor bytes = token->body;
    struct cursor prefix;
    if (!cursor_child(&bytes, shown, &prefix))
        return;
    enum escape_kind kind = len != 0 ? escape_guess(&prefix, shown < len) : ESCAPE_BYTES;
    const uint32_t base64_min = text->options->base64_min;
    if (kind == ESCAPE_BYTES && base64_min != 0 && len >= base64_min) {
        add_base64(text, &prefix, len - shown);
        return;
    }
    TEXT_PUT(text, "<<");
    if (kind == ESCAPE_BYTES) {
        add_bytes(text, &prefix, shown);
        if (shown < len)
            TEXT_PUT(text, ",");
    } else {
        shown = cursor_left(&prefix); /* fewer, if the limit is inside a character */
        add_quote(text);
        text_lend(text);
        escape_add_utf8(text->out, prefix, in_quotes(text));
        text_resume(text);
        add_quote(text);
        if (kind == ESCAPE_UTF8)
            TEXT_PUT(text, "/utf8");
    }
    if (shown < len)
        text_add_more_bytes(text, len - shown);
    TEXT_PUT(text, ">>");
}

/* add_bits writes a bit string; its last byte counts from the highest bit. */
static void add_bits(struct text *text, const struct term_token *token)
{
    struct cursor bytes;
    unsigned last_bits;
    uint8_t last;
    if (!value_get_bits(token, &bytes, &last_bits))
        return;
    size_t len = cursor_left(&bytes);
    size_t shown = text_shown_len(text, len);
    TEXT_PUT(text, "<<");
    if (shown < len || len == 0) {
        add_bytes(text, &bytes, shown);
        if (shown < len) {
            TEXT_PUT(text, ",");
            text_add_more_bytes(text, len - shown);
        }
    } else {
        add_bytes(text, &bytes, len - 1);
        if (len > 1)
            TEXT_PUT(text, ",");
        if (cursor_read_u8(&bytes, &last))
            text_put_u64(text, last >> (8 - last_bits));
        if (last_bits != 8) {
            TEXT_PUT(text, ":");
            text_put_u64(text, last_bits);
        }
    }
    TEXT_PUT(text, ">>");
}

/* add_char_list writes a list whose elements are all printable characters as a string, and advances
 * past it; false for any other list, and nothing moves. */
static bool add_char_list(struct text *text, uint64_t num)
{
    struct cursor c = text->at;
    uint32_t code;
    uint8_t tag;
    for (uint64_t i = 0; i < num; i++) {
        if (!term_read_char(&c, &code) ||
            !(text->options->unicode ? escape_is_printable(code) : escape_is_listed(code)))
            return false;
    }
    if (!cursor_read_u8(&c, &tag) || tag != TERM_TAG_NIL)
        return false;
    uint64_t shown = text_shown_len(text, num);
    add_quote(text);
    text_lend(text);
    for (uint64_t i = 0; i < shown && term_read_char(&text->at, &code); i++)
        escape_add_char(text->out, code, in_quotes(text));
    text_resume(text);
    add_quote(text);
    if (shown < num)
        text_add_more(text, num - shown, "");
    text->at = c;
    return true;
}

static void add_record_name(struct text *text, struct cursor *names)
{
    add_part(text, names);
    TEXT_PUT(text, ":");
    add_part(text, names);
}

static void open_list(struct text *text, const struct term_token *token);
static void open_map(struct text *text, const struct term_token *token);

static const struct text_syntax erlang = {
    .comma = TEXT_MARK(","),
    .bar = TEXT_MARK("|"),
    .field = TEXT_MARK(" = "),
    .pid = TEXT_MARK("<"),
    .reference = TEXT_MARK("#Ref<"),
    .forms =
        {
            [OPEN_TUPLE] = {TEXT_MARK("{"), TEXT_MARK("}"), 1},
            [OPEN_LIST] = {TEXT_MARK("["), TEXT_MARK("]"), 1},
            [OPEN_MAP] = {TEXT_MARK("#{"), TEXT_MARK("}"), 2},
            [OPEN_RECORD] = {TEXT_MARK("{"), TEXT_MARK("}"), 1},
        },
    .add_atom = add_atom,
    .add_node = add_node,
    .add_big = number_add_integer,
    .add_float = number_add_float,
    .add_binary = add_binary,
    .add_bits = add_bits,
    .add_string = add_string,
    .add_fun = add_fun,
    .add_export = add_export,
    .add_record_name = add_record_name,
    .open_list = open_list,
    .open_map = open_map,
    .put_plain = text_put_plain,
};

static void open_list(struct text *text, const struct term_token *token)
{
    const uint64_t num = token->num_terms - 1;
    if (!text_may_be_string(text) || !add_char_list(text, num))
        text_open(text, &erlang, OPEN_LIST, num);
    else
        text->first = false;
}

static void open_map(struct text *text, const struct term_token *token)
{
    text_open(text, &erlang, OPEN_MAP, token->num_terms / 2);
}

/* print_walk prints any term. Neither it nor the next functions are inline: each would save the
 * registers and reserve the stack that only the walk needs. */
static __attribute__((noinline)) bool print_walk(const struct ds_term *term,
                                                 const struct ds_term_print_options *options,
                                                 struct ds_buffer *out)
{
    struct text text;
    return text_print(&text, &erlang, term, options, out);
}

/* print_atom prints an atom of the cache; a plain one without the walk. */
static __attribute__((noinline)) bool print_atom(const struct ds_term *term,
                                                 const struct ds_term_print_options *options,
                                                 struct ds_buffer *out)
{
    struct cursor at = cursor_make(term->data, term->len);
    uint8_t number;
    if (!cursor_skip(&at, 1) || !cursor_read_u8(&at, &number) || number >= term->num_atoms ||
        !text_atom_is_plain(&term->atoms[number], options))
        return print_walk(term, options, out);
    char *pen = buffer_room(out, TEXT_ATOM_MAX + sizeof "''");
    if (pen != NULL)
        out->len = (size_t)(text_atom_put(&term->atoms[number], pen) - out->data);
    return pen != NULL;
}

/* print_identity prints a pid or a reference; without the walk if the name of its node is
 * printable. */
TOKEN_INLINE bool print_identity(uint8_t tag, const struct ds_term *term,
                                 const struct ds_term_print_options *options, struct ds_buffer *out)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    struct cursor at = cursor_make(term->data, term->len);
    struct identity identity;
    if (!cursor_skip(&at, 1) || !identity_read(tag, &at, &env, &identity))
        return print_walk(term, options, out);
    char *pen = buffer_room(out, identity.node->len + (size_t)IDENTITY_TEXT_ROOM);
    if (pen != NULL)
        out->len = (size_t)(identity_text_put(options->memo, &identity, pen) - out->data);
    return pen != NULL;
}

static __attribute__((noinline)) bool print_pid(const struct ds_term *term,
                                                const struct ds_term_print_options *options,
                                                struct ds_buffer *out)
{
    return print_identity(TERM_TAG_NEW_PID, term, options, out);
}

static __attribute__((noinline)) bool print_reference(const struct ds_term *term,
                                                      const struct ds_term_print_options *options,
                                                      struct ds_buffer *out)
{
    return print_identity(TERM_TAG_NEWER_REFERENCE, term, options, out);
}

/* print_erlang recognizes by the tag most terms outside of payloads. */
static inline bool print_erlang(const struct ds_term *term, const struct ds_term_print_options *options,
                                struct ds_buffer *out)
{
    const struct cursor at = cursor_make(term->data, term->len);
    uint8_t tag;
    if (options->part != NULL || out->failed || !cursor_peek_u8(&at, &tag))
        return print_walk(term, options, out);
    switch (tag) {
    case TERM_TAG_NEW_PID:
        return print_pid(term, options, out);
    case TERM_TAG_NEWER_REFERENCE:
        return print_reference(term, options, out);
    case TERM_TAG_ATOM_CACHE_REF:
        return print_atom(term, options, out);
    default:
        return print_walk(term, options, out);
    }
}

bool ds_term_print(const struct ds_term *term, const struct ds_term_print_options *options,
                   struct ds_buffer *out)
{
    static const struct ds_term_print_options no_limits = {0};
    if (options == NULL)
        options = &no_limits;
    if (term->data == NULL)
        return !out->failed;
    if (options->syntax == DS_SYNTAX_ELIXIR)
        return term_inspect(term, options, out);
    return print_erlang(term, options, out);
}
