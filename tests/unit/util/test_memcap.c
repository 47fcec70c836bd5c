/* Held memory: up to the cap, also when two meters share a cap. */
#include "util/memcap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void takes_up_to_the_cap(void **state)
{
    struct memcap m = {.max = 100};
    (void)state;
    assert_true(memcap_reserve(&m, 60));
    assert_false(memcap_reserve(&m, 41));
    assert_false(memcap_reserve(&m, UINT64_MAX));
    assert_true(memcap_reserve(&m, 40));
    assert_int_equal(m.hits, 2);
    memcap_release(&m, 100);
    assert_true(memcap_fits(&m, 100));
}

static void counts_what_is_beside(void **state)
{
    struct memcap first = {.max = 100}, m = {.max = 200, .beside = &first};
    (void)state;
    assert_true(memcap_reserve(&m, 150));
    assert_true(memcap_reserve(&first, 100)); /* it does not count the other one */
    assert_false(memcap_reserve(&m, 1));
    memcap_release(&m, 50);
    assert_false(memcap_reserve(&m, 1));
    assert_true(memcap_fits(&m, 0));
    memcap_release(&first, 50);
    assert_true(memcap_reserve(&m, 50));
    assert_false(memcap_reserve(&m, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_up_to_the_cap),
        cmocka_unit_test(counts_what_is_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
