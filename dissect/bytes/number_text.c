/*
 * number_text.c - integers and floats as Erlang writes them. The program's locale has no say.
 */
#include "number_text.h"
#include "value.h"

#include <math.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

/* Decimal digits take time by the square of their number: 2 kB make 5000 of them. */
enum { NUMBER_DECIMAL_LEN_MAX = 2048 };

/* The digits are little-endian, and so is the machine: they are one row of bytes. */
static bool number_add_decimal(struct ds_buffer *out, const struct value_big *big)
{
    BIGNUM *number = BN_lebin2bn((const unsigned char *)big->digits,
                                 (int)(big->num_digits * sizeof *big->digits), NULL);
    char *text = number != NULL ? BN_bn2dec(number) : NULL;
    if (text != NULL)
        ds_buffer_add_text(out, text);
    OPENSSL_free(text);
    BN_free(number);
    return text != NULL;
}

static void number_add_hex(struct ds_buffer *out, const struct value_big *big, size_t max_len,
                           const char *base)
{
    size_t left = big->num_digits;
    while (left > 1 && big->digits[left - 1] == 0)
        left--;
    size_t hidden = 0;
    if (max_len != 0 && left > max_len / 2 + 1)
        hidden = left - (max_len / 2 + 1);
    ds_buffer_add_text(out, base);
    buffer_add_hex(out, left != 0 ? big->digits[--left] : 0);
    while (left > hidden) {
        uint16_t digit = big->digits[--left];
        const char *hex = "0123456789ABCDEF";
        const char text[4] = {hex[digit >> 12], hex[digit >> 8 & 15], hex[digit >> 4 & 15],
                              hex[digit & 15]};
        buffer_add_bytes(out, text, sizeof text);
    }
    if (hidden != 0)
        ds_buffer_printf(out, "... %zu more bytes", hidden * sizeof *big->digits);
}

static bool number_add_big(struct ds_buffer *out, const struct term_token *token, size_t max_len,
                           const char *base)
{
    struct value_big big;
    bool ok = true;
    if (!value_get_big(token, &big))
        return false;
    if (big.negative)
        BUFFER_ADD(out, "-");
    if (cursor_left(&token->body) > NUMBER_DECIMAL_LEN_MAX) {
        number_add_hex(out, &big, max_len, base);
    } else {
        ok = number_add_decimal(out, &big);
    }
    value_big_free(&big);
    return ok;
}

static bool number_add(struct ds_buffer *out, const struct term_token *token, size_t max_len,
                       const char *base)
{
    int64_t value;
    uint64_t magnitude;
    if (value_get_i64(token, &value)) {
        if (value < 0)
            BUFFER_ADD(out, "-");
        buffer_add_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
        return true;
    }
    if (value_get_u64(token, &magnitude)) {
        buffer_add_u64(out, magnitude);
        return true;
    }
    return number_add_big(out, token, max_len, base);
}

bool number_add_integer(struct ds_buffer *out, const struct term_token *token, size_t max_len)
{
    return number_add(out, token, max_len, "16#");
}

bool number_add_elixir(struct ds_buffer *out, const struct term_token *token)
{
    return number_add(out, token, 0, "0x");
}

enum {
    FLOAT_DIGITS_MAX = 17, /* as many tell any two floats apart */
    FLOAT_TEXT_LEN = 64,
    /* Powers of ten between which the point stands among the digits. */
    FLOAT_POINT_MIN = -4,
    FLOAT_POINT_MAX = 16,
};

/* number_next makes the last of the digits in front of the 'e' one greater. */
static bool number_next(char *text)
{
    char *at = strchr(text, 'e');
    while (at != NULL && at-- != text) {
        if (*at >= '0' && *at < '9') {
            ++*at;
            return true;
        }
        if (*at == '9')
            *at = '0';
    }
    return false;
}

/* number_round cuts the digits of text, which are one in front of the point and num behind
 * it, to one less. False when that is not clear from the digits alone. */
static bool number_round(char *text, int num)
{
    enum { POINT = 1 };
    char *last = &text[POINT + num];
    char digit = *last;
    if (text[POINT] != '.' || digit == '5')
        return false;
    memmove(last, last + 1, strlen(last + 1) + 1);
    return digit < '5' || number_next(text);
}

/* number_shorten finds in 17 digits, which always read back, those 15 or 16 that do as well.
 * It saves most of the time that writing them out anew would take. False when it takes that
 * to find out. */
static bool number_shorten(double value, char *text)
{
    char more[FLOAT_TEXT_LEN], less[FLOAT_TEXT_LEN];
    snprintf(text, FLOAT_TEXT_LEN, "%.*e", FLOAT_DIGITS_MAX - 1, value);
    memcpy(more, text, sizeof more);
    if (!number_round(more, FLOAT_DIGITS_MAX - 1))
        return false;
    if (strtod(more, NULL) != value)
        return true;
    memcpy(less, more, sizeof less);
    if (!number_round(less, FLOAT_DIGITS_MAX - 2))
        return false;
    memcpy(text, strtod(less, NULL) == value ? less : more, FLOAT_TEXT_LEN);
    return true;
}

/* number_shortest writes value with as few digits as read back. Up to 15 digits always show
 * a normal float's digits with zeros behind them, so the search begins there. Just below a
 * power of two floats lie twice as close: there the nearest text may be out of reach below
 * while the next one above is not. */
static void number_shortest(double value, char *text)
{
    int exponent;
    bool power_of_two = frexp(value, &exponent) == 0.5;
    if (isnormal(value) && !power_of_two && number_shorten(value, text))
        return;
    for (int digits = isnormal(value) ? 15 : 1; digits < FLOAT_DIGITS_MAX; digits++) {
        snprintf(text, FLOAT_TEXT_LEN, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            return;
        if (power_of_two && number_next(text) && strtod(text, NULL) == value)
            return;
    }
    snprintf(text, FLOAT_TEXT_LEN, "%.*e", FLOAT_DIGITS_MAX - 1, value);
}

/* Digits of a float, the first of them times ten to the power of exponent. */
struct number_digits {
    char text[FLOAT_DIGITS_MAX];
    int num;
    int exponent;
};

static struct number_digits number_digits(double value)
{
    struct number_digits digits = {0};
    char text[FLOAT_TEXT_LEN];
    number_shortest(value, text);
    const char *at = text;
    for (; *at != 'e' && *at != 0; at++) { /* passing over the locale's point */
        if (*at >= '0' && *at <= '9' && digits.num < FLOAT_DIGITS_MAX)
            digits.text[digits.num++] = *at;
    }
    digits.exponent = *at == 'e' ? atoi(at + 1) : 0;
    while (digits.num > 1 && digits.text[digits.num - 1] == '0')
        digits.num--;
    return digits;
}

/* 1.25e-7 */
static void number_add_scientific(struct ds_buffer *out, const struct number_digits *digits)
{
    buffer_add_char(out, digits->text[0]);
    BUFFER_ADD(out, ".");
    if (digits->num == 1)
        BUFFER_ADD(out, "0");
    buffer_add_bytes(out, &digits->text[1], (size_t)digits->num - 1);
    BUFFER_ADD(out, "e");
    if (digits->exponent < 0)
        BUFFER_ADD(out, "-");
    buffer_add_u64(out, (uint64_t)abs(digits->exponent));
}

/* 125.5, 1250.0, 0.00125 */
static void number_add_point(struct ds_buffer *out, const struct number_digits *digits)
{
    if (digits->exponent < 0) {
        BUFFER_ADD(out, "0.");
        for (int place = -1; place > digits->exponent; place--)
            BUFFER_ADD(out, "0");
        buffer_add_bytes(out, digits->text, (size_t)digits->num);
        return;
    }
    for (int i = 0; i <= digits->exponent || i < digits->num; i++) {
        if (i == digits->exponent + 1)
            BUFFER_ADD(out, ".");
        buffer_add_char(out, i < digits->num ? digits->text[i] : '0');
    }
    if (digits->num <= digits->exponent + 1)
        BUFFER_ADD(out, ".0");
}

void number_add_float(struct ds_buffer *out, double value)
{
    const double exact_max = 1e15;
    if (signbit(value)) {
        BUFFER_ADD(out, "-");
        value = -value;
    }
    if (value < exact_max && value == (double)(uint64_t)value) {
        buffer_add_u64(out, (uint64_t)value);
        BUFFER_ADD(out, ".0");
        return;
    }
    struct number_digits digits = number_digits(value);
    if (digits.exponent < FLOAT_POINT_MIN || digits.exponent >= FLOAT_POINT_MAX) {
        number_add_scientific(out, &digits);
    } else {
        number_add_point(out, &digits);
    }
}
