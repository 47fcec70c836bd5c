/*
 * test_rotation_names.c - names of -G that come again: too soon, or at the end of their cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "failing_alloc.h"
#include "keep/rotation_names.h"

enum { HOUR = 3600, DAY = 24 * HOUR };

static void cycles(void **state)
{
    static const struct {
        const char *pattern;
        int64_t cycle;
    } cases[] = {
        {"f", 0},
        {"%%", 0},
        {"%S", 60},
        {"%M%S", HOUR},
        {"%M", HOUR},
        {"%I:%M", DAY / 2},
        {"%I%p", DAY},
        {"%H%M%S", DAY},
        {"%T", DAY},
        {"%H", DAY},
        {"%a", 7 * DAY},
        {"%u-%H", 7 * DAY},
        {"%d", 28 * DAY},
        {"%d/%H.pcap", 28 * DAY},
        {"%m", 365 * DAY},
        {"%m%d%H", 365 * DAY},
        {"%j", 365 * DAY},
        {"%F", ROTATION_NAMES_NEVER},
        {"%s", ROTATION_NAMES_NEVER},
        {"%y%m%d", ROTATION_NAMES_NEVER},
        {"%c", ROTATION_NAMES_NEVER},
        {"%d%a", ROTATION_NAMES_NEVER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t cycle = rotation_names_cycle(cases[i].pattern);
        if (cycle != cases[i].cycle)
            fail_msg("%s: %lld", cases[i].pattern, (long long)cycle);
    }
}

/* take reserves a name by one clock. */
static uint64_t take(struct rotation_names *names, const char *name, int64_t at)
{
    return rotation_names_use(names, name, at, at);
}

static void within_their_cycle(void **state)
{
    struct rotation_names names;
    (void)state;
    rotation_names_init(&names, "%H", 10);
    assert_int_equal(take(&names, "02", 0), 1);
    assert_int_equal(take(&names, "03", HOUR), 1);
    assert_int_equal(take(&names, "02", HOUR + 1), 2);
    assert_int_equal(take(&names, "02", -HOUR), 3); /* set back */
    assert_int_equal(take(&names, "02", 18 * HOUR - HOUR - 1), 4);
    /* The cycle counts from the last use. */
    assert_int_equal(take(&names, "02", 17 * HOUR - 1 + 18 * HOUR - 1), 5);
    assert_int_equal(take(&names, "02", 35 * HOUR - 2 + 18 * HOUR), 1);
    assert_int_equal(take(&names, "02", 200 * DAY), 1);
    rotation_names_free(&names);

    rotation_names_init(&names, "%F", 10);
    assert_int_equal(take(&names, "1970-01-01", 0), 1);
    assert_int_equal(take(&names, "1970-01-01", INT64_C(1) << 40), 2);
    rotation_names_free(&names);

    rotation_names_init(&names, "same", 10);
    assert_int_equal(take(&names, "same", 0), 1);
    assert_int_equal(take(&names, "same", 1), 1);
    rotation_names_free(&names);
}

/* The clock of the cycle is not that of the name. */
static void by_another_clock(void **state)
{
    struct rotation_names names;
    (void)state;
    rotation_names_init(&names, "%H", 10);
    assert_int_equal(rotation_names_use(&names, "02", 2 * HOUR, 5), 1);
    assert_int_equal(rotation_names_use(&names, "02", DAY + 2 * HOUR, 6), 2);
    assert_int_equal(rotation_names_use(&names, "02", 2 * HOUR, 6 + DAY), 1);
    rotation_names_free(&names);
}

static void forgotten(void **state)
{
    struct rotation_names names;
    (void)state;
    rotation_names_init(&names, "%F%T", 2);
    assert_int_equal(take(&names, "1", 1), 1);
    assert_int_equal(take(&names, "2", 2), 1);
    assert_int_equal(take(&names, "3", 3), 1);
    assert_int_equal(take(&names, "3", 3), 2);
    assert_int_equal(take(&names, "2", 2), 2);
    /* The first name was forgotten: an early one may have been used. */
    assert_int_equal(take(&names, "1", 1), 0);
    assert_int_equal(take(&names, "1", 1), 0);
    assert_int_equal(take(&names, "4", 4), 1);
    rotation_names_free(&names);

    rotation_names_init(&names, "%F%T", 0);
    assert_int_equal(take(&names, "1", 1), 1);
    assert_int_equal(take(&names, "1", 1), 0);
    rotation_names_free(&names);
}

/* Without memory a name counts as forgotten, not as free. */
static void take_twice(void *context)
{
    struct rotation_names names;
    (void)context;
    rotation_names_init(&names, "%F%T", 2);
    assert_int_equal(take(&names, "1", 1), 1);
    const uint64_t second = take(&names, "1", 1);
    assert_true(second == 2 || (second == 0 && failing_alloc_failed()));
    assert_int_equal(take(&names, "2", 2), 1);
    rotation_names_free(&names);
}

static void without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(take_twice, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles),           cmocka_unit_test(within_their_cycle),
        cmocka_unit_test(by_another_clock), cmocka_unit_test(forgotten),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
