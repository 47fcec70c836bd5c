/*
 * test_text.c - texts of peers, times and bytes, made safe to show.
 */
#include "core/printable.h"
#include "core/timestamp.h"
#include "output/hexdump.h"
#include "output/json_escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static void assert_buffer(struct ds_buffer *out, const char *expected)
{
    ds_buffer_add(out, "", 1);
    assert_false(out->failed);
    assert_string_equal(out->data, expected);
    ds_buffer_free(out);
}

#define TEXT(literal) ((struct ds_text){(literal), sizeof(literal) - 1})

static void escapes_for_terminals(void **state)
{
    static const struct {
        struct ds_text text;
        const char *expected;
    } cases[] = {
        {TEXT("alice@host"), "alice@host"},
        {TEXT("\x1b[31mred"), "\\x1B[31mred"},
        {TEXT("nul\0and del\x7f"), "nul\\x00and del\\x7F"},
        {TEXT("gr\xc3\xbc\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80"),
         "gr\xc3\xbc\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80"},
        {TEXT("\xc2\x9b" "31m"), "\\x{9B}31m"},           /* C1: CSI in one character */
        {TEXT("a\xe2\x80\xae" "b"), "a\\x{202E}b"},       /* right to left override */
        {TEXT("\xc0\xaf"), "\\xC0\\xAF"},                 /* overlong */
        {TEXT("\xed\xa0\x80"), "\\xED\\xA0\\x80"},        /* surrogate */
        {TEXT("\xf4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80"}, /* above U+10FFFF */
        {TEXT("cut \xe2\x82"), "cut \\xE2\\x82"},
        {TEXT("\xff\xfe"), "\\xFF\\xFE"},
        {TEXT(""), ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_buffer out = {0};
        printable_text(cases[i].text, &out);
        assert_buffer(&out, cases[i].expected);
    }
}

static void reads_no_byte_too_far(void **state)
{
    static const char text[] = "a\xf0\x9f\x98\x80\xe2\x82\xac\xc3\xbc";
    (void)state;
    for (size_t len = 0; len < sizeof text; len++) {
        char *exact = malloc(len + 1);
        memcpy(exact, text, len);
        struct ds_buffer out = {0};
        printable_text((struct ds_text){exact, len}, &out);
        json_escape((struct ds_text){exact, len}, &out);
        ds_buffer_free(&out);
        free(exact);
    }
}

static void mends_utf8_for_json(void **state)
{
    struct ds_buffer out = {0};
    (void)state;
    json_escape(TEXT("a\xff\0\xc3\xbc\xe2\x82"), &out);
    assert_buffer(&out, "a\xef\xbf\xbd\xef\xbf\xbd\xc3\xbc\xef\xbf\xbd\xef\xbf\xbd");
}

static void escapes_for_json(void **state)
{
    static const struct {
        struct ds_text text;
        const char *expected;
    } cases[] = {
        {TEXT("say \"\\\" gr\xc3\xbc\xc3\x9f"
              "e"),
         "say \\\"\\\\\\\" gr\xc3\xbc\xc3\x9f"
         "e"},
        {TEXT("\x1b[31m\n\x7f"), "\\u001b[31m\\u000a\\u007f"},
        {TEXT("\xc2\x9b"
              "31m"),
         "\\u009b31m"},
        {TEXT("a\xe2\x80\xae"
              "b\xe2\x80\xa8"),
         "a\\u202eb\\u2028"},
        {TEXT("\xe2\x80\x8b\xf0\x9f\x98\x80\xf3\xa0\x81\x81"),
         "\\u200b\xf0\x9f\x98\x80\\udb40\\udc41"},
        {TEXT("seven b\x7f"
              "and more than eight"),
         "seven b\\u007fand more than eight"},
        {TEXT(""), ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_buffer out = {0}, spare = {0};
        json_escape(cases[i].text, &out);
        assert_buffer(&out, cases[i].expected);
        ds_buffer_add_text(&out, "\"kept");
        ds_buffer_add(&out, cases[i].text.data, cases[i].text.len);
        json_escape_written(&out, 5, &spare);
        assert_int_equal(out.len, 5 + strlen(cases[i].expected));
        assert_memory_equal(out.data, "\"kept", 5);
        assert_memory_equal(out.data + 5, cases[i].expected, out.len - 5);
        ds_buffer_free(&out);
        ds_buffer_free(&spare);
    }
}

static void prints_points_in_time(void **state)
{
    const int64_t ns = INT64_C(1700000000123456789); /* 2023-11-14T22:13:20 UTC */
    struct timestamp_cache utc = {0};
    struct timestamp_cache local = {0};
    struct ds_buffer out = {0};
    (void)state;
    timestamp_print_utc(&utc, ns, 6, &out);
    assert_buffer(&out, "2023-11-14T22:13:20.123456Z");
    timestamp_print_utc(&utc, ns + 1, 9, &out); /* the same second, kept */
    assert_buffer(&out, "2023-11-14T22:13:20.123456790Z");
    timestamp_print_utc(&utc, ns + 1000000000, 6, &out);
    assert_buffer(&out, "2023-11-14T22:13:21.123456Z");
    timestamp_print_utc(&utc, -1, 9, &out);
    assert_buffer(&out, "1969-12-31T23:59:59.999999999Z");

    setenv("TZ", "XYZ-2", 1);
    tzset();
    timestamp_print_local(&local, ns, 6, false, &out);
    assert_buffer(&out, "00:13:20.123456");
    local.len = 0;
    timestamp_print_local(&local, ns, 9, true, &out);
    assert_buffer(&out, "2023-11-15 00:13:20.123456789");
    timestamp_print_epoch(ns, 6, &out);
    assert_buffer(&out, "1700000000.123456");
    timestamp_print_span(INT64_C(3723000004000), 6, &out);
    assert_buffer(&out, "01:02:03.000004");
    timestamp_print_span(-1000, 9, &out);
    assert_buffer(&out, "-00:00:00.000001000");
}

static void dumps_bytes(void **state)
{
    struct ds_buffer out = {0};
    (void)state;
    hexdump_print((const uint8_t *)"0123456789abcdef\x1b\xff" "A", 19, &out);
    assert_buffer(&out, "\t0x0000:  3031 3233 3435 3637 3839 6162 6364 6566  0123456789abcdef\n"
                        "\t0x0010:  1bff 41                                  ..A\n");
    hexdump_print(NULL, 0, &out);
    assert_int_equal(out.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_for_terminals), cmocka_unit_test(reads_no_byte_too_far),
        cmocka_unit_test(mends_utf8_for_json),   cmocka_unit_test(escapes_for_json),
        cmocka_unit_test(prints_points_in_time), cmocka_unit_test(dumps_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
