/*
 * test_term_text.c - terms as Erlang text. That a node reads it back is tests/terms; here are
 * limits, damage, depth and want of memory.
 */
#include "escape.h"
#include "failing_alloc.h"
#include "guard_page.h"
#include "term.h"
#include "term_samples.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_text(const struct ds_buffer *text, const char *expected)
{
    if (text->len != strlen(expected) ||
        (text->len != 0 && memcmp(text->data, expected, text->len) != 0))
        fail_msg("expected %s\n     got %.*s", expected, (int)text->len, text->data);
}

static void assert_prints(const struct ds_term *term, const struct ds_term_print_options *options,
                          const char *expected)
{
    struct ds_buffer text = {0};
    assert_true(ds_term_print(term, options, &text));
    assert_text(&text, expected);
    ds_buffer_free(&text);
}

static void test_samples_print(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        struct guard_page page = guard_page_copy(samples[i].bytes, samples[i].len);
        struct ds_term term = samples_term(page.bytes, page.len);
        assert_prints(&term, NULL, samples[i].text);
        guard_page_free(&page);
    }
}

static void test_absent_term_prints_nothing(void **state)
{
    (void)state;
    struct ds_term term = {0};
    assert_prints(&term, NULL, "");
}

static void test_print_appends(void **state)
{
    (void)state;
    struct ds_buffer text = {0};
    struct ds_term term = samples_term(BYTES(97, 1));
    ds_buffer_add_text(&text, "x = ");
    assert_true(ds_term_print(&term, NULL, &text));
    assert_text(&text, "x = 1");
    ds_buffer_free(&text);
}

/* A part of a term that ends where that ends is written in one piece, if all of it is. */
static void test_part(void **state)
{
    static const uint8_t bytes[] = {104, 2, 97, 1, 104, 2, 97, 2, 108, 0, 0, 0, 1, 97, 3, 106};
    enum { PART_AT = 4 };
    const struct {
        size_t at, len; /* of the part, of the term */
        uint32_t max_items;
        const char *all, *part;
    } cases[] = {
        {PART_AT, sizeof bytes, 0, "x = {1,{2,[3]}}", "{2,[3]}"},
        {0, sizeof bytes, 0, "x = {1,{2,[3]}}", "{1,{2,[3]}}"},
        {PART_AT, sizeof bytes, 1, "x = {1,... 1 more}", ""},
        {PART_AT, sizeof bytes - 1, 0, "x = {1,{2,[3|...", ""},
        {1, sizeof bytes, 0, "x = {1,{2,[3]}}", ""}, /* no term begins there */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_buffer text = {0};
        const struct ds_term term = samples_term(bytes, cases[i].len);
        struct ds_term_part part = {.data = bytes + cases[i].at, .len = 1};
        const struct ds_term_print_options options = {.max_items = cases[i].max_items,
                                                      .part = &part};
        ds_buffer_add_text(&text, "x = ");
        assert_true(ds_term_print(&term, &options, &text));
        assert_text(&text, cases[i].all);
        assert_int_equal(part.len, strlen(cases[i].part));
        if (part.len != 0)
            assert_memory_equal(text.data + part.at, cases[i].part, part.len);
        ds_buffer_free(&text);
    }
}

/* A prefix is printed as far as it goes: what is written of it is what the whole term begins
 * with, or what stands for its bytes as text. */
static void test_every_prefix_ends_in_dots(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        for (size_t len = 0; len < samples[i].len; len++) {
            struct guard_page page = guard_page_copy(samples[i].bytes, len);
            struct ds_term term = samples_term(page.bytes, len);
            struct ds_buffer text = {0};
            term.damaged = true;
            assert_true(ds_term_print(&term, NULL, &text));
            assert_true(text.len >= 3);
            assert_memory_equal(text.data + text.len - 3, "...", 3);
            ds_buffer_free(&text);
            guard_page_free(&page);
        }
    }
}

static void test_damaged_as_far_as_it_goes(void **state)
{
    (void)state;
    const struct term_sample cases[] = {
        {BYTES(104, 3, 97, 1, 104, 2, 97, 2), "{1,{2,...", SAME, 0, 0},
        {BYTES(108, 0, 0, 1, 0, 97, 1, 97, 2), "[1,2,...", SAME, 0, 0},
        {BYTES(108, 0, 0, 0, 1, 97, 1), "[1|...", SAME, 0, 0},
        {BYTES(105, 255, 255, 255, 255, 106, 106), "{[],[],...", SAME, 0, 0},
        {BYTES(116, 0, 0, 0, 2, 97, 1), "#{1 => ...", SAME, 0, 0},
        {BYTES(116, 255, 255, 255, 255, 97, 1, 106), "#{1 => [],...", SAME, 0, 0},
        {BYTES(104, 2, 97, 1, 80, 1), "{1,...", SAME, 0, 0},
        {BYTES(104, 1, 109, 0, 0, 0, 9, 1, 2), "{...", SAME, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct term_sample *sample = &cases[i];
        struct ds_term term = samples_term(sample->bytes, sample->len);
        term.damaged = true;
        assert_prints(&term, NULL, sample->text);
    }
}

static void test_limits(void **state)
{
    (void)state;
    const struct {
        struct ds_term_print_options options;
        struct term_sample sample;
    } cases[] = {
        /* max_bytes */
        {{.max_bytes = 3}, {BYTES(109, 0, 0, 0, 3, 'a', 'b', 'c'), "<<\"abc\">>", SAME, 0, 0}},
        {{.max_bytes = 3},
         {BYTES(109, 0, 0, 0, 5, 'a', 'b', 'c', 'd', 1), "<<\"abc\"... 2 more bytes>>", SAME, 0,
          0}},
        {{.max_bytes = 3},
         {BYTES(109, 0, 0, 0, 5, 1, 2, 3, 4, 5), "<<1,2,3,... 2 more bytes>>", SAME, 0, 0}},
        {{.max_bytes = 2},
         {BYTES(109, 0, 0, 0, 4, 'a', 0xc3, 0xa9, 'b'), "<<\"a\"... 3 more bytes>>", SAME, 0, 0}},
        {{.max_bytes = 3},
         {BYTES(109, 0, 0, 0, 4, 'a', 0xc3, 0xa9, 'b'), "<<\"a\xc3\xa9\"/utf8... 1 more bytes>>",
          SAME, 0, 0}},
        {{.max_bytes = 2},
         {BYTES(77, 0, 0, 0, 3, 5, 1, 2, 0x1f), "<<1,2,... 1 more bytes>>", SAME, 0, 0}},
        {{.max_bytes = 2}, {BYTES(107, 0, 3, 'a', 'b', 'c'), "\"ab\"... 1 more bytes", SAME, 0, 0}},
        {{.max_bytes = 1, .unicode = true},
         {BYTES(108, 0, 0, 0, 2, 98, 0, 0, 4, 0x3f, 98, 0, 0, 4, 0x40, 106),
          "\"\xd0\xbf\"... 1 more", SAME, 0, 0}},
        /* unicode: what is a string beyond Latin-1 */
        {{.unicode = true},
         {BYTES(108, 0, 0, 0, 2, 98, 0, 0, 7, 0xcf, 98, 0, 0, 9, 0xc3, 106),
          "\"\xdf\x8f\xe0\xa7\x83\"", SAME, 0, 0}},
        {{.unicode = false},
         {BYTES(108, 0, 0, 0, 2, 98, 0, 0, 7, 0xcf, 98, 0, 0, 9, 0xc3, 106), "[1999,2499]", SAME, 0,
          0}},
        {{.unicode = false},
         {BYTES(108, 0, 0, 0, 2, 97, 'a', 98, 0, 0, 0, 0xff, 106), "\"a\xc3\xbf\"", SAME, 0, 0}},
        {{.unicode = false},
         {BYTES(108, 0, 0, 0, 2, 97, 'a', 98, 0, 0, 1, 0, 106), "[97,256]", SAME, 0, 0}},
        {{.unicode = true},
         {BYTES(108, 0, 0, 0, 2, 97, 'a', 98, 0, 0, 0, 0x9f, 106), "[97,159]", SAME, 0, 0}},
        /* base64_min */
        {{.base64_min = 4},
         {BYTES(109, 0, 0, 0, 4, 0, 1, 2, 255), "base64:decode(\"AAEC/w==\")", SAME, 0, 0}},
        {{.base64_min = 5}, {BYTES(109, 0, 0, 0, 4, 0, 1, 2, 255), "<<0,1,2,255>>", SAME, 0, 0}},
        {{.base64_min = 1}, {BYTES(109, 0, 0, 0, 2, 'h', 'i'), "<<\"hi\">>", SAME, 0, 0}},
        {{.base64_min = 1}, {BYTES(109, 0, 0, 0, 0), "<<>>", SAME, 0, 0}},
        {{.base64_min = 1, .max_bytes = 3},
         {BYTES(109, 0, 0, 0, 5, 0, 1, 2, 3, 4), "base64:decode(\"AAEC\")... 2 more bytes", SAME, 0,
          0}},
        /* max_items */
        {{.max_items = 2}, {BYTES(107, 0, 3, 1, 2, 3), "[1,2,... 1 more]", SAME, 0, 0}},
        {{.max_items = 2}, {BYTES(104, 2, 97, 1, 97, 2), "{1,2}", SAME, 0, 0}},
        {{.max_items = 2},
         {BYTES(104, 2, 104, 4, 97, 1, 97, 2, 104, 1, 106, 97, 4, 106), "{{1,2,... 2 more},[]}",
          SAME, 0, 0}},
        {{.max_items = 1},
         {BYTES(108, 0, 0, 0, 3, 106, 104, 1, 106, 106, 104, 1, 106), "[[],... 2 more]", SAME, 0,
          0}},
        {{.max_items = 1},
         {BYTES(116, 0, 0, 0, 2, 97, 1, 97, 2, 97, 3, 104, 1, 106), "#{1 => 2,... 1 more}", SAME, 0,
          0}},
        {{.max_items = 1},
         {BYTES(67, 0, 0, 0, 2, 1, 119, 1, 'm', 119, 1, 'r', 119, 1, 'a', 119, 1, 'b', 106, 106),
          "#m:r{a = [],... 1 more}", SAME, 0, 0}},
        /* max_depth */
        {{.max_depth = 1}, {BYTES(104, 2, 97, 1, 104, 0), "{1,{}}", SAME, 0, 0}},
        {{.max_depth = 1},
         {BYTES(104, 3, 97, 1, 104, 1, 104, 1, 106, 97, 2), "{1,{... 1 more},2}", SAME, 0, 0}},
        {{.max_depth = 2},
         {BYTES(104, 3, 97, 1, 104, 1, 108, 0, 0, 0, 2, 106, 106, 106, 97, 2),
          "{1,{[... 2 more]},2}", SAME, 0, 0}},
        {{.max_depth = 1},
         {BYTES(104, 1, 116, 0, 0, 0, 2, 97, 1, 97, 2, 97, 3, 104, 1, 106), "{#{... 2 more}}", SAME,
          0, 0}},
        {{.max_depth = 1},
         {BYTES(104, 1, 67, 0, 0, 0, 1, 1, 119, 1, 'm', 119, 1, 'r', 119, 1, 'a', 106),
          "{#m:r{... 1 more}}", SAME, 0, 0}},
        /* max_len: then nothing more is said but how many bytes of the term are left */
        {{.max_len = 4},
         {BYTES(104, 4, 97, 100, 97, 101, 97, 102, 97, 103), "{100,... 6 more bytes", SAME, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_term term = samples_term(cases[i].sample.bytes, cases[i].sample.len);
        assert_prints(&term, &cases[i].options, cases[i].sample.text);
    }
}

/* Where a long number is cut into parts: powers of ten have zeros there, one less has nines. */
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

/* A bignum of so many bytes, all 0xff but the lowest, which is odd. */
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

/* A float's text reads back, and none with a digit less does. Those of common size have a way of
 * their own: they are tried at its ends, and a little beside round numbers. */
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

/* In a string of another language a text is what it is by itself, with a backslash before each
 * double quote and backslash; an atom that was looked at before is what it is without. */
static void assert_same_in_string(const struct ds_term *term)
{
    static const struct ds_term_print_options in_string = {.in_string = true};
    struct ds_buffer plain = {0}, expected = {0}, text = {0};
    assert_true(ds_term_print(term, NULL, &plain));
    for (size_t i = 0; i < plain.len; i++) {
        if (plain.data[i] == '"' || plain.data[i] == '\\')
            ds_buffer_add(&expected, "\\", 1);
        ds_buffer_add(&expected, &plain.data[i], 1);
    }
    assert_true(ds_term_print(term, &in_string, &text));
    ds_buffer_add(&expected, "", 1);
    assert_text(&text, expected.data);
    ds_buffer_free(&plain);
    ds_buffer_free(&expected);
    ds_buffer_free(&text);
}

static void test_in_string(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        const struct ds_term term = samples_term(samples[i].bytes, samples[i].len);
        assert_same_in_string(&term);
    }
    for (unsigned code = 0; code < 0x10000; code++) {
        const uint8_t a = (uint8_t)(code >> 8), b = (uint8_t)code;
        const uint8_t bytes[] = {104, 4, 107, 0, 2, a, b, 109, 0, 0, 0, 2, a, b, 115, 2, a, b,
                                 88, 115, 2, a, b, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
        const struct ds_term term = samples_term(bytes, sizeof bytes);
        assert_same_in_string(&term);
    }
}

static void test_looked_at(void **state)
{
    static const char *const texts[] = {"ok",   "'",     "\"", "a b",   "if",   "",    "\\",
                                        "A",    "a@b.c", "é",  "\x1b[m", "a'b", "a\"", "ok?"};
    static const uint8_t atom_and_node[] = {104, 2, 82, 0, 88, 82, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int in_string = 0; in_string < 2; in_string++) {
            const struct ds_term_print_options options = {.in_string = in_string != 0};
            struct ds_atom atom = {.text = (const uint8_t *)texts[i],
                                   .len = (uint16_t)strlen(texts[i]),
                                   .state = DS_ATOM_KNOWN};
            const struct ds_term term = {.data = atom_and_node,
                                         .len = sizeof atom_and_node,
                                         .atoms = &atom,
                                         .num_atoms = 1};
            struct ds_buffer text = {0};
            assert_true(ds_term_print(&term, &options, &text));
            ds_buffer_add(&text, "", 1);
            atom.looks = escape_look_at_atom(cursor_make(atom.text, atom.len));
            assert_prints(&term, &options, text.data);
            ds_buffer_free(&text);
        }
    }
}

/* Floats of few decimals; and what is just beside one, or just beyond where the way of those of
 * common size ends. */
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

static void test_bignums(void **state)
{
    (void)state;
    struct ds_buffer text = print_big(9, true, 0);
    assert_text(&text, "-30816913629020662699");
    ds_buffer_free(&text);
    /* Hexadecimal from 2 kB on; an even and an odd number of bytes. */
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

static void test_print_atom(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"foo_bar@host", "foo_bar@host"},
        {"fooBar9", "fooBar9"},
        {"Foo", "'Foo'"},
        {"_foo", "'_foo'"},
        {"9a", "'9a'"},
        {"", "''"},
        {"a-b", "'a-b'"},
        {"a.b", "'a.b'"},
        {"receive", "'receive'"},
        {"maybe", "'maybe'"},
        {"receives", "receives"},
        {"if", "'if'"},
        {"i", "i"},
        {"\xff", "'\\x{FF}'"},
        {"a\xc3", "'a\\x{C3}'"},
        {"\x7f", "'\\d'"},
        {"\xf3\xa0\x81\x81", "'\\x{E0041}'"},
        {"\xef\xbb\xbf", "'\\x{FEFF}'"},
        {"\xf0\x9f\x98\x80", "'\xf0\x9f\x98\x80'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_buffer text = {0};
        ds_term_print_atom((struct ds_text){cases[i][0], strlen(cases[i][0])}, &text);
        assert_text(&text, cases[i][1]);
        ds_buffer_free(&text);
    }
}

/* What a peer sends never reaches the terminal as a control character. */
static void test_nothing_raw(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 256; code++) {
        const uint8_t bytes[] = {104,
                                 5,
                                 115,
                                 1,
                                 (uint8_t)code,
                                 107,
                                 0,
                                 1,
                                 (uint8_t)code,
                                 109,
                                 0,
                                 0,
                                 0,
                                 1,
                                 (uint8_t)code,
                                 103,
                                 115,
                                 1,
                                 (uint8_t)code,
                                 0,
                                 0,
                                 0,
                                 1,
                                 0,
                                 0,
                                 0,
                                 1,
                                 1,
                                 108,
                                 0,
                                 0,
                                 0,
                                 2,
                                 97,
                                 (uint8_t)code,
                                 98,
                                 0,
                                 0,
                                 1,
                                 0,
                                 106};
        struct ds_term term = samples_term(bytes, sizeof bytes);
        struct ds_buffer text = {0};
        assert_true(ds_term_print(&term, NULL, &text));
        for (size_t i = 0; i < text.len; i++) {
            uint8_t byte = (uint8_t)text.data[i];
            assert_true(byte >= 0x20 && byte != 0x7f);
            /* C1 controls and the soft hyphen as UTF-8 */
            if (byte == 0xc2)
                assert_true((uint8_t)text.data[i + 1] >= 0xa0 && (uint8_t)text.data[i + 1] != 0xad);
        }
        ds_buffer_free(&text);
    }
}

struct layer {
    uint8_t bytes[48];
    size_t len;
    const char *open;
    const uint8_t *end;
    size_t end_len;
    const char *close;
};

static const struct layer layers[] = {
    {{104, 1}, 2, "{", NULL, 0, "}"},
    {{108, 0, 0, 0, 1}, 5, "[", BYTES(106), "]"},
    {{108, 0, 0, 0, 1, 106}, 6, "[[]|", NULL, 0, "]"},
    {{116, 0, 0, 0, 1, 97, 1}, 7, "#{1 => ", NULL, 0, "}"},
    {{116, 0, 0, 0, 1}, 5, "#{", BYTES(97, 2), " => 2}"},
    {{67, 0, 0, 0, 1, 1, 82, 0, 119, 1, 'r', 119, 1, 'f'}, 14, "#alice@host:r{f = ", NULL, 0, "}"},
};
enum { NUM_LAYERS = sizeof layers / sizeof layers[0], DEPTH = 250000 };

/* deep_term nests depth times: of one kind, or when kind is NUM_LAYERS, of all in turn. */
static struct ds_buffer deep_term(size_t kind, size_t depth)
{
    struct ds_buffer bytes = {0};
    for (size_t i = 0; i < depth; i++) {
        const struct layer *layer = &layers[kind == NUM_LAYERS ? i % NUM_LAYERS : kind];
        ds_buffer_add(&bytes, layer->bytes, layer->len);
    }
    ds_buffer_add(&bytes, (const uint8_t[]){104, 0}, 2);
    for (size_t i = depth; i-- > 0;) {
        const struct layer *layer = &layers[kind == NUM_LAYERS ? i % NUM_LAYERS : kind];
        ds_buffer_add(&bytes, layer->end, layer->end_len);
    }
    assert_false(bytes.failed);
    return bytes;
}

static struct ds_buffer deep_text(size_t kind, size_t depth)
{
    struct ds_buffer text = {0};
    for (size_t i = 0; i < depth; i++)
        ds_buffer_add_text(&text, layers[kind == NUM_LAYERS ? i % NUM_LAYERS : kind].open);
    ds_buffer_add_text(&text, "{}");
    for (size_t i = depth; i-- > 0;)
        ds_buffer_add_text(&text, layers[kind == NUM_LAYERS ? i % NUM_LAYERS : kind].close);
    assert_false(text.failed);
    return text;
}

static void test_deep(void **state)
{
    (void)state;
    for (size_t kind = 0; kind <= NUM_LAYERS; kind++) {
        struct ds_buffer bytes = deep_term(kind, DEPTH);
        struct ds_buffer expected = deep_text(kind, DEPTH);
        struct ds_buffer text = {0};
        struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
        assert_true(ds_term_print(&term, NULL, &text));
        assert_int_equal(text.len, expected.len);
        assert_memory_equal(text.data, expected.data, text.len);
        ds_buffer_free(&bytes);
        ds_buffer_free(&expected);
        ds_buffer_free(&text);
    }
}

/* Beyond half a million the rest is counted, not shown. */
static void test_too_deep(void **state)
{
    (void)state;
    enum { MAX = 500000, TOO_DEEP = MAX + 10 };
    struct ds_buffer bytes = deep_term(0, TOO_DEEP);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    struct ds_buffer text = {0};
    const char *middle = "{{... 1 more}}";
    assert_true(ds_term_print(&term, NULL, &text));
    assert_int_equal(text.len, 2 * (MAX - 1) + strlen(middle));
    assert_memory_equal(text.data + MAX - 1, middle, strlen(middle));
    ds_buffer_free(&bytes);
    ds_buffer_free(&text);
}

static void print_or_fail_as(const struct ds_term *term, enum ds_syntax syntax)
{
    const struct ds_term_print_options options = {.syntax = syntax};
    struct ds_buffer text = {0};
    bool ok = ds_term_print(term, &options, &text);
    if (!failing_alloc_failed()) {
        assert_true(ok);
        assert_false(text.failed);
    } else {
        assert_false(ok);
    }
    ds_buffer_free(&text);
}

static void print_or_fail(void *context)
{
    print_or_fail_as(context, DS_SYNTAX_ERLANG);
}

static void inspect_or_fail(void *context)
{
    print_or_fail_as(context, DS_SYNTAX_ELIXIR);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct ds_buffer bytes = deep_term(NUM_LAYERS, 1000);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_true(failing_alloc_each(print_or_fail, &term) > 2);
    ds_buffer_free(&bytes);
    uint8_t big[6 + 4000] = {111, 0, 0, 4000 >> 8, 4000 & 255};
    memset(&big[6], 1, 4000);
    term = samples_term(big, sizeof big);
    assert_true(failing_alloc_each(print_or_fail, &term) > 2);
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        term = samples_term(samples[i].bytes, samples[i].len);
        assert_true(failing_alloc_each(print_or_fail, &term) > 0);
        assert_true(failing_alloc_each(inspect_or_fail, &term) > 0);
    }
}

/* Pieces of terms. */
#define MAP(num) "\x74\0\0\0" num
#define WORD(len, string) "\x77" len string

static unsigned num_asked, num_patient;

static bool is_stopped(void)
{
    return ++num_asked > num_patient;
}

/* Elixir's walk looks for structs first, and asks in both. */
static void test_inspect_stops(void **state)
{
    static const unsigned places[] = {2, 120};
    const struct ds_term_print_options options = {.syntax = DS_SYNTAX_ELIXIR};
    (void)state;
    struct ds_buffer bytes = deep_term(0, 100000);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    for (size_t i = 0; i < 2; i++) {
        struct ds_buffer text = {.is_stopped = is_stopped};
        num_asked = 0;
        num_patient = places[i];
        assert_false(ds_term_print(&term, &options, &text));
        assert_true(text.failed);
        assert_int_equal(num_asked, num_patient + 1);
        assert_int_equal(text.len != 0, i == 1);
        ds_buffer_free(&text);
    }
    ds_buffer_free(&bytes);
}

/* So many structs are known of a term; the rest are maps. */
static void test_most_structs(void **state)
{
    enum { MOST = 1 << 16 };
    static const char one[] = MAP("\1") WORD("\12", "__struct__") WORD("\10", "Elixir.S");
    const struct ds_term_print_options options = {.syntax = DS_SYNTAX_ELIXIR};
    (void)state;
    struct ds_buffer bytes = {0}, text = {0};
    ds_buffer_add(&bytes, "l\0\1\0\1", 5);
    for (int i = 0; i <= MOST; i++)
        ds_buffer_add(&bytes, one, sizeof one - 1);
    ds_buffer_add(&bytes, "j", 1);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_true(ds_term_print(&term, &options, &text));
    static const char end[] = "%S{}, %S{}, %{__struct__: S}]";
    assert_memory_equal(text.data + text.len - (sizeof end - 1), end, sizeof end - 1);
    ds_buffer_free(&text);
    ds_buffer_free(&bytes);
}

/* It asks now and then, and leaves the rest away. */
static void test_print_stops(void **state)
{
    num_asked = 0;
    num_patient = 2;
    (void)state;
    struct ds_buffer bytes = deep_term(0, 100000), text = {.is_stopped = is_stopped};
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_false(ds_term_print(&term, NULL, &text));
    assert_true(text.failed && num_asked == 3);
    assert_in_range(text.len, 1000, 20000);
    ds_buffer_free(&text);
    assert_ptr_equal(text.is_stopped, is_stopped);
    ds_buffer_free(&bytes);
}

static void assert_inspects(const char *bytes, size_t len,
                            const struct ds_term_print_options *limits, const char *expected)
{
    struct ds_term_print_options options = *limits;
    struct guard_page page = guard_page_copy((const uint8_t *)bytes, len);
    struct ds_term term = samples_term(page.bytes, page.len);
    options.syntax = DS_SYNTAX_ELIXIR;
    assert_prints(&term, &options, expected);
    assert_true(failing_alloc_each(inspect_or_fail, &term) > 0);
    guard_page_free(&page);
}

#define INSPECTS(term, limits, expected)                                                           \
    assert_inspects(term, sizeof(term) - 1, &(const struct ds_term_print_options)limits, expected)
#define LIMITS(...) {__VA_ARGS__}
#define VERSION                                                                                    \
    MAP("\6") WORD("\12", "__struct__") WORD("\16", "Elixir.Version") WORD("\5", "build") WORD(    \
        "\3", "nil") WORD("\5", "major") "a\1" WORD("\5", "minor") "a\2" WORD("\5", "patch") "a\3"   \
        WORD("\3", "pre") "j"
#define ORDER                                                                                      \
    MAP("\4") WORD("\12", "__struct__") WORD("\14", "Elixir.Order") WORD("\1", "a") "a\1" WORD(      \
        "\1", "b") "a\2" WORD("\1", "c") "a\3"
#define SET                                                                                        \
    MAP("\2") WORD("\12", "__struct__") WORD("\15", "Elixir.MapSet") WORD("\3", "map") MAP(          \
        "\3") "a\1ja\2ja\3j"

/* That the texts are those of inspect is tests/terms; here are limits, and want of memory. */
static void test_inspect_limits(void **state)
{
    (void)state;
    INSPECTS(VERSION, LIMITS(0), "%Version{major: 1, minor: 2, patch: 3}");
    INSPECTS(VERSION, LIMITS(.max_items = 2), "%Version{major: 1, minor: 2, ... 1 more}");
    INSPECTS(VERSION, LIMITS(.max_items = 3), "%Version{major: 1, minor: 2, patch: 3}");
    INSPECTS(ORDER, LIMITS(0), "%Order{a: 1, b: 2, c: 3}");
    INSPECTS(ORDER, LIMITS(.max_items = 3), "%Order{a: 1, b: 2, ... 1 more}");
    INSPECTS(ORDER, LIMITS(.max_items = 1), "%Order{... 3 more}");
    INSPECTS(SET, LIMITS(0), "MapSet.new([1, 2, 3])");
    INSPECTS(SET, LIMITS(.max_items = 2), "MapSet.new([1, 2, ... 1 more])");
    INSPECTS("h\2" SET SET, LIMITS(0), "{MapSet.new([1, 2, 3]), MapSet.new([1, 2, 3])}");
    INSPECTS("h\2" SET "k\0\2ab", LIMITS(.max_depth = 1), "{MapSet.new([... 3 more]), ~c\"ab\"}");
    INSPECTS("h\2" VERSION ORDER, LIMITS(.max_depth = 1), "{%Version{... 3 more}, %Order{... 3 more}}");
    INSPECTS("l\0\0\0\2" "h\2" WORD("\1", "a") "a\1" "h\2" WORD("\1", "b") "a\2j", LIMITS(.max_items = 1),
             "[a: 1, ... 1 more]");
    INSPECTS("m\0\0\0\5abcde", LIMITS(.max_bytes = 2), "\"ab\" <> ... 3 more bytes");
    INSPECTS("m\0\0\0\3\1\2\3", LIMITS(.max_bytes = 2), "<<1, 2, ... 1 more bytes>>");
    INSPECTS("k\0\5abcde", LIMITS(.max_bytes = 2), "~c\"ab\" ++ ... 3 more bytes");
    INSPECTS("k\0\3\1\2\3", LIMITS(.max_items = 2), "[1, 2, ... 1 more]");
    INSPECTS("h\2m\0\0\0\2\303\251a\1", LIMITS(.max_bytes = 3), "{\"\303\251\", 1}");
    INSPECTS("m\0\0\0\3\1\2\3", LIMITS(.base64_min = 3), "Base.decode64!(\"AQID\")");
    INSPECTS("k\0\2ab", LIMITS(.no_string = true), "[97, 98]");
}

/* Two names, a name that is no atom, and sets that are none hide nothing. */
static void test_inspect_hides_nothing(void **state)
{
    (void)state;
    INSPECTS(MAP("\2") WORD("\12", "__struct__") WORD("\1", "a") WORD("\12", "__struct__") WORD("\1", "b"),
             LIMITS(0), "%{__struct__: :a, __struct__: :b}");
    INSPECTS(MAP("\1") WORD("\12", "__struct__") "a\1", LIMITS(0), "%{__struct__: 1}");
    INSPECTS(MAP("\2") WORD("\12", "__struct__") WORD("\15", "Elixir.MapSet") WORD("\3", "map") MAP("\1") "a\1a\2",
             LIMITS(0), "%MapSet{map: %{1 => 2}}");
    INSPECTS(MAP("\3") WORD("\12", "__struct__") WORD("\15", "Elixir.MapSet") WORD("\3", "map") MAP("\1") "a\1j" WORD("\1", "x") "a\7",
             LIMITS(0), "%MapSet{map: %{1 => []}, x: 7}");
    INSPECTS(MAP("\2") WORD("\12", "__struct__") WORD("\1", "a") WORD("\15", "__exception__") "a\7", LIMITS(0),
             "%:a{__exception__: 7}");
    INSPECTS(MAP("\2") WORD("\12", "__struct__") WORD("\1", "a") WORD("\15", "__exception__") WORD("\4", "true"), LIMITS(0),
             "%:a{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_print),
        cmocka_unit_test(test_inspect_limits),
        cmocka_unit_test(test_inspect_hides_nothing),
        cmocka_unit_test(test_floats_of_few_decimals),
        cmocka_unit_test(test_floats_are_short),
        cmocka_unit_test(test_in_string),
        cmocka_unit_test(test_looked_at),
        cmocka_unit_test(test_absent_term_prints_nothing),
        cmocka_unit_test(test_print_appends),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_every_prefix_ends_in_dots),
        cmocka_unit_test(test_damaged_as_far_as_it_goes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_powers_of_ten),
        cmocka_unit_test(test_bignums),
        cmocka_unit_test(test_print_atom),
        cmocka_unit_test(test_nothing_raw),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_print_stops),
        cmocka_unit_test(test_inspect_stops),
        cmocka_unit_test(test_most_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
