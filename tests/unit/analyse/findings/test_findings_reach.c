/*
 * test_findings_reach.c - connections that were never established: which answer of EPMD led to
 * them, how long and for which client it counts, and how many attempts are remembered.
 */
#include "findings_world.h"

static void is_refused(void)
{
    w.link.side[0].syns = 1;
    close_by(1, MS, DS_CLOSE_RESET);
}

/* An answer counts for the client, for the place in it, and for a minute. */
static void answers_that_count(void **state)
{
    enum { COUNTS, LATE, OTHER_CLIENT, OTHER_SERVER, OTHER_PORT, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        asked("bob");
        w.now_ns += i == LATE ? 60 * SECOND - MS : 60 * SECOND - MS - 1; /* close_by waits 1 ms */
        if (i == OTHER_CLIENT)
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 9}};
        if (i == OTHER_SERVER)
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 9}};
        if (i == OTHER_PORT)
            w.conn.end[1].port = PORT + 1;
        is_refused();
        found("DS105");
        assert_int_equal(w.last.certainty, i == COUNTS ? CERTAINTY_SURE : CERTAINTY_LIKELY);
        assert_int_equal(w.last.evidence[0].num, i == COUNTS ? 2 : 1);
    }
    begin(); /* the later of two */
    asked("bob");
    w.now_ns += SECOND;
    asked("carol");
    is_refused();
    found("DS105");
    sentence_is("a connection from 10.0.0.1 to carol, 10.0.0.2 port 5555 is refused");
}

/* EPMD's names are kept up to a greatest length. */
static void long_names(void **state)
{
    enum { LEN = 64 };
    char name[LEN + 2];
    (void)state;
    memset(name, 'x', sizeof name);
    for (int len = LEN; len <= LEN + 1; len++) {
        name[len] = '\0';
        begin();
        asked(name);
        is_refused();
        found("DS105");
        assert_int_equal(w.last.certainty, len == LEN ? CERTAINTY_SURE : CERTAINTY_LIKELY);
        name[len] = 'x';
    }
    name[LEN + 1] = '\0';
    begin();
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, name, 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
    found("DS107");
    char wanted[200];
    snprintf(wanted, sizeof wanted, "node %.*s is not registered at EPMD of 10.0.0.2", (int)LEN, name);
    sentence_is(wanted);
}

static void repeated_attempts(void **state)
{
    (void)state;
    for (uint64_t syns = 1; syns <= 2; syns++) {
        begin();
        w.link.side[0].syns = syns;
        close_by(-1, 7 * SECOND, DS_CLOSE_SYN_TIMEOUT);
        found("DS105");
        detail_has(syns == 2 ? "2 SYNs" : "the SYN was not retransmitted");
    }
}

/* No failed attempt: something was sent, or nothing followed it. */
static void no_attempts(void **state)
{
    enum { CACHED_BY_SERVER, CACHED_BY_CLIENT, UNFOLLOWED, OF_A_CALL, OF_A_MONITOR, CASES };
    const struct call call = {.label = "gen:call", .outcome = CALL_OK};
    const struct monitor_end monitor = {.outcome = MONITOR_OPEN};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        w.conn.counters[0].bytes = i == CACHED_BY_CLIENT;
        w.conn.counters[1].bytes = i == CACHED_BY_SERVER;
        w.link.closed_by = 1;
        w.link.close = DS_CLOSE_RESET;
        struct ds_event event = event_of(DS_EVENT_CONN, 1);
        event.change = (struct ds_conn_change){
            .state = DS_CONN_FAILED, .final = true, .unfollowed = i == UNFOLLOWED};
        findings_record(w.findings, &(struct record){.event = &event,
                                                     .call = i == OF_A_CALL ? &call : NULL,
                                                     .monitor = i == OF_A_MONITOR ? &monitor : NULL});
        found("");
    }
}

static void refused_by_epmd(uint8_t host)
{
    w.conn.end[1].port = EPMD;
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 1, host}};
    close_by(1, 0, DS_CLOSE_RESET);
    next_conn();
}

/* EPMD that cannot be reached: on each host, and up to the cap. */
static void epmds(void **state)
{
    enum { AT_MOST = 32 }; /* MAX_REFUSED */
    (void)state;
    for (int num = AT_MOST; num <= AT_MOST + 1; num++) {
        begin();
        for (int i = 0; i < num; i++)
            refused_by_epmd((uint8_t)i);
        assert_int_equal(w.num, 0);
        findings_end(w.findings);
        assert_int_equal(w.num, AT_MOST);
    }
    begin(); /* another one answers */
    refused_by_epmd(1);
    const int64_t refused_ns = w.now_ns;
    w.now_ns += SECOND;
    asked("bob");
    found("DS106");
    sentence_is("a connection to EPMD of 10.0.1.1 is refused");
    assert_int_equal(w.last.evidence[0].conn, 1);
    assert_int_equal(w.last.evidence[0].ts_ns, refused_ns);
}

/* A port that accepted over this version of IP is not that of the other version. */
static void port_that_accepted(void **state)
{
    enum { NEVER, UP, JOINED_LATE, ITS_CLIENT, OTHER_PORT, LONG_AGO, TOO_MANY, CASES };
    enum { AT_MOST = 64 }; /* MAX_HOSTS */
    const struct ds_addr from = {6, {[15] = 7}}, to = {6, {[15] = 8}};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        for (int n = 0; n < AT_MOST + (i == TOO_MANY) && i != NEVER; n++) {
            const bool is_first = n == 0;
            if (!is_first && i < LONG_AGO)
                break;
            if (i == UP) {
                step(DS_STEP_SEND_NAME, 0, "alice@a");
                w.conn.end[0].node.data = NULL;
            }
            w.conn.end[0].addr = i == ITS_CLIENT ? to : from;
            w.conn.end[1].addr = i == ITS_CLIENT ? from : to;
            w.conn.end[i != ITS_CLIENT].port = (uint16_t)(PORT + (i == OTHER_PORT) + (is_first ? 0 : n));
            w.conn.end[i == ITS_CLIENT].port = 4;
            change(i >= JOINED_LATE ? DS_CONN_JOINED_LATE : DS_CONN_UP, 0, false);
            next_conn();
        }
        w.conn.end[1].addr = to;
        asked("bob");
        w.conn.end[0].addr = from;
        w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 2}};
        asked("bob");
        w.conn.end[0].addr = from;
        w.conn.end[1].addr = to;
        is_refused();
        findings_end(w.findings);
        const bool is_other = i == NEVER || i == OTHER_PORT || i == TOO_MANY;
        assert_int_equal(strstr(w.log, "DS110") != NULL, is_other);
        assert_int_equal(strstr(w.log, "DS105") != NULL, !is_other);
    }
}

static void tries_epmd(struct ds_addr from, struct ds_addr to, enum ds_close how, int64_t began_ns)
{
    w.conn.end[1].port = EPMD;
    w.conn.end[0].addr = from;
    w.conn.end[1].addr = to;
    w.link.side[0].first_ns = began_ns;
    w.link.side[0].syns = 1;
    close_by(how == DS_CLOSE_RESET ? 1 : -1, 0, how);
    next_conn();
}

/* A node that starts: "localhost" is ::1 first, where EPMD may not listen; or there is none yet,
 * and the node starts one, which takes a while on a busy machine. */
static void epmd_of_the_own_host(void **state)
{
    enum { OTHER_LOOPBACK, LATE, TOO_LATE, OTHER_HOST, CAPTURE_ENDS, CASES };
    const struct ds_addr here = {4, {127, 0, 0, 1}}, here6 = {6, {[15] = 1}}, there = {4, {10, 0, 0, 7}};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        const struct ds_addr addr = i == OTHER_LOOPBACK ? here6 : i == OTHER_HOST ? there : here;
        tries_epmd(addr, addr, DS_CLOSE_RESET, w.now_ns);
        if (i != CAPTURE_ENDS) {
            w.now_ns += i == TOO_LATE ? 10 * SECOND : 10 * SECOND - 1;
            findings_time(w.findings, w.now_ns);
            w.conn.end[0].addr = w.conn.end[1].addr = here;
            epmd(DS_EPMD_ALIVE2_REQ, 0, "alice", 4000, 0);
            w.now_ns += 20 * SECOND;
            findings_time(w.findings, w.now_ns);
        }
        found(i == TOO_LATE || i == OTHER_HOST || i == CAPTURE_ENDS ? "DS106" : "");
        if (w.num != 0)
            assert_int_equal(w.last.certainty, i == CAPTURE_ENDS ? CERTAINTY_LIKELY : CERTAINTY_SURE);
    }
}

/* EPMD can be reached after a while: the finding is no error any more. A refused client is refused
 * like all others; a client without an answer may be the only one. */
static void epmd_reached_later(void **state)
{
    enum { SOON, LATER, TOLD, BY_OTHER, ALONE_SOON, ALONE, OTHER_FAILS, CASES };
    const struct ds_addr from = {4, {10, 0, 0, 1}}, to = {4, {10, 0, 0, 2}}, other = {4, {10, 0, 0, 3}};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        const bool is_refused = i <= BY_OTHER, is_soon = i == SOON || i == ALONE_SOON;
        begin();
        tries_epmd(from, to, is_refused ? DS_CLOSE_RESET : DS_CLOSE_SYN_TIMEOUT, w.now_ns);
        if (i == OTHER_FAILS)
            tries_epmd(other, to, DS_CLOSE_SYN_TIMEOUT, w.now_ns);
        w.now_ns += 2 * SECOND - is_soon;
        if (i >= TOLD && !is_soon)
            findings_time(w.findings, w.now_ns);
        assert_int_equal(w.errors, i >= TOLD && !is_soon);
        w.conn.end[0].addr = i == BY_OTHER || i == ALONE || i == ALONE_SOON ? other : from;
        w.conn.end[1].addr = to;
        epmd(DS_EPMD_NAMES_REQ, 0, "", 0, 0);
        findings_end(w.findings);
        found(i == SOON ? "" : i == OTHER_FAILS ? "DS106 DS106" : "DS106");
        if (i == SOON)
            continue;
        assert_int_equal(w.errors, i >= ALONE_SOON);
        assert_int_equal(w.last.severity, i >= ALONE_SOON ? SEVERITY_ERROR : SEVERITY_WARNING);
        assert_int_equal(w.last.certainty, is_refused ? CERTAINTY_SURE : CERTAINTY_LIKELY);
        if (i < ALONE_SOON)
            detail_has("tried by 10.0.0.1; it was reached 2.00 s later");
    }
}

/* It is known only long after the attempt that there is no answer: the finding counts from the
 * first SYN; and a host that was reached in between has been away. */
static void epmd_of_a_host_that_comes_back(void **state)
{
    enum { STAYS_AWAY, IS_BACK, WAS_THERE_BEFORE, OTHERS_ARE, REFUSES, CASES };
    const struct ds_addr from = {4, {10, 0, 0, 1}}, to = {4, {10, 0, 0, 2}}, other = {4, {10, 0, 0, 3}};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        const int64_t began_ns = w.now_ns;
        w.now_ns += i == WAS_THERE_BEFORE ? 0 : 60 * SECOND;
        if (i != STAYS_AWAY && i != REFUSES) {
            w.conn.end[1].addr = i == OTHERS_ARE ? other : to;
            epmd(DS_EPMD_NAMES_REQ, 0, "", 0, 0);
            next_conn();
        }
        w.now_ns = began_ns + 70 * SECOND;
        tries_epmd(from, to, i == REFUSES ? DS_CLOSE_RESET : DS_CLOSE_SYN_TIMEOUT, began_ns);
        findings_time(w.findings, w.now_ns + 2 * SECOND);
        found(i == IS_BACK ? "" : "DS106");
        if (i == IS_BACK)
            continue;
        assert_int_equal(w.last.first_ns, began_ns);
        assert_int_equal(w.last.last_ns, began_ns);
        assert_int_equal(w.last.certainty, i == REFUSES ? CERTAINTY_SURE : CERTAINTY_LIKELY);
    }
}

/* If a finding reports that a host cannot be reached, nothing is known about its EPMD. */
static void epmd_of_a_host_that_is_gone(void **state)
{
    enum { PORT_SILENT, PORT_REFUSED, OTHER_HOST, BEFORE, EPMD_REFUSES, CASES };
    const struct ds_addr from = {4, {10, 0, 0, 1}}, to = {4, {10, 0, 0, 2}}, other = {4, {10, 0, 0, 3}};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        w.conn.end[1].addr = i == OTHER_HOST ? other : to;
        w.link.side[0].syns = 3;
        w.link.side[0].first_ns = w.now_ns;
        close_by(i == PORT_REFUSED ? 1 : -1, 7 * SECOND,
                 i == PORT_REFUSED ? DS_CLOSE_RESET : DS_CLOSE_SYN_TIMEOUT);
        next_conn();
        w.now_ns += 10 * SECOND;
        tries_epmd(from, to, i == EPMD_REFUSES ? DS_CLOSE_RESET : DS_CLOSE_SYN_TIMEOUT,
                   w.now_ns - (i == BEFORE ? 10 * SECOND - 1 : 10 * SECOND));
        found(i == PORT_SILENT ? "DS105" : "DS105 DS106");
    }
}

/* If links are captured in part, an answer may not be captured. */
static void epmd_in_part_of_a_capture(void **state)
{
    enum { WHOLE, ONE_WAY, CUT, REFUSED, CASES };
    const struct ds_addr from = {4, {10, 0, 0, 1}}, to = {4, {10, 0, 0, 2}};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        struct ds_event event = message(0, "", 0);
        if (i == CUT || i == REFUSED) {
            event.fault.kind = DS_FAULT_TRUNCATED;
            put(&event);
        }
        if (i == ONE_WAY) {
            w.link.side[0].segments = 9;
            change(DS_CONN_JOINED_LATE, 0, false);
        }
        next_conn();
        tries_epmd(from, to, i == REFUSED ? DS_CLOSE_RESET : DS_CLOSE_SYN_TIMEOUT, w.now_ns);
        w.now_ns += 2 * SECOND;
        findings_time(w.findings, w.now_ns);
        const bool is_in_part = i == ONE_WAY || i == CUT;
        assert_string_equal(w.last.kind->code, "DS106");
        assert_int_equal(w.last.severity, is_in_part ? SEVERITY_WARNING : SEVERITY_ERROR);
        assert_int_equal(w.last.certainty, i == REFUSED ? CERTAINTY_SURE
                                           : i == WHOLE ? CERTAINTY_LIKELY
                                                        : CERTAINTY_POSSIBLE);
    }
}

/* EPMD or its kernel accepts, and does not answer; the client then gives up. */
static void epmd_is_stuck(void **state)
{
    enum { LEFT, LEFT_OPEN, SOON, ANSWERED, CUT, BY_SERVER, UNSEEN, NOT_ASKED, NAMES, GOES_ON, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        w.conn.end[1].port = EPMD;
        if (i != NOT_ASKED)
            epmd(i == NAMES ? DS_EPMD_NAMES_REQ : DS_EPMD_PORT_PLEASE2_REQ, 0, "bob", 0, 0);
        w.conn.counters[0].bytes = 6;
        w.conn.counters[1].bytes = i == ANSWERED ? 20 : 0;
        w.conn.counters[1].gaps = i == CUT; /* the answer, by the snap length */
        w.link.side[1].segments = i == UNSEEN ? 0 : 2;
        w.link.side[1].syns = 1;
        w.link.side[0].last_ns = w.now_ns + SECOND - (i == SOON);
        w.link.closed_by = i == BY_SERVER ? 1 : i == GOES_ON ? -1 : 0;
        w.now_ns += 5 * SECOND;
        change(i == LEFT_OPEN || i == GOES_ON ? DS_CONN_OPEN_AT_END : DS_CONN_CLOSED, 0, true);
        change(DS_CONN_CLOSED, 0, true);
        found(i == LEFT || i == LEFT_OPEN || i == NAMES ? "DS106" : "");
        if (w.num == 0)
            continue;
        sentence_is("EPMD of 10.0.0.2 accepts connections, but does not answer");
        detail_has("10.0.0.1 waited 1.00 s and");
        assert_int_equal(w.last.count, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_that_count),
        cmocka_unit_test(long_names),
        cmocka_unit_test(repeated_attempts),
        cmocka_unit_test(no_attempts),
        cmocka_unit_test(epmds),
        cmocka_unit_test(port_that_accepted),
        cmocka_unit_test(epmd_of_the_own_host),
        cmocka_unit_test(epmd_reached_later),
        cmocka_unit_test(epmd_of_a_host_that_comes_back),
        cmocka_unit_test(epmd_of_a_host_that_is_gone),
        cmocka_unit_test(epmd_in_part_of_a_capture),
        cmocka_unit_test(epmd_is_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
