/*
 * test_expansion_budget.c - how much messages may expand: per connection and second.
 */
#include "util/expansion_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MAX = 1000, SIZE = 10, FREE = 16 * SIZE };
#define SECOND INT64_C(1000000000)

static void sixteen_times_are_free(void **state)
{
    struct expansion_budget growth = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(expansion_budget_left(&growth, 5, SIZE, MAX), FREE + MAX);
        expansion_budget_charge(&growth, 5, SIZE, FREE);
    }
    assert_int_equal(growth.used, 0);
}

static void what_is_beyond_is_charged(void **state)
{
    struct expansion_budget growth = {0};
    (void)state;
    expansion_budget_charge(&growth, 7, SIZE, FREE + 1);
    assert_int_equal(expansion_budget_left(&growth, 7, SIZE, MAX), FREE + MAX - 1);
    expansion_budget_charge(&growth, 7 + SECOND - 1, SIZE, FREE + MAX - 1);
    assert_int_equal(expansion_budget_left(&growth, 7 + SECOND - 1, SIZE, MAX), FREE);
    expansion_budget_charge(&growth, 8, SIZE, FREE + 5); /* more than was left: nothing wraps around */
    assert_int_equal(expansion_budget_left(&growth, 8, SIZE, MAX), FREE);
}

static void a_second_later_all_is_there_again(void **state)
{
    struct expansion_budget growth = {0};
    (void)state;
    expansion_budget_charge(&growth, 7, SIZE, FREE + MAX);
    assert_int_equal(expansion_budget_left(&growth, 7 + SECOND - 1, SIZE, MAX), FREE);
    assert_int_equal(expansion_budget_left(&growth, 7 + SECOND, SIZE, MAX), FREE + MAX);
    expansion_budget_charge(&growth, 7 + SECOND, SIZE, FREE + 10);
    assert_int_equal(expansion_budget_left(&growth, 7 + SECOND, SIZE, MAX), FREE + MAX - 10);
}

static void clocks_and_numbers_have_ends(void **state)
{
    struct expansion_budget growth = {.since_ns = INT64_MAX, .used = MAX};
    (void)state;
    assert_int_equal(expansion_budget_left(&growth, INT64_MIN, SIZE, MAX), FREE + MAX); /* set back */
    assert_true(expansion_budget_left(&growth, 0, UINT64_MAX / 2, MAX) == UINT64_MAX);
    growth = (struct expansion_budget){.since_ns = INT64_MIN};
    assert_int_equal(expansion_budget_left(&growth, INT64_MAX, SIZE, MAX), FREE + MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_times_are_free),
        cmocka_unit_test(what_is_beyond_is_charged),
        cmocka_unit_test(a_second_later_all_is_there_again),
        cmocka_unit_test(clocks_and_numbers_have_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
