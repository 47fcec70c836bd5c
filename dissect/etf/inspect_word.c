/*
 * inspect_word.c - see inspect_word.h.
 */
#include "etf/inspect_word.h"

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

/* is_shown: inspect escapes spaces of other widths too, of which one sees only that they are spaces. It
 * does not escape what joins the next character, and its own strings with these do not read back. */
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

static bool is_upper(uint32_t code)
{
    return code >= 'A' && code <= 'Z';
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

static bool is_letter(uint32_t code)
{
    return is_upper(code) || (code >= 'a' && code <= 'z') || code == '_' ||
           (code >= 0xc0 && code <= 0xff && code != 0xd7 && code != 0xf7);
}

static bool is_word(struct cursor text, const char *word)
{
    const size_t len = strlen(word);
    return cursor_left(&text) == len && memcmp(text.at, word, len) == 0;
}

/* take_prefix passes "Elixir.". */
static bool take_prefix(struct cursor *text)
{
    static const char prefix[] = "Elixir.";
    const size_t len = sizeof prefix - 1;
    return cursor_left(text) >= len && memcmp(text->at, prefix, len) == 0 &&
           cursor_skip(text, len);
}

/* is_alias says whether an atom is written as a module, and makes text what is written. */
static bool is_alias(struct cursor *text)
{
    struct cursor c = *text, all = *text;
    uint8_t byte;
    if (is_word(c, "Elixir"))
        return true;
    if (!take_prefix(&c))
        return false;
    const struct cursor name = c;
    for (bool begins = true; cursor_read_u8(&c, &byte);) {
        if (begins ? !is_upper(byte)
                   : byte != '.' && (!is_letter(byte) || byte >= 0x80) && !is_digit(byte))
            return false;
        begins = byte == '.';
        if (begins && cursor_left(&c) == 0)
            return false;
    }
    if (cursor_left(&name) == 0)
        return false;
    c = name;
    *text = is_word(name, "Elixir") || take_prefix(&c) ? all : name;
    return true;
}

/* is_identifier: foo, Foo, foo@bar, foo?, foo! need no quotes as atoms; behind a dot, foo, foo? and
 * foo! do not. Letters beyond Latin-1 have quotes always, as which of them need none is another
 * thing from release to release. */
static bool is_identifier(struct cursor text, bool is_function)
{
    uint32_t code;
    if (!utf8_read(&text, &code) || !is_letter(code) || (is_function && is_upper(code)) ||
        (is_function && code >= 0xc0 && code <= 0xde))
        return false;
    while (utf8_read(&text, &code)) {
        if (is_letter(code) || is_digit(code) || (code == '@' && !is_function))
            continue;
        return (code == '?' || code == '!') && cursor_left(&text) == 0;
    }
    return cursor_left(&text) == 0;
}

/* The operators: alone as atoms, behind a dot, or both. */
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
        if ((operators[i].as & as) != 0 && is_word(text, operators[i].text))
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
    return !take_prefix(&text);
}

void inspect_add_atom(struct ds_buffer *out, struct cursor text)
{
    if (is_word(text, "nil") || is_word(text, "true") || is_word(text, "false") ||
        is_alias(&text)) {
        buffer_add_cursor(out, &text);
        return;
    }
    BUFFER_ADD(out, ":");
    add_word(out, text, is_identifier(text, false) || is_operator(text, AS_ATOM));
}

void inspect_add_key(struct ds_buffer *out, struct cursor text)
{
    const bool is_plain = !is_word(text, "Elixir") &&
                          (is_identifier(text, false) || is_operator(text, AS_ATOM));
    add_word(out, text, is_plain);
    BUFFER_ADD(out, ": ");
}

void inspect_add_function(struct ds_buffer *out, struct cursor text)
{
    add_word(out, text, is_identifier(text, true) || is_operator(text, AS_FUNCTION));
}
