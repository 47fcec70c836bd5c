/*
 * elixir_word.c - see elixir_word.h.
 */
#include "etf/elixir_word.h"

#include "util/utf8.h"

#include <string.h>

static bool is_upper(uint32_t code)
{
    return code >= 'A' && code <= 'Z';
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

static bool is_letter(uint32_t code, enum elixir_letters letters)
{
    return is_upper(code) || (code >= 'a' && code <= 'z') || code == '_' ||
           (letters == ELIXIR_LATIN1 && code >= 0xc0 && code <= 0xff && code != 0xd7 &&
            code != 0xf7);
}

bool elixir_is_identifier(struct cursor text, enum elixir_letters letters, bool is_function)
{
    uint32_t code;
    if (!utf8_read(&text, &code) || !is_letter(code, letters) ||
        (is_function && (is_upper(code) || (code >= 0xc0 && code <= 0xde))))
        return false;
    while (utf8_read(&text, &code)) {
        if (is_letter(code, letters) || is_digit(code) || (code == '@' && !is_function))
            continue;
        return (code == '?' || code == '!') && cursor_left(&text) == 0;
    }
    return cursor_left(&text) == 0;
}

bool elixir_is_module(struct cursor name)
{
    bool begins = true;
    uint8_t byte;
    while (cursor_read_u8(&name, &byte)) {
        if (begins ? !is_upper(byte)
                   : byte != '.' && !is_letter(byte, ELIXIR_ASCII) && !is_digit(byte))
            return false;
        begins = byte == '.';
    }
    return !begins;
}

bool elixir_skip_prefix(struct cursor *text)
{
    static const char prefix[] = "Elixir.";
    const size_t len = sizeof prefix - 1;
    return cursor_left(text) >= len && memcmp(text->at, prefix, len) == 0 &&
           cursor_skip(text, len);
}

bool elixir_is_word(struct cursor text, const char *word)
{
    const size_t len = strlen(word);
    return cursor_left(&text) == len && memcmp(text.at, word, len) == 0;
}

bool elixir_is_constant(struct cursor text)
{
    return elixir_is_word(text, "nil") || elixir_is_word(text, "true") ||
           elixir_is_word(text, "false");
}
