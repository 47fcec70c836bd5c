/* test_significance.c - the statistical tests against values computed by hand. */
#include "compare/significance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void assert_near(double value, double wanted, double least)
{
    if (value < wanted - least || value > wanted + least)
        fail_msg("%g is not %g", value, wanted);
}

static int direction;

static double rank(const double *a, unsigned num_a, const double *b, unsigned num_b)
{
    return rank_test(a, num_a, b, num_b, &direction);
}

static void ranks(void **state)
{
    /* n = m = 5, all of a below all of b: U = 0, z = (12.5 - 0.5) / sqrt(25 * 11 / 12) = 2.507 */
    const double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10};
    (void)state;
    assert_near(rank(a, 5, b, 5), 0.01219, 0.0001);
    assert_int_equal(direction, 1);
    assert_near(rank(b, 5, a, 5), rank(a, 5, b, 5), 1e-12); /* two-sided */
    (void)rank(b, 5, a, 5);
    assert_int_equal(direction, -1);
    (void)rank(a, 5, a, 5);
    assert_int_equal(direction, 0);
}

static void ties(void **state)
{
    /* 1 1 2 | 2 3 3: ranks 1.5 1.5 3.5, R = 6.5, U = 0.5; variance 9/12 * (7 - 18/30) = 4.8; z = 3.5 / 2.191 */
    const double a[] = {1, 1, 2}, b[] = {2, 3, 3}, same[] = {4, 4, 4};
    (void)state;
    assert_near(rank(a, 3, b, 3), 0.1101, 0.0005);
    assert_near(rank(same, 3, same, 3), 1, 0);
    assert_near(rank(a, 3, a, 3), 1, 0);
}

/* So few values prove nothing, however far apart they are. */
static void never_more_than_so_few_values_prove(void **state)
{
    const double a[] = {1, 2}, b[] = {1000, 2000};
    (void)state;
    assert_true(rank(a, 2, b, 2) >= 2.0 / 6);
    assert_true(rank_test_can_prove(2, 2, 2.0 / 6 + 1e-9));
    assert_false(rank_test_can_prove(2, 2, 2.0 / 6 - 1e-9));
    assert_false(rank_test_can_prove(0, 32, 0.9));
    assert_near(rank(a, 0, b, 2), 1, 0);
    assert_near(rank(a, 2, b, 0), 1, 0);
}

static void no_more_than_there_is_room_for(void **state)
{
    double many[RANK_MAX];
    (void)state;
    for (int i = 0; i < RANK_MAX; i++)
        many[i] = i;
    assert_true(rank(many, RANK_MAX - 1, many, 1) <= 1);
    assert_near(rank(many, RANK_MAX, many, 1), 1, 0);
}

static void shares(void **state)
{
    (void)state;
    /* the lady tasting tea: 3 of 4 and 1 of 4, and 4 of 4 and none */
    assert_near(share_test(3, 4, 1, 4), 17.0 / 70, 1e-9);
    assert_near(share_test(4, 4, 0, 4), 1.0 / 70, 1e-9);
    assert_near(share_test(0, 4, 4, 4), 1, 1e-9);
    assert_near(share_test(0, 10, 0, 10), 1, 1e-9);
    assert_near(share_test(0, 0, 0, 0), 1, 1e-9);
    assert_true(share_test(500, 100000, 100, 100000) < 1e-9);
    assert_true(share_test(500, 100000, 480, 100000) > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks),
        cmocka_unit_test(ties),
        cmocka_unit_test(never_more_than_so_few_values_prove),
        cmocka_unit_test(no_more_than_there_is_room_for),
        cmocka_unit_test(shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
