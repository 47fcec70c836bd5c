/*
 * test_findings_idle.c - DS208: idle links that a middlebox forgets, and near misses.
 */
#include "findings_world.h"

/* lost_after: alice sends something after a silence, and it is not acknowledged. */
static void lost_after(int64_t idle_ns, int64_t survived_ns)
{
    w.link.longest_silence_ns = survived_ns;
    w.link.silence_ns = idle_ns;
    w.now_ns += idle_ns;
    put_stall(DS_STALL_LOST, SECOND, false, 4);
}

/* stalls_beside: data on another link is retransmitted for the third time, or acknowledged. */
static void stalls_beside(const char *from, const char *to, bool is_over)
{
    const struct ds_conn before = w.conn;
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    w.conn.number += 100;
    w.conn.end[0].node = text(from);
    w.conn.end[1].node = text(to);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .is_over = is_over, .start_ns = w.now_ns, .in_flight = 4};
    put(&event);
    w.conn = before;
}

/* Something between forgets a link that is idle. */
static void forgotten(void **state)
{
    enum { AGAIN, TWICE, LONG, BOTH_ENDS, RESTARTED, REGULAR, A_LITTLE, SOON, LARGE, REVIVED, UNREACHABLE,
           CUT_FOR_ALL, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        if (i == CUT_FOR_ALL)
            stalls_beside("bob@127.0.0.1", "carol@127.0.0.1", false);
        if (i == LARGE) {
            w.link.silence_ns = 10 * SECOND;
            w.link.side[1].data_segments = 5;
            put_stall(DS_STALL_LOST, SECOND, false, 1400);
        } else {
            lost_after(i == SOON ? 3 * SECOND : i == LONG || i >= UNREACHABLE ? 30 * SECOND : 10 * SECOND,
                       i == REGULAR    ? 10 * SECOND
                       : i == A_LITTLE ? 7 * SECOND
                                       : SECOND);
        }
        if (i == BOTH_ENDS) { /* seen between them */
            struct ds_event event = event_of(DS_EVENT_STALL, 1);
            event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4};
            put(&event);
        }
        if (i == REVIVED)
            put_stall(DS_STALL_LOST, SECOND, true, 4);
        if (i == UNREACHABLE) { /* EPMD does not answer, either */
            struct world before = w;
            next_conn();
            w.conn.end[1].port = EPMD;
            w.conn.end[0].addr = w.conn.end[1].addr = before.conn.end[1].addr;
            close_by(-1, SECOND, DS_CLOSE_SYN_TIMEOUT);
        }
        if (i == LONG || i >= UNREACHABLE) {
            findings_time(w.findings, w.now_ns + 75 * SECOND);
            found(i == LONG ? "DS208" : i == CUT_FOR_ALL ? "DS201 DS201" : "DS201");
            continue;
        }
        w.now_ns += 50 * SECOND;
        next_conn();
        if (i == RESTARTED) {
            shake(DS_STEP_CHALLENGE_ACK, "alice@127.0.0.1", "bob@127.0.0.1");
            w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
            w.conn.end[1].creation = 6;
            change(DS_CONN_UP, 0, false);
        } else {
            up();
        }
        if (i == TWICE) {
            lost_after(8 * SECOND, 2 * SECOND);
            findings_time(w.findings, w.now_ns + 75 * SECOND);
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
            assert_int_equal(w.last.count, 2);
        }
        findings_time(w.findings, w.now_ns + 75 * SECOND);
        found(i == AGAIN || i == BOTH_ENDS ? "DS208"
              : i == TWICE                 ? "DS208 DS208"
              : i == LARGE                 ? "DS207 DS201"
              : i == REVIVED               ? ""
                                           : "DS201");
        if (i == AGAIN) {
            sentence_is("the link between alice@127.0.0.1 and bob@127.0.0.1 was cut while it was idle: "
                        "net_tick_timeout");
            detail_has("10.00 s, longer than ever before (1.00 s)");
            assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
            assert_int_equal(w.last.severity, SEVERITY_ERROR);
        }
    }
    begin(); /* the end of the old link later adds nothing */
    up();
    const struct ds_conn old = w.conn;
    lost_after(10 * SECOND, SECOND);
    w.now_ns += 50 * SECOND;
    next_conn();
    up();
    w.now_ns += SECOND;
    w.conn = old;
    w.link.side[0].pause_from_ns = w.now_ns - 8 * SECOND;
    w.link.side[0].pause_to_ns = w.link.side[0].last_data_ns = w.now_ns;
    half_close(1, DS_CLOSE_RESET);
    found("DS208");
    begin(); /* first reported as gone: it may have been forgotten */
    up();
    lost_after(10 * SECOND, SECOND);
    findings_time(w.findings, w.now_ns + 75 * SECOND);
    detail_has("or a middlebox forgot the link (DS208)");
    found("DS201");
}

/* A RST with ACK comes from a host that knows the link: a silence before it proves nothing. */
static void reset_by_its_node(void **state)
{
    (void)state;
    for (int is_own = 0; is_own < 2; is_own++) {
        begin();
        w.hidden = true;
        up();
        w.link.silence_ns = SECOND;
        w.link.reset_is_own = is_own != 0;
        half_close(1, DS_CLOSE_RESET);
        found("DS204");
        detail_has(is_own ? "bob@127.0.0.1 was killed or halted with data unread"
                          : "or a middlebox forgot the link and answered in its name");
        assert_int_equal(w.last.certainty, is_own ? CERTAINTY_SURE : CERTAINTY_LIKELY);
    }
}

/* A RST in the name of a node that still has the link, as it shows when the other connects again. */
static void reset_in_its_name(void **state)
{
    static const struct {
        int64_t after_ns;
        int closed_by, acceptor;
        const char *codes;
    } cases[] = {
        {600 * SECOND, 1, 1, "DS204 DS208 DS118"},
        {600 * SECOND + 1, 1, 1, "DS204 DS118"},
        {SECOND, 0, 1, "DS204 DS118"}, /* in the name of the other node, which knows of it */
        {SECOND, 0, 0, "DS204 DS208 DS118"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        w.hidden = true;
        up();
        half_close(cases[i].closed_by, DS_CLOSE_RESET);
        w.now_ns += cases[i].after_ns;
        next_conn();
        w.conn.end[0].node = text("alice@127.0.0.1");
        w.conn.end[1].node = text("bob@127.0.0.1");
        step(DS_STEP_STATUS_REPLY, !cases[i].acceptor, "true");
        found(cases[i].codes);
    }
    begin(); /* reported once; and a link that was closed in order was not kept */
    w.hidden = true;
    up();
    half_close(1, DS_CLOSE_RESET);
    next_conn();
    w.conn.end[0].node = text("alice@127.0.0.1");
    w.conn.end[1].node = text("bob@127.0.0.1");
    step(DS_STEP_STATUS_REPLY, 0, "true");
    step(DS_STEP_STATUS_REPLY, 0, "true");
    found("DS204 DS208 DS118 DS118");
    begin();
    w.hidden = true;
    up();
    half_close(1, DS_CLOSE_FIN);
    next_conn();
    w.conn.end[0].node = text("alice@127.0.0.1");
    w.conn.end[1].node = text("bob@127.0.0.1");
    step(DS_STEP_STATUS_REPLY, 0, "true");
    found("DS118");
    const char *before = leaves_out; /* its evidence begins with the RST */
    leaves_out = "DS214 DS118";
    begin();
    w.hidden = true;
    up();
    half_close(1, DS_CLOSE_RESET);
    const uint64_t reset_frame = w.frame;
    next_conn();
    w.conn.end[0].node = text("alice@127.0.0.1");
    w.conn.end[1].node = text("bob@127.0.0.1");
    step(DS_STEP_STATUS_REPLY, 0, "true");
    found("DS204 DS208");
    assert_int_equal(w.last.evidence[0].num, 2);
    assert_int_equal(w.last.evidence[0].packet[0].frame, reset_frame);
    leaves_out = before;
    begin(); /* the first data after a silence may not have been answered by the node at all */
    up();
    w.link.silence_ns = 10 * SECOND;
    w.link.side[0].last_data_ns = w.now_ns;
    half_close(1, DS_CLOSE_RESET);
    detail_has("after a silence of 10");
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
}

/* A middlebox that forgot the link sends a RST. If a link that was not idle stalls then, the path
 * was cut. */
static void forgotten_and_reset(void **state)
{
    enum { AGAIN, ANSWERED, RESTARTED, CUT_FOR_ALL, AT_ONCE, OF_OTHERS, BEFORE, RECOVERED, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        if (i == BEFORE || i == AT_ONCE)
            stalls_beside("bob@127.0.0.1", "carol@127.0.0.1", false);
        w.now_ns += i == BEFORE ? 7 * SECOND + 1 : i == AT_ONCE ? 7 * SECOND : 5 * SECOND;
        if (i == CUT_FOR_ALL || i == OF_OTHERS || i == RECOVERED)
            stalls_beside(i == OF_OTHERS ? "dave@127.0.0.1" : "bob@127.0.0.1", "carol@127.0.0.1", false);
        if (i == RECOVERED)
            stalls_beside("bob@127.0.0.1", "carol@127.0.0.1", true);
        w.now_ns += 5 * SECOND;
        w.link.silence_ns = i == ANSWERED ? 0 : 10 * SECOND;
        w.link.side[0].last_data_ns = w.now_ns;
        half_close(1, DS_CLOSE_RESET);
        next_conn();
        shake(DS_STEP_CHALLENGE_ACK, "alice@127.0.0.1", "bob@127.0.0.1");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        w.conn.end[1].creation += i == RESTARTED;
        change(DS_CONN_UP, 0, false);
        found(i == ANSWERED || i == RESTARTED ? "DS204" : "DS204 DS208");
        if (i == CUT_FOR_ALL || i == AT_ONCE) {
            detail_has("another link of these nodes stalled in that time");
            assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
            assert_int_equal(w.last.severity, SEVERITY_NOTE);
        } else if (i != ANSWERED && i != RESTARTED) {
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
            assert_int_equal(w.last.severity, SEVERITY_WARNING);
        }
    }
}

static uint32_t creation_beside = 5; /* of the ends of another link */

/* beside plays an event of another link: it comes up, or ticks. */
static void beside(uint64_t number, const char *a, const char *b, enum ds_event_type type, int64_t tick_ns)
{
    const struct ds_conn before = w.conn;
    const struct ds_tcp_stats link = w.link;
    memset(&w.link, 0, sizeof w.link);
    w.link.side[0].tick_intervals = tick_ns != 0;
    w.link.side[0].tick_last_ns = tick_ns;
    w.link.closed_by = -1;
    w.conn.number = number;
    w.conn.end[0].node = text(a);
    w.conn.end[1].node = text(b);
    w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
    if (type == DS_EVENT_CONN)
        shake(DS_STEP_CHALLENGE_ACK, a, b);
    w.conn.end[0].creation = w.conn.end[1].creation = creation_beside;
    struct ds_event event = event_of(type, 0);
    if (type == DS_EVENT_CONN)
        event.change = (struct ds_conn_change){.state = DS_CONN_UP};
    put(&event);
    w.conn = before;
    w.link = link;
}

/* nameless plays an event of a connection between unknown nodes. */
static void nameless(uint64_t number)
{
    const struct ds_conn before = w.conn;
    w.conn = (struct ds_conn){.number = number, .link = &w.link};
    struct ds_event event = event_of(DS_EVENT_TICK, 0);
    put(&event);
    w.conn = before;
}

/* All links of a node fall silent at one moment: its host is cut off, and its packets are lost. */
static void silenced_together(void **state)
{
    enum { TOGETHER, PARTED, OPEN_BEFORE, UNKNOWN_BEFORE, RESTARTED_BEFORE, LATE, TOO_LATE, EARLY, TOO_EARLY,
           SPOKE, WOKE, TICKS, LONGER_THAN_TICKS, OF_OTHERS, OF_BOTH, FORGOTTEN, OTHERS_CAME, IDLED, IDLES, CUT,
           CASES };
    static const char bob[] = "bob@127.0.0.1", carol[] = "carol@127.0.0.1";
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        const int64_t first_ns = i == EARLY                            ? 2 * SECOND
                                 : i == TOO_EARLY                      ? 2 * SECOND + 1
                                 : i == TICKS || i == LONGER_THAN_TICKS ? 10 * SECOND
                                                                       : 0;
        const int64_t tick_ns = i == TICKS               ? 25 * SECOND - SECOND / 2
                                : i == LONGER_THAN_TICKS ? 24 * SECOND
                                                         : 0;
        /* two ticks of the default net_ticktime are no cut, even if the first data follows a moment
         * later */
        const int64_t idle_ns = (i == IDLED || i == IDLES ? 30 : 40) * SECOND;
        const bool was_open = i >= OPEN_BEFORE && i <= RESTARTED_BEFORE; /* before the capture */
        creation_beside = i == UNKNOWN_BEFORE ? 0 : 5;
        beside(500, i == OF_OTHERS ? "dave@127.0.0.1" : i == OF_BOTH ? "alice@127.0.0.1" : bob,
               i == OF_BOTH ? bob : carol, was_open ? DS_EVENT_TICK : DS_EVENT_CONN, 0);
        creation_beside = 5;
        if (tick_ns != 0)
            beside(500, bob, carol, DS_EVENT_TICK, tick_ns);
        w.now_ns += first_ns;
        up();
        const int64_t cut_ns = w.now_ns;
        if (i == LATE || i == TOO_LATE) {
            w.now_ns += 2 * SECOND + (i == TOO_LATE);
            beside(500, bob, carol, DS_EVENT_TICK, 0);
        }
        w.now_ns = cut_ns + 10 * SECOND;
        if (i == SPOKE)
            beside(500, bob, carol, DS_EVENT_TICK, 0);
        w.now_ns = cut_ns + idle_ns / 2;
        beside(700, "dave@127.0.0.1", "erin@127.0.0.1", DS_EVENT_TICK, 0); /* the capture goes on */
        w.now_ns = cut_ns + idle_ns - 2 * SECOND;
        for (uint64_t k = 1; k <= 8; k++) { /* as many others as can be remembered */
            if (i == FORGOTTEN)
                beside(500 + 128 * k, "dave@127.0.0.1", "erin@127.0.0.1", DS_EVENT_TICK, 0);
            if (i == OTHERS_CAME)
                nameless(500 + 128 * k);
        }
        if (i == WOKE || i == IDLED) /* as the other one does a moment later */
            beside(500, bob, carol, DS_EVENT_TICK, 0);
        w.now_ns = cut_ns + idle_ns;
        creation_beside = i == RESTARTED_BEFORE ? 6 : 5;
        if (i == PARTED || was_open)
            beside(501, bob, carol, DS_EVENT_CONN, 0);
        creation_beside = 5;
        w.link.silence_ns = idle_ns;
        if (i == CUT) {
            put_stall(DS_STALL_LOST, SECOND, false, 4);
        } else {
            w.link.side[0].last_data_ns = w.now_ns;
            half_close(1, DS_CLOSE_RESET);
        }
        if (i == TOGETHER)
            detail_has("(DS208); or the network was cut: another link of bob@127.0.0.1 carried nothing from");
        next_conn();
        up();
        const bool is_silent =
            i == TOGETHER || i == UNKNOWN_BEFORE || i == RESTARTED_BEFORE || i == LATE || i == EARLY ||
            i == WOKE || i == LONGER_THAN_TICKS || i == OTHERS_CAME || i == CUT;
        const bool is_parted = i == PARTED || i == OPEN_BEFORE;
        found(is_parted || i == CUT ? "DS201" : i == OF_BOTH ? "DS204 DS208 DS209" : "DS204 DS208");
        if (is_parted) {
            detail_has("neither was heard for 40.00 s; another link of bob@127.0.0.1 carried nothing from");
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
            assert_int_equal(w.last.severity, SEVERITY_ERROR);
        } else if (is_silent && i != CUT) {
            detail_has("another link of these nodes carried nothing from the same moment on");
            assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
            assert_int_equal(w.last.severity, SEVERITY_NOTE);
        } else if (i != CUT && i != OF_BOTH) {
            assert_int_equal(w.last.certainty, i == FORGOTTEN ? CERTAINTY_POSSIBLE : CERTAINTY_LIKELY);
            assert_int_equal(w.last.severity, SEVERITY_WARNING);
        }
    }
}

/* The first link of a node that ends after all fell silent: no other one has shown yet that the
 * nodes still run, and its data was not acknowledged. */
static void cut_before_it_was_reset(void **state)
{
    enum { CUT, SOON, SPOKE, OWN, UNREAD, CASES };
    static const char bob[] = "bob@127.0.0.1", carol[] = "carol@127.0.0.1";
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        beside(500, bob, carol, DS_EVENT_CONN, 0);
        beside(500, bob, carol, DS_EVENT_TICK, SECOND); /* four seconds of silence are not idle time */
        up();
        w.now_ns += SECOND;
        beside(700, "dave@127.0.0.1", "erin@127.0.0.1", DS_EVENT_TICK, 0); /* the capture goes on */
        w.now_ns += i == SPOKE ? 5 * SECOND : SECOND;
        if (i == SPOKE)
            beside(500, bob, carol, DS_EVENT_TICK, 0);
        w.now_ns += i == SPOKE ? 5 * SECOND : 2 * SECOND - (i == SOON);
        w.link.reset_is_own = i == OWN;
        if (i == UNREAD)
            put_stall(DS_STALL_ZERO_WINDOW, SECOND / 2, true, 100);
        half_close(1, DS_CLOSE_RESET);
        found("DS204");
        if (w.last.certainty != (i == CUT ? CERTAINTY_LIKELY : CERTAINTY_SURE))
            fail_msg("case %d is not as sure as it should be", i);
        if (i == CUT)
            detail_has("neither was heard for 4.00 s before, and another link of bob@127.0.0.1 carried nothing");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forgotten),
        cmocka_unit_test(reset_by_its_node),
        cmocka_unit_test(reset_in_its_name),
        cmocka_unit_test(forgotten_and_reset),
        cmocka_unit_test(silenced_together),
        cmocka_unit_test(cut_before_it_was_reset),
    };
    leaves_out = "DS214"; /* test_findings_stall.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
