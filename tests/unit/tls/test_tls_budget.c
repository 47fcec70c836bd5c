/*
 * test_tls_budget.c - how much may be tried to find keys: in a second, by each connection, and per
 * received byte; to the last byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tls/tls_conn.h"

#define OF_A_SECOND ((size_t)256 << 20)
#define OF_ALL (INT64_C(4) << 30)
#define LEAST ((size_t)(TLS_KEY_COST + TLS_SMALL_RECORD + TLS_RECORD_COST))

enum { A_BYTE = 2048, MOST_SHARES = 256, MANY = 300 };

/* take_in_turn: each connection in the array asks once, and spends nothing. */
static void take_in_turn(struct tls *tls, size_t num, struct tls_stage *stage)
{
    for (size_t i = 0; i < num; i++) {
        tls[i].stage = stage;
        assert_true(tls_budget_spend(&tls[i], 0));
    }
}

static void a_second_has_so_much(void **state)
{
    struct tls_stage stage = {.now_ns = 1000 * TLS_SECOND_NS};
    struct tls tls = {.stage = &stage};
    (void)state;
    assert_false(tls_budget_spend(&tls, OF_A_SECOND + 1));
    assert_true(tls_budget_spend(&tls, 1)); /* a refused request has cost nothing */
    assert_false(tls_budget_spend(&tls, OF_A_SECOND));
    assert_true(tls_budget_spend(&tls, OF_A_SECOND - 1));
    assert_false(tls_budget_spend(&tls, 1));
    stage.now_ns += TLS_SECOND_NS - 1;
    assert_false(tls_budget_spend(&tls, 1));
    stage.now_ns++;
    assert_true(tls_budget_spend(&tls, OF_A_SECOND));
    stage.now_ns--; /* a clock that goes back */
    assert_true(tls_budget_spend(&tls, OF_A_SECOND));
}

static void connections_have_equal_shares(void **state)
{
    struct tls_stage stage = {.now_ns = 1000 * TLS_SECOND_NS};
    struct tls tls[MANY] = {0};
    (void)state;
    take_in_turn(tls, 3, &stage);
    stage.now_ns += TLS_SECOND_NS;
    for (size_t i = 0; i < 3; i++) {
        assert_false(tls_budget_spend(&tls[i], OF_A_SECOND / 3 + 1));
        assert_true(tls_budget_spend(&tls[i], OF_A_SECOND / 3));
        assert_false(tls_budget_spend(&tls[i], 1));
    }
    tls[3].stage = &stage; /* a new connection gets a share of the rest, too */
    assert_false(tls_budget_spend(&tls[3], 2));
    assert_true(tls_budget_spend(&tls[3], OF_A_SECOND % 3));
    stage.now_ns += TLS_SECOND_NS;
    assert_true(tls_budget_spend(&tls[0], OF_A_SECOND / 4));
    assert_false(tls_budget_spend(&tls[0], 1));
    stage.now_ns += TLS_SECOND_NS; /* no other connection has asked */
    assert_true(tls_budget_spend(&tls[0], OF_A_SECOND));
}

static void a_share_is_not_too_small(void **state)
{
    struct tls_stage stage = {.now_ns = 1000 * TLS_SECOND_NS};
    struct tls tls[MANY] = {0};
    (void)state;
    take_in_turn(tls, MOST_SHARES - 1, &stage);
    stage.now_ns += TLS_SECOND_NS;
    take_in_turn(tls, MANY, &stage);
    assert_true(tls_budget_spend(&tls[0], OF_A_SECOND / (MOST_SHARES - 1)));
    assert_false(tls_budget_spend(&tls[0], 1));
    stage.now_ns += TLS_SECOND_NS;
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(tls_budget_spend(&tls[i], OF_A_SECOND / MOST_SHARES), i < MOST_SHARES);
}

static void it_is_spent_where_no_key_can_be_tried(void **state)
{
    struct tls_stage stage = {.now_ns = 1000 * TLS_SECOND_NS};
    struct tls tls[2] = {0};
    (void)state;
    take_in_turn(tls, 2, &stage);
    assert_true(tls_budget_spend(&tls[0], OF_A_SECOND - LEAST));
    assert_false(tls_budget_is_spent(&tls[0]));
    assert_true(tls_budget_spend(&tls[0], 1));
    assert_true(tls_budget_is_spent(&tls[0]));
    assert_true(tls_budget_is_spent(&tls[1])); /* the second's budget is spent, though not its share */
    stage.now_ns += TLS_SECOND_NS;
    assert_false(tls_budget_is_spent(&tls[0]));
    assert_true(tls_budget_spend(&tls[0], OF_A_SECOND / 2 - LEAST + 1));
    assert_true(tls_budget_is_spent(&tls[0])); /* its share is spent, though not the second's budget */
    assert_false(tls_budget_is_spent(&tls[1]));
}

/* Seconds that a file claims allow no more than its bytes do. */
static void bytes_are_worth_so_much(void **state)
{
    struct tls_stage stage = {.now_ns = 1000 * TLS_SECOND_NS};
    struct tls tls = {.stage = &stage};
    (void)state;
    for (int64_t taken = 0; taken < OF_ALL; taken += (int64_t)OF_A_SECOND) {
        assert_true(tls_budget_spend(&tls, OF_A_SECOND));
        stage.now_ns += TLS_SECOND_NS;
    }
    assert_true(tls_budget_spend(&tls, 1)); /* spending exactly the budget is allowed */
    assert_false(tls_budget_spend(&tls, 0));
    assert_true(tls_budget_is_spent(&tls));
    assert_false(tls_budget_spend_all(&stage, 0));
    tls_budget_allow(&stage, 1);
    assert_true(tls_budget_spend_all(&stage, A_BYTE - 1));
    assert_true(tls_budget_spend_all(&stage, 1));
    assert_false(tls_budget_spend_all(&stage, 1));
    assert_false(tls_budget_spend(&tls, 0));
    tls_budget_allow(&stage, (size_t)1 << 30); /* an unused budget is not saved */
    assert_int_equal(stage.spent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_has_so_much),
        cmocka_unit_test(connections_have_equal_shares),
        cmocka_unit_test(a_share_is_not_too_small),
        cmocka_unit_test(it_is_spent_where_no_key_can_be_tried),
        cmocka_unit_test(bytes_are_worth_so_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
