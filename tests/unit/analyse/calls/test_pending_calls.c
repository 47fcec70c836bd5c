/*
 * test_pending_calls.c - records of calls that wait: how many, how large together, for how long,
 * and in which order they are reported when a cap is reached.
 */
#include "analyse/calls/pending_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t given[8], num_given;

static void take(void *context, const struct record *record)
{
    (void)context;
    if (num_given < sizeof given / sizeof given[0])
        given[num_given] = record->call->number;
    num_given++;
}

static bool add(struct pending_calls *held, uint64_t number, struct ds_term result, int64_t now_ns)
{
    const struct call call = {.number = number, .result = result};
    const struct record record = {.call = &call};
    const struct pid_key caller = {.id = (uint32_t)number};
    return pending_calls_add(held, &record, &caller, HELD_FOR_ANSWER, now_ns) != NULL;
}

static void gives_the_oldest_of_too_many(void **state)
{
    struct pending_calls held;
    (void)state;
    num_given = 0;
    pending_calls_init(&held, take, NULL);
    for (uint64_t number = 1; number <= PENDING_CALLS_MAX; number++)
        assert_true(add(&held, number, (struct ds_term){0}, 0));
    assert_int_equal(num_given, 0);
    for (uint64_t number = 1; number <= 3; number++) {
        assert_true(add(&held, PENDING_CALLS_MAX + number, (struct ds_term){0}, 0));
        assert_int_equal(num_given, number);
        assert_int_equal(given[number - 1], number);
    }
    pending_calls_free(&held);
}

/* Two of them use all of the memory; a third takes the place of the first. */
static void gives_the_oldest_of_too_large_ones(void **state)
{
    struct pending_calls held;
    const size_t len = (size_t)HELD_BLOCK_LEN * 2 / 3;
    uint8_t *bytes = calloc(1, len);
    (void)state;
    assert_non_null(bytes);
    num_given = 0;
    pending_calls_init(&held, take, NULL);
    const struct ds_term large = {.data = bytes, .len = len};
    assert_true(add(&held, 1, large, 0));
    assert_true(add(&held, 2, large, 0));
    assert_int_equal(num_given, 0);
    for (uint64_t number = 1; number <= 3; number++) {
        assert_true(add(&held, 2 + number, large, 0));
        assert_int_equal(num_given, number);
        assert_int_equal(given[number - 1], number);
    }
    pending_calls_free(&held);
    free(bytes);
}

static void gives_what_is_older(void **state)
{
    struct pending_calls held;
    (void)state;
    num_given = 0;
    pending_calls_init(&held, take, NULL);
    assert_true(add(&held, 1, (struct ds_term){0}, 100));
    assert_true(add(&held, 2, (struct ds_term){0}, 101));
    pending_calls_release_old(&held, 100);
    assert_int_equal(num_given, 0);
    pending_calls_release_old(&held, 101);
    assert_int_equal(num_given, 1);
    assert_int_equal(given[0], 1);
    assert_int_equal(held.num_for_answer, 1);
    pending_calls_free(&held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_oldest_of_too_many),
        cmocka_unit_test(gives_the_oldest_of_too_large_ones),
        cmocka_unit_test(gives_what_is_older),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
