/* test_duration.c - durations in a suitable unit, rounded. */
#include "core/duration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void assert_text(struct ds_buffer *out, const char *expected)
{
    ds_buffer_add(out, "", 1);
    assert_false(out->failed);
    assert_string_equal(out->data, expected);
    ds_buffer_free(out);
}

static void as_people_say_it(void **state)
{
    static const struct {
        int64_t ns;
        const char *expected;
    } cases[] = {
        {0, "0 ns"}, {999, "999 ns"}, {1000, "1 us"}, {412499, "412 us"}, {412500, "413 us"},
        {1000000, "1.00 ms"}, {1004999, "1.00 ms"}, {9054999, "9.05 ms"}, {9055000, "9.06 ms"},
        {9999999, "10.00 ms"}, {10000000, "10.0 ms"}, {12345678, "12.3 ms"}, {1000000000, "1.00 s"},
        {59994999999, "59.99 s"}, {60000000000, "1.0 min"}, {90000000000, "1.5 min"},
        {-1500, "-2 us"}, {INT64_MIN, "-153722867.3 min"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_buffer out = {0};
        duration_print(cases[i].ns, &out);
        assert_text(&out, cases[i].expected);
    }
}

static void as_clocks_are_compared(void **state)
{
    static const struct {
        uint64_t ns;
        const char *expected;
    } cases[] = {
        {0, "0.0 us"}, {49, "0.0 us"}, {50, "0.1 us"}, {4023, "4.0 us"}, {999949, "999.9 us"},
        {1000000, "1.000 ms"}, {3004500, "3.005 ms"}, {999999499, "999.999 ms"},
        {1000000000, "1.000000 s"}, {5000012499, "5.000012 s"}, {7200000000000, "7200.000000 s"},
        {UINT64_MAX - 1, "18446744073.709552 s"}, {UINT64_MAX, "18446744073.709552 s"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_buffer out = {0};
        duration_print_fine(cases[i].ns, &out);
        assert_text(&out, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_people_say_it),
        cmocka_unit_test(as_clocks_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
