/*
 * test_findings_effects.c - a finding that is the effect of another one stands behind it, and has passed when that
 * has, unless it goes on.
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

/* times_out: a call of alice to a process of a node, or one on a link that was joined late. */
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
    enum { SAME_LINK, SAME_NODE, OTHERS, BEFORE, STALLED_STILL, SOON_AFTER, LATER, NO_EFFECT, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        const char *node = i == SAME_LINK  ? NULL
                           : i == OTHERS ? "carol@127.0.0.1"
                                         : "bob@127.0.0.1";
        const uint64_t conn = i == SAME_LINK ? 1 : 3;
        if (i == OTHERS) { /* the stalled link is of neither node of the call */
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
        if (i == NO_EFFECT) { /* the stall is not told, as it was over soon */
            w.now_ns = start_ns + SECOND;
            stall(1, true, start_ns);
        }
        w.now_ns += 2 * SECOND;
        if (i != BEFORE && i < SOON_AFTER)
            times_out(CALL_TIMEOUT, conn, node);
        w.now_ns += SECOND;
        if (i != STALLED_STILL && i != NO_EFFECT)
            stall(i == OTHERS ? 2 : 1, true, start_ns);
        w.now_ns += 30 * SECOND + (i == LATER);
        if (i >= SOON_AFTER)
            times_out(CALL_TIMEOUT, conn, node);
        const bool is_effect = i == SAME_LINK || i == SAME_NODE || i == STALLED_STILL || i == SOON_AFTER;
        findings_sum_up(w.findings);
        assert_string_equal(w.last.kind->code, "DS313");
        assert_int_equal(w.last.is_effect, is_effect);
        assert_int_equal(w.last.is_past, is_effect && i != STALLED_STILL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_of_a_stalled_link)};
    leaves_out = "DS214 DS401"; /* what is looked at is DS313 */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
