/*
 * redact_title.c - see redact_title.h. A title is text: global or pg, perhaps a scope, which is an
 * atom, and the name, any term as ds_term_print writes it, separated by colons. Colons within the name
 * do not count.
 */
#include "redact/redact_title.h"

#include "analyse/calls/process_names.h"
#include "core/term_show.h"

#include <distsniff/encode.h>
#include <string.h>

/* is_plain_atom says whether the text of a term is an atom without quotes. */
static bool is_plain_atom(struct ds_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const bool is_lower = c >= 'a' && c <= 'z';
        if (!is_lower &&
            (i == 0 || !((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '@')))
            return false;
    }
    return text.len != 0;
}

/* next_word removes the word before the first colon, and the colon, from text. Returns false if there
 * is none. */
static bool next_word(struct ds_text *text, struct ds_text *word)
{
    const char *colon = text->len != 0 ? memchr(text->data, ':', text->len) : NULL;
    *word = (struct ds_text){text->data, colon != NULL ? (size_t)(colon - text->data) : 0};
    if (!is_plain_atom(*word))
        return false;
    text->data += word->len + 1;
    text->len -= word->len + 1;
    return true;
}

/* title_literal is the form of a term that is all text, and the function that makes it. */
static const struct title_literal {
    const char *opens, *closes;
    void (*encode)(struct ds_buffer *out, struct ds_text text);
} literals[] = {
    {"'", "'", ds_encode_atom}, {"\"", "\"", ds_encode_string}, {"<<\"", "\">>", ds_encode_binary}};

static bool strip_quotes(struct ds_text *text, const struct title_literal *literal)
{
    const size_t before = strlen(literal->opens), behind = strlen(literal->closes);
    if (text->len <= before + behind || memcmp(text->data, literal->opens, before) != 0 ||
        memcmp(text->data + text->len - behind, literal->closes, behind) != 0)
        return false;
    text->data += before;
    text->len -= before + behind;
    return true;
}

/* read_literal makes a term from its text, if that is plain ASCII without escapes. Returns false for
 * other terms. */
static bool read_literal(struct ds_text text, struct ds_buffer *term)
{
    void (*encode)(struct ds_buffer *out, struct ds_text text) =
        is_plain_atom(text) ? ds_encode_atom : NULL;
    for (size_t i = 0; encode == NULL && i < sizeof literals / sizeof literals[0]; i++) {
        if (strip_quotes(&text, &literals[i]))
            encode = literals[i].encode;
    }
    bool is_plain = encode != NULL && text.len <= TITLE_LEN_MAX;
    for (size_t i = 0; is_plain && i < text.len; i++)
        is_plain =
            text.data[i] >= ' ' && text.data[i] <= '~' && strchr("'\"\\", text.data[i]) == NULL;
    if (is_plain)
        encode(term, text);
    return is_plain;
}

static void redact_name(struct redact_values *v, struct ds_text text, enum ds_syntax syntax,
                        struct ds_buffer *out)
{
    struct ds_buffer bytes = {0}, new_bytes = {0};
    if (!read_literal(text, &bytes)) {
        redact_other(v, text, out);
        return;
    }
    const struct ds_term term = {.data = (const uint8_t *)bytes.data, .len = bytes.len};
    out->failed |= bytes.failed;
    if (!bytes.failed)
        redact_rewrite(v, &term, false, &new_bytes);
    const struct ds_term new_term = {.data = (const uint8_t *)new_bytes.data, .len = new_bytes.len};
    out->failed |= new_bytes.failed || !term_show_as(syntax, &new_term, NULL, out);
    ds_buffer_free(&new_bytes);
    ds_buffer_free(&bytes);
}

static void redact_scope(struct redact_values *v, struct ds_text word, enum ds_syntax syntax,
                         struct ds_buffer *out)
{
    struct ds_buffer atom = {0};
    redact_atom(v, word, &atom);
    out->failed |= atom.failed;
    if (syntax == DS_SYNTAX_ELIXIR && !atom.failed)
        ds_term_print_atom_as((struct ds_text){atom.data, atom.len}, syntax, out);
    else
        ds_buffer_add(out, atom.data, atom.len);
    ds_buffer_free(&atom);
}

static void redact(struct redact_values *v, struct ds_text text, enum ds_syntax syntax,
                   struct ds_buffer *out)
{
    struct ds_text word;
    if (next_word(&text, &word)) {
        ds_buffer_add(out, word.data, word.len);
        ds_buffer_add(out, ":", 1);
        if (next_word(&text, &word)) {
            redact_scope(v, word, syntax, out);
            ds_buffer_add(out, ":", 1);
        }
    }
    redact_name(v, text, syntax, out);
}

void redact_title(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    redact(v, text, DS_SYNTAX_ERLANG, out);
}

void redact_title_elixir(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    redact(v, text, DS_SYNTAX_ELIXIR, out);
}
