/*
 * test_term_text_numbers.c - numbers as text: integers of any length, and floats with as few digits
 * as possible.
 */
#include "term_printing.h"
#include "term_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Places at which a long number is split: powers of ten have zeros there, one less has nines. */
static void test_powers_of_ten(void **state)
{
    static const int exponents[] = {19, 153, 154, 155, 307, 308, 309, 616, 617, 1232, 2464, 4900};
    enum { ROOM = 5000 };
    char expected[ROOM];
    uint8_t digits[ROOM], bytes[ROOM];
    (void)state;
    for (size_t i = 0; i < 2 * sizeof exponents / sizeof exponents[0]; i++) {
        const int exponent = exponents[i / 2];
        const bool less = i % 2 != 0;
        size_t len = 1;
        memset(digits, 0, sizeof digits);
        digits[0] = 1;
        for (int n = 0; n < exponent; n++) { /* times ten */
            unsigned carry = 0;
            for (size_t at = 0; at < len; at++) {
                carry += digits[at] * 10u;
                digits[at] = (uint8_t)carry;
                carry >>= 8;
            }
            if (carry != 0)
                digits[len++] = (uint8_t)carry;
        }
        for (size_t at = 0; less && digits[at]-- == 0; at++)
            continue;
        const uint8_t head[] = {111, 0, 0, (uint8_t)(len >> 8), (uint8_t)len, 0};
        memcpy(bytes, head, sizeof head);
        memcpy(bytes + sizeof head, digits, len);
        memset(expected, less ? '9' : '0', ROOM);
        expected[0] = less ? '9' : '1';
        expected[exponent + !less] = '\0';
        struct ds_term term = samples_term(bytes, sizeof head + len);
        assert_prints(&term, NULL, expected);
    }
}

/* A bignum of that many bytes, all 0xff but the lowest, which is odd. */
static struct ds_buffer print_big(size_t len, bool negative, uint32_t max_bytes)
{
    struct ds_term_print_options options = {.max_bytes = max_bytes};
    struct ds_buffer text = {0};
    uint8_t *bytes = malloc(len + 6);
    assert_non_null(bytes);
    bytes[0] = 111;
    for (size_t i = 0; i < 4; i++)
        bytes[1 + i] = (uint8_t)(len >> (24 - 8 * i));
    bytes[5] = negative;
    memset(&bytes[6], 0xab, len);
    bytes[6 + len - 1] = 1;
    struct ds_term term = {.data = bytes, .len = len + 6};
    assert_true(ds_term_print(&term, &options, &text));
    free(bytes);
    return text;
}

static void test_bignums(void **state)
{
    (void)state;
    struct ds_buffer text = print_big(9, true, 0);
    assert_text(&text, "-30816913629020662699");
    ds_buffer_free(&text);
    /* Hexadecimal from 2 kB on, for an even and an odd number of bytes. */
    for (size_t len = 2049; len <= 2050; len++) {
        text = print_big(len, len == 2049, 0);
        const char *head = len == 2049 ? "-16#1ABAB" : "16#1ABAB";
        assert_memory_equal(text.data, head, strlen(head));
        assert_int_equal(text.len, strlen(head) - 4 + (len - 1) * 2);
        ds_buffer_free(&text);
    }
    text = print_big(3000, false, 4);
    assert_text(&text, "16#1ABABABABAB... 2994 more bytes");
    ds_buffer_free(&text);
    /* Linear: this would take hours in decimal. */
    text = print_big(8000000, false, 0);
    assert_int_equal(text.len, 3 + 16000000 - 1);
    ds_buffer_free(&text);
}

/* Floats with few decimals, their neighbours, and those just beyond the range of the fast path. */
static void test_floats_of_few_decimals(void **state)
{
    static const struct {
        uint8_t bytes[9]; /* NEW_FLOAT_EXT */
        const char *text;
    } floats[] = {
        {{70, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a}, "0.1"},
        {{70, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9b}, "0.10000000000000002"},
        {{70, 0xbf, 0xf4, 0, 0, 0, 0, 0, 0}, "-1.25"},
        {{70, 0x3f, 0x50, 0x62, 0x4d, 0xd2, 0xf1, 0xa9, 0xfc}, "0.001"},
        {{70, 0x3f, 0x50, 0x62, 0x4d, 0xd2, 0xf1, 0xa9, 0xfb}, "0.0009999999999999998"},
        {{70, 0x41, 0x63, 0x12, 0xcf, 0xff, 0xff, 0xff, 0xfb}, "9999999.99999999"},
        {{70, 0x3f, 0x45, 0x79, 0x8e, 0xe2, 0x30, 0x8c, 0x3a}, "0.00065536"},
        {{70, 0x40, 0x05, 0xbf, 0x0a, 0x8b, 0x14, 0x57, 0x69}, "2.718281828459045"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        const struct ds_term term = {.data = floats[i].bytes, .len = sizeof floats[i].bytes};
        assert_prints(&term, NULL, floats[i].text);
    }
}

/* The text of a float reads back, and no text with one digit less does. Floats of common size have
 * a fast path: its ends are tried, and the neighbours of round numbers. */
static void assert_shortest(double value)
{
    char less[64];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint8_t bytes[9] = {70};
    for (int i = 0; i < 8; i++)
        bytes[1 + i] = (uint8_t)(bits >> (56 - 8 * i));
    const struct ds_term term = {.data = bytes, .len = sizeof bytes};
    struct ds_buffer text = {0};
    assert_true(ds_term_print(&term, NULL, &text));
    ds_buffer_add(&text, "", 1);
    if (strtod(text.data, NULL) != value)
        fail_msg("%s is not %a", text.data, value);
    int num = 0, zeros = 0;
    for (const char *at = text.data; *at != 0 && *at != 'e'; at++) {
        if (*at < '0' || *at > '9' || (num == 0 && *at == '0'))
            continue;
        num++;
        zeros = *at == '0' ? zeros + 1 : 0;
    }
    if (num - zeros > 1) {
        snprintf(less, sizeof less, "%.*e", num - zeros - 2, value);
        if (strtod(less, NULL) == value)
            fail_msg("%s is longer than %s", text.data, less);
    }
    ds_buffer_free(&text);
}

static void test_floats_are_short(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252;
    for (double power = 1e-5; power < 1e18; power *= 10) {
        for (int i = 1; i < 100; i++) {
            const double value = power * i;
            assert_shortest(value);
            assert_shortest(nextafter(value, 0));
            assert_shortest(nextafter(value, INFINITY));
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            assert_shortest(power * (double)(random >> 11) / 0x1p53);
            assert_shortest(power * (double)(random % 100000) / 1000);
        }
    }
    for (int exponent = -12; exponent < 60; exponent++) {
        assert_shortest(ldexp(1, exponent));
        assert_shortest(nextafter(ldexp(1, exponent), 0));
        assert_shortest(nextafter(ldexp(1, exponent), INFINITY));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers_of_ten),
        cmocka_unit_test(test_bignums),
        cmocka_unit_test(test_floats_of_few_decimals),
        cmocka_unit_test(test_floats_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
