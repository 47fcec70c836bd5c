/*
 * test_live_clock.c - the time of a live capture while no packet comes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "capture/live_clock.h"

#define SECOND INT64_C(1000000000)

static void believes_the_wall_clock(void **state)
{
    struct live_clock clock;
    (void)state;
    live_clock_set(&clock, 1000 * SECOND, 5 * SECOND);
    assert_int_equal(live_clock_read(&clock, 1060 * SECOND, 65 * SECOND), 1060 * SECOND);
    /* The packet was delivered late, but by no more than a second. */
    assert_int_equal(live_clock_read(&clock, 1061 * SECOND, 65 * SECOND), 1061 * SECOND);
    assert_int_equal(live_clock_read(&clock, 1061 * SECOND + 1, 65 * SECOND), 1060 * SECOND);
}

static void goes_on_when_the_wall_clock_is_set(void **state)
{
    struct live_clock clock;
    (void)state;
    live_clock_set(&clock, 1000 * SECOND, 5 * SECOND);
    assert_int_equal(live_clock_read(&clock, 4610 * SECOND, 15 * SECOND), 1010 * SECOND);
    assert_int_equal(live_clock_read(&clock, 1 * SECOND, 15 * SECOND), 1010 * SECOND);
    live_clock_set(&clock, 2 * SECOND, 16 * SECOND); /* as the next packet has it */
    assert_int_equal(live_clock_read(&clock, 3 * SECOND, 17 * SECOND), 3 * SECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(believes_the_wall_clock),
        cmocka_unit_test(goes_on_when_the_wall_clock_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
