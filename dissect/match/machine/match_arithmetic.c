/*
 * match_arithmetic.c - the arithmetic of guards. Erlang's integers are unbounded: those that do not
 * fit into an int64_t are computed with libcrypto's BIGNUM. A number has at most a million bits,
 * and slow operations count as more steps.
 */
#include "match/machine/match_program.h"

#include <math.h>
#include <openssl/bn.h>
#include <stdlib.h>

enum { MAX_BITS = 1 << 20 };

static bool store_big(struct run *run, const BIGNUM *big, struct view *out)
{
    const size_t len = (size_t)BN_num_bytes(big);
    if (len * 8 > MAX_BITS)
        return run_fail(run, RUN_BAD);
    uint8_t *bytes = malloc(len + 1);
    const bool ok = bytes != NULL && BN_bn2lebinpad(big, bytes, (int)len) >= 0;
    const bool stored = ok && view_store_integer(run, bytes, len, BN_is_negative(big) != 0, out);
    free(bytes);
    return stored || run_fail(run, RUN_NO_MEMORY);
}

static bool store_number(struct run *run, const struct number *number, struct view *out)
{
    if (number->kind == NUMBER_FLOAT)
        return view_store_float(run, number->real, out);
    if (number->kind == NUMBER_INT) {
        *out = view_of_integer(number->integer);
        return true;
    }
    return view_store_integer(run, (const uint8_t *)number->big.digits,
                              value_big_len(&number->big), number->big.negative, out);
}

static bool is_negative(const struct number *number)
{
    return number->kind == NUMBER_BIG ? number->big.negative : number->integer < 0;
}

static BIGNUM *big_of(const struct number *number)
{
    const bool negative = is_negative(number);
    uint64_t magnitude = 0;
    const void *bytes = &magnitude;
    size_t len = sizeof magnitude;
    if (number->kind == NUMBER_INT) {
        magnitude = htole64(negative ? 0 - (uint64_t)number->integer : (uint64_t)number->integer);
    } else {
        bytes = number->big.digits;
        len = value_big_len(&number->big);
    }
    BIGNUM *big = BN_lebin2bn(bytes, (int)len, NULL);
    if (big != NULL)
        BN_set_negative(big, negative);
    return big;
}

static uint64_t words_of(const struct number *number)
{
    return number->kind == NUMBER_INT ? 1 : number->big.num_digits / 4 + 1;
}

/* --- bit operations: negative numbers have infinitely many leading ones --- */

/* set_bytes writes the low len bytes of a number, the lowest first. */
static bool set_bytes(const BIGNUM *big, uint8_t *bytes, size_t len)
{
    BIGNUM *positive = BN_new();
    bool ok = positive != NULL;
    if (ok && BN_is_negative(big))
        ok = BN_set_bit(positive, (int)len * 8) == 1 && BN_add(positive, positive, big) == 1;
    else if (ok)
        ok = BN_copy(positive, big) != NULL;
    ok = ok && BN_bn2lebinpad(positive, bytes, (int)len) >= 0;
    BN_free(positive);
    return ok;
}

static bool combine(int which, const BIGNUM *a, const BIGNUM *b, BIGNUM *out)
{
    const int a_len = BN_num_bytes(a), b_len = BN_num_bytes(b);
    const size_t len = (size_t)(a_len > b_len ? a_len : b_len) + 1;
    uint8_t *x = malloc(len), *y = malloc(len);
    BIGNUM *above = BN_new();
    bool ok = x != NULL && y != NULL && above != NULL && set_bytes(a, x, len) &&
              set_bytes(b, y, len);
    for (size_t i = 0; i < len && ok; i++)
        x[i] = which == BAND ? x[i] & y[i] : which == BOR ? x[i] | y[i] : x[i] ^ y[i];
    ok = ok && BN_lebin2bn(x, (int)len, out) != NULL;
    if (ok && (x[len - 1] & 0x80) != 0)
        ok = BN_set_bit(above, (int)len * 8) == 1 && BN_sub(out, out, above) == 1;
    BN_free(above);
    free(x);
    free(y);
    return ok;
}

/* shift shifts left by num bits; if num is negative, right, rounding down. */
static bool shift(const BIGNUM *a, int num, BIGNUM *out)
{
    if (num >= 0)
        return BN_lshift(out, a, num) == 1;
    if (!BN_is_negative(a))
        return BN_rshift(out, a, -num) == 1;
    if (BN_copy(out, a) == NULL || BN_add_word(out, 1) != 1 || BN_rshift(out, out, -num) != 1)
        return false;
    return BN_sub_word(out, 1) == 1;
}

static bool shift_by(struct run *run, const struct number *a, const struct number *by, bool left,
                     struct view *out)
{
    const bool is_large = by->kind == NUMBER_BIG || by->integer > MAX_BITS ||
                          by->integer < -MAX_BITS;
    if (a->kind == NUMBER_INT && a->integer == 0) {
        *out = view_of_integer(0);
        return true;
    }
    if (is_large && left != is_negative(by))
        return run_fail(run, RUN_BAD);
    if (is_large && words_of(a) > MAX_BITS / 64)
        return run_fail(run, RUN_GAVE_UP);
    if (is_large) {
        *out = view_of_integer(is_negative(a) ? -1 : 0);
        return true;
    }
    const int num = left ? (int)by->integer : -(int)by->integer;
    BIGNUM *x = big_of(a), *result = BN_new();
    const bool ok = x != NULL && result != NULL && shift(x, num, result);
    const bool stored = ok && store_big(run, result, out);
    BN_free(x);
    BN_free(result);
    return stored || run_fail(run, RUN_NO_MEMORY);
}

static bool compute_big(int which, const BIGNUM *a, const BIGNUM *b, BIGNUM *out)
{
    BN_CTX *context = BN_CTX_new();
    bool ok = context != NULL;
    switch (which) {
    case ADD:
        ok = ok && BN_add(out, a, b) == 1;
        break;
    case SUBTRACT:
        ok = ok && BN_sub(out, a, b) == 1;
        break;
    case MULTIPLY:
        ok = ok && BN_mul(out, a, b, context) == 1;
        break;
    case DIV:
        ok = ok && BN_div(out, NULL, a, b, context) == 1;
        break;
    case REM:
        ok = ok && BN_div(NULL, out, a, b, context) == 1;
        break;
    default:
        ok = ok && combine(which, a, b, out);
        break;
    }
    BN_CTX_free(context);
    return ok;
}

static bool apply_big(struct run *run, int which, const struct number *a, const struct number *b,
                      struct view *out)
{
    if (!run_step(run, words_of(a) * words_of(b)))
        return false;
    BIGNUM *x = big_of(a), *y = big_of(b), *result = BN_new();
    const bool ok = x != NULL && y != NULL && result != NULL && compute_big(which, x, y, result);
    const bool stored = ok && store_big(run, result, out);
    BN_free(x);
    BN_free(y);
    BN_free(result);
    return stored || run_fail(run, RUN_NO_MEMORY);
}

/* apply_small computes with int64_t; false when the result does not fit. */
static bool apply_small(int which, int64_t a, int64_t b, int64_t *out)
{
    switch (which) {
    case ADD:
        return !__builtin_add_overflow(a, b, out);
    case SUBTRACT:
        return !__builtin_sub_overflow(a, b, out);
    case MULTIPLY:
        return !__builtin_mul_overflow(a, b, out);
    case DIV:
    case REM:
        if (a == INT64_MIN && b == -1)
            return false;
        *out = which == DIV ? a / b : a % b;
        return true;
    case BAND:
        *out = a & b;
        return true;
    case BOR:
        *out = a | b;
        return true;
    default:
        *out = a ^ b;
        return true;
    }
}

static bool apply_integers(struct run *run, int which, const struct number *a,
                           const struct number *b, struct view *out)
{
    int64_t result;
    if (which == BSL || which == BSR)
        return shift_by(run, a, b, which == BSL, out);
    if ((which == DIV || which == REM) && b->kind == NUMBER_INT && b->integer == 0)
        return run_fail(run, RUN_BAD);
    if (a->kind != NUMBER_INT || b->kind != NUMBER_INT ||
        !apply_small(which, a->integer, b->integer, &result))
        return apply_big(run, which, a, b, out);
    *out = view_of_integer(result);
    return true;
}

static bool apply_floats(struct run *run, int which, const struct number *a,
                         const struct number *b, struct view *out)
{
    double x, y;
    if (!number_to_float(a, &x) || !number_to_float(b, &y) || (which == DIVIDE && y == 0))
        return run_fail(run, RUN_BAD);
    return view_store_float(run,
                       which == ADD        ? x + y
                       : which == SUBTRACT ? x - y
                       : which == MULTIPLY ? x * y
                                           : x / y,
                       out);
}

static bool apply_two(struct run *run, int which, const struct number *a, const struct number *b,
                      struct view *out)
{
    const bool any_float = a->kind == NUMBER_FLOAT || b->kind == NUMBER_FLOAT;
    if (which == DIVIDE || (any_float && which <= MULTIPLY))
        return apply_floats(run, which, a, b, out);
    return any_float ? run_fail(run, RUN_BAD) : apply_integers(run, which, a, b, out);
}

static bool apply_to_float(struct run *run, int which, double real, struct view *out)
{
    struct number whole;
    double result = real;
    switch (which) {
    case NEGATE:
        return view_store_float(run, -real, out);
    case ABS:
        return view_store_float(run, fabs(real), out);
    case TRUNC:
        result = trunc(real);
        break;
    case ROUND:
        result = round(real);
        break;
    case FLOOR:
        result = floor(real);
        break;
    case CEIL:
        result = ceil(real);
        break;
    case BNOT:
        return run_fail(run, RUN_BAD);
    default:
        return view_store_float(run, real, out);
    }
    number_of_whole(result, &whole);
    return store_number(run, &whole, out);
}

static bool apply_one(struct run *run, int which, const struct number *a, struct view *out)
{
    const struct number zero = {.kind = NUMBER_INT}, minus_one = {.kind = NUMBER_INT, .integer = -1};
    double real;
    if (a->kind == NUMBER_FLOAT)
        return apply_to_float(run, which, a->real, out);
    if (which == NEGATE || (which == ABS && is_negative(a)))
        return apply_integers(run, SUBTRACT, &zero, a, out);
    if (which == BNOT)
        return apply_integers(run, SUBTRACT, &minus_one, a, out);
    if (which != TO_FLOAT)
        return store_number(run, a, out);
    return number_to_float(a, &real) ? view_store_float(run, real, out) : run_fail(run, RUN_BAD);
}

bool arithmetic_apply(struct run *run, int which, const struct view *args, struct view *out)
{
    const bool is_one = which >= NEGATE;
    struct head head;
    struct number a, b = {.kind = NUMBER_INT};
    if (!view_read(run, &args[0], &head) || !number_read(run, &head, &a))
        return false;
    bool ok = is_one || (view_read(run, &args[1], &head) && number_read(run, &head, &b));
    ok = ok && (is_one ? apply_one(run, which, &a, out) : apply_two(run, which, &a, &b, out));
    number_free(&a);
    if (!is_one)
        number_free(&b);
    return ok;
}
