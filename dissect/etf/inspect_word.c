/*
 * inspect_word.c - see inspect_word.h.
 */
#include "etf/inspect_word.h"

#include "etf/elixir_word.h"
#include "util/escape.h"
#include "util/utf8.h"

#include <stdio.h>

bool inspect_is_listed(uint32_t code)
{
    return (code >= ' ' && code <= '~') || (code >= '\a' && code <= '\r') || code == 27;
}

bool inspect_is_printable(uint32_t code)
{
    return inspect_is_listed(code) || code == 127 || (code >= 0xa0 && code <= 0xd7ff) ||
           (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

bool inspect_is_text(struct cursor *text, bool cut)
{
    struct cursor c = *text;
    uint32_t code;
    while (cursor_left(&c) != 0) {
        if (!utf8_read(&c, &code)) {
            if (!cut || cursor_left(&c) >= UTF8_LEN_MAX || c.at == text->at)
                return false;
            text->end = c.at;
            return true;
        }
        if (!inspect_is_printable(code))
            return false;
    }
    return true;
}

/* is_shown: inspect also escapes unusual spaces, which look like any space. Characters that join
 * the next one are escaped here, but not by inspect, whose strings with these do not read back. */
static bool is_shown(uint32_t code)
{
    return ds_char_is_shown(code) && !escape_joins_next(code) && code != 0xa0 &&
           !(code >= 0x2000 && code <= 0x200a) && code != 0x205f && code != 0xfffc;
}

static void add_code(struct ds_buffer *out, uint32_t code)
{
    char text[16];
    const char *form = code == 0                          ? "\\0"
                       : code < 0xa0                      ? "\\x%02X"
                       : code == 0xfffe || code == 0xffff ? "\\x{%X}"
                       : code <= 0xffff                   ? "\\u%04X"
                                                          : "\\u{%X}";
    const int len = snprintf(text, sizeof text, form, (unsigned)code);
    buffer_add_bytes(out, text, (size_t)len);
}

void inspect_add_char(struct ds_buffer *out, uint32_t code, uint32_t next, char quote)
{
    static const char short_escape[128] = {
        ['\a'] = 'a', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v',
        ['\f'] = 'f', ['\r'] = 'r', [27] = 'e',   [127] = 'd',  ['\\'] = '\\',
    };
    if (code < 0x80 && (short_escape[code] != 0 || (code == (uint8_t)quote && quote != 0))) {
        buffer_add_char(out, '\\');
        buffer_add_char(out, code == (uint8_t)quote ? quote : short_escape[code]);
    } else if (code == '#' && next == '{') {
        BUFFER_ADD(out, "\\#");
    } else if (is_shown(code)) {
        utf8_add(out, code);
    } else {
        add_code(out, code);
    }
}

void inspect_add_text(struct ds_buffer *out, struct cursor text, char quote)
{
    uint32_t code;
    uint8_t byte, next;
    while (cursor_left(&text) != 0) {
        if (utf8_read(&text, &code)) {
            inspect_add_char(out, code, cursor_peek_u8(&text, &next) ? next : 0, quote);
        } else if (cursor_read_u8(&text, &byte)) {
            char escaped[8];
            const int len = snprintf(escaped, sizeof escaped, "\\x%02X", (unsigned)byte);
            buffer_add_bytes(out, escaped, (size_t)len);
        }
    }
}

/* is_alias says whether an atom is written as a module, and sets text to its name then. */
static bool is_alias(struct cursor *text)
{
    struct cursor name = *text;
    if (elixir_is_word(name, "Elixir"))
        return true;
    if (!elixir_skip_prefix(&name) || !elixir_is_module(name))
        return false;
    struct cursor c = name;
    if (!elixir_is_word(name, "Elixir") && !elixir_skip_prefix(&c))
        *text = name;
    return true;
}

/* The operators: as atoms, as functions after a dot, or both. */
enum { AS_ATOM = 1, AS_FUNCTION = 2, AS_BOTH = 3 };

static const struct {
    char text[5];
    uint8_t as;
} operators[] = {
    {"!", AS_BOTH},      {"%", AS_ATOM},    {"&", AS_BOTH},      {"*", AS_BOTH},
    {"+", AS_BOTH},      {"-", AS_BOTH},    {".", AS_ATOM},      {"/", AS_BOTH},
    {"<", AS_BOTH},      {"=", AS_BOTH},    {">", AS_BOTH},      {"@", AS_BOTH},
    {"^", AS_BOTH},      {"|", AS_BOTH},    {"!=", AS_BOTH},     {"&&", AS_BOTH},
    {"**", AS_BOTH},     {"++", AS_BOTH},   {"--", AS_BOTH},     {"->", AS_ATOM},
    {"..", AS_ATOM},     {"<-", AS_BOTH},   {"<=", AS_BOTH},     {"<>", AS_BOTH},
    {"<~", AS_BOTH},     {"==", AS_BOTH},   {"=~", AS_BOTH},     {">=", AS_BOTH},
    {"\\\\", AS_BOTH},   {"{}", AS_ATOM},   {"|>", AS_BOTH},     {"||", AS_BOTH},
    {"~>", AS_BOTH},     {"!==", AS_BOTH},  {"%{}", AS_ATOM},    {"&&&", AS_BOTH},
    {"+++", AS_BOTH},    {"---", AS_BOTH},  {"...", AS_ATOM},    {"<<<", AS_BOTH},
    {"<<~", AS_BOTH},    {"<~>", AS_BOTH},  {"===", AS_BOTH},    {">>>", AS_BOTH},
    {"|||", AS_BOTH},    {"~>>", AS_BOTH},  {"<<>>", AS_ATOM},   {"..//", AS_ATOM},
    {"::", AS_FUNCTION}, {"<|>", AS_FUNCTION}, {"^^^", AS_FUNCTION}, {"~~~", AS_FUNCTION},
};

static bool is_operator(struct cursor text, uint8_t as)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if ((operators[i].as & as) != 0 && elixir_is_word(text, operators[i].text))
            return true;
    }
    return false;
}

void inspect_add_string(struct ds_buffer *out, struct cursor text)
{
    BUFFER_ADD(out, "\"");
    inspect_add_text(out, text, '"');
    BUFFER_ADD(out, "\"");
}

static void add_word(struct ds_buffer *out, struct cursor text, bool is_plain)
{
    if (is_plain)
        buffer_add_cursor(out, &text);
    else
        inspect_add_string(out, text);
}

bool inspect_is_key(struct cursor text)
{
    return !elixir_skip_prefix(&text);
}

void inspect_add_atom(struct ds_buffer *out, struct cursor text)
{
    if (elixir_is_constant(text) || is_alias(&text)) {
        buffer_add_cursor(out, &text);
        return;
    }
    BUFFER_ADD(out, ":");
    add_word(out, text, elixir_is_identifier(text, ELIXIR_LATIN1, false) || is_operator(text, AS_ATOM));
}

void inspect_add_key(struct ds_buffer *out, struct cursor text)
{
    const bool is_plain = !elixir_is_word(text, "Elixir") &&
                          (elixir_is_identifier(text, ELIXIR_LATIN1, false) || is_operator(text, AS_ATOM));
    add_word(out, text, is_plain);
    BUFFER_ADD(out, ": ");
}

void inspect_add_function(struct ds_buffer *out, struct cursor text)
{
    add_word(out, text, elixir_is_identifier(text, ELIXIR_LATIN1, true) || is_operator(text, AS_FUNCTION));
}
