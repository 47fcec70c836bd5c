/*
 * code_syntax.c - the languages of code_write.h: Erlang, and Elixir, whose atoms have many
 * forms: :foo, :"foo bar", Foo.Bar, nil, and foo: as a key.
 */
#include "etf/code_write.h"
#include "etf/elixir_word.h"
#include "etf/term_keywords.h"
#include "util/escape.h"
#include "util/utf8.h"

static void erlang_key(struct ds_buffer *out, struct cursor text)
{
    escape_add_atom(out, text);
    BUFFER_ADD(out, " => ");
}

static void erlang_char(struct ds_buffer *out, uint32_t code)
{
    escape_add_char(out, code, (struct escape_style){'"', false});
}

/* elixir_is_alias says whether Elixir writes an atom as a module, Foo.Bar, and sets text to that.
 * "Elixir.Elixir.X" is not an alias: Elixir.X means "Elixir.X". */
static bool elixir_is_alias(struct cursor *text)
{
    struct cursor name = *text;
    if (!elixir_skip_prefix(&name) || !elixir_is_module(name) || elixir_is_word(name, "Elixir"))
        return false;
    struct cursor c = name;
    if (elixir_skip_prefix(&c))
        return false;
    *text = name;
    return true;
}

static bool elixir_is_plain(struct cursor text)
{
    return elixir_is_identifier(text, ELIXIR_ASCII, false);
}

static void elixir_quoted(struct ds_buffer *out, struct cursor text)
{
    uint32_t code;
    BUFFER_ADD(out, "\"");
    while (utf8_read(&text, &code))
        escape_add_elixir(out, code);
    BUFFER_ADD(out, "\"");
}

static void elixir_atom(struct ds_buffer *out, struct cursor text)
{
    if (elixir_is_constant(text) || elixir_is_alias(&text)) {
        buffer_add_cursor(out, &text);
        return;
    }
    if (cursor_left(&text) > CODE_KEY_LEN_MAX) {
        BUFFER_ADD(out, "String.to_atom(");
        elixir_quoted(out, text);
        BUFFER_ADD(out, ")");
        return;
    }
    BUFFER_ADD(out, ":");
    if (elixir_is_plain(text))
        buffer_add_cursor(out, &text);
    else
        elixir_quoted(out, text);
}

static void elixir_key(struct ds_buffer *out, struct cursor text)
{
    if (elixir_is_plain(text))
        buffer_add_cursor(out, &text);
    else
        elixir_quoted(out, text);
    BUFFER_ADD(out, ": ");
}

const struct code_syntax code_syntaxes[] = {
    [DS_CODE_ERLANG] =
        {
            .comma = ",",
            .arrow = " => ",
            .bar = "|",
            .map_open = "#{",
            .string_open = "\"",
            .text_open = "<<\"",
            .text_close = "\">>",
            .utf8_close = "\"/utf8>>",
            .no_bytes = "<<>>",
            .bits_open = ":",
            .bits_close = "",
            .split_end = "\"\n",
            .split_begin = "\"",
            .split_indent = true,
            .fun_open = "fun ",
            .fun_colon = ":",
            .fun_slash = "/",
            .fun_close = "",
            .exact_open = "binary_to_term(",
            .exact_close = ")",
            .nothing = "undefined",
            .add_atom = escape_add_atom,
            .add_key = erlang_key,
            .add_char = erlang_char,
        },
    /* A capture is written as a call, not as &m.f/1, which would expand a macro of that name. */
    [DS_CODE_ELIXIR] =
        {
            .comma = ", ",
            .arrow = " => ",
            .bar = " | ",
            .map_open = "%{",
            .string_open = "~c\"",
            .text_open = "\"",
            .text_close = "\"",
            .utf8_close = "\"",
            .no_bytes = "\"\"",
            .bits_open = "::size(",
            .bits_close = ")",
            .split_end = "\\\n",
            .split_begin = "",
            .split_indent = false,
            .fun_open = "Function.capture(",
            .fun_colon = ", ",
            .fun_slash = ", ",
            .fun_close = ")",
            .exact_open = ":erlang.binary_to_term(",
            .exact_close = ")",
            .nothing = "nil",
            .keywords = true,
            .add_atom = elixir_atom,
            .add_key = elixir_key,
            .add_char = escape_add_elixir,
        },
};
_Static_assert(sizeof code_syntaxes / sizeof code_syntaxes[0] == DS_CODE_NUM_LANGUAGES,
               "every language has its syntax");
