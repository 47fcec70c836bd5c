/*
 * test_findings_effects.c - a finding that is the effect of another one is listed after it, and is
 * over when that one is, unless it goes on.
 */
#include "findings_world.h"

static void stall(uint64_t conn, bool is_over, int64_t start_ns)
{
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    w.conn.number = conn;
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .is_over = is_over, .start_ns = start_ns,
                                    .duration_ns = w.now_ns - start_ns, .in_flight = 40};
    put(&event);
}

/* times_out: a call from alice to a process of a node, or one on a link that was joined late. */
static void times_out(enum call_outcome outcome, uint64_t conn, const char *node)
{
    struct call call = call_of(outcome);
    call.conn = conn;
    call.caller.node = node != NULL ? text("alice@127.0.0.1") : (struct ds_text){0};
    call.callee.node = node != NULL ? text(node) : (struct ds_text){0};
    call.start_ns = w.now_ns - 2 * SECOND;
    call.end_ns = w.now_ns;
    put_call(&call);
}

static void calls_of_a_stalled_link(void **state)
{
    enum { SAME_LINK, SAME_NODES, OTHERS, OTHER_LINK, BEFORE, STALLED_STILL, MADE_SOON, MADE_LATER,
           SOON_AFTER, LATER, NO_EFFECT, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        const char *node = i == SAME_LINK  ? NULL
                           : i == OTHERS || i == OTHER_LINK ? "carol@127.0.0.1"
                                         : "bob@127.0.0.1";
        const uint64_t conn = i == SAME_LINK ? 1 : 3;
        if (i == OTHERS) { /* the stalled link has neither node of the call */
            next_conn();
            shake(DS_STEP_CHALLENGE_ACK, "dave@127.0.0.1", "erin@127.0.0.1");
            change(DS_CONN_UP, 0, false);
        }
        w.now_ns += 10 * SECOND;
        if (i == BEFORE)
            times_out(CALL_TIMEOUT, conn, node);
        w.now_ns += SECOND;
        const int64_t start_ns = w.now_ns;
        w.now_ns += 4 * SECOND;
        stall(i == OTHERS ? 2 : 1, false, start_ns);
        if (i == NO_EFFECT) { /* the stall is not reported, as it was short */
            w.now_ns = start_ns + SECOND;
            stall(1, true, start_ns);
        }
        w.now_ns += 2 * SECOND;
        if (i != BEFORE && i < MADE_SOON)
            times_out(CALL_TIMEOUT, conn, node);
        w.now_ns += SECOND;
        if (i != STALLED_STILL && i != NO_EFFECT)
            stall(i == OTHERS ? 2 : 1, true, start_ns);
        /* the call began two seconds before: a callee catches up for as long as calls usually wait */
        const bool is_soon = i == MADE_SOON || i == MADE_LATER;
        w.now_ns += (is_soon ? 7 : 30) * SECOND + (i == MADE_LATER || i == LATER);
        if (i >= MADE_SOON)
            times_out(CALL_TIMEOUT, conn, node);
        const bool goes_on = i == STALLED_STILL || i == MADE_LATER || i == SOON_AFTER;
        const bool is_effect = goes_on || i == SAME_LINK || i == SAME_NODES || i == MADE_SOON;
        findings_sum_up(w.findings);
        assert_string_equal(w.last.kind->code, "DS313");
        assert_int_equal(w.last.is_effect, is_effect);
        assert_int_equal(w.last.is_past, is_effect && !goes_on);
    }
}

static void crashes(void)
{
    begin_terms();
    put_atom("boom");
    struct call call = call_of(CALL_ERROR);
    call.conn = 1;
    call.callee.node = text("bob@127.0.0.1");
    call.error_class = "exit";
    call.reason = term_since(0);
    put_call(&call);
}

/* If there are several causes, all have to be over; but a crash is listed first, and does not go on. */
static void several_causes(void **state)
{
    enum { STALL, STALL_AND_CRASH, CRASH, BOTH_OVER, ONE_OVER, CASES };
    static const char before[] = "DS214 DS401";
    (void)state;
    leaves_out = "DS214 DS401 DS205 DS312 DS313"; /* only DS310 is compared */
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        w.now_ns += 10 * SECOND;
        const int64_t start_ns = w.now_ns;
        w.now_ns += 4 * SECOND;
        if (i == STALL_AND_CRASH || i == CRASH)
            crashes();
        if (i != CRASH)
            stall(1, false, start_ns);
        if (i >= BOTH_OVER)
            put_stall(DS_STALL_ZERO_WINDOW, 10 * SECOND, false, 0);
        w.now_ns += 2 * SECOND;
        for (int k = 0; k < 5; k++)
            times_out(CALL_TIMEOUT, 1, "bob@127.0.0.1");
        w.now_ns += SECOND;
        if (i != CRASH)
            stall(1, true, start_ns);
        if (i == BOTH_OVER)
            put_stall(DS_STALL_ZERO_WINDOW, 13 * SECOND, true, 0);
        findings_sum_up(w.findings);
        assert_string_equal(w.last.kind->code, "DS310");
        assert_true(w.last.is_effect);
        assert_int_equal(w.last.is_past, i != CRASH && i != ONE_OVER);
    }
    leaves_out = before;
}

/* A link that went down and is up again: timeouts in between are over with it. */
static void connected_again(void **state)
{
    (void)state;
    for (int is_back = 0; is_back < 2; is_back++) {
        begin();
        up();
        w.now_ns += 10 * SECOND;
        const int64_t start_ns = w.now_ns;
        w.now_ns += 4 * SECOND;
        stall(1, false, start_ns);
        w.now_ns += 60 * SECOND;
        times_out(CALL_TIMEOUT, 1, "bob@127.0.0.1");
        w.link.side[0].last_data_ns = w.now_ns;
        half_close(0, DS_CLOSE_FIN);
        change(DS_CONN_CLOSED, 0, true);
        assert_non_null(strstr(w.log, "DS201"));
        next_conn();
        w.now_ns += SECOND;
        if (is_back)
            up();
        findings_sum_up(w.findings);
        assert_string_equal(w.last.kind->code, "DS313");
        assert_true(w.last.is_effect);
        assert_int_equal(w.last.is_past, is_back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_a_stalled_link),
        cmocka_unit_test(several_causes),
        cmocka_unit_test(connected_again),
    };
    leaves_out = "DS214 DS401"; /* only DS313 is compared */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
