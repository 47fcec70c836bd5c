/*
 * test_findings_baseline.c - findings about what a baseline lacks (detect_baseline.c), and the
 * verdict about it. compare/test_novelty.c tests what is new.
 */
#include "findings_world.h"

static struct unusual function_of_alice(void)
{
    return (struct unusual){.kind = UNUSUAL_FUNCTION,
                            .what = text("os:cmd/1"),
                            .node = {text("alice@127.0.0.1"), text("bob@127.0.0.1")},
                            .ts_ns = SECOND,
                            .frame = 7,
                            .conn = 1};
}

/* DS504 names the new thing and its nodes. */
static void not_seen_before(void **state)
{
    struct unusual unusual = function_of_alice();
    (void)state;
    begin();
    findings_unusual(w.findings, &unusual);
    assert_string_equal(w.last.kind->code, "DS504");
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    sentence_is("the function os:cmd/1 is not called in the baseline");
    detail_has("alice@127.0.0.1 calls it on bob@127.0.0.1");
    assert_int_equal(w.last.evidence[0].packet[0].frame, 7);
    assert_int_equal(w.last.evidence[0].ts_ns, SECOND);
    assert_int_equal(w.last.node[0].len, 15);
    unusual = (struct unusual){.kind = UNUSUAL_LATENCY,
                               .what = text("a > b gen:call to db"),
                               .node = {text("a@h"), text("b@h")},
                               .value = 12e6,
                               .most = 1.5e6};
    findings_unusual(w.findings, &unusual);
    sentence_is("calls a > b gen:call to db take longer than in the baseline");
    detail_has("median 12.0 ms for a second, never more than 1.50 ms in the baseline");
    assert_int_equal(w.last.evidence[0].num, 0); /* no packet is known */
    unusual.kind = UNUSUAL_SIZE;
    unusual.value = 20000;
    unusual.most = 400;
    findings_unusual(w.findings, &unusual);
    detail_has("mean 20 kB for a second, never more than 400 bytes in the baseline");
}

/* A repetition is counted. A name that is too long for a finding is left out, a long text is cut. */
static void told_more_than_once(void **state)
{
    static char longest[2000];
    struct unusual unusual = function_of_alice();
    (void)state;
    begin();
    findings_unusual(w.findings, &unusual);
    findings_unusual(w.findings, &unusual);
    assert_int_equal(w.last.count, 2);
    memset(longest, 'x', sizeof longest);
    memcpy(longest + 399, "\xc3\xa4", 2); /* a character of two bytes where it is cut */
    unusual.what = (struct ds_text){longest, sizeof longest};
    unusual.node[0] = (struct ds_text){longest, FINDING_NODE_LEN + 1};
    findings_unusual(w.findings, &unusual);
    assert_int_equal(w.last.node[0].len, 0);
    assert_int_equal(w.last.sentence.len, strlen("the function ") + 399 + strlen(" is not called in the baseline"));
}

/* With a baseline that has unreadable messages, DS504 is possible. */
static void baseline_with_unread(void **state)
{
    struct unusual unusual = function_of_alice();
    (void)state;
    begin();
    unusual.is_unsure = true;
    findings_unusual(w.findings, &unusual);
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
}

static void verdict_has(const struct baseline_checks *checks, const char *text)
{
    begin();
    findings_set_baseline(w.findings, checks);
    findings_sum_up(w.findings);
    if (strstr(w.unchecked, text) == NULL)
        fail_msg("no '%s' in: %s", text, w.unchecked);
}

/* The verdict says what was not compared. */
static void verdict(void **state)
{
    (void)state;
    verdict_has(&(struct baseline_checks){.num_not_judged = 1},
                "1 kind of things that may be new: the baseline has messages that could not be read");
    verdict_has(&(struct baseline_checks){.is_incomplete = true, .num_more = 4},
                "what the baseline does not have: too many kinds of things (--max-tallies)");
    verdict_has(&(struct baseline_checks){.num_told = 50, .num_more = 4},
                "4 things more that the baseline does not have: --compare shows all");
    begin();
    findings_set_baseline(w.findings, &(struct baseline_checks){.num_told = 0});
    findings_sum_up(w.findings);
    assert_null(strstr(w.unchecked, "baseline"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_seen_before),
        cmocka_unit_test(told_more_than_once),
        cmocka_unit_test(baseline_with_unread),
        cmocka_unit_test(verdict),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
