/*
 * test_time_point.c - points in time, durations and sizes as users write them.
 */
#include "core/time_point.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static void set_zone(const char *zone)
{
    assert_int_equal(setenv("TZ", zone, 1), 0);
    tzset();
}

static int64_t resolve(const char *text, int64_t start_ns, int64_t not_before_ns)
{
    struct time_point moment;
    if (!time_point_parse(text, &moment))
        fail_msg("refused: %s", text);
    return time_point_resolve(&moment, start_ns, not_before_ns);
}

static void reads_moments(void **state)
{
    (void)state;
    set_zone("UTC");
    assert_int_equal(resolve("1970-01-01T00:00:01Z", 0, 0), SECOND);
    assert_int_equal(resolve("2026-01-31T23:59:59.5Z", 0, 0), INT64_C(1769903999500000000));
    assert_int_equal(resolve("2026-01-31T23:59:59.123456789z", 0, 0),
                     INT64_C(1769903999123456789));
    assert_int_equal(resolve("2026-02-01T00:59:59+01:00", 0, 0), INT64_C(1769903999000000000));
    assert_int_equal(resolve("2026-01-31 18:29:59-05:30", 0, 0), INT64_C(1769903999000000000));
    assert_int_equal(resolve("1769903999.25", 0, 0), INT64_C(1769903999250000000));
    assert_int_equal(resolve("0", 5, 5), 0);
    assert_int_equal(resolve("2028-02-29T00:00:00Z", 0, 0), INT64_C(1835395200) * SECOND);
    assert_int_equal(resolve("2026-01-31 18:29-05:30", 0, 0), INT64_C(1769903940000000000));
    assert_int_equal(resolve("+10s", 7, 0), 10 * SECOND + 7);
    assert_int_equal(resolve("+1.5h", 0, 0), 5400 * SECOND);
    assert_int_equal(resolve("+90", 0, 0), 90 * SECOND);
    assert_int_equal(resolve("+250ms", 0, 0), SECOND / 4);
    assert_int_equal(resolve("+200000h", INT64_MAX - 1, 0), INT64_MAX);
}

static void takes_times_of_day_from_the_day_of_the_start(void **state)
{
    const int64_t midnight = INT64_C(1769904000) * SECOND; /* 2026-02-01T00:00:00Z */
    (void)state;
    set_zone("UTC");
    assert_int_equal(resolve("01:02:03.5", midnight + 9 * SECOND, 0),
                     midnight + 3723 * SECOND + SECOND / 2);
    assert_int_equal(resolve("01:02", midnight + 9 * SECOND, 0), midnight + 3720 * SECOND);
    /* A past time of day stays past; it is tomorrow's only if it must not be past. */
    assert_int_equal(resolve("01:00:00", midnight + 7200 * SECOND, INT64_MIN),
                     midnight + 3600 * SECOND);
    assert_int_equal(resolve("01:00:00", midnight + 7200 * SECOND, midnight + 7200 * SECOND),
                     midnight + (3600 + 86400) * SECOND);
    set_zone("<+02>-2");
    assert_int_equal(resolve("02:00:00", midnight, INT64_MIN), midnight);
    assert_int_equal(resolve("2026-02-01 02:00:00", 0, 0), midnight);
    set_zone("Europe/Berlin"); /* the night of 2026-03-29 has no 02:30 */
    assert_true(resolve("04:00:00", INT64_C(1774738800) * SECOND, INT64_MIN) >
                INT64_C(1774738800) * SECOND);
    set_zone("UTC");
}

static void finds_the_last_time_of_a_day(void **state)
{
    const int64_t midnight = INT64_C(1769904000) * SECOND; /* 2026-02-01T00:00:00Z */
    struct time_point at;
    char text[32];
    (void)state;
    set_zone("UTC");
    assert_true(time_point_parse("00:10", &at));
    assert_int_equal(time_point_last(&at, midnight + 600 * SECOND), midnight + 600 * SECOND);
    assert_int_equal(time_point_last(&at, midnight + 600 * SECOND - 1), midnight + (600 - 86400) * SECOND);
    time_point_format(midnight - 1, text, sizeof text);
    assert_string_equal(text, "2026-01-31 23:59:59");
    set_zone("<+02>-2");
    time_point_format(midnight, text, sizeof text);
    assert_string_equal(text, "2026-02-01 02:00:00");
    set_zone("UTC");
}

static void refuses_what_is_no_moment(void **state)
{
    static const char *const texts[] = {
        "", "+", "-10s", "yesterday", "+10parsec", "+-1s", "10s", "1:00:00", "1:00", "01:0", "01:", "01:00:", "24:00", "24:00:00",
        "01:60:00", "01:00:00Z", "2026-01-31", "2026-01-31T", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-02-30T00:00:00Z", "2026-02-29T12:00:00", "2026-04-31T00:00:00Z",
        "2026-01-01T00:00:00+1", "2026-01-01T00:00:00Zx", "1969-01-01T00:00:00Z",
        "2262-01-01T00:00:00Z", "99999999999999999999", "9300000000", "12.", "1.5.5", "0x10",
        "+99999999999h",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct time_point moment;
        if (time_point_parse(texts[i], &moment))
            fail_msg("accepted: %s", texts[i]);
    }
}

static void reads_units(void **state)
{
    int64_t value;
    (void)state;
    assert_true(units_parse(QUANTITY_SIZE, "1.5KiB", 0, &value));
    assert_int_equal(value, 1536);
    assert_true(units_parse(QUANTITY_SIZE, "7", 1000, &value));
    assert_int_equal(value, 7000);
    assert_true(units_parse(QUANTITY_DURATION, "0.0000015s", 0, &value));
    assert_int_equal(value, 1000); /* six digits are read */
    assert_true(units_parse(QUANTITY_DURATION, "9223372036854775807ns", 0, &value));
    assert_int_equal(value, INT64_MAX);
    assert_false(units_parse(QUANTITY_DURATION, "9223372036854775808ns", 0, &value));
    assert_false(units_parse(QUANTITY_DURATION, "9223372036854775807.9us", 0, &value));
    assert_false(units_parse(QUANTITY_DURATION, "7", 0, &value));
    assert_false(units_parse(QUANTITY_DURATION, "7KB", 0, &value));
    assert_false(units_parse(QUANTITY_SIZE, "7s", 0, &value));
    assert_false(units_parse(QUANTITY_SIZE, ".5KB", 0, &value));
    assert_false(units_parse(QUANTITY_SIZE, "1.KB", 0, &value));
    assert_false(units_parse(QUANTITY_SIZE, "1 KB", 0, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_moments),
        cmocka_unit_test(takes_times_of_day_from_the_day_of_the_start),
        cmocka_unit_test(finds_the_last_time_of_a_day),
        cmocka_unit_test(refuses_what_is_no_moment),
        cmocka_unit_test(reads_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
