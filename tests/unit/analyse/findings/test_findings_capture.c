/*
 * test_findings_capture.c - what the capture lacks: one direction of a link, the ends of packets;
 * and findings that are then not reported about nodes that seem silent.
 */
#include "findings_world.h"

/* sends counts captured segments of an end. */
static void sends(int end, uint64_t num)
{
    w.link.side[end].segments += num;
}

static void tick(int dir)
{
    const struct ds_event event = event_of(DS_EVENT_TICK, dir);
    put(&event);
}

/* half of a link: reported after so many segments that it cannot be chance. */
static void one_direction(void **state)
{
    (void)state;
    for (int end = 0; end < 2; end++) {
        begin();
        up();
        sends(end, 9);
        tick(end);
        assert_int_equal(w.num, 0);
        sends(end, 1);
        tick(end);
        tick(end);
        found("DS501"); /* once */
        detail_has(end == 0 ? "no packet from bob@127.0.0.1 to alice@127.0.0.1, but 10 segments from the latter"
                            : "no packet from alice@127.0.0.1 to bob@127.0.0.1");
    }
    begin();
    up();
    sends(0, 100);
    sends(1, 1);
    tick(0);
    found("");
    begin(); /* a SYN that is retransmitted was not answered */
    w.link.side[0].syns = 10;
    sends(0, 10);
    tick(0);
    found("");
    begin();
    w.conn.end[1].port = EPMD;
    sends(0, 100);
    tick(0);
    found("");
}

/* Several links make one finding. */
static void many_links(void **state)
{
    (void)state;
    begin();
    w.hidden = true; /* else it flaps */
    for (int i = 0; i < 5; i++) {
        up();
        sends(0, 10);
        tick(0);
        next_conn();
    }
    assert_int_equal(w.last.count, 5);
    found("DS501 DS501 DS501");
}

/* Unanswered requests may have been answered, if the answers are not captured. */
static void nobody_is_accused(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        begin();
        up();
        sends(0, 5);
        sends(1, both ? 5 : 0);
        tick(0);
        call(CALL_UNANSWERED, 6 * SECOND);
        found(both ? "DS305" : "");
        begin();
        up();
        sends(0, 5);
        sends(1, both ? 5 : 0);
        tick(0);
        for (int i = 0; i < 5; i++)
            call(CALL_ABANDONED, SECOND);
        found(both ? "DS310" : "");
        begin();
        sends(0, 5);
        sends(1, both ? 5 : 0);
        shake(DS_STEP_SEND_NAME, "alice@a", "bob@b");
        close_by(0, MS, DS_CLOSE_RESET);
        found(both ? "DS119" : "");
        begin(); /* idle for as long as before: a middlebox, if both ends are captured */
        for (int i = 0; i < 2; i++) {
            up();
            sends(0, 5);
            sends(1, both ? 5 : 0);
            w.now_ns += 200 * SECOND;
            w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns - 40 * SECOND;
            half_close(0, DS_CLOSE_RESET);
            next_conn();
        }
        found(both ? "DS204 DS208 DS204" : "DS204 DS204");
    }
}

/* Messages have no facts of their link, but show whether both ends are captured. */
static void seen_by_acknowledgements(void **state)
{
    static const uint8_t nil[] = {106};
    (void)state;
    for (int is_seen = 0; is_seen < 2; is_seen++) {
        begin();
        up();
        sends(0, 5);
        tick(0);
        w.conn.link = NULL;
        w.conn.are_both_seen = is_seen != 0;
        const struct ds_event event = message(0, nil, sizeof nil);
        put(&event);
        call(CALL_TIMEOUT, SECOND);
        found(is_seen ? "DS313" : "");
        w.conn.link = &w.link;
        w.conn.are_both_seen = false;
    }
}

static void talks(int dir, bool with_facts)
{
    static const uint8_t nil[] = {106};
    struct ds_event event = message(dir, nil, sizeof nil);
    w.conn.counters[dir].bytes += 10;
    w.conn.link = with_facts ? &w.link : NULL;
    put(&event);
    w.conn.link = &w.link;
}

/* As soon as the other end is seen, by facts or by a message, all is as usual. */
static void seen_later(void **state)
{
    (void)state;
    for (int with_facts = 0; with_facts < 2; with_facts++) {
        begin();
        up();
        w.conn.counters[0].bytes = w.conn.counters[1].bytes = 0;
        sends(0, 5);
        change(DS_CONN_JOINED_LATE, 0, false);
        talks(0, with_facts);
        sends(1, 1);
        talks(with_facts ? 0 : 1, with_facts);
        call(CALL_UNANSWERED, 6 * SECOND);
        found("DS305");
    }
    begin();
    up();
    w.conn.counters[0].bytes = w.conn.counters[1].bytes = 0;
    sends(0, 5);
    change(DS_CONN_JOINED_LATE, 0, false);
    talks(0, false);
    call(CALL_UNANSWERED, 6 * SECOND);
    found("");
    assert_non_null(strstr(w.unchecked, "DNS"));
    begin(); /* the counted packets may be from before or after */
    up();
    sends(0, 5);
    change(DS_CONN_JOINED_LATE, 0, false);
    w.conn.counters[0].bytes = w.conn.counters[1].bytes = 100;
    talks(0, false);
    call(CALL_UNANSWERED, 6 * SECOND);
    found("");
    begin(); /* with each message, where it brings facts along */
    up();
    sends(0, 9);
    change(DS_CONN_JOINED_LATE, 0, false);
    sends(0, 1);
    talks(0, true);
    found("DS501");
}

/* A message that is cut, once a connection. */
static void cut_short(void **state)
{
    static const uint8_t nil[] = {106};
    (void)state;
    begin();
    up();
    struct ds_event event = message(1, nil, sizeof nil);
    event.fault.kind = DS_FAULT_GAP;
    put(&event);
    assert_int_equal(w.num, 0);
    event.fault.kind = DS_FAULT_TRUNCATED;
    put(&event);
    put(&event);
    assert_int_equal(w.last.count, 1);
    detail_has("first from bob@127.0.0.1 to alice@127.0.0.1");
    next_conn();
    up();
    event = message(0, nil, sizeof nil);
    event.fault.kind = DS_FAULT_TRUNCATED;
    put(&event);
    assert_int_equal(w.last.count, 2);
    found("DS502 DS502");
}

/* Links whose facts had no room are not among the checked ones. */
static void not_measured(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 2; i++) {
        up();
        w.conn.counters[0].messages = 1;
        w.conn.link = NULL;
        change(DS_CONN_CLOSED, 0, true);
        next_conn();
    }
    up(); /* one without messages */
    w.conn.link = NULL;
    change(DS_CONN_CLOSED, 0, true);
    w.conn.link = &w.link;
    findings_end(w.findings);
    assert_non_null(strstr(w.unchecked, "2 links without memory for TCP measurements"));
}

static void falls_silent(int64_t since_ns, int64_t now_ns, bool is_back)
{
    const struct silent_point point = {
        .name = "web3", .since_ns = since_ns, .now_ns = now_ns, .is_back = is_back};
    findings_silent(w.findings, &point);
}

/* Each silence of a point counts. Its name may be anything. */
static void silent_point(void **state)
{
    (void)state;
    begin();
    falls_silent(1000 * SECOND, 1060 * SECOND, false);
    sentence_is("capture point web3 stopped sending");
    detail_has("nothing has come from it for 1.0 min, while others go on");
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_false(w.last.is_over);
    falls_silent(1000 * SECOND, 1090 * SECOND, true);
    detail_has("nothing came from it for 1.5 min; it is back");
    assert_true(w.last.is_over && w.last.is_update);
    assert_int_equal(w.last.count, 1);
    falls_silent(2000 * SECOND, 2060 * SECOND, false);
    assert_int_equal(w.last.count, 2);
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY); /* not for its own silence */
    const struct silent_point hostile = {.name = "\033[31m", .since_ns = 9, .now_ns = 8};
    findings_silent(w.findings, &hostile);
    sentence_is("capture point \\x1B[31m stopped sending");
    detail_has("for 0");
    found("DS503 DS503 DS503");
}

/* A point that is back, but whose silence was not reported, is no finding. */
static void silent_point_back(void **state)
{
    (void)state;
    begin();
    falls_silent(1000 * SECOND, 1090 * SECOND, true);
    found("");
}

/* The name that was looked up may not have been captured either. */
static void name_not_captured(void **state)
{
    (void)state;
    begin();
    epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
    found("DS107");
    sentence_is("a node whose name was not captured is not registered at EPMD of 10.0.0.2");
}

/* Unreadable and missing data limit the verdict. */

static void says(uint32_t unknown_atoms, enum ds_fault_kind fault)
{
    struct ds_event event = message(0, "j", 1);
    event.unknown_atoms = unknown_atoms;
    event.fault.kind = fault;
    put(&event);
}

static void limits_are(unsigned seen, unsigned read)
{
    findings_end(w.findings);
    assert_int_equal(w.limits[LIMITS_SEEN], seen);
    assert_int_equal(w.limits[LIMITS_READ], read);
}

static void unread(void **state)
{
    (void)state;
    begin();
    up();
    says(0, DS_FAULT_NONE);
    limits_are(0, 0);
    begin();
    up();
    struct ds_event by_address = message(0, "j", 1);
    by_address.address_atoms = 2; /* it is known which node it is, and all else */
    put(&by_address);
    limits_are(0, 0);
    begin();
    up();
    says(0, DS_FAULT_NONE);
    says(2, DS_FAULT_NONE);
    says(1, DS_FAULT_CAP); /* counts once */
    limits_are(0, 1);
    assert_int_equal(w.num_read, 1);
    assert_int_equal(w.num_messages, 3);
    assert_non_null(strstr(w.unchecked, "2 of 3 messages, as they could not be read in full: 1 have unknown "
                                        "atoms, 1 could not be decoded\n"));
    begin(); /* two are guesses, one of them in part */
    up();
    struct ds_event likely = message(0, "j", 1), partly = message(0, "j", 1);
    likely.likely_atoms = partly.likely_atoms = 2;
    partly.unknown_atoms = 1;
    put(&likely);
    put(&partly);
    limits_are(0, 1);
    assert_int_equal(w.num_read, 1);
    assert_int_equal(w.num_guessed, 1);
    for (int is_open = 0; is_open < 2; is_open++) { /* TLS, with keys and without */
        struct ds_tls tls = {.data_records = {7, 2}, .ticks = {3, 5},
                             .undecrypted = {is_open ? 0 : 100, 0}};
        begin();
        up();
        w.conn.tls = &tls;
        change(DS_CONN_OPEN_AT_END, 0, true);
        limits_are(is_open ? 0 : 1, is_open ? 0 : 1);
        if (!is_open) {
            assert_int_equal(w.num_read, 0);
            assert_int_equal(w.num_messages, 4);
            assert_non_null(strstr(w.unchecked, "4 are sealed by TLS"));
        }
    }
}

#define BUSY "1 link with too few ticks to check their timing: busy links send none\n"
#define TOO_SHORT "1 link with too few ticks to check their timing (capture longer than net_ticktime)\n"

/* Links that are up for net_ticktime without a tick are busy: a longer capture would not have more
 * of them. */
static void ticks_of_busy_links(void **state)
{
    static const struct {
        int64_t seconds[2];
        const char *said;
        int64_t quiet_ns; /* of that side: an idle link with a longer net_ticktime ticks that rarely */
        int quiet_side;
        bool is_one_way;  /* the other end sent acknowledgements alone */
    } rows[] = {
        {{60, 0}, BUSY, 0, 0, false},
        {{59, 0}, TOO_SHORT, 0, 0, false},
        {{60, 59}, "2 links with too few ticks to check their timing: 1 busy (such links send none), the "
                   "others too short\n", 0, 0, false},
        {{60, 0}, BUSY, 15 * SECOND - 1, 0, false},
        {{60, 0}, TOO_SHORT, 15 * SECOND, 0, false},
        {{60, 0}, TOO_SHORT, 15 * SECOND, 1, false},
        {{60, 0}, TOO_SHORT, 0, 0, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        for (int link = 0; link < 2 && rows[i].seconds[link] != 0; link++) {
            up();
            says(0, DS_FAULT_NONE);
            w.conn.counters[0].messages = 1;
            for (int side = 0; side < 2; side++) {
                w.link.side[side].first_ns = w.now_ns;
                w.link.side[side].last_ns = w.now_ns + 60 * SECOND;
                w.link.side[side].last_data_ns =
                    side == 0 || !rows[i].is_one_way ? w.now_ns + rows[i].seconds[link] * SECOND : 0;
                w.link.side[side].max_quiet_ns = side == rows[i].quiet_side ? rows[i].quiet_ns : 0;
                w.link.side[side].segments = 1;
            }
            change(DS_CONN_OPEN_AT_END, 0, true);
            next_conn();
        }
        findings_end(w.findings);
        assert_non_null(strstr(w.unchecked, rows[i].said));
    }
}

static void unseen(void **state)
{
    static const struct findings_unseen cases[] = {{.lost_packets = 1}, {.bad_packets = 1}, {.caps = 1},
                                                   {.differing = 1}, {.fragments = 1}, {.cut_packets = 1},
                                                   {.cut_files = 1}, {.ignored = 1},
                                                   {0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        findings_set_unseen(w.findings, &cases[i]);
        limits_are(i < 7 ? 1 : 0, 0);
    }
    begin(); /* joined late */
    change(DS_CONN_JOINED_LATE, 0, false);
    limits_are(1, 0);
    begin();
    const struct ds_event gap = event_of(DS_EVENT_GAP, 0);
    put(&gap);
    limits_are(1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unread),
        cmocka_unit_test(ticks_of_busy_links),
        cmocka_unit_test(unseen),
        cmocka_unit_test(seen_by_acknowledgements),
        cmocka_unit_test(one_direction),   cmocka_unit_test(many_links),
        cmocka_unit_test(nobody_is_accused), cmocka_unit_test(seen_later),
        cmocka_unit_test(cut_short),       cmocka_unit_test(not_measured),
        cmocka_unit_test(name_not_captured), cmocka_unit_test(silent_point),
        cmocka_unit_test(silent_point_back),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
