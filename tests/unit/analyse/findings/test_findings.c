/*
 * test_findings.c - the common part of findings: equal ones, caps, failing memory, texts of peers.
 */
#include "findings_world.h"

/* Equal ones, caps, memory. */

static void equal_ones(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 10; i++) {
        shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
        close_by(1, SECOND, DS_CLOSE_FIN);
        next_conn();
    }
    found("DS101 DS101 DS101"); /* records; the rest only count */
    assert_int_equal(w.last.count, 10);
    assert_int_equal(w.last.num_evidence, FINDING_SETS);
    assert_int_equal(w.last.number, 1);
    assert_int_equal(w.last.last_ns - w.last.first_ns, 9 * SECOND);
    assert_int_equal(w.last.evidence[2].conn, 3);
}

static void many(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 3000; i++) {
        char name[300];
        snprintf(name, sizeof name, "%d%0250d@b", i, 0);
        epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, name, 0, 0);
        epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
        step(DS_STEP_SEND_NAME, 0, "alice@a");
        w.conn.end[1].port = PORT;
        close_by(1, MS, DS_CLOSE_FIN);
        next_conn();
    }
    assert_in_range(w.num, 3000, 3100); /* a forgotten finding is found again */
    findings_end(w.findings);
}

static void run_without_memory(void *context)
{
    (void)context;
    struct findings_config config = {.emit = take, .epmd_port = EPMD};
    default_limits(config.limits);
    memset(&w, 0, sizeof w);
    w.findings = findings_new(&config);
    if (w.findings == NULL)
        return;
    next_conn();
    asked("bob");
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    close_by(1, MS, DS_CLOSE_FIN);
    call(CALL_NOPROC, MS);
    findings_end(w.findings);
    struct ds_stats stats = {0};
    findings_add_stats(w.findings, &stats);
    assert_true(!failing_alloc_failed() || stats.no_memory != 0 || w.num >= 1);
    findings_free(w.findings);
    w.findings = NULL;
}

static void memory(void **state)
{
    (void)state;
    findings_free(w.findings);
    w.findings = NULL;
    assert_true(failing_alloc_each(run_without_memory, NULL) >= 5);
}

static void long_texts(void **state)
{
    struct wording wording = {0};
    struct ds_buffer out = {0};
    char name[2000];
    (void)state;
    memset(name, 'x', sizeof name);
    for (int i = 0; i < 100; i++)
        wording_put(&wording, WORD_NODE, (struct ds_text){name, sizeof name});
    assert_true(wording.is_cut);
    assert_true(wording.num <= WORDING_PARTS && wording.len <= WORDING_BYTES);
    wording_print(&wording, &out);
    assert_true(out.len < 2 * WORDING_BYTES);
    ds_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_ones),
        cmocka_unit_test(many),
        cmocka_unit_test(memory),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
