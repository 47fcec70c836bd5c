/*
 * test_record_id.c - ids for the things that a message began: equal from hosts that saw the same,
 * and different if one of them could not read it whole.
 */
#include "send/nats/record_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct call call_of(void)
{
    return (struct call){.number = 7, .conn = 3, .label = "gen:call", .group = "",
                         .caller = {.node = {"a@h", 3}, .has_pid = true, .id = 85, .serial = 1},
                         .callee = {.node = {"b@h", 3}, .name = {"echo", 4}},
                         .has_start_seq = true, .start_seq = 4000, .outcome = CALL_OK};
}

static struct monitor_end monitor_of(void)
{
    return (struct monitor_end){.watcher = {.has_pid = true, .id = 85},
                                .target = {.has_pid = true, .id = 90}, .ref = {1, 2, 3}, .num_ref_words = 3, .has_start_seq = true,
                                .start_seq = 4000, .outcome = MONITOR_EXIT};
}

static const char *id_of_call(const struct call *call, const char *host)
{
    static char ids[4][SEND_MAX_ID + 1];
    static unsigned next;
    char *id = ids[next++ % 4];
    record_id(&(struct record){.call = call}, host, id);
    return id;
}

static const char *id_of_monitor(const struct monitor_end *monitor, const char *host)
{
    static char ids[4][SEND_MAX_ID + 1];
    static unsigned next;
    char *id = ids[next++ % 4];
    record_id(&(struct record){.monitor = monitor}, host, id);
    return id;
}

static bool is_part(const char *id)
{
    const size_t len = strlen(id);
    return len > 5 && strcmp(id + len - 5, ".part") == 0;
}

/* If both hosts read all of it, whatever else they know, it is one record. A part never replaces
 * it, and is equal on all hosts that know a part. */
static void calls(void **state)
{
    (void)state;
    const struct call whole = call_of();
    struct call other = call_of();
    other.conn = 9;
    other.number = 1;
    other.caller.node = (struct ds_text){NULL, 0};
    assert_string_equal(id_of_call(&whole, "h1"), id_of_call(&other, "h2"));
    assert_false(is_part(id_of_call(&whole, "h1")));
    other.is_part = true;
    assert_string_not_equal(id_of_call(&whole, "h1"), id_of_call(&other, "h2"));
    assert_true(is_part(id_of_call(&other, "h2")));
    assert_string_equal(id_of_call(&other, "h2"), id_of_call(&other, "h3"));
    other.is_part = false;
    other.outcome = CALL_UNKNOWN;
    assert_string_not_equal(id_of_call(&whole, "h1"), id_of_call(&other, "h2"));
    other = call_of();
    other.start_seq++;
    assert_string_not_equal(id_of_call(&whole, "h1"), id_of_call(&other, "h1"));
    other.has_start_seq = false; /* no other host sees that time */
    assert_string_not_equal(id_of_call(&other, "h1"), id_of_call(&other, "h2"));
}

static void monitors(void **state)
{
    (void)state;
    const struct monitor_end whole = monitor_of();
    struct monitor_end other = monitor_of();
    other.conn = 5;
    assert_string_equal(id_of_monitor(&whole, "h1"), id_of_monitor(&other, "h2"));
    assert_int_equal(id_of_monitor(&whole, "h1")[0], 'w');
    assert_false(is_part(id_of_monitor(&whole, "h1")));
    other.is_part = true;
    assert_string_not_equal(id_of_monitor(&whole, "h1"), id_of_monitor(&other, "h2"));
    assert_true(is_part(id_of_monitor(&other, "h2")));
    other = monitor_of();
    other.is_link = true;
    assert_int_equal(id_of_monitor(&other, "h1")[0], 'b');
    other = monitor_of();
    other.ref[2]++;
    assert_string_not_equal(id_of_monitor(&whole, "h1"), id_of_monitor(&other, "h1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),
        cmocka_unit_test(monitors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
