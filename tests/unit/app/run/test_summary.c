/*
 * test_summary.c - what --strict considers incomplete: each kind of trouble alone.
 */
#include "app/run/summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void each_trouble_counts(void **state)
{
    struct ds_stats stats = {.messages = 7, .retransmitted = 3, .tcp_connections = 1};
    uint64_t *const troubles[] = {&stats.gaps, &stats.faults, &stats.unknown_atoms,
                                  &stats.likely_atoms, &stats.address_atoms, &stats.no_memory};
    (void)state;
    assert_true(summary_is_complete(&stats));
    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
        *troubles[i] = 1;
        assert_false(summary_is_complete(&stats));
        *troubles[i] = 0;
    }
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        stats.limits_hit[i] = 1;
        assert_false(summary_is_complete(&stats));
        stats.limits_hit[i] = 0;
    }
    assert_true(summary_is_complete(&stats));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_trouble_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
