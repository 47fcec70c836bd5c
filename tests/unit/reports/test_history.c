/*
 * test_history.c - findings of days, read as JSON: each counts once though several hosts made it; what is no
 * finding is none; more than there is room for is counted.
 */
#include "reports/history.h"

#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* add adds a finding of a host. */
static bool add(struct history *history, const char *host, const char *ts, const char *severity, const char *code,
                const char *text)
{
    char json[1024];
    snprintf(json, sizeof json, "{\"type\":\"finding\",\"ts\":\"%s\",\"severity\":\"%s\",\"code\":\"%s\",\"text\":\"%s\"}",
             ts, severity, code, text);
    return history_add(history, (struct ds_text){host, strlen(host)}, (struct ds_text){json, strlen(json)});
}

static void prints(struct history *history, const char *wanted)
{
    struct ds_buffer out = {0};
    history_print(history, 0, &out);
    ds_buffer_add(&out, "", 1);
    assert_false(out.failed);
    assert_string_equal(out.data, wanted);
    ds_buffer_free(&out);
}

static void hours_and_days(void **state)
{
    struct history *history = history_new();
    (void)state;
    assert_non_null(history);
    prints(history, "0 findings\n");
    assert_true(add(history, "web1", "2026-01-31T22:59:59Z", "note", "DS401", "unencrypted"));
    assert_true(add(history, "web1", "2026-01-31T23:59:58Z", "error", "DS101", "b refused a"));
    assert_true(add(history, "web2", "2026-01-31T23:59:59Z", "error", "DS101", "b refused a")); /* the same */
    assert_true(add(history, "web1", "2026-01-31T23:59:59Z", "error", "DS101", "c refused \\u001ba"));
    assert_true(add(history, "web2", "2026-02-01T00:30:00Z", "error", "DS101", "b refused a"));
    prints(history,
           "4 findings from 2026-01-31 22:59:59 to 2026-02-01 00:30:00: 3 errors, 0 warnings, 1 note; 1 more from "
           "other hosts that saw the same\n"
           "severity code  times first               last                 \n"
           "error    DS101     2 2026-01-31 23:59:58 2026-02-01 00:30:00  b refused a\n"
           "error    DS101     1 2026-01-31 23:59:59 2026-01-31 23:59:59  c refused \\x1Ba\n"
           "note     DS401     1 2026-01-31 22:59:59 2026-01-31 22:59:59  unencrypted\n"
           "\n"
           "hour             findings  \n"
           "2026-01-31 22:00        1  DS401 \n"
           "2026-01-31 23:00        2  DS101 x2 \n"
           "2026-02-01 00:00        1  DS101 \n");
    assert_true(add(history, "web1", "2026-02-02T23:30:00Z", "warning", "DS205", "d stopped reading"));
    struct ds_buffer out = {0};
    history_print(history, 0, &out);
    ds_buffer_add(&out, "", 1);
    assert_non_null(strstr(out.data, "\nday        findings  \n"
                                     "2026-01-31        3  DS101 x2 DS401 \n"
                                     "2026-02-01        1  DS101 \n"
                                     "2026-02-02        1  DS205 \n"));
    ds_buffer_free(&out);
    history_free(history);
}

static void what_is_no_finding(void **state)
{
    static const char *const wrong[] = {
        "", "{", "[]", "7",
        "{\"type\":\"packet\",\"ts\":\"2026-01-31T22:59:59Z\",\"severity\":\"note\",\"code\":\"DS1\"}",
        "{\"type\":\"finding\",\"ts\":\"22:59:59\",\"severity\":\"note\",\"code\":\"DS1\"}",
        "{\"type\":\"finding\",\"ts\":\"2026-01-31T22:59:59Z\",\"severity\":\"grave\",\"code\":\"DS1\"}",
        "{\"type\":\"finding\",\"ts\":\"2026-01-31T22:59:59Z\",\"severity\":\"note\",\"code\":7}",
        "{\"type\":\"finding\",\"ts\":\"2026-01-31T22:59:59Z\",\"severity\":\"note\"}",
    };
    struct history *history = history_new();
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(history_add(history, (struct ds_text){"h", 1}, (struct ds_text){wrong[i], strlen(wrong[i])}));
    prints(history, "0 findings\n");
    assert_true(add(history, "h", "0001-01-01T00:00:00Z", "note", "DS1", "") ||
                add(history, "h", "1970-01-01T00:00:00Z", "note", "DS1", ""));
    assert_true(add(history, "h", "2200-01-01T00:00:00Z", "note", "DS1", ""));
    history_free(history);
}

static void more_than_there_is_room_for(void **state)
{
    struct history *history = history_new();
    struct ds_buffer out = {0};
    char text[64], ts[64];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "sentence %d", i);
        snprintf(ts, sizeof ts, "2026-01-01T%02d:00:00Z", i % 24);
        assert_true(add(history, "h", ts, "note", text + 4, text)); /* codes of nobody */
    }
    history_print(history, 80, &out);
    ds_buffer_add(&out, "", 1);
    assert_non_null(strstr(out.data, "and 19900 more findings\n"));
    assert_non_null(strstr(out.data, "earlier lines are left out\n"));
    ds_buffer_free(&out);
    history_free(history);
}

static void play(void *context)
{
    struct history *history = history_new();
    struct ds_buffer out = {0};
    (void)context;
    if (history == NULL)
        return;
    (void)add(history, "h", "2026-01-31T22:59:59Z", "note", "DS1", "one");
    (void)add(history, "h", "2026-01-31T23:59:59Z", "error", "DS2", "two");
    history_print(history, 80, &out);
    if (out.failed)
        assert_true(failing_alloc_failed());
    ds_buffer_free(&out);
    history_free(history);
}

static void each_allocation_can_fail(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(play, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hours_and_days),
        cmocka_unit_test(what_is_no_finding),
        cmocka_unit_test(more_than_there_is_room_for),
        cmocka_unit_test(each_allocation_can_fail),
    };
    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
