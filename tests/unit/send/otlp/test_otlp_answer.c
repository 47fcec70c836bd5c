/*
 * test_otlp_answer.c - the meaning of a receiver's answers, for any answer, and how long to wait
 * for it.
 */
#include "failing_alloc.h"
#include "record/back_off.h"
#include "send/otlp/otlp_answer.h"
#include "send/otlp/otlp_deadline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S INT64_C(1000000000)

static struct otlp_answer answer;
static struct otlp_outcome outcome;

static enum otlp_verdict judge(long status, const char *body, uint64_t num)
{
    answer = (struct otlp_answer){.status = status, .trouble = "why not", .len = strlen(body)};
    memcpy(answer.body, body, answer.len);
    otlp_judge(&answer, num, &outcome);
    return outcome.verdict;
}

static void each_status(void **state)
{
    static const struct {
        long status;
        enum otlp_verdict verdict;
    } table[] = {
        {200, OTLP_TAKEN},    {202, OTLP_TAKEN},    {299, OTLP_TAKEN},    {301, OTLP_GIVEN_UP},
        {307, OTLP_GIVEN_UP}, {400, OTLP_GIVEN_UP}, {401, OTLP_GIVEN_UP}, {404, OTLP_GIVEN_UP},
        {429, OTLP_AGAIN},    {500, OTLP_GIVEN_UP}, {501, OTLP_GIVEN_UP}, {502, OTLP_AGAIN},
        {503, OTLP_AGAIN},    {504, OTLP_AGAIN},    {505, OTLP_GIVEN_UP}, {413, OTLP_SMALLER},
        {999, OTLP_GIVEN_UP}, {0, OTLP_AGAIN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(judge(table[i].status, "", 5), table[i].verdict);
        assert_int_equal(outcome.num_rejected, 0);
        assert_true((outcome.why[0] != '\0') == (outcome.verdict != OTLP_TAKEN));
    }
    assert_int_equal(judge(413, "", 1), OTLP_GIVEN_UP);
    answer = (struct otlp_answer){.is_hopeless = true, .trouble = "no"};
    otlp_judge(&answer, 3, &outcome);
    assert_int_equal(outcome.verdict, OTLP_HOPELESS);
    assert_string_equal(outcome.why, "no");
}

static void what_is_rejected(void **state)
{
    static const struct {
        const char *body;
        uint64_t rejected;
    } table[] = {
        {"{}", 0},
        {"{\"partialSuccess\":{}}", 0},
        {"{\"partialSuccess\":{\"rejectedSpans\":\"3\"}}", 3},
        {"{\"partialSuccess\":{\"rejectedSpans\":3}}", 3},
        {"{\"partialSuccess\":{\"rejectedSpans\":\"5\"}}", 5},
        {"{\"partialSuccess\":{\"rejectedSpans\":\"6\"}}", 5},
        {"{\"partialSuccess\":{\"rejectedSpans\":\"99999999999999999999999\"}}", 5},
        {"{\"partialSuccess\":{\"rejectedSpans\":1e300}}", 5},
        {"{\"partialSuccess\":{\"rejectedSpans\":\"-1\"}}", 0},
        {"{\"partialSuccess\":{\"rejectedSpans\":-1}}", 0},
        {"{\"partialSuccess\":{\"rejectedSpans\":[7]}}", 0},
        {"{\"partialSuccess\":[7]}", 0},
        {"[]", 0},
        {"{\"partialSuccess\":{\"rejectedSpans\":\"3\"", 0},
        {"<html>", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(judge(200, table[i].body, 5), OTLP_TAKEN);
        assert_int_equal(outcome.num_rejected, table[i].rejected);
        assert_true(outcome.num_rejected == 0 || outcome.why[0] != '\0');
    }
}

static void what_it_says(void **state)
{
    char body[2000];
    (void)state;
    (void)judge(200, "{\"partialSuccess\":{\"errorMessage\":\"slow \\u001b[2Jdown\"}}", 5);
    assert_non_null(strstr(outcome.why, "slow "));
    assert_null(strchr(outcome.why, '\x1b'));
    (void)judge(401, "{\"code\":16,\"message\":\"who?\\n\"}", 5);
    assert_non_null(strstr(outcome.why, "401"));
    assert_non_null(strstr(outcome.why, "who?"));
    assert_null(strchr(outcome.why, '\n'));
    memset(body, 'a', sizeof body);
    memcpy(body, "{\"message\":\"", 12);
    memcpy(body + sizeof body - 3, "\"}", 3);
    (void)judge(400, body, 5);
    assert_true(strlen(outcome.why) < sizeof outcome.why - 1);
}

static void judge_again(void *context)
{
    (void)context;
    /* If memory is missing to parse an answer, it is ignored. */
    (void)judge(200, "{\"partialSuccess\":{\"rejectedSpans\":\"3\",\"errorMessage\":\"because\"}}", 5);
    assert_int_equal(outcome.verdict, OTLP_TAKEN);
    (void)judge(503, "{\"message\":\"because\"}", 5);
    assert_int_equal(outcome.verdict, OTLP_AGAIN);
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(judge_again, NULL) > 0);
}

static void when_again(void **state)
{
    static const struct {
        int64_t asked, ms;
    } table[] = {{0, 0}, {2, 2000}, {300, 300000}, {301, 300000}, {INT64_MAX, 300000}, {-5, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        answer = (struct otlp_answer){.status = 503, .wait_s = table[i].asked};
        otlp_judge(&answer, 1, &outcome);
        assert_int_equal(outcome.wait_ms, table[i].ms);
    }
    answer = (struct otlp_answer){.status = 400, .wait_s = 5};
    otlp_judge(&answer, 1, &outcome);
    assert_int_equal(outcome.wait_ms, 0);
}

static void pauses_grow(void **state)
{
    int64_t most = BACK_OFF_LEAST_MS;
    (void)state;
    for (int attempt = 0; attempt < 100; attempt++) {
        const int64_t pause = back_off_ms(attempt);
        assert_true(pause >= most / 2 && pause <= most);
        most = 2 * most < BACK_OFF_MOST_MS ? 2 * most : BACK_OFF_MOST_MS;
    }
}

static void patience_of_files(void **state)
{
    struct otlp_deadline p;
    (void)state;
    otlp_deadline_begin(&p, false, 100 * S);
    assert_false(otlp_deadline_is_over(&p, 105 * S));
    assert_true(otlp_deadline_is_over(&p, 105 * S + 1));
    p.is_met = true;
    assert_false(otlp_deadline_is_over(&p, 120 * S));
    assert_true(otlp_deadline_is_over(&p, 120 * S + 1));
    otlp_deadline_progress(&p, 110 * S);
    assert_false(otlp_deadline_is_over(&p, 130 * S));
    /* The receiver may ask for a minute, and no more. */
    otlp_deadline_ask(&p, 40 * S);
    assert_false(otlp_deadline_is_over(&p, 170 * S));
    assert_true(otlp_deadline_is_over(&p, 170 * S + 1));
    for (int i = 0; i < 10; i++)
        otlp_deadline_ask(&p, 300 * S);
    assert_false(otlp_deadline_is_over(&p, 190 * S));
    assert_true(otlp_deadline_is_over(&p, 190 * S + 1));
    otlp_deadline_progress(&p, 200 * S);
    assert_true(otlp_deadline_is_over(&p, 221 * S));
}

static void patience_of_a_capture(void **state)
{
    struct otlp_deadline p;
    (void)state;
    otlp_deadline_begin(&p, true, 0);
    assert_false(otlp_deadline_is_over(&p, 100000 * S));
    otlp_deadline_end(&p, 100000 * S);
    assert_false(otlp_deadline_is_over(&p, 100005 * S));
    assert_true(otlp_deadline_is_over(&p, 100006 * S));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_status),       cmocka_unit_test(what_is_rejected),
        cmocka_unit_test(what_it_says),      cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(when_again),        cmocka_unit_test(pauses_grow),
        cmocka_unit_test(patience_of_files), cmocka_unit_test(patience_of_a_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
