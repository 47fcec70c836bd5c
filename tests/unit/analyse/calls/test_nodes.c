/*
 * test_nodes.c - the knowledge about a node ends with the last of its connections, and not before.
 */
#include "analyse/calls/nodes.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ALICE = 1, BOB, CAROL, FEW = 4 };

static const uint32_t both[2] = {ALICE, BOB}, others[2] = {ALICE, CAROL}, one[2] = {0, BOB};

static uint32_t conns_of(const struct nodes *nodes, uint32_t name)
{
    const struct node *node = nodes_find(nodes, name);
    return node != NULL ? node->num_conns : 0;
}

static void connections_are_counted(void **state)
{
    (void)state;
    struct nodes nodes;
    nodes_init(&nodes, 100);
    nodes_conn_up(&nodes, 7, both);
    nodes_conn_up(&nodes, 7, both); /* reported twice */
    assert_int_equal(conns_of(&nodes, ALICE), 1);
    assert_int_equal(conns_of(&nodes, BOB), 1);
    nodes_conn_up(&nodes, 8, others);
    nodes_conn_up(&nodes, UINT64_C(7) << 32 | 7, one); /* the lower half of its number is the same */
    assert_int_equal(conns_of(&nodes, ALICE), 2);
    assert_int_equal(conns_of(&nodes, BOB), 2);
    assert_int_equal(conns_of(&nodes, CAROL), 1);
    nodes_conn_ended(&nodes, 9); /* joined late */
    nodes_conn_ended(&nodes, 7);
    nodes_conn_ended(&nodes, 7);
    assert_int_equal(conns_of(&nodes, ALICE), 1);
    assert_int_equal(conns_of(&nodes, BOB), 1);
    nodes_conn_ended(&nodes, UINT64_C(7) << 32 | 7);
    assert_null(nodes_find(&nodes, BOB));
    nodes_conn_up(&nodes, 7, both); /* the number is free again */
    assert_int_equal(conns_of(&nodes, BOB), 1);
    nodes_conn_ended(&nodes, 7);
    nodes_conn_ended(&nodes, 8);
    assert_null(nodes_find(&nodes, ALICE));
    assert_null(nodes_find(&nodes, CAROL));
    assert_null(nodes_find(&nodes, 0));
    nodes_free(&nodes);
}

static void what_is_known_stays(void **state)
{
    (void)state;
    struct nodes nodes;
    nodes_init(&nodes, 100);
    nodes_conn_up(&nodes, 1, both);
    struct node *alice = nodes_add(&nodes, ALICE), *bob = nodes_add(&nodes, BOB);
    assert_ptr_equal(alice, nodes_find(&nodes, ALICE));
    alice->known = 5;
    bob->num_unresolved = 1;
    nodes_conn_ended(&nodes, 1);
    assert_ptr_equal(nodes_find(&nodes, ALICE), alice);
    assert_ptr_equal(nodes_find(&nodes, BOB), bob);
    alice->known = 0;
    nodes_release(&nodes, alice);
    assert_null(nodes_find(&nodes, ALICE));
    bob->num_unresolved = 0;
    nodes_conn_up(&nodes, 2, one);
    nodes_release(&nodes, bob);
    assert_ptr_equal(nodes_find(&nodes, BOB), bob);
    nodes_conn_ended(&nodes, 2);
    assert_null(nodes_find(&nodes, BOB));
    nodes_free(&nodes);
}

static void come_and_go(void *context)
{
    (void)context;
    struct nodes nodes;
    nodes_init(&nodes, 100);
    nodes_conn_up(&nodes, 1, both);
    nodes_conn_ended(&nodes, 1);
    assert_null(nodes_find(&nodes, ALICE));
    assert_null(nodes_find(&nodes, BOB));
    nodes_free(&nodes);
}

/* At the cap, and without memory, known nodes are still counted. */
static void at_the_cap(void **state)
{
    (void)state;
    struct nodes nodes;
    nodes_init(&nodes, FEW);
    for (uint32_t i = 0; i < FEW; i++)
        nodes_conn_up(&nodes, i, (const uint32_t[2]){10 + i, 0});
    assert_null(nodes_add(&nodes, ALICE));
    nodes_conn_up(&nodes, FEW, (const uint32_t[2]){10, 11});
    assert_int_equal(conns_of(&nodes, 10), 1);
    nodes_conn_ended(&nodes, FEW);
    assert_int_equal(conns_of(&nodes, 10), 1);
    nodes_conn_ended(&nodes, 0);
    nodes_conn_up(&nodes, FEW, (const uint32_t[2]){11, 12});
    assert_int_equal(conns_of(&nodes, 11), 2);
    nodes_free(&nodes);
    failing_alloc_each(come_and_go, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_counted),
        cmocka_unit_test(what_is_known_stays),
        cmocka_unit_test(at_the_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
