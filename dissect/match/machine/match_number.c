/*
 * match_number.c - reads numbers from terms, and compares them mathematically, so that an integer
 * and a float of any size compare exactly, as in Erlang.
 */
#include "match/machine/match_view.h"

#include <math.h>

/* A float of this size or more has no fraction, and is larger than any int64_t. */
static const double int64_end = 9223372036854775808.0;

/* shrink drops leading zeros and converts a number that fits to an int64_t. */
static void shrink(struct number *number)
{
    struct value_big *big = &number->big;
    while (big->num_digits != 0 && big->digits[big->num_digits - 1] == 0)
        big->num_digits--;
    if (big->num_digits > 4)
        return;
    uint64_t magnitude = 0;
    for (size_t i = big->num_digits; i-- != 0;)
        magnitude = magnitude << 16 | value_digit(big, i);
    if (magnitude > INT64_MAX && !(big->negative && magnitude == (uint64_t)INT64_MAX + 1))
        return;
    number->integer = big->negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    number_free(number);
    number->kind = NUMBER_INT;
}

bool number_read(struct run *run, const struct head *head, struct number *out)
{
    out->kind = NUMBER_INT;
    if (head->order != ORDER_NUMBER)
        return run_fail(run, RUN_BAD);
    if (head->view.kind == VIEW_INTEGER) {
        out->integer = head->view.integer;
        return true;
    }
    if (head->token.class == TERM_FLOAT) {
        out->kind = NUMBER_FLOAT;
        return value_get_float(&head->token, &out->real) || run_fail(run, RUN_BAD);
    }
    if (value_get_i64(&head->token, &out->integer))
        return true;
    if (!run_step(run, cursor_left(&head->token.body) / RUN_BYTES_A_STEP))
        return false;
    if (!value_get_big(&head->token, &out->big))
        return run_fail(run, RUN_NO_MEMORY);
    out->kind = NUMBER_BIG;
    shrink(out);
    return true;
}

void number_free(struct number *number)
{
    if (number->kind == NUMBER_BIG)
        value_big_free(&number->big);
}

/* big_of_float converts a float that is too large for an int64_t to digits. They fit into the
 * digits that every value_big has: 1024 bits. */
static void big_of_float(double real, struct value_big *out)
{
    enum { MANTISSA_BITS = 53 };
    int exponent;
    const double mantissa = frexp(fabs(real), &exponent);
    uint64_t bits = (uint64_t)ldexp(mantissa, MANTISSA_BITS);
    int at = exponent - MANTISSA_BITS; /* position of the lowest bit; 11 or more */
    *out = (struct value_big){.negative = real < 0};
    out->digits = out->few;
    for (; bits != 0; bits &= bits - 1) {
        const int bit = at + __builtin_ctzll(bits);
        out->few[bit / 16] |= htole16((uint16_t)(1u << bit % 16));
        out->num_digits = (size_t)bit / 16 + 1;
    }
}
_Static_assert(sizeof((struct value_big){0}.few) * 8 >= 1024, "the largest float has a place");

static int compare_bigs(const struct value_big *a, const struct value_big *b)
{
    const int above = a->negative ? -1 : 1;
    if (a->negative != b->negative)
        return above;
    if (a->num_digits != b->num_digits)
        return a->num_digits > b->num_digits ? above : -above;
    for (size_t i = a->num_digits; i-- != 0;)
        if (value_digit(a, i) != value_digit(b, i))
            return value_digit(a, i) > value_digit(b, i) ? above : -above;
    return 0;
}

static int compare_float_int(double real, int64_t integer)
{
    if (real >= int64_end)
        return 1;
    if (real < -int64_end)
        return -1;
    const int64_t whole = (int64_t)real;
    const double fraction = real - (double)whole;
    if (whole != integer)
        return whole > integer ? 1 : -1;
    return (fraction > 0) - (fraction < 0);
}

static int compare_float_big(double real, const struct value_big *big)
{
    struct value_big of_float;
    if (fabs(real) < int64_end)
        return big->negative ? 1 : -1;
    big_of_float(real, &of_float);
    return compare_bigs(&of_float, big);
}

int number_compare(const struct number *a, const struct number *b)
{
    if (a->kind == b->kind) {
        return a->kind == NUMBER_INT   ? (a->integer > b->integer) - (a->integer < b->integer)
               : a->kind == NUMBER_BIG ? compare_bigs(&a->big, &b->big)
                                       : (a->real > b->real) - (a->real < b->real);
    }
    if (a->kind == NUMBER_FLOAT)
        return b->kind == NUMBER_INT ? compare_float_int(a->real, b->integer)
                                     : compare_float_big(a->real, &b->big);
    if (b->kind == NUMBER_FLOAT)
        return -number_compare(b, a);
    if (a->kind == NUMBER_BIG)
        return a->big.negative ? -1 : 1;
    return b->big.negative ? 1 : -1;
}

void number_of_whole(double whole, struct number *out)
{
    if (whole >= -int64_end && whole < int64_end) {
        out->kind = NUMBER_INT;
        out->integer = (int64_t)whole;
    } else {
        out->kind = NUMBER_BIG;
        big_of_float(whole, &out->big);
    }
}

bool number_to_float(const struct number *number, double *out)
{
    const struct value_big *big = &number->big;
    *out = number->kind == NUMBER_INT ? (double)number->integer : number->real;
    if (number->kind != NUMBER_BIG)
        return true;
    /* Like the runtime system, which rounds once per 64-bit word. */
    *out = 0;
    for (size_t i = (big->num_digits + 3) / 4; i-- != 0;) {
        uint64_t word = 0;
        for (size_t j = 4; j-- != 0;)
            word = word << 16 | (i * 4 + j < big->num_digits ? value_digit(big, i * 4 + j) : 0u);
        *out = *out * 0x1p64 + (double)word;
    }
    if (big->negative)
        *out = -*out;
    return isfinite(*out);
}

bool view_get_int(struct run *run, const struct view *view, int64_t *out)
{
    struct head head;
    struct number number;
    if (!view_read(run, view, &head) || !number_read(run, &head, &number))
        return false;
    const bool ok = number.kind == NUMBER_INT;
    *out = number.integer;
    number_free(&number);
    return ok || run_fail(run, RUN_BAD);
}
