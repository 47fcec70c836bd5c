/*
 * test_findings_foreign.c - packets that a node ignores (detect_foreign.c): how certain it is that
 * an outsider sent them, by their TTLs, and what is no finding. tests/scripts/outsiders.py makes
 * whole captures.
 */
#include "findings_world.h"

/* A link on which an end has sent many segments with a TTL of 64. */
static void begin_link(void)
{
    leaves_out = "DS401 DS501";
    begin();
    up();
    for (int end = 0; end < 2; end++) {
        w.link.side[end].segments = 20;
        w.link.side[end].usual_ttl[0] = w.link.side[end].ttl = 64;
    }
}

static void ignore(int end, uint64_t resets, uint64_t syns, uint64_t others, uint8_t ttl)
{
    struct ds_ignored *i = &w.link.side[end].ignored;
    w.frame++;
    i->resets += resets;
    i->syns += syns;
    i->others += others;
    if (i->first_frame == 0) {
        i->first_frame = w.frame;
        i->first_ns = w.now_ns;
        i->min_ttl = i->max_ttl = ttl;
    }
    i->min_ttl = ttl < i->min_ttl ? ttl : i->min_ttl;
    i->max_ttl = ttl > i->max_ttl ? ttl : i->max_ttl;
    i->last_frame = w.frame;
    w.now_ns += MS;
}

/* An end sends a tick, so that the facts of the link are checked. */
static void tick(int end)
{
    w.now_ns += SECOND;
    w.link.side[end].last_ns = w.link.side[end].last_data_ns = w.now_ns;
    const struct ds_event event = event_of(DS_EVENT_TICK, end);
    put(&event);
}

static void is(enum severity severity, enum certainty certainty, const char *detail)
{
    assert_string_equal(w.last.kind->code, "DS505");
    assert_int_equal(w.last.severity, severity);
    assert_int_equal(w.last.certainty, certainty);
    detail_has(detail);
}

/* The end of a link that goes on after it was sent by an outsider; that of another link was not. */
static void ends_that_are_none(void **state)
{
    (void)state;
    for (int is_other = 0; is_other < 2; is_other++) {
        begin();
        up();
        half_close(1, DS_CLOSE_RESET);
        assert_int_equal(w.last.certainty, CERTAINTY_SURE);
        if (is_other) {
            next_conn();
            up();
        }
        change(DS_CONN_CONTINUED, 0, false);
        assert_int_equal(w.last.certainty, is_other ? CERTAINTY_SURE : CERTAINTY_POSSIBLE);
        if (is_other)
            continue;
        detail_has("the connection continued nevertheless (DS505)");
        half_close(1, DS_CLOSE_RESET); /* in the end it does end */
        found("DS204 DS204");
        assert_int_equal(w.last.count, 2);
        assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    }
    begin(); /* a handshake that continues */
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    close_by(0, MS, DS_CLOSE_FIN);
    assert_string_equal(w.last.kind->code, "DS119");
    change(DS_CONN_CONTINUED, 0, false);
    assert_int_equal(w.last.severity, SEVERITY_NOTE);
}

/* DS505: from another distance, whether the end goes on or not. */
static void foreign(void **state)
{
    (void)state;
    begin_link();
    ignore(0, 3, 1, 0, 57);
    tick(1);
    is(SEVERITY_WARNING, CERTAINTY_LIKELY, "3 resets, 1 SYN; TTL 57, but its other packets have "
                                           "64: they come from another host");
    sentence_is("somebody else sends packets to bob@127.0.0.1 in the name of alice@127.0.0.1");
    assert_int_equal(w.last.evidence[0].packet[0].frame, w.link.side[0].ignored.first_frame);
    begin_link(); /* some of them from here: the others do not count */
    ignore(1, 1, 0, 0, 64);
    ignore(1, 0, 0, 2, 57);
    tick(0);
    is(SEVERITY_WARNING, CERTAINTY_LIKELY, "1 reset, 2 other segments; TTL 57 to 64");
    begin_link(); /* its packets came on two paths */
    w.link.side[0].usual_ttl[1] = 62;
    ignore(0, 1, 0, 0, 63);
    change(DS_CONN_CLOSED, 0, true);
    is(SEVERITY_WARNING, CERTAINTY_LIKELY, "its other packets have 64 or 62");
}

/* DS505 at the distance of the end itself is possible if that goes on. */
static void as_far_away(void **state)
{
    (void)state;
    begin_link();
    ignore(0, 1, 0, 0, 64);
    tick(1);
    assert_string_equal(w.log, "");
    tick(0);
    is(SEVERITY_WARNING, CERTAINTY_POSSIBLE, "1 reset; TTL 64, like its other packets");
    sentence_is("bob@127.0.0.1 ignores packets that come in the name of alice@127.0.0.1");
    begin_link();
    w.link.side[0].usual_ttl[1] = 62;
    ignore(0, 0, 1, 0, 62);
    tick(0);
    is(SEVERITY_WARNING, CERTAINTY_POSSIBLE, "1 SYN; TTL 62");
    begin_link();
    ignore(0, 0, 0, 1, 64); /* it may be damaged */
    tick(0);
    is(SEVERITY_NOTE, CERTAINTY_POSSIBLE, "1 other segment; TTL 64");
}

/* No finding: the end's own last RST or SYN, with nothing after it; missing data that was accepted. */
static void harmless(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin_link();
        ignore(0, i == 0, i == 1, i == 2, 64);
        if (i == 2) {
            w.conn.counters[0].gaps = 1;
            tick(0);
        }
        tick(1);
        change(DS_CONN_CLOSED, 0, true);
        assert_string_equal(w.log, "");
    }
    begin_link(); /* and if none of its own packets is known for comparison */
    w.link.side[0].segments = 0;
    w.link.side[0].usual_ttl[0] = 0;
    ignore(0, 1, 0, 0, 57);
    tick(1);
    assert_string_equal(w.log, "");
}

/* DS505: later packets make it more severe, and count up to the end; a flood of them makes few
 * records. */
static void more_of_it(void **state)
{
    (void)state;
    begin_link();
    ignore(0, 0, 0, 1, 64);
    tick(0);
    is(SEVERITY_NOTE, CERTAINTY_POSSIBLE, "1 other segment;");
    ignore(0, 1, 0, 0, 64);
    tick(0);
    is(SEVERITY_WARNING, CERTAINTY_POSSIBLE, "1 reset, 1 other segment;");
    ignore(0, 1, 0, 0, 57);
    tick(0);
    is(SEVERITY_WARNING, CERTAINTY_LIKELY, "2 resets, 1 other segment;");
    assert_string_equal(w.log, "DS505 DS505"); /* as another finding, which is reported at once */
    ignore(0, 2, 0, 0, 57);
    tick(0);
    detail_has("2 resets, ");
    ignore(0, 1, 0, 0, 57);
    tick(0);
    detail_has("5 resets, ");
    ignore(0, 1, 0, 0, 57);
    tick(0);
    detail_has("5 resets, ");
    change(DS_CONN_CLOSED, 0, true);
    is(SEVERITY_WARNING, CERTAINTY_LIKELY, "6 resets, 1 other segment;");
    assert_int_equal(w.last.count, 1);
}

/* DS505 on a link that was joined late, and with a message. */
static void joined_late(void **state)
{
    (void)state;
    leaves_out = "DS401 DS501";
    begin();
    change(DS_CONN_JOINED_LATE, 0, false);
    w.link.side[1].segments = 1;
    w.link.side[1].usual_ttl[0] = 200;
    ignore(1, 0, 1, 0, 64);
    struct ds_event event = message(0, "j", 1);
    put(&event);
    is(SEVERITY_WARNING, CERTAINTY_LIKELY, "1 SYN; TTL 64, but its other packets have 200");
}

/* DS306 does not blame a node for packets that an outsider may have sent. */
static void unreadable(void **state)
{
    enum { OWN, IGNORED, COUNTED, FAR_OFF, FROM_OTHER, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_link();
        if (i == IGNORED)
            ignore(0, 0, 0, 1, 64);
        w.conn.counters[0].ignored = i == COUNTED;
        w.link.side[0].ttl = i == FAR_OFF ? 200 : 64;
        w.conn.counters[1].ignored = i == FROM_OTHER;
        struct ds_event event = message(0, "j", 1);
        event.fault = (struct ds_fault){DS_FAULT_MALFORMED, 4, "no such tag"};
        put(&event);
        assert_string_equal(w.log, "DS306");
        const bool is_own = i == OWN || i == FROM_OTHER;
        sentence_is(is_own ? "alice@127.0.0.1 sends invalid data: no such tag"
                           : "in the name of alice@127.0.0.1, invalid data arrives: no such tag");
        assert_int_equal(w.last.severity, is_own ? SEVERITY_ERROR : SEVERITY_WARNING);
        assert_int_equal(w.last.certainty == CERTAINTY_POSSIBLE, !is_own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_that_are_none),
        cmocka_unit_test(foreign),  cmocka_unit_test(as_far_away), cmocka_unit_test(harmless),
        cmocka_unit_test(more_of_it), cmocka_unit_test(joined_late), cmocka_unit_test(unreadable),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
