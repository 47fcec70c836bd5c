/*
 * test_findings_link_ends.c - how links end: which silences make a node give up, which ends are
 * alike, and which of them are reported once; up to the very time at which it is something else.
 */
#include "findings_world.h"

#define TICK_NS (15 * SECOND) /* if none was measured */

/* goes_silent: bob is silent for silence_ns, and alice's last message comes goes_on_ns after his. */
static void goes_silent(int64_t silence_ns, int64_t goes_on_ns)
{
    begin();
    up();
    w.link.side[0].last_data_ns = w.now_ns + goes_on_ns;
    w.now_ns += silence_ns;
}

static void silence(void **state)
{
    const int64_t least_ns = 3 * TICK_NS - TICK_NS / 10, most_ns = 6 * TICK_NS;
    const int64_t least_said_ns = 2 * TICK_NS - TICK_NS / 10;
    const struct {
        int64_t silence_ns, goes_on_ns;
        const char *codes;
    } cases[] = {
        {least_ns - 1, least_ns - 1, "DS204"}, {least_ns, least_ns, "DS201"},
        {most_ns, most_ns, "DS201"},           {most_ns + 1, most_ns, "DS204"},
        {most_ns, least_said_ns, "DS201"},     {most_ns, least_said_ns - 1, "DS204"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        goes_silent(cases[i].silence_ns, cases[i].goes_on_ns);
        const int64_t heard_ns = w.now_ns - cases[i].silence_ns;
        half_close(0, DS_CLOSE_FIN);
        found(cases[i].codes);
        const bool is_silence = strcmp(cases[i].codes, "DS201") == 0; /* since it began */
        assert_int_equal(w.last.first_ns, is_silence ? heard_ns : w.now_ns);
        assert_int_equal(w.last.last_ns, w.now_ns);
    }
    for (int acknowledged = 0; acknowledged < 2; acknowledged++) { /* for more than a third of the time */
        goes_silent(60 * SECOND, 60 * SECOND);
        w.link.side[1].last_ns = w.link.side[1].last_data_ns + 20 * SECOND + acknowledged;
        half_close(0, DS_CLOSE_FIN);
        found("DS201");
        detail_has(acknowledged ? "its kernel still acknowledged" : "did not acknowledge either");
    }
    for (int is_due = 0; is_due < 2; is_due++) { /* its own tick, at the usual interval */
        goes_silent(TICK_NS - 1 + is_due, TICK_NS - 1);
        w.link.side[0].tick_intervals = 2;
        w.link.side[0].tick_last_ns = 4 * SECOND;
        w.link.side[1].last_ns = w.now_ns;
        half_close(0, DS_CLOSE_FIN);
        found("DS201");
        assert_int_equal(w.last.certainty, is_due ? CERTAINTY_SURE : CERTAINTY_LIKELY);
    }
    goes_silent(0, 0); /* an end that was never heard did not fall silent */
    w.link.side[0].tick_intervals = 2;
    w.link.side[0].tick_last_ns = 300 * SECOND;
    w.link.side[1].last_data_ns = 0;
    half_close(0, DS_CLOSE_FIN);
    found("DS204");
}

/* On a link that was joined late, nodes may have no names, and the silent one may not have sent
 * anything since: it is given up all the same. */
static void silence_without_names(void **state)
{
    enum { NO_NAMES, ONE_NAME, NO_DATA, UNSEEN, CASES };
    (void)state;
    for (int i = 0; i < 2 * CASES; i++) {
        const bool is_stuck = i >= CASES; /* it acknowledges, and the other closes */
        const int which = i % CASES;
        begin();
        change(DS_CONN_JOINED_LATE, 0, false);
        if (which == ONE_NAME)
            w.conn.end[0].node = text("alice@a");
        struct ds_tcp_side *side = w.link.side;
        side[0].segments = side[1].segments = which == UNSEEN ? 0 : 5;
        side[1].first_ns = which == UNSEEN ? 0 : w.now_ns;
        side[1].last_data_ns = which == NO_DATA || which == UNSEEN ? 0 : w.now_ns;
        w.now_ns += 60 * SECOND;
        side[0].last_data_ns = w.now_ns;
        side[1].last_ns = which == UNSEEN ? 0 : w.now_ns;
        if (is_stuck) {
            half_close(0, DS_CLOSE_FIN);
        } else {
            struct ds_event event = event_of(DS_EVENT_STALL, 0);
            event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4, .start_ns = w.now_ns};
            put(&event);
            findings_time(w.findings, w.now_ns + 80 * SECOND);
        }
        if (which != UNSEEN)
            sentence_is(which == ONE_NAME
                            ? "alice@a disconnected 10.0.0.2:5555, which had stopped responding: net_tick_timeout"
                            : "10.0.0.1:40000 disconnected 10.0.0.2:5555, which had stopped responding: net_tick_timeout");
        found(which == UNSEEN ? "DS401" : "DS401 DS201");
    }
}

/* A node's packets do not arrive: it is given up, but was neither suspended nor gone. */
static void is_held(void **state)
{
    enum { MISSING, HOLE, HOLE_LATER, HOLE_FILLED, OWN_HOLE, GONE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        goes_silent(60 * SECOND, 60 * SECOND);
        w.link.side[1].last_ns = i == GONE ? w.link.side[1].last_data_ns : w.now_ns;
        w.link.side[1].missing = i == MISSING || i == GONE ? 7000 : 0;
        if (i >= HOLE && i != GONE) { /* sent again and again, till just now */
            struct ds_event event = event_of(DS_EVENT_STALL, i != OWN_HOLE);
            event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 1448,
                                            .start_ns = w.link.side[1].last_data_ns + SECOND};
            event.stall.why = i == HOLE_LATER ? DS_STALL_MISSING : DS_STALL_LOST;
            w.link.side[0].data_segments = w.link.side[1].data_segments = 9;
            w.link.side[0].last_ns = w.link.side[1].last_ns = w.now_ns;
            w.link.side[1].last_data_ns = i == HOLE ? w.now_ns : w.link.side[1].last_data_ns;
            put(&event);
            event.stall.is_over = true;
            if (i == HOLE_FILLED)
                put(&event);
        }
        half_close(0, DS_CLOSE_FIN);
        sentence_is(i == MISSING || i == HOLE || i == HOLE_LATER
                        ? "alice@127.0.0.1 disconnected bob@127.0.0.1, from which nothing arrived any more: net_tick_timeout"
                        : "alice@127.0.0.1 disconnected bob@127.0.0.1, which had stopped responding: net_tick_timeout");
        detail_has(i == MISSING  ? "by its sequence numbers it had sent 7000 bytes that did not "
                                   "arrive here: what it sent was lost (DS207)"
                   : i == HOLE   ? "nothing arrived for 59.00 s; its kernel still acknowledged: "
                                   "what it sent was lost"
                   : i == HOLE_LATER ? "nothing arrived for 1.0 min; its kernel still "
                                       "acknowledged: what it sent was lost"
                   : i == GONE   ? "the host or the network was gone"
                                 : "the process was suspended or stuck");
        found(i == MISSING || i == GONE ? "DS201" : "DS207 DS201");
    }
}

/* is_cut: a link is reset after its ends were silent for these times. */
static void is_cut(int64_t idle_ns_0, int64_t idle_ns_1)
{
    up();
    w.now_ns += 200 * SECOND;
    w.link.side[0].last_data_ns = w.now_ns - idle_ns_0;
    w.link.side[1].last_data_ns = w.now_ns - idle_ns_1;
    half_close(1, DS_CLOSE_RESET);
    next_conn();
}

static void idle_links(void **state)
{
    static const struct {
        int64_t before_ns, idle_ns_0, idle_ns_1;
        bool is_idle;
    } cases[] = {
        {30 * SECOND, 30 * SECOND, 30 * SECOND, true},
        {30 * SECOND - 1, 30 * SECOND - 1, 30 * SECOND - 1, false},
        {100 * SECOND, 95 * SECOND, 95 * SECOND, true},
        {100 * SECOND, 95 * SECOND - 1, 95 * SECOND - 1, false},
        {100 * SECOND, 105 * SECOND, 105 * SECOND, true},
        {100 * SECOND, 105 * SECOND + 1, 105 * SECOND + 1, false},
        {100 * SECOND, 100 * SECOND, 150 * SECOND, true}, /* the later word counts */
        {100 * SECOND, 150 * SECOND, 100 * SECOND, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        is_cut(cases[i].before_ns, cases[i].before_ns);
        is_cut(cases[i].idle_ns_0, cases[i].idle_ns_1);
        found(cases[i].is_idle ? "DS204 DS208 DS204" : "DS204 DS204");
    }
}

/* is_unread: bob stopped reading alice's data a second ago. */
static void is_unread(bool is_over, int64_t duration_ns)
{
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_ZERO_WINDOW, .is_over = is_over, .in_flight = 9000, .tries = 3,
                                    .start_ns = w.now_ns - duration_ns, .duration_ns = duration_ns};
    put(&event);
}

/* A node that was suspended wakes, and its data is answered with a RST: this is no middlebox, as it
 * had not read either. */
static void woke_up(void **state)
{
    enum { RESET, SHORT, SPOKE, READS, READ_LONG_AGO, OTHER_WAY, LATE, CASES };
    const int64_t least_ns = 3 * TICK_NS - TICK_NS / 10;
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        if (i == LATE) {
            w.conn.end[0].addr = w.conn.end[1].addr;
            change(DS_CONN_JOINED_LATE, 0, false);
        } else {
            up();
        }
        struct ds_tcp_side *bob = &w.link.side[1];
        const int64_t heard_ns = bob->last_data_ns = w.now_ns, quiet_ns = least_ns - (i == SHORT);
        w.now_ns += SECOND;
        is_unread(false, SECOND);
        w.now_ns = heard_ns + quiet_ns;
        w.link.silence_ns = quiet_ns / 2; /* since alice's last probe */
        w.link.longest_silence_ns = SECOND;
        bob->last_data_ns = w.now_ns;
        bob->max_idle_ns = i == SPOKE ? quiet_ns - TICK_NS - 1 : quiet_ns;
        if (i == READS || i == READ_LONG_AGO) {
            is_unread(true, quiet_ns);
            w.now_ns += TICK_NS + (i == READ_LONG_AGO);
            w.link.silence_ns = 0;
        }
        half_close(i == OTHER_WAY, i == READS ? DS_CLOSE_FIN : DS_CLOSE_RESET);
        const bool is_given_up = i == RESET || i == READS || i == LATE;
        assert_int_equal(w.last.certainty, is_given_up ? CERTAINTY_LIKELY : CERTAINTY_SURE);
        if (is_given_up) {
            detail_has("no data for 43.50 s, in which it did not read");
            sentence_is(i == LATE ? "10.0.0.2:40000 disconnected 10.0.0.2:5555, which had stopped responding: "
                                    "net_tick_timeout"
                                  : "alice@127.0.0.1 disconnected bob@127.0.0.1, which had stopped responding: "
                                    "net_tick_timeout");
        }
        if (i != LATE) {
            next_conn();
            up();
        }
        found(is_given_up ? "DS205 DS201" : "DS205 DS204");
    }
    for (int is_idle = 0; is_idle < 2; is_idle++) { /* it was read long before it was idle */
        begin();
        up();
        w.link.side[1].last_data_ns = w.now_ns;
        is_unread(true, SECOND);
        w.now_ns += 10 * SECOND;
        w.link.silence_ns = 10 * SECOND - is_idle;
        w.link.side[0].last_data_ns = w.now_ns;
        half_close(1, DS_CLOSE_RESET);
        next_conn();
        up();
        found(is_idle ? "DS205 DS204 DS208" : "DS205 DS204");
    }
    begin(); /* nor is it idle whenever nothing passes for that long */
    for (int i = 0; i < 2; i++) {
        up();
        w.link.side[0].last_data_ns = w.now_ns;
        w.now_ns += SECOND;
        is_unread(false, SECOND);
        w.now_ns += 30 * SECOND;
        w.link.side[1].last_data_ns = w.now_ns - 31 * SECOND;
        half_close(1, DS_CLOSE_RESET);
        next_conn();
    }
    found("DS205 DS204 DS205 DS204");
}

/* An end is reported once, and only if the link was up. */
static void told_once(void **state)
{
    (void)state;
    begin();
    up();
    half_close(1, DS_CLOSE_FIN);
    change(DS_CONN_CLOSED, 1, true);
    found("DS204");
    assert_int_equal(w.last.count, 1);
    begin();
    shake(DS_STEP_CHALLENGE, "alice@a", "bob@b");
    half_close(0, DS_CLOSE_RESET);
    found("DS102");
    begin(); /* it was up before the capture began */
    shake(DS_STEP_SEND_NAME, "alice@127.0.0.1", "bob@127.0.0.1");
    w.conn.end[0].addr = w.conn.end[1].addr;
    change(DS_CONN_JOINED_LATE, 0, false);
    half_close(1, DS_CLOSE_RESET);
    found("DS204");
}

/* comes_up: a link of these two comes up, whichever dials; alice has her first creation. */
static void comes_up(bool bob_dials, uint32_t alices, uint32_t bobs)
{
    const char *const alice = "alice@127.0.0.1", *const bob = "bob@127.0.0.1";
    shake(DS_STEP_CHALLENGE_ACK, bob_dials ? bob : alice, bob_dials ? alice : bob);
    w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
    w.conn.end[bob_dials].creation = alices;
    w.conn.end[!bob_dials].creation = bobs;
    change(DS_CONN_UP, 0, false);
    next_conn();
}

/* A link flaps if neither node was restarted, whichever dials. */
static void flaps(void **state)
{
    enum { ALICE_DIALS, BOB_DIALS, IN_TURN, NO_CREATION, NONE_OF_BOBS, NONE_OF_ALICES, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        for (int n = 0; n < 3; n++)
            comes_up(i == BOB_DIALS || (i == IN_TURN && n == 1),
                     i == NO_CREATION || i == NONE_OF_ALICES ? 0 : 5,
                     i == NO_CREATION || i == NONE_OF_BOBS ? 0 : 6);
        found(i <= IN_TURN ? "DS209" : "");
        if (i == ALICE_DIALS)
            sentence_is("the link between alice@127.0.0.1 and bob@127.0.0.1 comes and goes");
    }
    for (int who = 0; who < 2; who++) { /* either was restarted before the third time */
        begin();
        comes_up(false, 5, 6);
        comes_up(false, 5, 6);
        comes_up(false, who == 0 ? 7 : 5, who == 1 ? 7 : 6);
        comes_up(false, who == 0 ? 7 : 5, who == 1 ? 7 : 6);
        assert_int_equal(w.num, 0);
        comes_up(false, who == 0 ? 7 : 5, who == 1 ? 7 : 6);
        found("DS209");
    }
}

/* An end does not acknowledge, and is not heard any more. */
static void fades(void **state)
{
    enum { FADES, NEVER_HEARD, OVER, HELD_UP, OTHER_LINK, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        const uint64_t conn = w.conn.number;
        if (i == NEVER_HEARD)
            w.link.side[1].last_data_ns = 0;
        struct ds_event event = event_of(DS_EVENT_STALL, 0);
        event.stall = (struct ds_stall){.why = i == HELD_UP ? DS_STALL_ZERO_WINDOW : DS_STALL_LOST,
                                        .is_over = i == OVER, .in_flight = 4};
        put(&event);
        if (i == OTHER_LINK) { /* a link on which something is heard */
            next_conn();
            event = event_of(DS_EVENT_TICK, 1);
            put(&event);
        }
        w.now_ns += 5 * TICK_NS - 1;
        findings_time(w.findings, w.now_ns);
        assert_int_equal(w.num, 0);
        findings_time(w.findings, w.now_ns + 1);
        found(i == FADES || i == OTHER_LINK ? "DS201" : "");
        if (w.num != 0)
            assert_int_equal(w.last.evidence[0].conn, conn);
    }
    for (int num = 32; num <= 33; num++) { /* as many as are remembered */
        begin();
        for (int i = 0; i < num; i++) {
            up_as((uint32_t)i + 1);
            struct ds_event event = event_of(DS_EVENT_STALL, 0);
            event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4};
            put(&event);
            next_conn();
        }
        findings_time(w.findings, w.now_ns + 5 * TICK_NS);
        assert_string_equal(w.last.kind->code, "DS201");
        assert_int_equal(w.last.count, 32);
    }
}

/* An end that is heard is not gone: then one direction is cut, or, if both are, the path between
 * them. */
static void fades_both_ways(void **state)
{
    enum { HEARD_BEFORE, SPOKE_TOO_SOON, HEARD_LATER, BOTH, OTHER_LINK, CASES };
    static const char *const sentences[CASES] = {
        [HEARD_BEFORE] = "alice@127.0.0.1 and bob@127.0.0.1 disconnected, as nothing got from the first to "
                         "the second: net_tick_timeout",
        [SPOKE_TOO_SOON] = "alice@127.0.0.1 disconnected bob@127.0.0.1, which had stopped responding: net_tick_timeout",
        [HEARD_LATER] = "alice@127.0.0.1 and bob@127.0.0.1 disconnected, as nothing got from the first to "
                        "the second: net_tick_timeout",
        [BOTH] = "alice@127.0.0.1 and bob@127.0.0.1 disconnected, as nothing got through between them: "
                 "net_tick_timeout",
        [OTHER_LINK] = "bob@127.0.0.1 disconnected alice@127.0.0.1, which had stopped responding: net_tick_timeout",
    };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        struct ds_event event = event_of(DS_EVENT_STALL, 0);
        event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4,
                                        .start_ns = w.now_ns - (i == HEARD_BEFORE)};
        put(&event);
        if (i == HEARD_LATER) {
            event = event_of(DS_EVENT_TICK, 1);
            put(&event);
        }
        if (i == OTHER_LINK) {
            next_conn();
            up_as(6);
        }
        if (i == BOTH || i == OTHER_LINK) {
            event = event_of(DS_EVENT_STALL, 1);
            event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4, .start_ns = w.now_ns};
            put(&event);
        }
        findings_time(w.findings, w.now_ns + 5 * TICK_NS);
        sentence_is(sentences[i]);
        found(i == OTHER_LINK ? "DS201 DS201" : "DS201");
    }
}

/* A new link between two nodes shows at once that the old one was given up; and no node is blamed
 * if neither was restarted. */
static void up_again(void **state)
{
    enum { NEITHER, RESTARTED, HEARD, BOTH_WAIT, CLOCK_BACK, UNKNOWN, UNKNOWN_BEFORE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up_as(i == UNKNOWN_BEFORE ? 0 : 5);
        const uint64_t old = w.conn.number;
        if (i == CLOCK_BACK)
            w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns + TICK_NS;
        struct ds_event event = event_of(DS_EVENT_STALL, i % 2);
        event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4};
        put(&event);
        if (i == BOTH_WAIT) {
            w.link.side[!event.dir].last_data_ns = w.now_ns += SECOND;
            event = event_of(DS_EVENT_STALL, !event.dir);
            event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4};
            put(&event);
        }
        if (i == HEARD) {
            event = event_of(DS_EVENT_TICK, 1);
            put(&event);
        }
        w.now_ns += TICK_NS;
        next_conn();
        up_as(i == RESTARTED ? 6 : i == UNKNOWN ? 0 : 5);
        const bool is_known = i == NEITHER || i == BOTH_WAIT;
        found(is_known || i >= UNKNOWN ? "DS201" : "");
        if (!is_known && i < UNKNOWN)
            continue;
        detail_has(is_known ? "both nodes kept running" : "whether a node was restarted is not known");
        if (i >= UNKNOWN)
            continue;
        sentence_is(i == NEITHER ? "alice@127.0.0.1 disconnected bob@127.0.0.1, as nothing got through: "
                                   "net_tick_timeout"
                                 : "bob@127.0.0.1 and alice@127.0.0.1 disconnected, as nothing got through "
                                   "between them: net_tick_timeout");
        detail_has(i == NEITHER ? "nothing arrived for 15.00 s" : "nothing arrived for 16.00 s");
        assert_int_equal(w.last.evidence[0].conn, old);
        assert_int_equal(w.last.evidence[0].num, i == NEITHER ? 2 : 3);
    }
}

/* The clock of a capture goes back: a finding does not end before it began. */
static void clock_goes_back(void **state)
{
    (void)state;
    begin();
    up();
    const int64_t first_ns = w.now_ns;
    half_close(1, DS_CLOSE_FIN);
    w.now_ns -= SECOND;
    next_conn();
    up();
    half_close(1, DS_CLOSE_FIN);
    assert_int_equal(w.last.count, 2);
    assert_int_equal(w.last.first_ns, first_ns);
    assert_int_equal(w.last.last_ns, first_ns);
}

/* An end closes its link, and retransmits the FIN: the other node may not know of it. */
static void closes_unheard(void **state)
{
    enum { UNACKED, BY_THE_OTHER, OVER, OTHER_LINK, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        half_close(i == BY_THE_OTHER, DS_CLOSE_FIN);
        assert_int_equal(w.last.certainty, CERTAINTY_SURE);
        if (i == OTHER_LINK) {
            next_conn();
            up();
            half_close(0, DS_CLOSE_FIN);
        }
        w.now_ns += SECOND;
        put_stall(DS_STALL_LOST, SECOND, i == OVER, 4);
        assert_int_equal(w.last.certainty, i == UNACKED ? CERTAINTY_LIKELY : CERTAINTY_SURE);
        if (i == UNACKED)
            detail_has("connection_closed; alice@127.0.0.1 exited, was killed, or disconnected; but what it sent");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence),
        cmocka_unit_test(idle_links),
        cmocka_unit_test(woke_up),
        cmocka_unit_test(told_once),
        cmocka_unit_test(flaps),
        cmocka_unit_test(fades),
        cmocka_unit_test(fades_both_ways),
        cmocka_unit_test(up_again),
        cmocka_unit_test(clock_goes_back),
        cmocka_unit_test(closes_unheard),
        cmocka_unit_test(silence_without_names),
        cmocka_unit_test(is_held),
    };
    leaves_out = "DS214"; /* test_findings_stall.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
