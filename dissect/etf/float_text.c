/*
 * float_text.c - see float_text.h. erl_interface decodes the digits, so the number is the one that
 * a node makes of them.
 */
#include "etf/float_text.h"

#include <ei.h>
#include <langinfo.h>
#include <math.h>

static bool skip_digits(struct cursor *text)
{
    uint8_t c;
    bool any = false;
    while (cursor_peek_u8(text, &c) && c >= '0' && c <= '9' && cursor_skip(text, 1))
        any = true;
    return any;
}

static void skip_sign(struct cursor *text)
{
    uint8_t c;
    if (cursor_peek_u8(text, &c) && (c == '+' || c == '-') && cursor_skip(text, 1))
        return;
}

/* float_text_read checks the text first: ei reads it with sscanf, which needs a NUL, accepts more
 * than Erlang does, and expects the decimal point of the program's locale. */
bool float_text_read(const struct cursor *text, double *out)
{
    const char *point = nl_langinfo(RADIXCHAR);
    char leaf[1 + FLOAT_TEXT_LEN + 16] = {ERL_FLOAT_EXT};
    struct cursor c = *text;
    uint8_t byte;

    skip_sign(&c);
    if (!skip_digits(&c) || !cursor_read_u8(&c, &byte) || byte != '.')
        return false;
    size_t whole_len = cursor_offset(&c, text) - 1;
    struct cursor rest = c;
    if (!skip_digits(&c))
        return false;
    if (cursor_peek_u8(&c, &byte) && (byte == 'e' || byte == 'E')) {
        if (!cursor_skip(&c, 1))
            return false;
        skip_sign(&c);
        if (!skip_digits(&c))
            return false;
    }
    if (cursor_read_u8(&c, &byte) && byte != 0) /* nothing reads the bytes after a NUL */
        return false;

    size_t point_len = strlen(point);
    size_t rest_len = cursor_left(&rest);
    if (1 + whole_len + point_len + rest_len >= sizeof leaf)
        return false;
    memcpy(&leaf[1], text->at, whole_len);
    memcpy(&leaf[1 + whole_len], point, point_len);
    memcpy(&leaf[1 + whole_len + point_len], rest.at, rest_len);
    int index = 0;
    double value;
    if (ei_decode_double(leaf, &index, &value) != 0 || !isfinite(value))
        return false;
    *out = value;
    return true;
}
