/*
 * test_keylog.c - the lines of a key log: which are taken, counted as odd, repeated, of no use, and what
 * is made of one that is still being written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_alloc.h"

#include <distsniff/keylog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1024];

/* make_line makes a line of a name, a random of so many digits and a secret of so many. */
static const char *make_line(const char *name, int random, int secret)
{
    snprintf(line, sizeof line, "%s %0*d %0*d", name, random, 7, secret, 9);
    return line;
}

static void add(struct ds_keylog *keylog, const char *text)
{
    ds_keylog_add(keylog, text, strlen(text));
    ds_keylog_end(keylog);
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int random, secret;
        unsigned secrets, malformed, unused;
    } lines[] = {
        {"CLIENT_RANDOM", 64, 96, 1, 0, 0},
        {"CLIENT_RANDOM", 64, 64, 0, 1, 0},
        {"CLIENT_RANDOM", 62, 96, 0, 1, 0},
        {"CLIENT_RANDOM", 66, 96, 0, 1, 0},
        {"CLIENT_TRAFFIC_SECRET_0", 64, 64, 1, 0, 0},
        {"CLIENT_TRAFFIC_SECRET_0", 64, 96, 1, 0, 0},
        {"CLIENT_TRAFFIC_SECRET_0", 64, 95, 0, 1, 0},
        {"CLIENT_TRAFFIC_SECRET_0", 64, 128, 0, 1, 0},
        {"CLIENT_TRAFFIC_SECRET_999999", 64, 96, 1, 0, 0},
        {"CLIENT_TRAFFIC_SECRET_1000000", 64, 96, 0, 0, 1},
        {"CLIENT_TRAFFIC_SECRET_", 64, 96, 0, 0, 1},
        {"EXPORTER_SECRET", 64, 96, 0, 0, 1},
        {"client_random", 64, 96, 0, 1, 0},
        {"", 64, 96, 0, 1, 0},
        {"# CLIENT_RANDOM", 64, 96, 0, 0, 0},
        {"CLIENT_RANDOM", 64, 500, 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct ds_keylog *keylog = ds_keylog_new(10);
        const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
        add(keylog, make_line(lines[i].name, lines[i].random, lines[i].secret));
        assert_int_equal(stats->secrets, lines[i].secrets);
        assert_int_equal(stats->malformed, lines[i].malformed);
        assert_int_equal(stats->unused, lines[i].unused);
        add(keylog, line);
        assert_int_equal(stats->repeated, lines[i].secrets);
        ds_keylog_free(keylog);
    }
}

/* Each beginning of a line: nothing is taken for what it is not. */
static void test_beginnings(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t may_be; /* length of a beginning that is a line of its own, which other suites have */
    } lines[] = {{"CLIENT_RANDOM", 0}, {"SERVER_TRAFFIC_SECRET_0", 23 + 1 + 64 + 1 + 64}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const size_t whole = strlen(make_line(lines[i].name, 64, 96));
        for (size_t len = 0; len <= whole; len++) {
            struct ds_keylog *keylog = ds_keylog_new(10);
            const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
            const bool is_line = len == whole || (len != 0 && len == lines[i].may_be);
            ds_keylog_try(keylog, line, len);
            ds_keylog_try(keylog, line, len);
            assert_int_equal(stats->secrets, is_line);
            add(keylog, line);
            assert_int_equal(stats->secrets, is_line && len != whole ? 2 : 1);
            assert_int_equal(stats->malformed + stats->unused, 0);
            assert_int_equal(stats->repeated, len == whole);
            ds_keylog_free(keylog);
        }
    }
}

/* What is tried is no part of a line that was begun, nor does one that is too long begin one. */
static void test_tried_between(void **state)
{
    (void)state;
    struct ds_keylog *keylog = ds_keylog_new(10);
    const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
    static char endless[2000];
    memset(endless, 'A', sizeof endless);
    ds_keylog_try(keylog, endless, sizeof endless);
    make_line("CLIENT_RANDOM", 64, 96);
    ds_keylog_add(keylog, line, 50);
    ds_keylog_try(keylog, line, strlen(line));
    assert_int_equal(stats->secrets, 0);
    ds_keylog_add(keylog, line + 50, strlen(line) - 50);
    ds_keylog_end(keylog);
    assert_int_equal(stats->secrets, 1);
    assert_int_equal(stats->malformed, 0);
    ds_keylog_free(keylog);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 3; n++) {
        struct ds_keylog *keylog = ds_keylog_new(10);
        assert_non_null(keylog);
        failing_alloc_at(n);
        ds_keylog_try(keylog, make_line("CLIENT_RANDOM", 64, 96), 14 + 65 + 96);
        failing_alloc_at(0);
        assert_int_equal(ds_keylog_stats(keylog)->no_memory, n <= 2);
        assert_int_equal(ds_keylog_stats(keylog)->secrets, n > 2);
        ds_keylog_free(keylog);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_tried_between),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
