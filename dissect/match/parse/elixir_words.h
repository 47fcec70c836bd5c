/*
 * elixir_words.h - recognizes the words of Elixir: foo, foo?, Foo.Bar, foo@bar, "text". Texts end
 * with a NUL.
 */
#ifndef DISSECT_ELIXIR_WORDS_H
#define DISSECT_ELIXIR_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_' || (uint8_t)c >= 0x80;
}

static inline bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_part(char c)
{
    return is_lower(c) || is_upper(c) || is_digit(c);
}

/* word_len returns the length of the word at the start of text: foo, foo?, Foo; atoms may have an
 * @. */
static inline size_t word_len(const char *text, bool is_atom)
{
    size_t len = 0;
    while (is_part(text[len]) || (is_atom && text[len] == '@'))
        len++;
    if (len != 0 && (text[len] == '?' || text[len] == '!') && text[len + 1] != '=')
        len++;
    return len;
}

/* alias_len returns the length of a module's name: Foo.Bar, but only Foo of Foo.bar. */
static inline size_t alias_len(const char *text)
{
    size_t len = 0;
    while (is_upper(text[len])) {
        while (is_part(text[len]))
            len++;
        if (text[len] != '.' || !is_upper(text[len + 1]))
            break;
        len++;
    }
    return len;
}

/* quoted_len returns the length of a quoted text with its quotes; 0: it does not end. */
static inline size_t quoted_len(const char *text)
{
    const char quote = text[0];
    size_t len = 1;
    for (; text[len] != quote; len++) {
        if (text[len] == '\\' && text[len + 1] != '\0')
            len++;
        if (text[len] == '\0')
            return 0;
    }
    return len + 1;
}

static inline bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

#endif
