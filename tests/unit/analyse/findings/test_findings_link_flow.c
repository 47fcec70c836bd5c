/*
 * test_findings_link_flow.c - traffic on links that are up: ticks, losses, stalls, large messages;
 * from which exact time and number on it is a finding, and about which end.
 */
#include "findings_world.h"

static void set_ticks(int end, uint64_t intervals, int64_t min_ns, int64_t max_ns)
{
    struct ds_tcp_side *side = &w.link.side[end];
    side->tick_intervals = intervals;
    side->tick_last_ns = side->tick_min_ns = min_ns;
    side->tick_max_ns = max_ns;
}

static void tick(int dir)
{
    struct ds_event event = event_of(DS_EVENT_TICK, dir);
    put(&event);
}

static void ticktimes(void **state)
{
    static const struct {
        uint64_t intervals;
        int64_t long_ns, max_ns;
        const char *codes;
    } cases[] = {
        {2, 10 * SECOND, 10 * SECOND, "DS203"},
        {2, 10 * SECOND - 1, 10 * SECOND - 1, ""}, /* not by a quarter of 8 s */
        {2, 16 * SECOND, 18 * SECOND, "DS203"},
        {2, 16 * SECOND, 18 * SECOND + 1, ""}, /* not steady */
        {1, 16 * SECOND, 16 * SECOND, ""},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const int seldom = i % 2;
        begin();
        up();
        set_ticks(!seldom, 2, 8 * SECOND, 8 * SECOND);
        set_ticks(seldom, cases[i / 2].intervals, cases[i / 2].long_ns, cases[i / 2].max_ns);
        tick(0);
        tick(1);
        found(cases[i / 2].codes);
        if (w.num == 0)
            continue;
        sentence_is(seldom == 0 ? "alice@127.0.0.1 ticks less often than bob@127.0.0.1"
                                : "bob@127.0.0.1 ticks less often than alice@127.0.0.1");
        assert_int_equal(w.last.count, 1);
    }
}

static void missed_ticks(void **state)
{
    enum { MISSED, BARELY_NOT, NO_TICKS, HALF_CLOSED, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        set_ticks(1, i == NO_TICKS ? 0 : 3, 10 * SECOND, 10 * SECOND);
        if (i == NO_TICKS)
            w.link.side[1].tick_min_ns = 0;
        w.link.side[1].max_idle_ns =
            i == NO_TICKS ? 60 * SECOND : i == BARELY_NOT ? 26 * SECOND - 1 : 26 * SECOND;
        if (i == HALF_CLOSED)
            half_close(0, DS_CLOSE_FIN);
        tick(1);
        tick(1);
        found(i == MISSED ? "DS202" : i == HALF_CLOSED ? "DS204" : "");
        assert_int_equal(w.num != 0 ? w.last.count : 1, 1);
    }
    begin(); /* both ends do: one and, later, the other */
    up();
    for (int end = 0; end < 2; end++) {
        set_ticks(end, 3, 10 * SECOND, 10 * SECOND);
        w.link.side[end].max_idle_ns = 26 * SECOND;
        tick(1);
    }
    found("DS202 DS202");
    sentence_is("bob@127.0.0.1 missed ticks on its link with alice@127.0.0.1");
}

/* A pause of all traffic excuses silent nodes, if it is long enough and not over before. */
static void pauses(void **state)
{
    static const struct {
        int64_t pause_ns, quiet_after_ns;
        bool is_excused;
    } cases[] = {
        {22 * SECOND + 500 * MS, 15 * SECOND, false},
        {22 * SECOND + 500 * MS + 1, 15 * SECOND, true},
        {3600 * SECOND, 45 * SECOND + 1, true},
        {3600 * SECOND, 45 * SECOND, false}, /* it was over when that node fell silent */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        up();
        set_ticks(1, 3, 15 * SECOND, 15 * SECOND);
        w.now_ns += cases[i].pause_ns;
        tick(0);
        const int64_t after_ns = i < 2 ? 15 * SECOND : 45 * SECOND;
        w.now_ns += after_ns;
        w.link.side[1].max_idle_ns = i < 2 ? 45 * SECOND : cases[i].quiet_after_ns;
        tick(1);
        found(cases[i].is_excused ? "" : "DS202");
    }
}

/* A record that is reported late, as it waited for its keys, goes back in time but is no pause. */
static void what_is_told_late_is_no_pause(void **state)
{
    (void)state;
    for (int is_late = 0; is_late < 2; is_late++) {
        begin();
        up();
        set_ticks(1, 3, 4 * SECOND, 4 * SECOND);
        for (int i = 0; i < 3; i++) {
            if (is_late != 0 && i == 1) {
                w.now_ns -= 10 * SECOND;
                tick(0);
                w.now_ns += 10 * SECOND;
            }
            w.now_ns += 900 * MS;
            tick(0);
        }
        w.link.side[1].max_idle_ns = 14 * SECOND;
        tick(1);
        found("DS202");
    }
}

static void losses(void **state)
{
    static const struct {
        uint64_t seen, unseen;
        const char *detail;
    } cases[] = {{10, 0, "the first copies had all been seen"},
                 {0, 10, "none of the first copies had been seen"},
                 {4, 6, "4 first copies had been seen (lost behind the capture point), 6 had not"}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const int end = i % 2;
        begin();
        up();
        w.link.side[end].data_segments = 1000; /* one in a hundred */
        w.link.side[end].retransmitted = cases[i / 2].seen;
        w.link.side[end].lost_upstream = cases[i / 2].unseen;
        tick(0);
        tick(0);
        found("DS212");
        assert_int_equal(w.last.count, 1);
        detail_has(cases[i / 2].detail);
    }
    begin(); /* in both directions, one after the other */
    up();
    for (int end = 0; end < 2; end++) {
        w.link.side[end].data_segments = 100;
        w.link.side[end].retransmitted = 10;
        tick(0);
    }
    found("DS212 DS212");
    for (uint64_t others = 0; others < 2; others++) { /* whether one end was gone can be seen, or not */
        begin();
        up();
        w.link.side[0].segments = 20;
        w.link.side[1].segments = others;
        w.link.side[0].data_segments = 20;
        w.link.side[0].retransmitted = 10;
        tick(0);
        found(others == 0 ? "DS501 DS212" : "DS212");
        assert_int_equal(w.last.certainty, others == 0 ? CERTAINTY_POSSIBLE : CERTAINTY_SURE);
    }
}

static void stall(int dir, enum ds_stall_why why, int64_t duration_ns, bool is_over, uint64_t in_flight)
{
    struct ds_event event = event_of(DS_EVENT_STALL, (uint8_t)dir);
    event.stall = (struct ds_stall){.why = why, .is_over = is_over, .in_flight = in_flight,
                                    .start_ns = w.now_ns - duration_ns, .duration_ns = duration_ns};
    put(&event);
}

static void black_holes(void **state)
{
    enum { HOLE, SMALL, NEVER_ANSWERED, OVER, OTHERS_TOO, SILENT, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        w.now_ns += 2 * SECOND;
        w.link.side[1].data_segments = i == NEVER_ANSWERED ? 0 : 5;
        w.link.side[1].last_ns = w.now_ns - SECOND - (i == SILENT);
        w.link.side[0].data_segments = i == OTHERS_TOO ? 500 : 501;
        w.link.side[0].retransmitted = 8;
        w.link.side[0].most_repeats = 3;
        stall(0, DS_STALL_LOST, SECOND, i == OVER, i == SMALL ? 999 : 1000);
        stall(0, DS_STALL_LOST, SECOND, i == OVER, i == SMALL ? 999 : 1000);
        if (i == SILENT) { /* its host may be gone: that is reported when nothing more comes */
            assert_int_equal(w.num, 0);
            w.now_ns += SECOND;
            change(DS_CONN_OPEN_AT_END, 0, true);
        }
        found(i == HOLE || i == SILENT ? "DS207" : "");
        if (w.num == 0)
            continue;
        assert_int_equal(w.last.count, 1);
        assert_int_equal(w.last.certainty, i == HOLE ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE);
        assert_int_equal(w.last.severity, i == HOLE ? SEVERITY_ERROR : SEVERITY_WARNING);
    }
    for (int given_up = 0; given_up < 2; given_up++) { /* DS201 reports a host that is gone */
        begin();
        up();
        w.now_ns += 2 * SECOND;
        w.link.side[1].data_segments = 5;
        stall(0, DS_STALL_LOST, SECOND, false, 1448);
        if (given_up)
            findings_time(w.findings, w.now_ns + 80 * SECOND);
        w.now_ns += 81 * SECOND;
        change(given_up ? DS_CONN_OPEN_AT_END : DS_CONN_CLOSED, 0, true);
        found("DS201");
    }
}

/* At the receiver, missing large segments show the loss; the calls that wait for them do not hang. */
static void holes_behind_the_loss(void **state)
{
    enum { CALLED = 6 };
    (void)state;
    for (int filled = 0; filled < 2; filled++) {
        begin();
        up();
        w.now_ns += 20 * SECOND;
        stall(1, DS_STALL_MISSING, 3 * SECOND, false, 40000);
        sentence_is("a large segment from bob@127.0.0.1 to alice@127.0.0.1 does not arrive, "
                    "however often it is retransmitted");
        detail_has("bob@127.0.0.1 has sent 40000 bytes that have not arrived here or at "
                   "alice@127.0.0.1, for 3.00 s");
        assert_int_equal(w.last.severity, SEVERITY_ERROR);
        assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
        stall(1, DS_STALL_MISSING, 9 * SECOND, false, 50000);
        if (filled)
            stall(1, DS_STALL_MISSING, 9 * SECOND, true, 0);
        call(CALL_UNANSWERED, CALLED * SECOND);
        found(filled ? "DS207 DS305" : "DS207");
    }
}

/* The other end is heard after all, and does not acknowledge the data: its host is not gone. If it
 * retransmits data that arrived, one direction is cut for everything. */
static void hole_is_heard(void **state)
{
    enum { HEARD, ACKNOWLEDGED, NOT_YET, ONE_WAY, ONE_WAY_BEFORE, SMALL, TOLD_BEFORE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        const uint64_t len = i == SMALL ? 999 : 1448;
        begin();
        up();
        w.now_ns += 2 * SECOND;
        w.link.side[1].data_segments = 5;
        w.link.side[1].retransmitted = i == ONE_WAY_BEFORE;
        w.link.side[1].last_ns = w.now_ns - SECOND - (i != TOLD_BEFORE);
        stall(0, DS_STALL_LOST, SECOND, false, len);
        if (i == ACKNOWLEDGED)
            stall(0, DS_STALL_LOST, SECOND, true, 0);
        w.now_ns += SECOND;
        w.link.side[1].retransmitted += i == ONE_WAY;
        struct ds_event heard = event_of(DS_EVENT_STALL, 0);
        heard.stall = (struct ds_stall){.why = DS_STALL_LOST, .is_heard = true, .in_flight = len,
                                        .start_ns = w.now_ns - 2 * SECOND, .duration_ns = 2 * SECOND};
        if (i != ACKNOWLEDGED && i != NOT_YET)
            put(&heard);
        const bool is_told = i == HEARD || i == ONE_WAY_BEFORE || i == TOLD_BEFORE;
        found(is_told ? "DS207" : "");
        if (!is_told)
            continue;
        assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
        assert_int_equal(w.last.severity, SEVERITY_ERROR);
        detail_has(i == TOLD_BEFORE ? "retransmitted three times" : "retransmitted for 2.00 s");
        assert_int_equal(w.last.count, 1);
    }
}

/* Being heard does not end its silence, nor begin another one. */
static void heard_is_no_silence(void **state)
{
    (void)state;
    begin();
    up();
    w.now_ns += 2 * SECOND;
    stall(0, DS_STALL_LOST, SECOND, false, 90);
    struct ds_event heard = event_of(DS_EVENT_STALL, 0);
    heard.stall = (struct ds_stall){.why = DS_STALL_LOST, .is_heard = true, .in_flight = 90};
    put(&heard);
    findings_time(w.findings, w.now_ns + 80 * SECOND);
    found("DS201");
    assert_int_equal(w.last.evidence[0].packet[0].frame, heard.frame - 1);
}

/* Answers that pass here and are not acknowledged. */
static void answers_that_do_not_arrive(void **state)
{
    enum { LOST, ARRIVED, BEFORE, OTHER_WAY, OTHER_LINK, LATER, TIMED_OUT, WINDOW, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        for (int n = 0; n < 3; n++) {
            struct ds_event event = message(i == OTHER_WAY ? 0 : 1, "", 0);
            event.has_seq = true;
            event.end_seq = (i == BEFORE ? 0xfffffff0 : 4) + (uint32_t)n; /* numbers wrap around */
            const struct call call = {.number = (uint64_t)n + 1, .conn = 1, .label = "gen:call", .group = "",
                                      .callee = {.node = text("bob@b"), .name = text("calc")},
                                      .start_ns = w.now_ns, .end_ns = w.now_ns,
                                      .outcome = i == TIMED_OUT ? CALL_TIMEOUT : n == 1 ? CALL_ERROR : CALL_OK};
            if (n == 2 && i == OTHER_LINK)
                next_conn();
            if (n == 2 || i != LATER)
                findings_record(w.findings, &(struct record){.event = &event, .call = &call});
            if (n == (i == LATER ? 1 : 2)) {
                struct ds_event lost = event_of(DS_EVENT_STALL, 1);
                lost.stall = (struct ds_stall){.why = i == WINDOW ? DS_STALL_ZERO_WINDOW : DS_STALL_LOST,
                                               .from_seq = i == BEFORE ? 0xfffffff2 : 4, .in_flight = 90};
                put(&lost);
                put(&lost); /* the same one */
                lost.stall.is_over = true;
                if (i == ARRIVED)
                    put(&lost);
            }
        }
        findings_end(w.findings);
        const char *const rest = " whose answers passed here and were never acknowledged";
        const char *const wanted = i == LOST                        ? "2 calls"
                                   : i == LATER || i == OTHER_LINK ? "1 call"
                                                                 : NULL;
        char line[100];
        snprintf(line, sizeof line, "%s%s", wanted != NULL ? wanted : "", rest);
        assert_int_equal(strstr(w.unchecked, line) != NULL, wanted != NULL);
    }
}

/* The cap on remembered answers. */
static void many_answers_that_do_not_arrive(void **state)
{
    enum { AT_MOST = 256 }; /* MAX_ANSWERS */
    (void)state;
    for (int num = AT_MOST; num <= AT_MOST + 1; num++) {
        begin();
        up();
        struct ds_event event = message(1, "", 0);
        event.has_seq = true;
        event.end_seq = 5;
        const struct call call = {.number = 1, .conn = 1, .label = "gen:call", .group = "", .outcome = CALL_OK};
        for (int n = 0; n < num; n++)
            findings_record(w.findings, &(struct record){.event = &event, .call = &call});
        stall(1, DS_STALL_LOST, SECOND, false, 90);
        findings_end(w.findings);
        assert_non_null(strstr(w.unchecked, "256 calls whose answers passed here"));
    }
}

/* A full or closed window: a full one of an end that is not heard belongs to a host that is gone. */
static void windows(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool is_heard = i % 2 != 0, is_full = i / 2 == 0;
        begin();
        up();
        w.now_ns += 5 * SECOND;
        w.link.side[1].last_ns = w.now_ns - 2 * SECOND + is_heard;
        stall(0, is_full ? DS_STALL_FULL_WINDOW : DS_STALL_ZERO_WINDOW, 2 * SECOND, false, 100);
        found(is_full && !is_heard ? "" : "DS205");
    }
    begin(); /* connections of EPMD are not between nodes */
    w.conn.end[1].port = EPMD;
    w.conn.link = &w.link;
    stall(0, DS_STALL_ZERO_WINDOW, 2 * SECOND, false, 100);
    found("");
    begin(); /* both directions: each has its own stall */
    up();
    stall(0, DS_STALL_ZERO_WINDOW, SECOND, false, 100);
    stall(1, DS_STALL_ZERO_WINDOW, SECOND, true, 100);
    found("DS205 DS205");
}

static void bursts(void **state)
{
    enum { OF_BOTH, GOES_ON, SHORT, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        for (int end = 0; end < 2; end++) {
            w.link.side[end].first_ns = w.now_ns - 20 * SECOND;
            w.link.side[end].stalls = 3;
            w.link.side[end].stalled_ns = i == SHORT ? 2 * SECOND - 1 : 2 * SECOND;
            stall(end, DS_STALL_ZERO_WINDOW, SECOND / 2, i != GOES_ON, 100);
            stall(end, DS_STALL_ZERO_WINDOW, SECOND / 2, i != GOES_ON, 100);
        }
        found(i == OF_BOTH ? "DS205 DS205" : "");
        assert_int_equal(w.num != 0 ? w.last.count : 1, 1);
    }
}

/* Delayed messages are reported after the stall, if that was reported. */
static void held_up(void **state)
{
    enum { ONE, TWO, SHORT, LOST, MISSING, NONE, CASES };
    static const enum ds_stall_why why[CASES] = {
        [ONE] = DS_STALL_ZERO_WINDOW, [TWO] = DS_STALL_ZERO_WINDOW,   [SHORT] = DS_STALL_ZERO_WINDOW,
        [LOST] = DS_STALL_LOST,       [MISSING] = DS_STALL_MISSING, [NONE] = DS_STALL_ZERO_WINDOW,
    };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        stall(0, DS_STALL_ZERO_WINDOW, SECOND, true, 100);
        const struct waited waited = {.num = i == TWO ? 2 : 1,
                                      .num_messages = i == NONE ? 0 : i == TWO ? 2 : 1,
                                      .message = {{.frame = 70}, {.frame = 71}}};
        struct ds_event event = event_of(DS_EVENT_STALL, 0);
        event.stall = (struct ds_stall){.why = why[i],
                                        .is_over = true,
                                        .duration_ns = i == SHORT ? SECOND - 1 : SECOND};
        findings_record(w.findings, &(struct record){.event = &event, .note = {.held = &waited}});
        found("DS205");
        const struct evidence *e = &w.last.evidence[0];
        assert_int_equal(e->num, i == ONE ? 2 : i == TWO ? 3 : 1);
        if (i > TWO)
            continue;
        detail_has("; waiting behind it: ");
        assert_int_equal(e->packet[1].frame, 70);
        assert_int_equal(i == TWO ? e->packet[2].frame : 71, 71);
    }
}

static void large_messages(void **state)
{
    enum { LARGE, BARELY_NOT, HALF_HELD_UP, HELD_UP, CUT, DAMAGED, GAP, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        w.conn.counters[1].gaps = i == GAP;
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
        event.message.size = 50000000;
        event.message.wire_ns = i == BARELY_NOT ? SECOND - 1 : SECOND;
        event.message.stalled_ns = i == HALF_HELD_UP ? SECOND / 2 : i == HELD_UP ? SECOND / 2 + 1 : 0;
        event.fault.kind = i == CUT ? DS_FAULT_CAP : i == DAMAGED ? DS_FAULT_GAP : DS_FAULT_NONE;
        put(&event);
        found(i == LARGE || i == HALF_HELD_UP || i == CUT ? "DS206" : "");
    }
}

/* A link that was stalled before it was recognised: no stall reports that. */
static void blocked_before(void **state)
{
    enum { BLOCKED, BRIEFLY, OPEN_WINDOW, NOT_LATE, BOTH, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        for (int end = 0; end < 1 + (i == BOTH); end++) {
            w.link.side[end].longest_stall_ns = i == BRIEFLY ? SECOND - 1 : SECOND;
            w.link.side[!end].zero_windows = i != OPEN_WINDOW;
        }
        change(i == NOT_LATE ? DS_CONN_UP : DS_CONN_JOINED_LATE, 0, false);
        found(i == BLOCKED ? "DS205" : i == BOTH ? "DS205 DS205" : "");
        if (i != BLOCKED)
            continue;
        sentence_is("127.0.0.1:5555 does not read what 127.0.0.1:40000 sends");
        detail_has("sending was blocked for 1.00 s, before the connection was recognised");
        assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticktimes),
        cmocka_unit_test(missed_ticks),
        cmocka_unit_test(pauses), cmocka_unit_test(blocked_before),
        cmocka_unit_test(what_is_told_late_is_no_pause),
        cmocka_unit_test(losses),
        cmocka_unit_test(black_holes),
        cmocka_unit_test(holes_behind_the_loss),
        cmocka_unit_test(hole_is_heard),
        cmocka_unit_test(heard_is_no_silence),
        cmocka_unit_test(answers_that_do_not_arrive),
        cmocka_unit_test(many_answers_that_do_not_arrive),
        cmocka_unit_test(windows),
        cmocka_unit_test(bursts),
        cmocka_unit_test(held_up),
        cmocka_unit_test(large_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
