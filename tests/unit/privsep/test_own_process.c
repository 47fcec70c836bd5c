/*
 * test_own_process.c - the variant for other systems that keeps memory out of core dumps, tested on
 * this one: only root can raise the limit again. Whether a program can gain rights is left to the
 * system.
 */
#define OWN_PROCESS_BY_LIMIT
#include "privsep/own_process.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void dumps_are_empty(void **state)
{
    struct rlimit limit = {1, 1};
    (void)state;
    assert_true(own_process_hide());
    assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
    assert_int_equal(limit.rlim_cur, 0);
    assert_int_equal(limit.rlim_max, 0);
    assert_true(own_process_gain_nothing());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dumps_are_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
