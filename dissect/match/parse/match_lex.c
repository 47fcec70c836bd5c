/*
 * match_lex.c - see match_lex.h.
 *
 *     atom       ok  'with any \'character\''  'caf\x{e9}'
 *     variable   Name  _  _Name
 *     integer    42  1_000  16#FF  $a  $\n        float    1.5  6.0e23
 *     string     "text\n"
 *
 * A sign before a number is an operator, as in Erlang. % begins a comment.
 */
#include "match/parse/match_lex.h"

#include "etf/float_text.h"
#include "util/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sorted so that a sign precedes its prefixes. */
static const char *const signs[] = {
    "=:=", "=/=", "==", "/=", "=<", "<=", ">=", "=>", ":=", "->", "<<",
    ">>",  "++",  "||", "{",  "}",  "[",  "]",  "(",  ")",  "|",  ",",
    ";",   ":",   "#",  "/",  "<",  ">",  "=",  "+",  "-",  "*",  ".",
};

bool lexer_init(struct lexer *lexer, const char *text, struct ds_match_error *error)
{
    *lexer = (struct lexer){.text = text, .len = strlen(text), .error = error};
    lexer->chars = calloc(lexer->len + 1, sizeof *lexer->chars);
    lexer->magnitude = calloc(lexer->len + 1, sizeof *lexer->magnitude);
    if (lexer->chars != NULL && lexer->magnitude != NULL)
        return true;
    lexer_free(lexer);
    return false;
}

void lexer_free(struct lexer *lexer)
{
    free(lexer->chars);
    free(lexer->magnitude);
    lexer->chars = NULL;
    lexer->magnitude = NULL;
}

bool lexer_fail(struct lexer *lexer, size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(lexer->error->what, sizeof lexer->error->what, format, args);
    va_end(args);
    lexer->error->column = at + 1;
    return false;
}

bool lexer_expected(struct lexer *lexer, const char *what)
{
    const struct lex_token *token = &lexer->token;
    const int len = token->len < 24 ? (int)token->len : 24;
    if (token->kind == LEX_END)
        return lexer_fail(lexer, token->at, "expected %s, not the end", what);
    return lexer_fail(lexer, token->at, "expected %s, not '%.*s'", what, len,
                      lexer->text + token->at);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 36;
}

/* read_char reads the character at at. Erlang's letters are those of latin-1; here, any character
 * that is not ASCII counts as a small letter. */
static bool read_char(struct lexer *lexer, uint32_t *out)
{
    struct cursor c = cursor_make(lexer->text + lexer->at, lexer->len - lexer->at);
    const struct cursor start = c;
    if (!utf8_read(&c, out))
        return lexer_fail(lexer, lexer->at, "expected text in UTF-8");
    lexer->at += cursor_offset(&c, &start);
    return true;
}

static bool is_upper(char c)
{
    return (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_name(char c)
{
    return is_upper(c) || is_lower(c) || is_digit(c) || c == '@';
}

static void skip_spaces(struct lexer *lexer)
{
    const char *text = lexer->text;
    for (;; lexer->at++) {
        const char c = text[lexer->at];
        if (c == '%')
            lexer->at += strcspn(text + lexer->at, "\n");
        else if (c != ' ' && (c < '\t' || c > '\r'))
            return;
        if (text[lexer->at] == '\0')
            return;
    }
}

/* read_hex reads at most max hexadecimal digits of a character. */
static bool read_hex(struct lexer *lexer, size_t max, uint32_t *out)
{
    const size_t start = lexer->at;
    uint32_t code = 0;
    for (int digit; lexer->at - start < max && (digit = digit_value(lexer->text[lexer->at])) < 16;
         lexer->at++)
        code = code * 16 + (uint32_t)digit;
    if (lexer->at == start || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return lexer_fail(lexer, start, "expected a character in hexadecimal");
    *out = code;
    return true;
}

/* read_escape reads the escape after a backslash. */
static bool read_escape(struct lexer *lexer, uint32_t *out)
{
    static const char letters[] = "bdefnrstv", meanings[] = "\b\177\033\f\n\r \t\v";
    const char *text = lexer->text;
    const char c = text[lexer->at];
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    if (letter != NULL) {
        *out = (uint8_t)meanings[letter - letters];
        lexer->at++;
        return true;
    }
    if (c >= '0' && c <= '7') {
        *out = 0;
        for (int i = 0; i < 3 && text[lexer->at] >= '0' && text[lexer->at] <= '7'; i++)
            *out = *out * 8 + (uint32_t)(text[lexer->at++] - '0');
        return true;
    }
    if (c == '^' && text[lexer->at + 1] >= '@' && text[lexer->at + 1] <= 'z') {
        *out = text[lexer->at + 1] & 31;
        lexer->at += 2;
        return true;
    }
    if (c == 'x' && text[lexer->at + 1] == '{') {
        lexer->at += 2;
        if (!read_hex(lexer, 6, out))
            return false;
        return text[lexer->at] == '}' ? (lexer->at++, true)
                                      : lexer_fail(lexer, lexer->at, "expected }");
    }
    if (c == 'x') {
        lexer->at++;
        return read_hex(lexer, 2, out);
    }
    return c != '\0' ? read_char(lexer, out)
                     : lexer_fail(lexer, lexer->at, "expected a character after \\");
}

static bool read_quoted(struct lexer *lexer, char quote)
{
    const size_t start = lexer->at++;
    lexer->num_chars = 0;
    for (char c; (c = lexer->text[lexer->at]) != quote;) {
        uint32_t *to = &lexer->chars[lexer->num_chars++];
        if (c == '\0')
            return lexer_fail(lexer, start, "this %c is not closed", quote);
        if (c == '\\' ? (lexer->at++, !read_escape(lexer, to)) : !read_char(lexer, to))
            return false;
    }
    lexer->at++;
    return true;
}

static bool read_name(struct lexer *lexer)
{
    lexer->num_chars = 0;
    while (is_name(lexer->text[lexer->at])) {
        if (!read_char(lexer, &lexer->chars[lexer->num_chars]))
            return false;
        lexer->num_chars++;
    }
    return true;
}

/* add_digit multiplies the integer by base and adds a digit. */
static void add_digit(struct lexer *lexer, unsigned base, unsigned digit)
{
    unsigned carry = digit;
    for (size_t i = 0; i < lexer->magnitude_len; i++) {
        carry += lexer->magnitude[i] * base;
        lexer->magnitude[i] = (uint8_t)carry;
        carry >>= 8;
    }
    if (carry != 0)
        lexer->magnitude[lexer->magnitude_len++] = (uint8_t)carry;
}

/* read_digits reads digits, with single _ between them. False, and nothing is read, if there is
 * none. */
static bool read_digits(struct lexer *lexer, unsigned base)
{
    const char *text = lexer->text;
    lexer->magnitude_len = 0;
    if (digit_value(text[lexer->at]) >= (int)base)
        return false;
    for (;;) {
        const int digit = digit_value(text[lexer->at]);
        if (digit < (int)base)
            add_digit(lexer, base, (unsigned)digit);
        else if (text[lexer->at] != '_' || digit_value(text[lexer->at + 1]) >= (int)base)
            return true;
        lexer->at++;
    }
}

static bool read_float(struct lexer *lexer, size_t start)
{
    const char *text = lexer->text;
    lexer->at++;
    while (is_digit(text[lexer->at]))
        lexer->at++;
    if (text[lexer->at] == 'e' || text[lexer->at] == 'E') {
        const size_t sign = text[lexer->at + 1] == '-' || text[lexer->at + 1] == '+';
        if (!is_digit(text[lexer->at + 1 + sign]))
            return lexer_fail(lexer, lexer->at, "expected the digits of the exponent");
        lexer->at += 1 + sign;
        while (is_digit(text[lexer->at]))
            lexer->at++;
    }
    const struct cursor digits = cursor_make(text + start, lexer->at - start);
    return float_text_read(&digits, &lexer->real) ||
           lexer_fail(lexer, start, "expected a float of a 64-bit word, in at most 40 characters");
}

static bool read_number(struct lexer *lexer)
{
    const char *text = lexer->text;
    const size_t start = lexer->at;
    read_digits(lexer, 10);
    if (text[lexer->at] == '.' && is_digit(text[lexer->at + 1])) {
        lexer->token.kind = LEX_FLOAT;
        return read_float(lexer, start);
    }
    if (text[lexer->at] != '#')
        return true;
    const unsigned base = lexer->magnitude_len == 1 ? lexer->magnitude[0] : 0;
    if (base < 2 || base > 36)
        return lexer_fail(lexer, start, "expected a base of 2 to 36");
    lexer->at++;
    return read_digits(lexer, base) ||
           lexer_fail(lexer, lexer->at, "expected a digit of base %u", base);
}

/* read_character reads $c, the number of a character. */
static bool read_character(struct lexer *lexer)
{
    uint32_t code;
    lexer->at++;
    if (lexer->text[lexer->at] == '\0')
        return lexer_fail(lexer, lexer->at, "expected a character after $");
    if (lexer->text[lexer->at] == '\\' ? (lexer->at++, !read_escape(lexer, &code))
                                       : !read_char(lexer, &code))
        return false;
    lexer->magnitude_len = 0;
    for (; code != 0; code >>= 8)
        lexer->magnitude[lexer->magnitude_len++] = (uint8_t)code;
    return true;
}

static bool read_sign(struct lexer *lexer)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strncmp(lexer->text + lexer->at, signs[i], strlen(signs[i])) == 0) {
            lexer->at += strlen(signs[i]);
            return true;
        }
    }
    lexer->token.len = 1;
    return lexer_expected(lexer, "a word of Erlang");
}

static bool read_token(struct lexer *lexer)
{
    struct lex_token *token = &lexer->token;
    const char c = lexer->text[lexer->at];
    token->kind = LEX_INTEGER;
    if (is_digit(c))
        return read_number(lexer);
    if (c == '$')
        return read_character(lexer);
    token->kind = c == '"' ? LEX_STRING : is_upper(c) ? LEX_VARIABLE : LEX_ATOM;
    token->is_quoted = c == '\'';
    if (c == '"' || c == '\'')
        return read_quoted(lexer, c);
    if (is_upper(c) || is_lower(c))
        return read_name(lexer);
    token->kind = LEX_SIGN;
    return read_sign(lexer);
}

bool lexer_next(struct lexer *lexer)
{
    skip_spaces(lexer);
    lexer->token = (struct lex_token){.kind = LEX_END, .at = lexer->at};
    if (lexer->at == lexer->len)
        return true;
    if (!read_token(lexer))
        return false;
    lexer->token.len = lexer->at - lexer->token.at;
    return true;
}

bool lexer_is(const struct lexer *lexer, const char *text)
{
    const struct lex_token *token = &lexer->token;
    return (token->kind == LEX_SIGN || (token->kind == LEX_ATOM && !token->is_quoted)) &&
           token->len == strlen(text) && memcmp(lexer->text + token->at, text, token->len) == 0;
}
