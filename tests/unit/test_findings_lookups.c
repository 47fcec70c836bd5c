/*
 * test_findings_lookups.c - findings of what is asked before there is a connection: names of hosts, EPMD's
 * names, ports that are tried; for each code records that raise it, and near misses that do not.
 */
#include "findings_world.h"

static const struct ds_addr alices_host = {4, {10, 0, 0, 1}}, name_server = {4, {10, 0, 0, 53}};

/* lookup tells of a question (code < 0) or an answer, of whoever asks. */
static void lookup_by(struct ds_addr client, const char *name, int code, bool has_address)
{
    struct ds_conn conn = {.end = {{.addr = client}, {.addr = name_server}}};
    struct ds_event event = event_of(DS_EVENT_LOOKUP, code >= 0);
    event.conn = &conn;
    event.lookup = (struct ds_lookup){.name = text(name), .type = DS_LOOKUP_A,
                                      .is_answer = code >= 0, .has_address = has_address,
                                      .code = (uint8_t)(code >= 0 ? code : 0)};
    put(&event);
}

static void lookup(const char *name, int code)
{
    lookup_by(alices_host, name, -1, false);
    lookup_by(alices_host, name, code, code == 0);
}

static void begin_asking(void)
{
    begin();
    asked("alice"); /* her host has to do with nodes */
    w.now_ns += SECOND;
}

static void does_not_resolve(void **state)
{
    (void)state;
    begin_asking();
    lookup("bob.example", 3);
    findings_time(w.findings, w.now_ns + SECOND - 1);
    assert_int_equal(w.num, 0); /* something may follow */
    findings_time(w.findings, w.now_ns + SECOND);
    assert_int_equal(w.num, 1);
    found("DS109");
    sentence_is("bob.example does not resolve: there is no such name");
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_int_equal(w.last.evidence[0].num, 2);
    begin_asking(); /* a node is known to be there */
    step(DS_STEP_SEND_NAME, 1, "bob@Bob");
    lookup("bob.example", 2);
    lookup("bob", 2);
    found("DS109");
    sentence_is("bob does not resolve: DNS fails");
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
    begin_asking(); /* no address is as bad as no name */
    lookup_by(alices_host, "bob", -1, false);
    lookup_by(alices_host, "bob", 0, false);
    found("DS109");
    sentence_is("bob does not resolve: there is a name, but no address");
    begin_asking(); /* nobody answers: asked again */
    lookup_by(alices_host, "bob", -1, false);
    w.now_ns += 5 * SECOND;
    lookup_by(alices_host, "bob", -1, false);
    findings_time(w.findings, w.now_ns + SECOND);
    assert_int_equal(w.num, 1);
    found("DS109");
    sentence_is("bob does not resolve: DNS does not answer");
}

static void resolves(void **state)
{
    (void)state;
    begin_asking(); /* the list of domains, as resolvers go through it */
    lookup("bob.default.svc.cluster.local", 3);
    lookup("bob.svc.cluster.local", 3);
    lookup("bob", 0);
    found("");
    begin_asking(); /* both kinds at once, and no address of one kind */
    lookup_by(alices_host, "bob", -1, false);
    lookup_by(alices_host, "bob", -1, false);
    lookup_by(alices_host, "bob", 0, true);
    lookup_by(alices_host, "bob", 0, false);
    found("");
    begin_asking(); /* it is known otherwise: from a file */
    lookup("bob", 3);
    asked("bob");
    found("");
    begin_asking(); /* somebody else's: no node is there */
    lookup_by((struct ds_addr){4, {10, 0, 0, 99}}, "bob", -1, false);
    lookup_by((struct ds_addr){4, {10, 0, 0, 99}}, "bob", 3, false);
    found("");
    begin_asking(); /* once, and the capture ends: the answer may be on its way */
    lookup_by(alices_host, "bob", -1, false);
    found("");
    begin_asking(); /* other kinds of questions are not about hosts */
    struct ds_event event = event_of(DS_EVENT_LOOKUP, 1);
    event.lookup = (struct ds_lookup){.name = text("bob"), .type = 33, .is_answer = true, .code = 3};
    put(&event);
    found("");
}

/* More names than there is room for: the oldest are forgotten, and nothing worse. */
static void many_lookups(void **state)
{
    (void)state;
    begin_asking();
    for (int i = 0; i < 500; i++) {
        char name[300];
        snprintf(name, sizeof name, "h%d.%0*d", i, i % 250 + 1, 0);
        lookup(name, 3);
        snprintf(name, sizeof name, "n@h%d.%0*d", i, i % 200 + 1, 0);
        step(DS_STEP_SEND_NAME, 0, name);
    }
    findings_end(w.findings);
    assert_int_equal(w.num, 64);
}

static void scanners(void **state)
{
    static const char *const knocks[] = {"AAAAAA@AAAAAAA", "aaron@a", "aaaa", "alice@aaaa"};
    (void)state;
    for (size_t i = 0; i < sizeof knocks / sizeof knocks[0]; i++) {
        begin();
        step(DS_STEP_SEND_NAME, 0, knocks[i]);
        found(i == 0 ? "DS116" : "");
    }
}

static void names_of_epmd(int client)
{
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, (uint8_t)client}};
    epmd(DS_EPMD_NAMES_REQ, 0, "", 0, 0);
    epmd(DS_EPMD_NAMES_RESP, 1, "", 0, 0);
    next_conn();
}

/* Somebody asks EPMD for all names: a node's host may. */
static void looks_around(void **state)
{
    (void)state;
    begin();
    names_of_epmd(9);
    names_of_epmd(9);
    findings_time(w.findings, w.now_ns + 9 * SECOND);
    assert_int_equal(w.num, 0);
    findings_time(w.findings, w.now_ns + 10 * SECOND);
    found("DS116");
    sentence_is("10.0.0.9 had EPMD of 10.0.0.2 list its nodes");
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    begin(); /* on its own host */
    names_of_epmd(2);
    found("");
    begin(); /* it goes on as a node, or was known as one */
    names_of_epmd(1);
    asked("bob");
    found("");
    begin();
    shake(DS_STEP_STATUS, "alice@a", "bob@b");
    next_conn();
    names_of_epmd(1);
    found("");
    begin(); /* more than there is room for: nobody knows */
    for (int i = 0; i < 300; i++) {
        w.conn.end[0].addr = (struct ds_addr){4, {10, 1, (uint8_t)(i / 200), (uint8_t)(i % 200)}};
        epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, "bob", 0, 0);
        next_conn();
    }
    names_of_epmd(9);
    found("");
    begin(); /* and more that ask */
    for (int i = 0; i < 40; i++)
        names_of_epmd(100 + i);
    findings_end(w.findings);
    assert_int_equal(w.num, 16);
}

/* It sends something to a port, and that is no handshake. */
static void no_handshake(void **state)
{
    enum { GARBAGE, NOTHING, UNTOLD, GAP, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        if (i != UNTOLD)
            asked("bob");
        w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 9}};
        w.link.side[0].syns = w.link.side[1].syns = 1;
        w.conn.counters[0].bytes = i == NOTHING ? 0 : 18;
        w.conn.counters[0].gaps = i == GAP;
        close_by(0, SECOND, DS_CLOSE_FIN);
        found(i == GARBAGE ? "DS116" : "");
        if (i == GARBAGE)
            sentence_is("10.0.0.9 sends what begins no handshake to the port of bob");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_not_resolve),
        cmocka_unit_test(resolves),
        cmocka_unit_test(many_lookups),
        cmocka_unit_test(scanners),
        cmocka_unit_test(looks_around),
        cmocka_unit_test(no_handshake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
