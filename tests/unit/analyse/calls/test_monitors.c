/*
 * test_monitors.c - open monitors and links alone: what identifies a link, how many there may be,
 * and which of them end with a connection.
 */
#include "analyse/calls/monitors.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

struct ended {
    unsigned num;
    uint32_t word[8]; /* keys, in the order in which they ended */
    enum monitor_outcome outcome;
    int64_t end_ns;
};

static void note_end(void *context, const struct monitor *monitor, const struct monitor_cause *why)
{
    struct ended *ended = context;
    assert_true(ended->num < 8);
    ended->word[ended->num++] = monitor->key.word[0];
    ended->outcome = why->outcome;
    ended->end_ns = why->end_ns;
}

static void begin(struct monitors *monitors, struct ended *ended, uint64_t max)
{
    *ended = (struct ended){0};
    monitors_init(monitors, max);
    monitors->on_end = note_end;
    monitors->context = ended;
}

static struct ref_key key_of(uint32_t word)
{
    return (struct ref_key){.node = 1, .creation = 2, .word = {word}, .more = 3};
}

/* open_one opens a monitor, on a connection, at a time. */
static struct monitor *open_one(struct monitors *monitors, uint32_t word, uint64_t number, int64_t ts_ns)
{
    const struct ref_key key = key_of(word);
    struct ds_conn conn = {.number = number};
    const struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &conn, .ts_ns = ts_ns};
    return monitors_open(monitors, &key, false, &event);
}

/* A link is the same seen from either end, and another one if any part of a pid differs. */
static void links_are_known_by_both_ends(void **state)
{
    const struct pid_key a = {.node = 1, .creation = 2, .id = 3, .serial = 4};
    const struct pid_key b = {.node = 5, .creation = 6, .id = 7, .serial = 8};
    struct ref_key key, other;
    (void)state;
    monitors_key_link(&a, &b, &key);
    monitors_key_link(&b, &a, &other);
    assert_true(ref_key_equal(&key, &other));
    for (int field = 0; field < 8; field++) {
        struct pid_key ends[2] = {a, b};
        struct pid_key *end = &ends[field / 4];
        uint32_t *const fields[] = {&end->node, &end->creation, &end->id, &end->serial};
        *fields[field % 4] += 100;
        monitors_key_link(&ends[0], &ends[1], &other);
        assert_false(ref_key_equal(&key, &other));
    }
    /* No reference has that many words, so a serial cannot make them equal. */
    monitors_key_link(&a, &(struct pid_key){.node = 5}, &other);
    assert_true((other.more & 7) > DS_IDENTITY_MAX_WORDS);
}

static void is_open_once(void **state)
{
    struct monitors monitors;
    struct ended ended;
    const struct ref_key key = key_of(7);
    (void)state;
    begin(&monitors, &ended, 10);
    assert_null(monitors_find(&monitors, &key));
    struct monitor *m = open_one(&monitors, 7, 1, 100);
    assert_non_null(m);
    assert_ptr_equal(monitors_find(&monitors, &key), m);
    assert_null(open_one(&monitors, 7, 2, 200));
    assert_int_equal(monitors.num_started, 1);
    assert_int_equal(m->conn, 1);
    assert_int_equal(m->start_ns, 100);
    assert_int_equal(ended.num, 0);
    monitors_end(&monitors, m, &(struct monitor_cause){.outcome = MONITOR_UNKNOWN, .end_ns = 300});
    assert_null(monitors_find(&monitors, &key));
    assert_int_equal(ended.num, 1);
    assert_non_null(open_one(&monitors, 7, 2, 400));
    monitors_free(&monitors);
}

static void says_what_was_before(void **state)
{
    struct monitors monitors;
    struct ended ended;
    struct ds_conn conn = {.number = 1};
    (void)state;
    begin(&monitors, &ended, 10);
    for (uint32_t past = 0; past < 2; past++) {
        const struct ref_key key = key_of(past);
        const struct ds_event event = {.conn = &conn, .past = past != 0, .frame = 9, .has_seq = true,
                                       .end_seq = 77};
        const struct monitor *m = monitors_open(&monitors, &key, past != 0, &event);
        assert_non_null(m);
        assert_int_equal(m->began_before, past);
        assert_int_equal(m->is_link, past);
        assert_int_equal(m->start_frame, 9);
        assert_true(m->has_start_seq && m->start_seq == 77);
    }
    monitors_free(&monitors);
}

/* At the cap the oldest is removed, at the time of the event that took its place. */
static void gives_up_the_oldest(void **state)
{
    struct monitors monitors;
    struct ended ended;
    (void)state;
    begin(&monitors, &ended, 2);
    for (uint32_t word = 1; word <= 2; word++)
        assert_non_null(open_one(&monitors, word, word, word));
    assert_int_equal(monitors.num_dropped, 0);
    assert_int_equal(ended.num, 0);
    assert_non_null(open_one(&monitors, 3, 3, 33));
    assert_int_equal(monitors.num_dropped, 1);
    assert_int_equal(ended.num, 1);
    assert_int_equal(ended.word[0], 1);
    assert_int_equal(ended.outcome, MONITOR_UNKNOWN);
    assert_int_equal(ended.end_ns, 33);
    assert_int_equal(monitors.num_started, 3);
    monitors_free(&monitors);
}

/* Monitors and links end with their own connection, and nothing of it is left. */
static void ends_with_its_connection(void **state)
{
    struct monitors monitors;
    struct ended ended;
    const struct monitor_cause why = {.outcome = MONITOR_UNKNOWN, .end_ns = 50};
    (void)state;
    begin(&monitors, &ended, 10);
    for (uint32_t word = 1; word <= 5; word++)
        assert_non_null(open_one(&monitors, word, 1 + word % 2, 1));
    assert_int_equal(monitors.conns.num, 2);
    monitors_end_conn(&monitors, 3, &why);
    assert_int_equal(ended.num, 0);
    monitors_end_conn(&monitors, 2, &why);
    assert_int_equal(ended.num, 3);
    assert_int_equal(monitors.conns.num, 1);
    for (unsigned i = 0; i < ended.num; i++)
        assert_int_equal(ended.word[i] % 2, 1);
    monitors_end_all(&monitors, &why);
    assert_int_equal(ended.num, 5);
    assert_int_equal(monitors.table.num, 0);
    assert_int_equal(monitors.conns.num, 0);
    monitors_free(&monitors);
}

/* Without memory nothing is open, this is counted, and later there is room again. */
static void open_some(void *context)
{
    struct monitors monitors;
    struct ended ended;
    unsigned num = 0;
    (void)context;
    begin(&monitors, &ended, 10);
    for (uint32_t word = 1; word <= 3; word++)
        num += open_one(&monitors, word, word, 1) != NULL;
    assert_int_equal(num + monitors.no_memory, 3);
    assert_int_equal(monitors.no_memory != 0, failing_alloc_failed());
    assert_int_equal(monitors.num_started, num);
    assert_int_equal(monitors.table.num, num);
    monitors_free(&monitors);
}

static void runs_out_of_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(open_some, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_known_by_both_ends), cmocka_unit_test(is_open_once),
        cmocka_unit_test(says_what_was_before),         cmocka_unit_test(gives_up_the_oldest),
        cmocka_unit_test(ends_with_its_connection),     cmocka_unit_test(runs_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
