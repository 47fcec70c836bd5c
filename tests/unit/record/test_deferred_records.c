/*
 * test_deferred_records.c - records that wait for the first message of their connection, caps, and
 * failing memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "failing_alloc.h"
#include "record/deferred_records.h"

static uint64_t given[64];
static size_t num_given;

static void note(void *context, const struct record *record)
{
    (void)context;
    assert_true(num_given < sizeof given / sizeof given[0]);
    given[num_given++] = record->event->conn->number * 100 + record->event->frame;
}

/* hold offers an event of a connection; its frame identifies it. */
static bool hold(struct deferred_records *held, uint64_t number, uint64_t frame)
{
    const struct ds_conn conn = {.number = number};
    const struct ds_event event = {.type = DS_EVENT_HANDSHAKE, .frame = frame, .conn = &conn};
    return deferred_records_add(held, &(struct record){.event = &event});
}

static bool tell(struct deferred_records *held, uint64_t number, enum ds_epmd_op op, uint16_t port)
{
    const struct ds_conn conn = {.number = number};
    const struct ds_event event = {
        .type = DS_EVENT_EPMD, .conn = &conn, .epmd = {.op = op, .port = port}};
    return deferred_records_add(held, &(struct record){.event = &event});
}

static void release(struct deferred_records *held, uint64_t number, uint16_t port)
{
    const struct ds_conn conn = {.number = number, .end = {{.port = 1}, {.port = port}}};
    num_given = 0;
    deferred_records_release(held, &conn, note, NULL);
}

static void waits_for_a_message(void **state)
{
    struct deferred_records held;
    (void)state;
    deferred_records_init(&held, 10, 1 << 20);
    assert_true(hold(&held, 1, 1));
    assert_true(hold(&held, 2, 1));
    assert_true(hold(&held, 1, 2));
    release(&held, 1, 9);
    assert_int_equal(num_given, 2);
    assert_int_equal(given[0], 101);
    assert_int_equal(given[1], 102);
    assert_false(hold(&held, 1, 3)); /* from now on at once */
    release(&held, 1, 9);
    assert_int_equal(num_given, 0);
    num_given = 0;
    deferred_records_end(&held, 5, note, NULL);
    assert_int_equal(num_given, 1);
    assert_int_equal(given[0], 201);
    assert_int_equal(held.bytes, 0);
    deferred_records_free(&held);
}

static void with_what_led_to_it(void **state)
{
    struct deferred_records held;
    (void)state;
    deferred_records_init(&held, 10, 1 << 20);
    assert_true(tell(&held, 1, DS_EPMD_ALIVE2_REQ, 9));
    assert_true(tell(&held, 2, DS_EPMD_PORT2_RESP, 9));
    assert_true(tell(&held, 3, DS_EPMD_PORT2_RESP, 9)); /* a second request */
    assert_true(tell(&held, 4, DS_EPMD_PORT2_RESP, 8));
    assert_true(hold(&held, 5, 1));
    release(&held, 5, 9);
    assert_int_equal(num_given, 3);
    assert_int_equal(given[0], 100);
    assert_int_equal(given[1], 300);
    assert_int_equal(given[2], 501);
    deferred_records_free(&held);
}

static void within_its_caps(void **state)
{
    struct deferred_records held;
    (void)state;
    deferred_records_init(&held, 2, 1 << 20);
    for (uint64_t number = 1; number <= 3; number++)
        assert_true(hold(&held, number, 1));
    assert_int_equal(held.num_dropped, 1);
    release(&held, 1, 9);
    assert_int_equal(num_given, 0);
    num_given = 0;
    deferred_records_end(&held, 1, note, NULL);
    assert_int_equal(num_given, 1);
    assert_int_equal(given[0], 201);
    deferred_records_free(&held);

    deferred_records_init(&held, 10, 1);
    assert_true(hold(&held, 1, 1));
    assert_int_equal(held.num_dropped, 1);
    deferred_records_free(&held);
}

static void hold_and_release(void *context)
{
    struct deferred_records held;
    (void)context;
    deferred_records_init(&held, 10, 1 << 20);
    hold(&held, 1, 1);
    hold(&held, 1, 2);
    release(&held, 1, 9);
    assert_true(num_given == 2 || failing_alloc_failed());
    deferred_records_free(&held);
}

static void without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(hold_and_release, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_a_message),
        cmocka_unit_test(with_what_led_to_it),
        cmocka_unit_test(within_its_caps),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
