/* test_correlate_caps.c - calls and names at their caps, and every allocation failing in turn. */
#include "correlate_world.h"
#include "failing_alloc.h"

#include <distsniff/otp.h>

static struct ds_term string_of(uint16_t len)
{
    uint8_t bytes[1100] = {107, (uint8_t)(len >> 8), (uint8_t)len};
    memset(bytes + 3, 'x', len);
    return etf_raw(bytes, 3 + (size_t)len);
}

static void ask_at_length(struct seen *seen, uint32_t ref, uint16_t len)
{
    ask_as(seen, 0, etf_pid("a@h", 1), etf_pid("b@h", 50), alias_tag("a@h", ref), string_of(len));
}

/* Requests are kept up to a length each, and up to a total size. */
static void kept_requests(void **state)
{
    enum { KEPT = 1000, MANY = 6000 }; /* see start_with; MANY exceeds the cap */
    struct seen seen;
    (void)state;
    etf_reset();
    assert_non_null(start_with(&seen, MANY + 10, 1000));
    ask_at_length(&seen, 1, KEPT - 3);
    answer(&seen, 1);
    assert_true(seen.ended[0].has_request);
    ask_at_length(&seen, 2, KEPT - 2);
    answer(&seen, 2);
    assert_false(seen.ended[1].has_request);

    for (uint32_t round = 0; round < 2; round++) {
        uint32_t num_kept = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            etf_reset();
            ask_at_length(&seen, 10 + i, KEPT - 3);
        }
        for (uint32_t i = 0; i < MANY; i++) {
            etf_reset();
            answer(&seen, 10 + i);
            num_kept += seen.ended[(seen.num_ended - 1) % MAX_ENDED].has_request;
        }
        assert_in_range(num_kept, CALLS_KEPT_MAX / (4 * KEPT), MANY - 1);
    }
    stop(&seen);
}

/* More open calls than allowed: each new one removes the oldest. */
static void more_open_than_allowed(void **state)
{
    enum { CAP = 1000, MORE = 20 }; /* see start */
    struct seen seen;
    (void)state;
    start(&seen);
    for (uint32_t i = 0; i < CAP + MORE; i++) {
        etf_reset();
        ask(&seen, i);
        assert_int_equal(seen.num_ended, i < CAP ? 0 : i + 1 - CAP);
    }
    assert_int_equal(seen.ended[0].number, 1);
    assert_int_equal(seen.ended[MORE - 1].number, MORE);
    struct ds_stats stats = {0};
    correlate_add_stats(seen.correlate, &stats);
    assert_int_equal(stats.limits_hit[DS_LIMIT_CALLS], MORE);
    answer(&seen, CAP + MORE - 1);
    assert_last(&seen, CAP + MORE, CALL_OK);
    answer(&seen, MORE - 1); /* the last one that was removed */
    assert_int_equal(seen.num_ended, MORE + 1);
    answer(&seen, MORE); /* the oldest that was not */
    assert_last(&seen, MORE + 1, CALL_OK);
    stop(&seen);
    assert_int_equal(seen.num_ended, CAP + MORE);
}

/* More nodes than can be remembered: all are forgotten, nothing is mixed up. */
static void too_many_names(void **state)
{
    struct seen seen;
    (void)state;
    etf_reset();
    assert_non_null(start_with(&seen, 100, 40));
    for (uint32_t i = 0; i < 1000; i++) {
        char node[16];
        etf_reset();
        snprintf(node, sizeof node, "n%u@h", i);
        ask_as(&seen, 0, etf_pid(node, 1), etf_atom("echo"), alias_tag(node, 1), etf_atom("x"));
    }
    struct ds_stats stats = {0};
    correlate_add_stats(seen.correlate, &stats);
    assert_true(stats.limits_hit[DS_LIMIT_NAMES] > 10);
    stop(&seen);
    assert_int_equal(seen.num_ended, 1000);
}

/* Calls that were counted before the names were forgotten stay counted. */
static void too_many_names_and_calls(void **state)
{
    struct seen seen;
    uint64_t num_dropped = 0;
    (void)state;
    etf_reset();
    assert_non_null(start_with(&seen, 5, 40));
    for (uint32_t i = 0; i < 1000; i++) {
        struct ds_stats stats = {0};
        char node[16];
        etf_reset();
        snprintf(node, sizeof node, "n%u@h", i);
        ask_as(&seen, 0, etf_pid(node, 1), etf_atom("echo"), alias_tag(node, 1), etf_atom("x"));
        correlate_add_stats(seen.correlate, &stats);
        assert_true(stats.limits_hit[DS_LIMIT_CALLS] >= num_dropped);
        num_dropped = stats.limits_hit[DS_LIMIT_CALLS];
    }
    assert_true(num_dropped > 500);
    stop(&seen);
}

/* Answered calls occupy no room: there are more callers than calls allowed at once. */
static void many_callers(void **state)
{
    enum { MANY = 3000 }; /* three times the cap, see start */
    struct seen seen;
    struct ds_stats stats = {0};
    (void)state;
    start(&seen);
    for (uint32_t i = 0; i < MANY; i++) {
        etf_reset();
        ask_as(&seen, 0, etf_pid("a@h", 100 + i), etf_atom("echo"), alias_tag("a@h", i), etf_atom("x"));
        answer(&seen, i);
    }
    correlate_add_stats(seen.correlate, &stats);
    assert_int_equal(seen.num_ended, MANY);
    assert_int_equal(stats.no_memory, 0);
    stop(&seen);
}

/* One message of each kind, with every allocation failing in turn. */
static void converse(void *context)
{
    struct seen seen;
    (void)context;
    etf_reset();
    if (start_with(&seen, 10, 1000) == NULL) {
        assert_true(failing_alloc_failed());
        return;
    }
    monitor(&seen, 1, etf_atom("echo"));
    ask(&seen, 1);
    answer(&seen, 1);
    demonitor(&seen, 1);
    spawn_request(&seen, 2, "m", "f", etf_nil());
    spawn_reply(&seen, 2, 3, etf_pid("b@h", 61));
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("relay"), alias_tag("a@h", 3), etf_atom("x"));
    ask_as(&seen, 1, etf_pid("b@h", 70), etf_pid("a@h", 80), alias_tag("b@h", 4), etf_atom("y"));
    answer_from(&seen, etf_pid("b@h", 70), 3);
    monitor(&seen, 5, etf_atom("echo"));
    ask(&seen, 5);
    demonitor(&seen, 5);
    answer(&seen, 5);
    stop(&seen);
}

static void memory_runs_out(void **state)
{
    (void)state;
    /* Reading otp.def needs hundreds of allocations: test_pattern tests those. */
    failing_alloc_at(0);
    converse(NULL);
    const unsigned long all = failing_alloc_count();
    failing_alloc_at(0);
    ds_otp_free(ds_otp_new());
    const unsigned long table = failing_alloc_count();
    assert_true(all > table + 10);
    for (unsigned long n = table + 1; n <= all; n++) {
        failing_alloc_at(n);
        converse(NULL);
        failing_alloc_from(n);
        converse(NULL);
    }
    failing_alloc_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_requests),
        cmocka_unit_test(more_open_than_allowed),
        cmocka_unit_test(too_many_names),
        cmocka_unit_test(too_many_names_and_calls),
        cmocka_unit_test(many_callers),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
