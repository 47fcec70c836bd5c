/*
 * test_rotation.c - names and times of the files of -w. tests/keep compares them with tcpdump's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "keep/rotation.h"

#include <stdlib.h>
#include <string.h>

static void assert_name(const struct rotation *rotation, const char *pattern, const char *expected)
{
    char name[64];
    assert_true(rotation_name(rotation, pattern, name, sizeof name));
    assert_string_equal(name, expected);
}

static void by_size(void **state)
{
    struct rotation r = {.rules = {.size = 100}};
    (void)state;
    assert_name(&r, "f%H", "f%H");
    assert_int_equal(rotation_step(&r, 5, 100), ROTATION_STAY);
    assert_int_equal(rotation_step(&r, 5, 101), ROTATION_NEXT);
    assert_name(&r, "f", "f1");
    r = (struct rotation){.rules = {.size = 100, .files = 101}};
    assert_name(&r, "f", "f000");
    for (int i = 1; i < 101; i++)
        assert_int_equal(rotation_step(&r, 5, 101), ROTATION_NEXT);
    assert_name(&r, "f", "f100");
    assert_int_equal(rotation_step(&r, 5, 101), ROTATION_NEXT);
    assert_name(&r, "f", "f000");
    r.rules.files = 100;
    assert_name(&r, "f", "f00");
    r.rules.files = 1;
    assert_name(&r, "f", "f");
}

static void by_time(void **state)
{
    struct rotation r = {.rules = {.seconds = 10, .files = 2}};
    (void)state;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    rotation_begin(&r, 86400);
    assert_name(&r, "f-%H%M%S", "f-000000");
    assert_int_equal(rotation_step(&r, 86409, 1000), ROTATION_STAY);
    assert_int_equal(rotation_step(&r, 86350, 1000), ROTATION_STAY); /* the clock was set */
    assert_int_equal(rotation_step(&r, 86423, 1000), ROTATION_NEXT);
    assert_name(&r, "f-%H%M%S", "f-000023");
    assert_int_equal(rotation_step(&r, 86432, 1000), ROTATION_STAY);
    assert_int_equal(rotation_step(&r, 86433, 1000), ROTATION_END);
}

/* If the clock is set back by an hour, a file does not last an hour longer. */
static void by_time_that_is_set(void **state)
{
    struct rotation r = {.rules = {.seconds = 10}, .begin = 86400};
    (void)state;
    assert_int_equal(rotation_step(&r, 86405, 1000), ROTATION_STAY);
    assert_int_equal(rotation_step(&r, 82805, 1000), ROTATION_STAY);
    assert_int_equal(rotation_step(&r, 82814, 1000), ROTATION_STAY);
    assert_int_equal(rotation_step(&r, 82815, 1000), ROTATION_NEXT);
}

static void by_both(void **state)
{
    struct rotation r = {.rules = {.size = 100, .seconds = 10, .files = 3}};
    (void)state;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    assert_name(&r, "%S-", "00-0");
    assert_int_equal(rotation_step(&r, 9, 101), ROTATION_NEXT);
    assert_name(&r, "%S-", "00-1");
    assert_int_equal(rotation_step(&r, 10, 101), ROTATION_NEXT);
    assert_name(&r, "%S-", "10-0");
    for (int i = 0; i < 3; i++)
        assert_int_equal(rotation_step(&r, 11, 101), ROTATION_NEXT);
    assert_name(&r, "%S-", "10-0");
}

/* The name has the time at which the file began, however the clock is set since. */
static void by_both_that_is_set(void **state)
{
    struct rotation r = {.rules = {.size = 100, .seconds = 10}};
    (void)state;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    rotation_begin(&r, 86405);
    assert_name(&r, "%H%M%S-", "000005-");
    assert_int_equal(rotation_step(&r, 82800, 101), ROTATION_NEXT);
    assert_name(&r, "%H%M%S-", "000005-1");
}

static void again(void **state)
{
    struct rotation r = {.rules = {.size = 100, .seconds = 10, .files = 3}, .times = 2};
    (void)state;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    assert_name(&r, "%S", "00-20");
    assert_name(&r, "%S.pcap", "00-2.pcap0");
    assert_name(&r, "a.b/%S", "a.b/00-20");
    assert_int_equal(rotation_step(&r, 9, 101), ROTATION_NEXT);
    assert_name(&r, "%S.pcap", "00-2.pcap1");
    assert_int_equal(rotation_step(&r, 10, 101), ROTATION_NEXT);
    assert_name(&r, "%S.pcap", "10.pcap0");
}

static void without_room(void **state)
{
    struct rotation r = {.rules = {.size = 100}, .count = 12345};
    char name[8];
    (void)state;
    assert_true(rotation_name(&r, "ab", name, sizeof name));
    assert_false(rotation_name(&r, "abc", name, sizeof name));
    assert_false(rotation_name(&r, "abcdefgh", name, sizeof name));
    assert_false(rotation_name(&r, "", name, sizeof name));
    r = (struct rotation){.rules = {.seconds = 1}};
    assert_false(rotation_name(&r, "%Y-%m-%d", name, sizeof name));
    assert_false(rotation_name(&r, "%%%%%%%%%%%%%%%%", name, sizeof name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_size),
        cmocka_unit_test(by_time),
        cmocka_unit_test(by_time_that_is_set),
        cmocka_unit_test(by_both),
        cmocka_unit_test(by_both_that_is_set),
        cmocka_unit_test(again),
        cmocka_unit_test(without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
