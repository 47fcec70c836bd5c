/*
 * number_text.c - integers and floats as Erlang writes them, independent of the program's locale.
 */
#include "etf/number_text.h"
#include "etf/powers_of_ten.h"
#include "etf/value.h"

#include <math.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

/* Decimal conversion is quadratic: 2 kB make 5000 digits. */
enum { NUMBER_DECIMAL_LEN_MAX = 2048 };

/* A number is divided by powers of ten, and the parts again, until they are short: openssl itself
 * converts the whole number digit by digit. */
enum {
    DECIMAL_SHORT = 154, /* digits, some 64 bytes */
    DECIMAL_CUTS_MAX = 5,
    DECIMAL_PARTS_MAX = 1 << DECIMAL_CUTS_MAX,
};
_Static_assert(DECIMAL_SHORT * DECIMAL_PARTS_MAX * 10 / 25 > NUMBER_DECIMAL_LEN_MAX / 2,
               "the parts of the longest number are not much longer");

/* decimal is the memory of one conversion, allocated by openssl. */
struct decimal {
    BN_CTX *context;
    BIGNUM *powers[DECIMAL_CUTS_MAX];  /* ten to the power of DECIMAL_SHORT * 2^n */
    BIGNUM *parts[DECIMAL_PARTS_MAX]; /* the highest first */
    int num_parts;
};

/* decimal_cut divides each part into two by powers[cut]. */
static bool decimal_cut(struct decimal *decimal, int cut)
{
    for (int i = decimal->num_parts - 1; i >= 0; i--) {
        BIGNUM *part = decimal->parts[i];
        BIGNUM *high = BN_CTX_get(decimal->context);
        BIGNUM *low = BN_CTX_get(decimal->context);
        if (low == NULL || !BN_div(high, low, part, decimal->powers[cut], decimal->context))
            return false;
        decimal->parts[2 * i] = high;
        decimal->parts[2 * i + 1] = low;
    }
    decimal->num_parts *= 2;
    return true;
}

/* decimal_make_parts divides number *num_cuts times. */
static bool decimal_make_parts(struct decimal *decimal, BIGNUM *number, int *num_cuts)
{
    static const char ten_to_short[] = /* hardly ever needed: numbers are short */
        "1" "00000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000" "0000";
    _Static_assert(sizeof ten_to_short == DECIMAL_SHORT + 2, "as many zeros");
    *num_cuts = 0;
    decimal->parts[0] = number;
    decimal->num_parts = 1;
    for (int n = 0; n < DECIMAL_CUTS_MAX; n++) {
        BIGNUM *power = decimal->powers[n] = BN_CTX_get(decimal->context);
        if (power == NULL || (n == 0 ? BN_dec2bn(&power, ten_to_short) == 0
                                     : !BN_sqr(power, decimal->powers[n - 1], decimal->context)))
            return false;
        if (BN_ucmp(number, power) < 0)
            break;
        *num_cuts = n + 1;
    }
    for (int cut = *num_cuts - 1; cut >= 0; cut--) {
        if (!decimal_cut(decimal, cut))
            return false;
    }
    return true;
}

/* decimal_add_parts writes the parts, padded with zeros except for the first. */
static bool decimal_add_parts(struct ds_buffer *out, const struct decimal *decimal)
{
    bool first = true;
    for (int i = 0; i < decimal->num_parts; i++) {
        if (first && BN_is_zero(decimal->parts[i]) && i + 1 < decimal->num_parts)
            continue;
        char *text = BN_bn2dec(decimal->parts[i]);
        if (text == NULL)
            return false;
        for (size_t len = strlen(text); !first && len < DECIMAL_SHORT; len++)
            BUFFER_ADD(out, "0");
        ds_buffer_add_text(out, text);
        OPENSSL_free(text);
        first = false;
    }
    return true;
}

static bool number_add_decimal(struct ds_buffer *out, const struct value_big *big)
{
    struct decimal decimal = {.context = BN_CTX_new()};
    BIGNUM *number = BN_lebin2bn((const unsigned char *)big->digits,
                                 (int)value_big_len(big), NULL);
    int num_cuts;
    bool ok = decimal.context != NULL && number != NULL;
    if (ok) {
        BN_CTX_start(decimal.context);
        ok = decimal_make_parts(&decimal, number, &num_cuts) && decimal_add_parts(out, &decimal);
        BN_CTX_end(decimal.context);
    }
    BN_CTX_free(decimal.context);
    BN_free(number);
    return ok;
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
    buffer_add_hex(out, left != 0 ? value_digit(big, --left) : 0);
    while (left > hidden) {
        uint16_t digit = value_digit(big, --left);
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

bool number_add_elixir(struct ds_buffer *out, const struct term_token *token, size_t max_len)
{
    return number_add(out, token, max_len, "0x");
}

enum {
    FLOAT_DIGITS_MAX = 17, /* enough to distinguish any two floats */
    FLOAT_TEXT_LEN = 64,
    /* Range of exponents that are written with a point among the digits. */
    FLOAT_POINT_MIN = -4,
    FLOAT_POINT_MAX = 16,
};

/* number_next increments the last digit before the 'e'. */
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

/* number_round rounds the digits of text (one before the point, num after it) to one less. False if
 * the digits alone do not decide the result. */
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

/* number_shorten shortens 17 digits, which always read back, to 15 or 16 that do as well. It avoids
 * most of the time needed to format the number again. False if that is needed to decide. */
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

/* number_reads_back writes value with that many digits. False if they read as another float. */
static bool number_reads_back(double value, int digits, char *text)
{
    snprintf(text, FLOAT_TEXT_LEN, "%.*e", digits - 1, value);
    return strtod(text, NULL) == value;
}

/* number_shortest_denormal uses binary search: floats near zero are equidistant, so one digit more
 * never reads worse. */
static void number_shortest_denormal(double value, char *text)
{
    int least = 1, most = FLOAT_DIGITS_MAX;
    while (least < most) {
        const int digits = (least + most) / 2;
        if (number_reads_back(value, digits, text))
            most = digits;
        else
            least = digits + 1;
    }
    snprintf(text, FLOAT_TEXT_LEN, "%.*e", most - 1, value);
}

/* number_shortest writes value with as few digits as read back. Up to 15 digits always show a
 * normal float's digits followed by zeros, so the search begins there. Just below a power of two,
 * floats are twice as close: there the nearest text may be too low to read back while the next
 * higher one does. */
static void number_shortest(double value, char *text)
{
    int exponent;
    if (!isnormal(value)) {
        number_shortest_denormal(value, text);
        return;
    }
    bool power_of_two = frexp(value, &exponent) == 0.5;
    if (!power_of_two && number_shorten(value, text))
        return;
    for (int digits = 15; digits < FLOAT_DIGITS_MAX; digits++) {
        if (number_reads_back(value, digits, text))
            return;
        if (power_of_two && number_next(text) && strtod(text, NULL) == value)
            return;
    }
    snprintf(text, FLOAT_TEXT_LEN, "%.*e", FLOAT_DIGITS_MAX - 1, value);
}

/* Digits of a float; the first of them is multiplied by ten to the power of exponent. */
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
    for (; *at != 'e' && *at != 0; at++) { /* skip the locale's point */
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

#ifdef __SIZEOF_INT128__
/* number_exact finds the digits of a float of common size with integers only. value is m times 2^e;
 * m times a power of ten, cut at a bit, gives its first 17 digits, and the part cut off gives the
 * distance of any text from the value. Texts read back if they are no further away than half a unit
 * of m; powers of two, below which floats are closer, all need fewer than 15 digits here. False if
 * the value is too small or too large. */
static bool number_exact(double value, struct number_digits *digits)
{
    enum { FRACTION_BITS = 52, LEAST_DIGITS = 15 };
    const double least = 0.001, most = 1e15;
    typedef unsigned __int128 wide;
    int binary;
    if (!(value >= least && value < most))
        return false;
    const uint64_t m = (uint64_t)ldexp(frexp(value, &binary), FRACTION_BITS + 1);
    const unsigned shift = (unsigned)(FRACTION_BITS + 2 - binary); /* value is 2m over 2^shift */
    /* The power of ten that makes it a number of 17 digits. */
    unsigned power = value >= 0.1    ? FLOAT_DIGITS_MAX
                     : value >= 0.01 ? FLOAT_DIGITS_MAX + 1
                                     : FLOAT_DIGITS_MAX + 2;
    for (const uint64_t *whole = powers_of_ten; value >= (double)*whole; whole++)
        power--;
    const wide scaled = (wide)(2 * m) * powers_of_ten[power];
    const uint64_t all = (uint64_t)(scaled >> shift);
    const wide cut = scaled - ((wide)all << shift);
    const wide reach = powers_of_ten[power]; /* half a unit of m */
    for (int num = LEAST_DIGITS; num <= FLOAT_DIGITS_MAX; num++) {
        const uint64_t unit = powers_of_ten[FLOAT_DIGITS_MAX - num];
        uint64_t rounded = all / unit;
        const wide below = ((wide)(all % unit) << shift) + cut;
        const wide above = ((wide)unit << shift) - below;
        const bool up = above < below || (above == below && rounded % 2 != 0);
        const wide away = up ? above : below;
        if (num < FLOAT_DIGITS_MAX && (away > reach || (away == reach && m % 2 != 0)))
            continue;
        rounded += up;
        digits->num = num;
        digits->exponent = FLOAT_DIGITS_MAX - 1 - (int)power;
        if (rounded == powers_of_ten[num]) { /* 99.9 became 100 */
            rounded /= 10;
            digits->exponent++;
        }
        for (int i = num - 1; i >= 0; i--, rounded /= 10)
            digits->text[i] = (char)('0' + rounded % 10);
        while (digits->num > 1 && digits->text[digits->num - 1] == '0')
            digits->num--;
        break;
    }
    return true;
}
#else
static bool number_exact(double value, struct number_digits *digits)
{
    (void)value;
    (void)digits;
    return false;
}
#endif

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
    struct number_digits digits;
    if (!number_exact(value, &digits))
        digits = number_digits(value);
    if (digits.exponent < FLOAT_POINT_MIN || digits.exponent >= FLOAT_POINT_MAX) {
        number_add_scientific(out, &digits);
    } else {
        number_add_point(out, &digits);
    }
}

/* number_add_whole writes a float below max that is a whole number; false for any other. */
static bool number_add_whole(struct ds_buffer *out, double value, double max)
{
    if (value >= max || value != (double)(uint64_t)value)
        return false;
    buffer_add_u64(out, (uint64_t)value);
    BUFFER_ADD(out, ".0");
    return true;
}

static double number_add_sign(struct ds_buffer *out, double value)
{
    if (!signbit(value))
        return value;
    BUFFER_ADD(out, "-");
    return -value;
}

void number_add_elixir_float(struct ds_buffer *out, double value)
{
    const double whole_max = 1e16;
    value = number_add_sign(out, value);
    if (number_add_whole(out, value, whole_max))
        return;
    struct number_digits digits;
    if (!number_exact(value, &digits))
        digits = number_digits(value);
    /* Compare "0.000" before the digits with "e-4" after them, plus a point, or ".0". */
    const int zeros = 1 - digits.exponent;
    const int exponent = (digits.exponent <= -100 ? 4 : digits.exponent <= -10 ? 3 : 2) + 1 +
                         (digits.num == 1 ? 2 : 1);
    if (value >= whole_max || (digits.exponent < -1 && zeros > exponent))
        number_add_scientific(out, &digits);
    else
        number_add_point(out, &digits);
}
