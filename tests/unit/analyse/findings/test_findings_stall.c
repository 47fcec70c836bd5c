/*
 * test_findings_stall.c - DS214: links that are stalled now: for how long, which direction is cut,
 * how it ends; and other findings that replace it.
 */
#include "findings_world.h"

static void stall(int dir, bool is_over, int64_t start_ns)
{
    struct ds_event event = event_of(DS_EVENT_STALL, dir);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .is_over = is_over, .start_ns = start_ns,
                                    .duration_ns = w.now_ns - start_ns, .in_flight = 40};
    put(&event);
}

static void tick(int dir)
{
    const struct ds_event event = event_of(DS_EVENT_TICK, dir);
    w.link.side[dir].last_ns = w.link.side[dir].last_data_ns = w.now_ns;
    put(&event);
}

/* begin_stall: alice's data is retransmitted for the third time, 1.4 s after the first. */
static int64_t begin_stall(bool bob_is_heard)
{
    begin();
    up();
    const int64_t start_ns = w.now_ns + 100 * MS;
    w.now_ns = start_ns + 1400 * MS;
    if (bob_is_heard)
        w.link.side[1].last_ns = w.now_ns;
    stall(0, false, start_ns);
    assert_int_equal(w.num, 0);
    return start_ns;
}

/* passes lets time pass in steps, as in a capture with other traffic. */
static void passes(int64_t until_ns)
{
    while (w.now_ns < until_ns) {
        w.now_ns += until_ns - w.now_ns < 500 * MS ? until_ns - w.now_ns : 500 * MS;
        struct ds_conn other = w.conn;
        struct ds_event event = event_of(DS_EVENT_TICK, 0);
        other.number = 77;
        other.link = NULL;
        event.conn = &other;
        put(&event);
    }
}

static void lasts(void **state)
{
    (void)state;
    for (int is_heard = 0; is_heard < 2; is_heard++) {
        const int64_t start_ns = begin_stall(is_heard);
        passes(start_ns + 3 * SECOND - 1);
        assert_int_equal(w.num, 0);
        passes(start_ns + 3 * SECOND);
        assert_int_equal(w.num, 1);
        assert_int_equal(w.last.severity, SEVERITY_ERROR);
        assert_int_equal(w.last.error_change, 1);
        assert_int_equal(w.last.certainty, is_heard ? CERTAINTY_SURE : CERTAINTY_LIKELY);
        sentence_is("the link between alice@127.0.0.1 and bob@127.0.0.1 is stalled");
        detail_has(is_heard ? "bob@127.0.0.1 still sends: nothing reaches it"
                            : "nothing is heard from bob@127.0.0.1");
        passes(start_ns + 5 * SECOND);
        change(DS_CONN_OPEN_AT_END, 0, true);
        found("DS214");
        assert_int_equal(w.last.severity, SEVERITY_ERROR); /* the capture ends so */
        assert_int_equal(w.last.count, 1);
    }
}

static void repeats_what_was_acknowledged(void **state)
{
    (void)state;
    const int64_t start_ns = begin_stall(true);
    w.link.side[1].retransmitted = 2;
    tick(1);
    passes(start_ns + 3 * SECOND);
    detail_has("bob@127.0.0.1 retransmits what was acknowledged: nothing reaches it, but the way "
               "back is open");
    found("DS214");
}

/* If the FIN is acknowledged at last, the link ends. */
static void ends_as_it_closes(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const int64_t start_ns = begin_stall(true);
        passes(start_ns + 14 * SECOND);
        w.link.closed_by = i == 0 ? 0 : -1;
        w.link.close = i == 1 ? DS_CLOSE_RESET : DS_CLOSE_NOT;
        stall(0, true, start_ns);
        assert_int_equal(w.last.severity, SEVERITY_WARNING);
        detail_has(i == 2 ? "for 14.00 s, then it recovered" : "for 14.00 s, until the link went down");
        found("DS214");
    }
}

static void passes_by(void **state)
{
    (void)state;
    int64_t start_ns = begin_stall(true); /* reported, and then over */
    passes(start_ns + 14 * SECOND);
    stall(0, true, start_ns);
    assert_int_equal(w.num, 1);
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_int_equal(w.last.error_change, -1);
    detail_has("for 14.00 s, then it recovered");
    found("DS214");
    start_ns = begin_stall(false); /* it becomes certain as it ends: the error is withdrawn nevertheless */
    passes(start_ns + 4 * SECOND);
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    assert_int_equal(w.errors, 1);
    tick(1);
    stall(0, true, start_ns);
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_int_equal(w.errors, 0);
    found("DS214");
    start_ns = begin_stall(true); /* live: reported by the clock, and nothing comes until it is over */
    findings_time(w.findings, start_ns + 3 * SECOND);
    assert_int_equal(w.errors, 1);
    w.now_ns += 20 * SECOND;
    stall(0, true, start_ns);
    assert_int_equal(w.errors, 0);
    found("DS214");
    start_ns = begin_stall(true); /* near: over before */
    passes(start_ns + 2900 * MS);
    stall(0, true, start_ns);
    passes(start_ns + 60 * SECOND);
    found("");
    start_ns = begin_stall(true); /* both directions, and one of them is open again */
    w.now_ns += 100 * MS;
    stall(1, false, start_ns);
    stall(0, true, start_ns);
    passes(start_ns + 3 * SECOND);
    assert_int_equal(w.num, 1);
    detail_has("what bob@127.0.0.1 sends is retransmitted");
    found("DS214");
    start_ns = begin_stall(true); /* until it ends */
    passes(start_ns + 4 * SECOND);
    half_close(0, DS_CLOSE_RESET);
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    detail_has("until the link went down: ");
    found("DS214");
}

/* which_way: the packet that ends a stall does not show that the other end was heard before; it may
 * show what had arrived. */
static void which_way(void **state)
{
    (void)state;
    enum { AT_ITS_END, SOON, MEANWHILE, SACK, UNPROMPTED, PROMPTED, ALONE, CASES };
    static const char *const details[] = {"nothing was heard from bob@127.0.0.1", "nothing was heard from bob@127.0.0.1",
                                          "bob@127.0.0.1 still sends: nothing reaches it",
                                          "it had arrived, and what bob@127.0.0.1 sent was lost: that way was cut",
                                          "it had arrived, and what bob@127.0.0.1 sent was lost: that way was cut",
                                          "nothing was heard from bob@127.0.0.1",
                                          "nothing was heard from bob@127.0.0.1"};
    for (int i = 0; i < CASES; i++) {
        const int64_t start_ns = begin_stall(false);
        w.link.side[1].last_ns = i == SOON ? start_ns + SECOND - 1 : i == MEANWHILE ? start_ns + SECOND : 0;
        passes(start_ns + 4 * SECOND);
        w.link.side[0].repeated_ns = w.link.side[0].last_ns = w.now_ns;
        tick(0);
        w.now_ns += i == PROMPTED ? SECOND - 1 : SECOND;
        if (i != UNPROMPTED && i != ALONE)
            w.link.side[0].repeated_ns = w.link.side[0].last_ns = w.now_ns - 1 * MS;
        w.link.side[0].needless = i == SACK;
        tick(1); /* with the acknowledgement */
        if (i == ALONE)
            w.link.side[1].last_data_ns = start_ns; /* it comes without data */
        stall(0, true, start_ns);
        detail_has(details[i]);
        assert_int_equal(w.last.certainty, i == UNPROMPTED ? CERTAINTY_LIKELY : CERTAINTY_SURE);
        found("DS214");
    }
}

/* A retransmitting end has received no acknowledgement: this is known even if the other direction
 * was not captured. */
static void one_way(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        w.link.side[1].segments = 0;
        w.link.side[0].segments = 9;
        tick(0);
        const int64_t start_ns = w.now_ns;
        w.now_ns += 1400 * MS;
        w.link.side[0].last_data_ns = w.link.side[0].repeated_ns = w.now_ns;
        stall(0, false, start_ns);
        passes(start_ns + 9 * SECOND); /* it may be acknowledged by now */
        assert_int_equal(w.num, 0);
        if (i == 2)
            continue;
        w.link.side[0].last_data_ns = w.link.side[0].repeated_ns = start_ns + 3 * SECOND - (i == 1);
        change(DS_CONN_OPEN_AT_END, 0, true);
        found(i == 0 ? "DS214" : "");
        if (i == 0) {
            assert_int_equal(w.last.severity, SEVERITY_ERROR);
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
            detail_has("no packet from bob@127.0.0.1 was captured");
        }
    }
    w.link.side[0].repeated_ns = w.link.side[0].last_data_ns = w.now_ns;
    struct ds_event event = event_of(DS_EVENT_TICK, 0);
    put(&event);
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
    w.now_ns += SECOND;
    tick(0); /* new data: the retransmitted data has arrived */
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    detail_has("then it recovered");
    found("DS214");
}

/* Missing from the capture: a gap, a pause of everything, one direction. */
static void unsure(void **state)
{
    (void)state;
    int64_t start_ns = begin_stall(true);
    const struct ds_event gap = event_of(DS_EVENT_GAP, 1);
    put(&gap);
    passes(start_ns + 3 * SECOND);
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    found("DS214");
    start_ns = begin_stall(true); /* nothing comes for that long: this is no stall */
    w.now_ns += 10 * SECOND;
    stall(0, true, start_ns);
    found("");
    start_ns = begin_stall(true); /* but retransmissions were seen in it */
    w.now_ns += 10 * SECOND;
    w.link.side[0].most_repeats = 5;
    stall(0, true, start_ns);
    found("DS214");
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    begin();
    up();
    w.link.side[1].segments = 0;
    w.link.side[0].segments = 9;
    tick(0);
    start_ns = w.now_ns;
    w.now_ns += 1400 * MS;
    stall(0, false, start_ns);
    passes(start_ns + 9 * SECOND);
    found("");
}

static void late_join(void **state)
{
    (void)state;
    begin();
    change(DS_CONN_JOINED_LATE, 0, false);
    const int64_t start_ns = w.now_ns + 100 * MS;
    w.link.side[0].last_ns = w.link.side[1].last_ns = w.now_ns;
    w.now_ns += 1500 * MS;
    stall(0, false, start_ns);
    passes(start_ns + 3 * SECOND);
    sentence_is("the link between 10.0.0.1:40000 and 10.0.0.2:5555 is stalled");
    found("DS214");
}

static void others_speak(void **state)
{
    (void)state;
    int64_t start_ns = begin_stall(false); /* given up: DS201, and DS214 is a note */
    passes(start_ns + 100 * SECOND);
    found("DS214 DS201");
    assert_int_equal(w.errors, 1); /* DS201 alone */
    begin(); /* large segments alone: DS207 */
    up();
    w.link.side[1].data_segments = w.link.side[0].data_segments = 5;
    start_ns = w.now_ns;
    w.now_ns += 1400 * MS;
    w.link.side[1].last_ns = w.now_ns;
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .start_ns = start_ns, .in_flight = 1448};
    put(&event);
    passes(start_ns + 9 * SECOND);
    assert_non_null(strstr(w.log, "DS207"));
    assert_null(strstr(w.log, "DS214"));
    start_ns = begin_stall(true); /* EPMD's own connection is no link */
    begin();
    w.conn.end[1].port = EPMD;
    w.now_ns += 1400 * MS;
    stall(0, false, w.now_ns - 1400 * MS);
    passes(w.now_ns + 4 * SECOND);
    found("");
}

/* since: a stall that was over before --since is not shown. One that lasts until then is shown
 * then, and its end later. */
static void since(void **state)
{
    (void)state;
    for (int lasts_until = 0; lasts_until < 2; lasts_until++) {
        const int64_t start_ns = begin_stall(true), since_ns = start_ns + 10 * SECOND;
        findings_set_since(w.findings, since_ns);
        passes(start_ns + 4 * SECOND);
        assert_int_equal(w.num, 0);
        if (lasts_until == 0)
            stall(0, true, start_ns);
        passes(since_ns - 1);
        assert_int_equal(w.num, 0);
        passes(since_ns);
        assert_int_equal(w.num, lasts_until);
        if (lasts_until != 0) {
            assert_int_equal(w.last.error_change, 1);
            assert_false(w.last.is_update);
            assert_true(finding_is_since(&w.last, since_ns));
            w.now_ns += SECOND;
            stall(0, true, start_ns);
            assert_int_equal(w.last.severity, SEVERITY_WARNING);
            assert_int_equal(w.last.error_change, -1);
            assert_true(finding_is_since(&w.last, since_ns)); /* so that the error disappears */
        }
        found(lasts_until != 0 ? "DS214" : "");
    }
    begin_stall(true); /* that time never comes */
    findings_set_since(w.findings, w.now_ns + 100 * SECOND);
    passes(w.now_ns + 4 * SECOND);
    assert_int_equal(w.num, 0);
    change(DS_CONN_OPEN_AT_END, 0, true);
    found("DS214");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lasts),     cmocka_unit_test(since), cmocka_unit_test(repeats_what_was_acknowledged),
        cmocka_unit_test(passes_by), cmocka_unit_test(ends_as_it_closes),
        cmocka_unit_test(unsure),
        cmocka_unit_test(which_way), cmocka_unit_test(one_way),
        cmocka_unit_test(late_join), cmocka_unit_test(others_speak),
    };
    leaves_out = "DS401 DS204"; /* other tests cover these */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
