/*
 * test_findings_connect.c - findings about connections that fail: names, cookies, EPMD,
 * simultaneous ones; for each code records that raise it, and near misses that do not.
 */
#include "findings_world.h"

static void wrong_cookie(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
        close_by(1, MS, i == 0 ? DS_CLOSE_FIN : DS_CLOSE_RESET);
        found("DS101");
        sentence_is("bob@b refused alice@a");
        assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
        assert_int_equal(w.last.evidence[0].num, 5);
        assert_int_equal(w.last.evidence[0].packet[0].frame, 1);
    }
    begin(); /* the handshake goes on */
    shake(DS_STEP_CHALLENGE_ACK, "alice@a", "bob@b");
    change(DS_CONN_UP, 0, false);
    close_by(1, MS, DS_CLOSE_FIN);
    found("DS401");
    begin(); /* the capture ends */
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    w.link.close = DS_CLOSE_CAPTURE;
    change(DS_CONN_OPEN_AT_END, 0, true);
    found("");
    begin(); /* packets are missing: their contents are unknown */
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    w.conn.counters[1].gaps = 1;
    close_by(1, MS, DS_CLOSE_FIN);
    found("");
}

static void checked_cookie(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin_with(true);
        next_conn();
        shake(DS_STEP_CHALLENGE, "alice@a", "bob@b");
        struct ds_event reply = event_of(DS_EVENT_HANDSHAKE, 0);
        reply.handshake.step = DS_STEP_CHALLENGE_REPLY;
        reply.handshake.has_digest = true;
        reply.handshake.cookie = i == 0 ? DS_COOKIE_WRONG : DS_COOKIE_OK;
        put(&reply);
        close_by(1, MS, DS_CLOSE_FIN);
        found("DS101");
        assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    }
    begin_with(true); /* the acceptor's digest is the wrong one */
    next_conn();
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    struct ds_event ack = event_of(DS_EVENT_HANDSHAKE, 1);
    ack.handshake.step = DS_STEP_CHALLENGE_ACK;
    ack.handshake.has_digest = true;
    ack.handshake.cookie = DS_COOKIE_WRONG;
    put(&ack);
    close_by(0, MS, DS_CLOSE_FIN);
    found("DS101");
    sentence_is("alice@a refused bob@b");
}

static void known_cookie(void **state)
{
    /* MD5 of "monster7" and of "Monster7". */
    static const uint8_t digests[2][16] = {
        {0xcc, 0xc4, 0x8d, 0xbb, 0xc0, 0x7e, 0x27, 0x9c, 0x3f, 0xd3, 0x08, 0xcb, 0x43, 0x34, 0x4d, 0x58},
        {1}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        shake(DS_STEP_CHALLENGE, "alice@a", "bob@b");
        struct ds_event reply = event_of(DS_EVENT_HANDSHAKE, 0);
        reply.handshake.step = DS_STEP_CHALLENGE_REPLY;
        reply.handshake.has_digest = true;
        memcpy(reply.handshake.digest, digests[i], 16);
        put(&reply);
        found(i == 0 ? "DS117" : "");
    }
}

static void names(void **state)
{
    (void)state;
    begin();
    asked("bob");
    shake(DS_STEP_CHALLENGE, "alice@a", "carol@b");
    close_by(0, MS, DS_CLOSE_FIN);
    found("DS102");
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    begin();
    asked("bob");
    shake(DS_STEP_CHALLENGE, "alice@a", "bob@c"); /* only the host may differ */
    close_by(0, MS, DS_CLOSE_FIN);
    found("DS102");
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    begin();
    shake(DS_STEP_CHALLENGE, "alice@a", "bob@b.example.org");
    close_by(0, MS, DS_CLOSE_FIN);
    found("DS103");
    sentence_is("alice@a has a short name, bob@b.example.org a long one");
    begin(); /* the acceptor closed: the name is not it */
    shake(DS_STEP_CHALLENGE, "alice@a", "bob@b.example.org");
    close_by(1, MS, DS_CLOSE_FIN);
    found("DS119");
}

static void releases(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 0);
        event.handshake = (struct ds_handshake){.step = DS_STEP_SEND_NAME, .version = 6,
                                                .name = text("alice@a"), .has_flags = true,
                                                .flags = i == 0 ? 0x37ffd : FULL_FLAGS};
        w.conn.end[0].node = text("alice@a");
        w.conn.counters[0].bytes = 30;
        put(&event);
        close_by(1, MS, DS_CLOSE_FIN);
        found(i == 0 ? "DS104" : "DS119");
    }
    /* not_allowed is the answer of a node with a list, and, from OTP 25 on, of a node to one that
     * lacks required flags. Nodes that are on no list of an older node also lack the flags that OTP
     * 26 requires. */
    static const struct {
        uint64_t flags;
        const char *code;
    } cases[] = {{FULL_FLAGS & ~UINT64_C(0x4040000), "DS104"},
                 {FULL_FLAGS & ~(UINT64_C(1) << 34), "DS113"},
                 {FULL_FLAGS, "DS113"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 0);
        event.handshake = (struct ds_handshake){.step = DS_STEP_SEND_NAME, .version = 6,
                                                .name = text("alice@a"), .has_flags = true,
                                                .flags = cases[i].flags};
        w.conn.end[0].node = text("alice@a");
        w.conn.counters[0].bytes = 30;
        put(&event);
        step(DS_STEP_STATUS, 1, "not_allowed");
        close_by(1, MS, DS_CLOSE_FIN);
        found(cases[i].code);
    }
}

static void unreachable(void **state)
{
    (void)state;
    begin();
    asked("bob");
    w.link.side[0].syns = 1;
    close_by(1, MS, DS_CLOSE_RESET);
    found("DS105");
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    sentence_is("a connection from 10.0.0.1 to bob, 10.0.0.2 port 5555 is refused");
    begin();
    asked("bob");
    w.link.side[0].syns = 4;
    close_by(-1, 7 * SECOND, DS_CLOSE_SYN_TIMEOUT);
    found("DS105");
    sentence_is("a connection from 10.0.0.1 to bob, 10.0.0.2 port 5555 goes unanswered");
    for (uint64_t syns = 1; syns <= 2; syns++) { /* an unanswered SYN is retransmitted */
        begin();
        asked("bob");
        w.link.side[0].syns = syns;
        close_by(-1, 7 * SECOND, DS_CLOSE_SYN_TIMEOUT);
        found("DS105");
        assert_int_equal(w.last.certainty, syns == 1 ? CERTAINTY_POSSIBLE : CERTAINTY_SURE);
        assert_int_equal(w.last.severity, syns == 1 ? SEVERITY_WARNING : SEVERITY_ERROR);
        detail_has(syns == 1 ? "the SYN was not retransmitted" : "2 SYNs went unanswered");
    }
    begin(); /* the answer is for the other version of IP */
    asked("bob");
    w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){6, {[15] = 9}};
    close_by(1, MS, DS_CLOSE_RESET);
    found("DS110");
    for (int i = 0; i < 2; i++) { /* over IPv6 it does not listen; but silence is a firewall's */
        static const struct ds_addr bobs = {6, {[15] = 2}};
        begin();
        w.conn.end[0].addr = w.conn.end[1].addr = bobs;
        epmd(DS_EPMD_PORT2_RESP, 1, "bob", PORT, 0);
        next_conn();
        w.conn.end[0].addr = w.conn.end[1].addr = bobs;
        w.link.side[0].syns = 1;
        close_by(i == 0 ? 1 : -1, MS, i == 0 ? DS_CLOSE_RESET : DS_CLOSE_SYN_TIMEOUT);
        found(i == 0 ? "DS110" : "DS105");
    }
    begin(); /* it is accepted, and closed */
    asked("bob");
    w.link.side[0].syns = w.link.side[1].syns = 1;
    close_by(1, MS, DS_CLOSE_RESET);
    found("");
}

static void no_epmd(void **state)
{
    (void)state;
    begin();
    w.conn.end[1].port = EPMD;
    close_by(1, MS, DS_CLOSE_RESET);
    findings_time(w.findings, w.now_ns + SECOND);
    assert_int_equal(w.num, 0);
    findings_time(w.findings, w.now_ns + 2 * SECOND);
    assert_int_equal(w.num, 1);
    found("DS106");
    begin(); /* a node that starts it */
    w.conn.end[1].port = EPMD;
    close_by(1, MS, DS_CLOSE_RESET);
    w.now_ns += SECOND;
    next_conn();
    epmd(DS_EPMD_ALIVE2_REQ, 0, "alice", 4000, 0);
    epmd(DS_EPMD_ALIVE2_RESP, 1, "", 0, 0);
    findings_time(w.findings, w.now_ns + 9 * SECOND);
    found("");
}

/* A node looks up another node whose host has no EPMD yet. If that EPMD starts, the node has
 * started it. If it had been heard before, it was not that; and on a host that answers nothing,
 * nothing starts. */
static void epmd_of_a_node_that_starts(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct ds_addr other = {4, {10, 0, 0, i == 1 ? 3 : 2}};
        begin();
        if (i == 2) {
            w.conn.end[0].addr = other;
            epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, "alice", 0, 0);
            next_conn();
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 1}};
            w.conn.end[1].addr = other;
        }
        w.conn.end[1].port = EPMD;
        close_by(1, MS, i == 3 ? DS_CLOSE_SYN_TIMEOUT : DS_CLOSE_RESET);
        w.now_ns += SECOND;
        next_conn();
        w.conn.end[0].addr = other;
        w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
        epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, "alice", 0, 0);
        findings_time(w.findings, w.now_ns + 9 * SECOND);
        found(i == 0 ? "" : "DS106");
    }
}

static void answers_of_epmd(void **state)
{
    (void)state;
    begin();
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, "bo\33b", 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
    found("DS107");
    sentence_is("node bo\\x1Bb is not registered at EPMD of 10.0.0.2");
    begin(); /* tools, each with a name of its own */
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "rabbitmqcli-%d-bob", 400 + i);
        epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, name, 0, 0);
        epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
        assert_int_equal(w.last.count, i + 1);
    }
    sentence_is("tools are not registered at EPMD of 10.0.0.2");
    detail_has("first rabbitmqcli-400-bob, asked by 10.0.0.1");
    begin();
    epmd(DS_EPMD_ALIVE2_REQ, 0, "bob", 4000, 0);
    epmd(DS_EPMD_ALIVE2_RESP, 1, "", 0, 1);
    found("DS108");
    begin(); /* both go well */
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, "bob", 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, "bob", PORT, 0);
    epmd(DS_EPMD_ALIVE2_REQ, 0, "bob", 4000, 0);
    epmd(DS_EPMD_ALIVE2_RESP, 1, "", 0, 0);
    epmd(DS_EPMD_ALIVE2_X_RESP, 1, "", 0, 0);
    found("");
}

static void asks_for(const char *name)
{
    next_conn();
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, name, 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
}

/* Scripts number their nodes, and global looks up those that have gone. */
static void scripts_are_no_alarm(void **state)
{
    static const struct {
        const char *name[2];
        bool are_scripts;
    } rows[] = {
        {{"ask19009", "ask19258"}, true},
        {{"ask19009", "ask19009"}, false}, /* the same one twice */
        {{"ask19009", "put19258"}, false},
        {{"ask19", "ask20"}, false}, /* such a short number is part of a name */
        {{"ask19009", "ask"}, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        asks_for(rows[i].name[0]);
        assert_int_equal(w.last.severity, SEVERITY_WARNING); /* it is not known yet */
        asks_for(rows[i].name[1]);
        findings_sum_up(w.findings);
        assert_string_equal(w.last.kind->code, "DS107");
        assert_int_equal(w.last.severity, rows[i].are_scripts ? SEVERITY_NOTE : SEVERITY_WARNING);
        assert_int_equal(finding_is_aside(&w.last), rows[i].are_scripts);
    }
}

/* asks_for_bob: alice looks up bob at EPMD, without success. */
static void asks_for_bob(void)
{
    next_conn();
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, "bob", 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
    assert_string_equal(w.last.kind->code, "DS107");
    next_conn();
}

static void is_up(void)
{
    w.now_ns += SECOND;
    w.conn.end[1].port = PORT;
    shake(DS_STEP_CHALLENGE_ACK, "alice@a", "bob@b");
    change(DS_CONN_UP, 0, false);
}

/* A node that is about to start, and one that has left, raise no alarm: the finding is a note. */
static void unregistered_for_a_reason(void **state)
{
    enum { STARTS, HAS_LEFT, RUNS, NEVER, CASES };
    (void)state;
    leaves_out = "DS204 DS401";
    for (int i = 0; i < CASES; i++) {
        begin();
        if (i == HAS_LEFT || i == RUNS)
            is_up();
        if (i == HAS_LEFT) {
            half_close(1, DS_CLOSE_FIN);
            change(DS_CONN_CLOSED, 1, true);
        }
        asks_for_bob();
        assert_int_equal(w.last.severity, i == HAS_LEFT ? SEVERITY_NOTE : SEVERITY_WARNING);
        assert_int_equal(finding_is_aside(&w.last), i == HAS_LEFT);
        if (i == HAS_LEFT)
            detail_has("it left at ");
        if (i == STARTS)
            is_up();
        found("DS107");
        assert_int_equal(w.last.severity, i == HAS_LEFT || i == STARTS ? SEVERITY_NOTE : SEVERITY_WARNING);
        assert_int_equal(finding_is_aside(&w.last), i == HAS_LEFT || i == STARTS);
    }
    begin(); /* the next time it is an alarm again */
    asks_for_bob();
    is_up();
    findings_sum_up(w.findings);
    assert_int_equal(w.last.severity, SEVERITY_NOTE);
    w.now_ns += SECOND;
    asks_for_bob();
    found("DS107 DS107");
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_false(finding_is_aside(&w.last));
    leaves_out = "";
}

static void refusals(void **state)
{
    static const struct {
        const char *status, *codes;
    } cases[] = {{"not_allowed", "DS113"}, {"ok", "DS119"}, {"nok", ""}, {"ok_simultaneous", "DS119"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        step(DS_STEP_SEND_NAME, 0, "alice@a");
        step(DS_STEP_STATUS, 1, cases[i].status);
        close_by(1, MS, DS_CLOSE_FIN);
        found(cases[i].codes);
    }
    for (int i = 0; i < 2; i++) {
        begin();
        step(DS_STEP_SEND_NAME, 0, "alice@a");
        step(DS_STEP_STATUS, 1, "alive");
        step(DS_STEP_STATUS_REPLY, 0, i == 0 ? "false" : "true");
        found("DS118");
        assert_int_equal(w.last.severity, i == 0 ? SEVERITY_WARNING : SEVERITY_NOTE);
    }
}

/* Both connect at once: the node that gives its connection up does so before it is told to. */
static void gives_up_for_the_other(void **state)
{
    (void)state;
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    half_close(0, DS_CLOSE_FIN);
    step(DS_STEP_STATUS, 1, "nok");
    close_by(0, MS, DS_CLOSE_FIN);
    found("");
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    half_close(0, DS_CLOSE_FIN);
    close_by(0, MS, DS_CLOSE_FIN);
    found("DS119");
    begin(); /* the acceptor knows why at once */
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    half_close(1, DS_CLOSE_FIN);
    found("DS119");
}

static void silent_acceptor(void **state)
{
    (void)state;
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    close_by(0, 7 * SECOND, DS_CLOSE_FIN);
    found("DS115");
    begin(); /* it never closes its end either */
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    w.now_ns += 7 * SECOND;
    half_close(0, DS_CLOSE_FIN);
    found("DS115");
    for (int waits = 0; waits < 2; waits++) { /* net_setuptime is shorter, or it has ended */
        begin();
        step(DS_STEP_SEND_NAME, 0, "alice@a");
        close_by(0, waits ? SECOND : SECOND - MS, DS_CLOSE_FIN);
        found(waits ? "DS115" : "DS119");
        if (waits)
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    }
    for (int waits = 0; waits < 2; waits++) { /* and the answer comes after it is gone */
        begin();
        step(DS_STEP_SEND_NAME, 0, "alice@a");
        w.now_ns += waits ? 2 * SECOND : MS;
        half_close(0, DS_CLOSE_FIN);
        w.now_ns += SECOND;
        step(DS_STEP_STATUS, 1, "ok");
        close_by(0, MS, DS_CLOSE_RESET);
        found(waits ? "DS115" : "DS119");
        detail_has(waits ? "silent for 2.00 s after send_name" : "waited 1.00 ms");
        assert_int_equal(w.last.count, 1);
    }
}

/* Both connect: the results. */

static void simultaneous(void **state)
{
    static const struct {
        const char *status;
        bool comes_up;
        int64_t after_ns;
        const char *codes;
        enum severity severity;
    } cases[] = {
        {"nok", true, MS, "DS114", SEVERITY_NOTE},
        {"ok_simultaneous", true, MS, "DS114", SEVERITY_NOTE},
        {"nok", false, 10 * SECOND, "DS114", SEVERITY_ERROR},
        {"ok_simultaneous", false, 10 * SECOND, "DS114", SEVERITY_ERROR},
        {"nok", false, 9 * SECOND, "", SEVERITY_ERROR},
        {"ok", true, MS, "", SEVERITY_ERROR},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        w.conn.end[1].node = text("bob"); /* as EPMD has it */
        step(DS_STEP_SEND_NAME, 0, "alice@a");
        step(DS_STEP_STATUS, 1, cases[i].status);
        next_conn();
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        w.conn.end[0].node = text("bob@b");
        w.conn.end[1].node = text("alice@a");
        w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 2}};
        if (cases[i].comes_up)
            change(DS_CONN_UP, 0, false);
        findings_time(w.findings, w.now_ns + cases[i].after_ns);
        found(cases[i].codes);
        if (w.num != 0)
            assert_int_equal(w.last.severity, cases[i].severity);
    }
    begin(); /* the acceptor gives its own attempt up: silent, if the reason is known */
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    step(DS_STEP_STATUS, 1, "ok_simultaneous");
    next_conn();
    const struct ds_addr alice = w.conn.end[0].addr;
    w.conn.end[0].addr = w.conn.end[1].addr;
    w.conn.end[1].addr = alice;
    w.conn.end[1].node = text("alice");
    step(DS_STEP_SEND_NAME, 0, "bob@b");
    close_by(0, MS, DS_CLOSE_FIN);
    found("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_cookie),
        cmocka_unit_test(checked_cookie),
        cmocka_unit_test(known_cookie),
        cmocka_unit_test(names),
        cmocka_unit_test(releases),
        cmocka_unit_test(unreachable),
        cmocka_unit_test(no_epmd),
        cmocka_unit_test(epmd_of_a_node_that_starts),
        cmocka_unit_test(answers_of_epmd),
        cmocka_unit_test(scripts_are_no_alarm),
        cmocka_unit_test(unregistered_for_a_reason),
        cmocka_unit_test(refusals),
        cmocka_unit_test(gives_up_for_the_other),
        cmocka_unit_test(silent_acceptor),
        cmocka_unit_test(simultaneous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
