/*
 * test_stop_condition.c - when a run ends, and the reason it gives; the test sets the clock.
 */
#include "core/stop_condition.h"
#include "failing_alloc.h"
#include "select/rate_limit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)
#define START (INT64_C(1769904000) * SECOND)

static void assert_said(const struct stop_condition *ending, const char *line)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    stop_condition_print(ending, out);
    fclose(out);
    assert_string_equal(text, line);
    free(text);
}

static void goes_on_without_limits(void **state)
{
    const struct stop_config options = {.max_seconds = 0};
    struct stop_condition ending;
    (void)state;
    stop_condition_init(&ending, &options, true);
    stop_condition_begin(&ending, START);
    assert_true(stop_condition_accepts(&ending, START + 1000000 * SECOND));
    assert_true(stop_condition_accepts(&ending, 0)); /* the clock was set */
    stop_condition_count(&ending, UINT64_MAX);
    stop_condition_file(&ending, UINT64_MAX);
    stop_condition_clock(&ending, INT64_MAX, INT64_MAX);
    assert_int_equal(ending.reason, STOP_NONE);
    assert_true(ending.since_ns == INT64_MIN);
}

static void ends_files_by_their_time(void **state)
{
    const struct stop_config options = {.max_seconds = 1.5};
    struct stop_condition ending;
    (void)state;
    stop_condition_init(&ending, &options, false);
    stop_condition_begin(&ending, START);
    assert_true(stop_condition_accepts(&ending, START + SECOND * 3 / 2));
    assert_false(stop_condition_accepts(&ending, START + SECOND * 3 / 2 + 1));
    assert_int_equal(ending.reason, STOP_DURATION);
    assert_said(&ending, "stopped: 1.5 s elapsed (-a duration)\n");
    const struct stop_config weeks = {.max_seconds = 2419200.5};
    stop_condition_init(&ending, &weeks, false);
    stop_condition_set(&ending, STOP_DURATION);
    assert_said(&ending, "stopped: 2419200.5 s elapsed (-a duration)\n");
}

static void ends_live_by_the_clock(void **state)
{
    struct stop_config options = {.max_seconds = 2, .until_text = "+9s"};
    struct stop_condition ending;
    (void)state;
    stop_condition_init(&ending, &options, true);
    stop_condition_begin(&ending, START);
    assert_true(stop_condition_accepts(&ending, START + 100 * SECOND)); /* not by the time of packets */
    stop_condition_clock(&ending, 2 * SECOND - 1, START);
    assert_int_equal(ending.reason, STOP_NONE);
    stop_condition_clock(&ending, 2 * SECOND, START);
    assert_int_equal(ending.reason, STOP_DURATION);

    assert_true(time_point_parse("+9s", &options.until));
    options.max_seconds = 0;
    stop_condition_init(&ending, &options, true);
    stop_condition_begin(&ending, START);
    stop_condition_clock(&ending, 9 * SECOND, START + 100 * SECOND); /* the clock was set */
    assert_true(stop_condition_accepts(&ending, START + 100 * SECOND));
    assert_int_equal(ending.reason, STOP_NONE);
    stop_condition_clock(&ending, 9 * SECOND + 1, START - 100 * SECOND);
    assert_int_equal(ending.reason, STOP_UNTIL);
    assert_said(&ending, "stopped: it is past +9s (--until)\n");
}

static void begins_live_by_the_clock_that_is_never_set(void **state)
{
    struct stop_config options = {.max_seconds = 0};
    struct stop_condition ending;
    (void)state;
    assert_true(time_point_parse("+9s", &options.since));
    stop_condition_init(&ending, &options, true);
    stop_condition_begin(&ending, START);
    assert_int_equal(ending.since_ns, START + 9 * SECOND);
    stop_condition_clock(&ending, SECOND, START + SECOND);
    assert_int_equal(ending.since_ns, START + 9 * SECOND);
    stop_condition_clock(&ending, 2 * SECOND, START + 3602 * SECOND); /* set by an hour */
    assert_int_equal(ending.since_ns, START + 3609 * SECOND);
    stop_condition_clock(&ending, 9 * SECOND, START - 3591 * SECOND); /* and back by two */
    assert_int_equal(ending.since_ns, START - 3591 * SECOND);
    stop_condition_clock(&ending, 10 * SECOND, START - 3590 * SECOND);
    assert_int_equal(ending.since_ns, INT64_MIN);
    /* A point in time does not move. */
    assert_true(time_point_parse("1000", &options.since));
    stop_condition_init(&ending, &options, true);
    stop_condition_begin(&ending, 5);
    stop_condition_clock(&ending, SECOND, START);
    assert_int_equal(ending.since_ns, 1000 * SECOND);
}

static void shows_what_is_behind_a_context(void **state)
{
    struct stop_config options = {0};
    struct stop_condition ending;
    (void)state;
    stop_condition_init(&ending, &options, false);
    stop_condition_show_from(&ending, START + 5 * SECOND);
    stop_condition_begin(&ending, START);
    assert_int_equal(ending.since_ns, START + 5 * SECOND);
    assert_true(time_point_parse("+3s", &options.since)); /* after the first packet that is shown */
    stop_condition_begin(&ending, START);
    assert_int_equal(ending.since_ns, START + 8 * SECOND);
    assert_true(time_point_parse("1000", &options.since));
    stop_condition_begin(&ending, START);
    assert_int_equal(ending.since_ns, START + 5 * SECOND);
    options.max_seconds = 2;
    stop_condition_begin(&ending, START);
    assert_true(stop_condition_accepts(&ending, START + 7 * SECOND));
    assert_false(stop_condition_accepts(&ending, START + 7 * SECOND + 1));
}

static void takes_what_is_between(void **state)
{
    struct stop_config options = {.until_text = "x"};
    struct stop_condition ending;
    (void)state;
    assert_true(time_point_parse("+3s", &options.since));
    assert_true(time_point_parse("+4s", &options.until));
    stop_condition_init(&ending, &options, false);
    stop_condition_begin(&ending, START);
    assert_int_equal(ending.since_ns, START + 3 * SECOND);
    assert_true(stop_condition_accepts(&ending, START)); /* it is decoded, though it is not shown */
    assert_true(stop_condition_accepts(&ending, START + 4 * SECOND));
    assert_int_equal(ending.reason, STOP_NONE);
    assert_false(stop_condition_accepts(&ending, START + 4 * SECOND + 1));
    assert_int_equal(ending.reason, STOP_UNTIL);

    /* Over midnight: until is after since. */
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    assert_true(time_point_parse("22:00:00", &options.since));
    assert_true(time_point_parse("01:00:00", &options.until));
    stop_condition_init(&ending, &options, false);
    stop_condition_begin(&ending, START);
    assert_int_equal(ending.since_ns, START + 22 * 3600 * SECOND);
    assert_int_equal(ending.until_ns, START + 25 * 3600 * SECOND);
}

static void begin_at(struct stop_condition *ending, struct stop_config *config, const char *since,
                     const char *until, int64_t start_ns)
{
    *config = (struct stop_config){.since_text = since, .until_text = until};
    assert_true(since == NULL || time_point_parse(since, &config->since));
    assert_true(until == NULL || time_point_parse(until, &config->until));
    stop_condition_init(ending, config, false);
    stop_condition_begin(ending, start_ns);
}

/* Times of day are on the capture's day, which may begin shortly before midnight. */
static void chooses_the_day_of_the_capture(void **state)
{
    const int64_t hour = 3600 * SECOND, day = 24 * hour;
    struct stop_config config;
    struct stop_condition ending;
    (void)state;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    begin_at(&ending, &config, "09:00", NULL, START + 10 * hour); /* the whole capture */
    assert_int_equal(ending.since_ns, START + 9 * hour);
    begin_at(&ending, &config, "11:00", NULL, START + 23 * hour); /* twelve hours before: not the next day's */
    assert_int_equal(ending.since_ns, START + 11 * hour);
    begin_at(&ending, &config, "10:59", NULL, START + 23 * hour);
    assert_int_equal(ending.since_ns, START + 11 * hour - 60 * SECOND + day);
    begin_at(&ending, &config, "09:00", "11:00", START + 10 * hour);
    assert_int_equal(ending.since_ns, START + 9 * hour);
    assert_int_equal(ending.until_ns, START + 11 * hour);
    begin_at(&ending, &config, "10:00", "10:05", START + 14 * hour);
    assert_int_equal(ending.since_ns, START + 10 * hour + day);
    assert_int_equal(ending.until_ns, START + 10 * hour + 300 * SECOND + day);
}

static bool is_missed(const struct stop_condition *ending, int64_t first_ns, int64_t last_ns, const char *said)
{
    const struct stop_range range = {first_ns, last_ns};
    char line[256];
    if (!stop_condition_missed(ending, &range, line, sizeof line))
        return false;
    assert_string_equal(line, said);
    return true;
}

static void says_what_lies_beside_the_capture(void **state)
{
    struct stop_config config;
    struct stop_condition ending;
    (void)state;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    begin_at(&ending, &config, "+9s", NULL, START);
    stop_condition_set(&ending, STOP_INPUT);
    assert_false(is_missed(&ending, START, START + 9 * SECOND, ""));
    assert_true(is_missed(&ending, START, START + 9 * SECOND - 1,
                          "--since +9s is after the last packet: the capture goes from 2026-02-01 00:00:00 to "
                          "2026-02-01 00:00:08 (local time)"));
    assert_false(is_missed(&ending, 1, 0, "")); /* there are no packets */
    assert_int_equal(stop_condition_end_ns(&ending), INT64_MIN);
    begin_at(&ending, &config, "+9s", NULL, START);
    stop_condition_set(&ending, STOP_SIGNAL); /* the rest was not read */
    assert_false(is_missed(&ending, START, START, ""));
    begin_at(&ending, &config, NULL, "7", START);
    assert_false(stop_condition_accepts(&ending, START));
    assert_true(is_missed(&ending, START, START,
                          "--until 7 is before the first packet, which came at 2026-02-01 00:00:00 (local time)"));
    assert_int_equal(stop_condition_end_ns(&ending), 7 * SECOND);
    ending.is_live = true;
    assert_false(is_missed(&ending, START, START, ""));
}

static void counts(void **state)
{
    const struct stop_config options = {
        .max_packets = 7, .max_messages = 3, .max_file_kb = 2, .max_files = 5};
    struct stop_condition ending;
    (void)state;
    stop_condition_init(&ending, &options, false);
    stop_condition_count(&ending, 6);
    stop_condition_file(&ending, 1999);
    assert_int_equal(ending.reason, STOP_NONE);
    stop_condition_count(&ending, 7);
    assert_int_equal(ending.reason, STOP_PACKETS);
    assert_said(&ending, "stopped: 7 packets read (--packets)\n");
    stop_condition_file(&ending, 2000); /* the first reason counts */
    assert_int_equal(ending.reason, STOP_PACKETS);
    stop_condition_init(&ending, &options, false);
    stop_condition_file(&ending, 2000);
    assert_said(&ending, "stopped: 2 kB written (-a filesize)\n");
    stop_condition_init(&ending, &options, false);
    stop_condition_set(&ending, STOP_FILES);
    assert_said(&ending, "stopped: 5 files written (-a files)\n");
    stop_condition_init(&ending, &options, false);
    stop_condition_set(&ending, STOP_COUNT);
    assert_said(&ending, "stopped: 3 messages shown (-c)\n");
}

static void names_signals(void **state)
{
    const struct stop_config options = {.max_seconds = 0};
    struct stop_condition ending;
    (void)state;
    stop_condition_init(&ending, &options, true);
    ending.signal = SIGTERM;
    stop_condition_set(&ending, STOP_SIGNAL);
    assert_said(&ending, "stopped: SIGTERM\n");
}

static void fuse_blows_at_one_too_many(void **state)
{
    struct rate_limit limit;
    const struct rate rate = {3, SECOND};
    (void)state;
    assert_true(rate_limit_init(&limit, &rate));
    for (int i = 0; i < 1000; i++) /* three in any second are allowed */
        assert_false(rate_limit_exceeded(&limit, START + i * (SECOND / 3 + 1)));
    rate_limit_free(&limit);

    assert_true(rate_limit_init(&limit, &rate));
    for (int i = 0; i < 3; i++)
        assert_false(rate_limit_exceeded(&limit, START));
    assert_false(
        rate_limit_exceeded(&limit, START + SECOND)); /* the interval does not include both its ends */
    rate_limit_free(&limit);

    assert_true(rate_limit_init(&limit, &rate));
    for (int i = 0; i < 3; i++)
        assert_false(rate_limit_exceeded(&limit, START + i));
    assert_true(rate_limit_exceeded(&limit, START + SECOND - 1));
    rate_limit_free(&limit);
}

/* Before anything has come, nothing is counted, even in 1970. A step back that is no longer than
 * the interval is disorder, not another clock. */
static void fuse_counts_what_has_come(void **state)
{
    struct rate_limit limit;
    const struct rate rate = {3, SECOND}, two = {2, SECOND};
    (void)state;
    assert_true(rate_limit_init(&limit, &rate));
    for (int i = 0; i < 3; i++)
        assert_false(rate_limit_exceeded(&limit, i));
    assert_true(rate_limit_exceeded(&limit, 3));
    rate_limit_free(&limit);

    assert_true(rate_limit_init(&limit, &two));
    assert_false(rate_limit_exceeded(&limit, START - 10 * SECOND));
    assert_false(rate_limit_exceeded(&limit, START));
    assert_false(rate_limit_exceeded(&limit, START - SECOND));
    assert_true(rate_limit_exceeded(&limit, START + SECOND / 2));
    rate_limit_free(&limit);

    assert_true(rate_limit_init(&limit, &two)); /* the clock may be set back at once */
    assert_false(rate_limit_exceeded(&limit, START));
    assert_false(rate_limit_exceeded(&limit, START - 3600 * SECOND));
    assert_false(rate_limit_exceeded(&limit, START - 3598 * SECOND));
    rate_limit_free(&limit);
}

/* A clock that jumps between the ends of its range: counting goes on until there is no later time. */
static void fuse_at_the_ends_of_time(void **state)
{
    const int64_t far = INT64_MAX / 2;
    struct rate_limit limit;
    const struct rate rate = {2, SECOND};
    (void)state;
    for (int first = -1; first <= 1; first += 2) {
        assert_true(rate_limit_init(&limit, &rate));
        for (int i = 0, sign = first; i < 12; i++, sign = -sign) {
            const bool blows = rate_limit_exceeded(&limit, sign * far);
            assert_false(blows && i < 3);
            assert_in_range(limit.ahead_ns, 0, INT64_MAX);
        }
        assert_int_equal(limit.last_ns, INT64_MAX);
        rate_limit_free(&limit);
    }
}

/* A clock that is set back does not increase the rate of messages. */
static void fuse_survives_a_clock_set_back(void **state)
{
    struct rate_limit limit;
    const struct rate rate = {.max = 4, .within_ns = SECOND};
    (void)state;
    assert_true(rate_limit_init(&limit, &rate));
    for (int i = 0; i < 40; i++)
        assert_false(
            rate_limit_exceeded(&limit, START + i * SECOND / 2 - (i / 10) * 3600 * SECOND));
    for (int i = 0; i < 2; i++)
        assert_false(rate_limit_exceeded(&limit, START - 18000 * SECOND));
    assert_true(rate_limit_exceeded(&limit, START - 18000 * SECOND));
    rate_limit_free(&limit);
}

static void no_fuse_never_blows(void **state)
{
    struct rate_limit limit;
    const struct rate none = {0, SECOND};
    (void)state;
    assert_true(rate_limit_init(&limit, &none));
    for (int i = 0; i < 100000; i++)
        assert_false(rate_limit_exceeded(&limit, START));
    rate_limit_free(&limit);
}

static void fuse_says_that_memory_ran_out(void **state)
{
    struct rate_limit limit;
    const struct rate rate = {3, SECOND};
    (void)state;
    failing_alloc_at(1);
    assert_false(rate_limit_init(&limit, &rate));
    failing_alloc_at(0);
    rate_limit_free(&limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_without_limits),
        cmocka_unit_test(ends_files_by_their_time),
        cmocka_unit_test(ends_live_by_the_clock),
        cmocka_unit_test(begins_live_by_the_clock_that_is_never_set),
        cmocka_unit_test(shows_what_is_behind_a_context),
        cmocka_unit_test(takes_what_is_between),
        cmocka_unit_test(chooses_the_day_of_the_capture),
        cmocka_unit_test(says_what_lies_beside_the_capture),
        cmocka_unit_test(counts),
        cmocka_unit_test(names_signals),
        cmocka_unit_test(fuse_blows_at_one_too_many),
        cmocka_unit_test(fuse_counts_what_has_come),
        cmocka_unit_test(fuse_survives_a_clock_set_back),
        cmocka_unit_test(fuse_at_the_ends_of_time),
        cmocka_unit_test(no_fuse_never_blows),
        cmocka_unit_test(fuse_says_that_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
