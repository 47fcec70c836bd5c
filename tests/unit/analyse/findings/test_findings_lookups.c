/*
 * test_findings_lookups.c - findings about lookups before there is a connection: host names, EPMD's
 * names, ports that are tried; for each code records that raise it, and near misses that do not.
 */
#include "findings_world.h"

static const struct ds_addr alices_host = {4, {10, 0, 0, 1}}, name_server = {4, {10, 0, 0, 53}};

/* lookup plays a question (code < 0) or an answer, from any client. */
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
    sentence_is("bob.example does not resolve: there is no such name (NXDOMAIN)");
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_int_equal(w.last.evidence[0].num, 2);
    begin_asking(); /* a node is known to be there */
    step(DS_STEP_SEND_NAME, 1, "bob@Bob");
    lookup("bob.example", 2);
    lookup("bob", 2);
    found("DS109");
    sentence_is("bob does not resolve: DNS fails (SERVFAIL)");
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
    begin_asking(); /* no address is as bad as no name */
    lookup_by(alices_host, "bob", -1, false);
    lookup_by(alices_host, "bob", 0, false);
    found("DS109");
    sentence_is("bob does not resolve: the name has no address");
    begin_asking(); /* no answer: asked again */
    lookup_by(alices_host, "bob", -1, false);
    w.now_ns += 5 * SECOND;
    lookup_by(alices_host, "bob", -1, false);
    findings_time(w.findings, w.now_ns + SECOND);
    assert_int_equal(w.num, 1);
    found("DS109");
    sentence_is("bob does not resolve: DNS does not answer");
}

/* icmp: a host or router reports that a question does not arrive. */
static void icmp(struct ds_addr client, const char *name, const char *what)
{
    struct ds_conn conn = {.end = {{.addr = client}, {.addr = name_server}}};
    struct ds_event event = event_of(DS_EVENT_LOOKUP, 0);
    event.conn = &conn;
    event.lookup = (struct ds_lookup){.name = text(name), .type = DS_LOOKUP_A, .icmp = what};
    put(&event);
}

static void name_server_is_not_there(void **state)
{
    enum { SAID, ASKED_AGAIN, ANSWERED, OF_OTHERS, CASES };
    static const struct ds_addr one_more = {4, {10, 0, 0, 99}};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_asking();
        lookup_by(alices_host, "bob.example", -1, false);
        icmp(i == OF_OTHERS ? one_more : alices_host, "bob.example", "port unreachable");
        if (i == ASKED_AGAIN)
            lookup_by(alices_host, "bob.example.example", -1, false);
        if (i == ANSWERED)
            lookup_by(alices_host, "bob.example", 0, true);
        found(i == SAID || i == ASKED_AGAIN ? "DS109" : "");
        if (w.num == 0)
            continue;
        sentence_is(i == SAID ? "bob.example does not resolve: DNS cannot be reached"
                              : "bob.example does not resolve: DNS does not answer");
        detail_has("; ICMP says: port unreachable");
        assert_string_equal(w.last.evidence[0].packet[1].what, "the ICMP message");
        assert_non_null(strstr(w.unchecked, i == SAID ? "1 question to DNS, without any answer"
                                                      : "2 questions to DNS, without any answer"));
    }
}

/* If no node was seen, nothing is blamed on one, but the failure is reported. */
static void others_names(void **state)
{
    (void)state;
    for (int num = 0; num <= 2; num++) {
        begin();
        for (int i = 0; i < num; i++)
            lookup(i == 0 ? "first.example" : "second", 3);
        found("");
        assert_int_equal(strstr(w.unchecked, "name resolution: not checked") != NULL, num == 0);
        if (num != 0)
            assert_non_null(strstr(w.unchecked,
                                   num == 1 ? "1 name did not resolve, of hosts on which no node was seen: "
                                              "first.example first (DS109)"
                                            : "2 names did not resolve, of hosts on which no node was seen: "
                                              "first.example first (DS109)"));
        else
            assert_null(strstr(w.unchecked, "did not resolve"));
    }
}

static void resolves(void **state)
{
    (void)state;
    begin_asking(); /* the search list of domains, in a resolver's order */
    lookup("bob.default.svc.cluster.local", 3);
    lookup("bob.svc.cluster.local", 3);
    lookup("bob", 0);
    found("");
    begin_asking(); /* both kinds at once, and one kind has no address */
    lookup_by(alices_host, "bob", -1, false);
    lookup_by(alices_host, "bob", -1, false);
    lookup_by(alices_host, "bob", 0, true);
    lookup_by(alices_host, "bob", 0, false);
    found("");
    begin_asking(); /* it is known otherwise: from a file */
    lookup("bob", 3);
    asked("bob");
    found("");
    begin_asking(); /* another program's: no node is there */
    lookup_by((struct ds_addr){4, {10, 0, 0, 99}}, "bob", -1, false);
    lookup_by((struct ds_addr){4, {10, 0, 0, 99}}, "bob", 3, false);
    found("");
    begin_asking(); /* once, and the capture ends: the answer may be on its way */
    lookup_by(alices_host, "bob", -1, false);
    found("");
    begin_asking(); /* other types of questions are not about hosts */
    struct ds_event event = event_of(DS_EVENT_LOOKUP, 1);
    event.lookup = (struct ds_lookup){.name = text("bob"), .type = 33, .is_answer = true, .code = 3};
    put(&event);
    found("");
}

/* How long an answer may take, for which clients, and which answers count. */
static void bounds_of_lookups(void **state)
{
    static const struct ds_addr epmds_host = {4, {10, 0, 0, 2}}, one_more = {4, {10, 0, 0, 1}};
    static const struct {
        int code;
        const char *sentence;
    } codes[] = {{0, "bob does not resolve: the name has no address"},
                 {5, "bob does not resolve: DNS refuses the query (REFUSED)"},
                 {6, "bob does not resolve: DNS answers with an error"}};
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        begin_asking();
        lookup_by(alices_host, "bob", -1, false);
        lookup_by(alices_host, "bob", codes[i].code, false);
        const int64_t asked_ns = w.now_ns;
        w.now_ns += SECOND / 2;
        findings_time(w.findings, w.now_ns);
        found("DS109");
        sentence_is(codes[i].sentence);
        assert_int_equal(w.last.evidence[0].ts_ns, asked_ns);
    }
    begin_asking(); /* the host of EPMD is one of nodes as well */
    lookup_by(epmds_host, "bob", -1, false);
    lookup_by(epmds_host, "bob", 3, false);
    found("DS109");
    for (int quads = 0; quads < 3; quads++) { /* both types of addresses, and no others */
        begin_asking();
        struct ds_conn conn = {.end = {{.addr = one_more}, {.addr = name_server}}};
        for (int answer = 0; answer < 2; answer++) {
            struct ds_event event = event_of(DS_EVENT_LOOKUP, answer);
            event.conn = &conn;
            event.lookup = (struct ds_lookup){
                .name = text("bob"), .is_answer = answer != 0, .code = answer ? 3 : 0,
                .type = quads == 0 ? DS_LOOKUP_A : quads == 1 ? DS_LOOKUP_AAAA : 33};
            put(&event);
        }
        found(quads < 2 ? "DS109" : "");
    }
    for (int is_long = 0; is_long < 2; is_long++) { /* a single question is forgotten after a while */
        begin_asking();
        lookup_by(alices_host, "bob", -1, false);
        w.now_ns += is_long ? 30 * SECOND : 30 * SECOND - 1;
        findings_time(w.findings, w.now_ns);
        lookup_by(alices_host, "bob", -1, false);
        found(is_long ? "" : "DS109");
        if (!is_long)
            detail_has("10.0.0.1 asked 10.0.0.53, 2 times");
    }
    begin_asking(); /* asked again after a no, without an answer: the last one counts */
    lookup("bob", 3);
    lookup_by(alices_host, "bob", -1, false);
    found("DS109");
    sentence_is("bob does not resolve: DNS does not answer");
    begin_asking(); /* of names of one length, the first is shown */
    lookup("bob.one", 3);
    lookup("bob.two", 3);
    found("DS109");
    sentence_is("bob.one does not resolve: there is no such name (NXDOMAIN)");
    begin_asking(); /* in upper case and with other domains it is the same question */
    lookup("bob.example", 3);
    lookup("bob.other", 3);
    lookup("bobby.example", 3);
    lookup_by(epmds_host, "bob.example", -1, false);
    lookup_by(epmds_host, "bob.example", 3, false);
    findings_end(w.findings);
    assert_int_equal(w.num, 3);
    for (int has_digit = 0; has_digit < 2; has_digit++) { /* a whole name, not the beginning of one */
        begin_asking();
        step(DS_STEP_SEND_NAME, 0, "n@ZOE");
        lookup(has_digit ? "zoe2" : "zoe.example", 3);
        found("DS109");
        assert_int_equal(w.last.severity, has_digit ? SEVERITY_WARNING : SEVERITY_ERROR);
    }
}

/* A client that goes on to EPMD has its answer; others do not. */
static void dials_after_a_lookup(void **state)
{
    (void)state;
    for (int host = 1; host <= 2; host++) {
        const struct ds_addr addr = {4, {10, 0, 0, (uint8_t)host}};
        begin_asking();
        lookup_by(addr, "bob", -1, false);
        lookup_by(addr, "bob", 3, false);
        asked("carol"); /* by 10.0.0.1 */
        found(host == 1 ? "" : "DS109");
    }
    for (int host = 127; host <= 128; host++) { /* any of the machine's own addresses may ask */
        begin();
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {(uint8_t)host, 0, 0, 1}};
        epmd(DS_EPMD_PORT2_RESP, 1, "bob", PORT, 0);
        next_conn();
        lookup("bob", 3);
        found(host == 127 ? "DS109" : "");
    }
}

/* As many hosts and names of nodes as are remembered. */
static void many_hosts(void **state)
{
    enum { AT_MOST = 64 }; /* MAX_HOSTS */
    (void)state;
    for (int num = AT_MOST; num <= AT_MOST + 1; num++) {
        begin();
        for (int i = 0; i < num; i++) {
            char name[16];
            snprintf(name, sizeof name, "n@h%d", i);
            w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {10, 9, 0, (uint8_t)i}};
            step(DS_STEP_SEND_NAME, 0, name);
            step(DS_STEP_SEND_NAME, 0, name); /* once more: the same */
            step(DS_STEP_SEND_NAME, 0, "n@"); /* an empty name */
        }
        next_conn();
        const struct ds_addr last = {4, {10, 9, 0, (uint8_t)(num - 1)}};
        char name[16];
        snprintf(name, sizeof name, "h%d", num - 1);
        lookup_by(last, "x", -1, false);
        lookup_by(last, "x", 3, false);
        findings_time(w.findings, w.now_ns + SECOND);
        assert_int_equal(w.num, num == AT_MOST);
        begin_asking();
        for (int i = 0; i < num; i++) {
            char node[16];
            snprintf(node, sizeof node, "n@h%d", i);
            step(DS_STEP_SEND_NAME, 0, node);
            step(DS_STEP_SEND_NAME, 0, node);
            step(DS_STEP_SEND_NAME, 0, "n@");
        }
        lookup(name, 3);
        found("DS109");
        assert_int_equal(w.last.severity, num == AT_MOST ? SEVERITY_ERROR : SEVERITY_WARNING);
    }
}

/* At the cap, the question that was asked or answered longest ago is evicted. */
static void oldest_lookup(void **state)
{
    enum { AT_MOST = 64 }; /* MAX_LOOKUPS */
    (void)state;
    begin_asking();
    for (int i = 0; i <= AT_MOST; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d", i == AT_MOST ? 999 : i);
        if (i == AT_MOST)
            lookup_by(alices_host, "h0", 3, false); /* the answer to the first: now h1 is the oldest */
        w.now_ns++;
        lookup_by(alices_host, name, -1, false);
    }
    lookup_by(alices_host, "h0", 3, false);
    lookup_by(alices_host, "h1", 3, false); /* the client is not known */
    found("DS109");
    sentence_is("h0 does not resolve: there is no such name (NXDOMAIN)");
}

/* More names than there is room for: the oldest are forgotten, and nothing else. */
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
    begin(); /* OTP 26 and later refuse it for its flags: that is no additional finding */
    struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 0);
    event.handshake = (struct ds_handshake){
        .step = DS_STEP_SEND_NAME, .name = text("AAAAAA@AAAAAAA"), .version = 6, .has_flags = true};
    put(&event);
    step(DS_STEP_STATUS, 1, "not_allowed");
    close_by(1, MS, DS_CLOSE_FIN);
    found("DS116");
}

static void names_of_epmd(int client)
{
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, (uint8_t)client}};
    epmd(DS_EPMD_NAMES_REQ, 0, "", 0, 0);
    epmd(DS_EPMD_NAMES_RESP, 1, "", 0, 0);
    next_conn();
}

/* A client that asks again has one entry, also if an earlier one has become free. */
static void looks_around_again(void **state)
{
    (void)state;
    begin();
    names_of_epmd(8);
    w.now_ns += 5 * SECOND;
    names_of_epmd(9);
    findings_time(w.findings, w.now_ns + 6 * SECOND);
    assert_int_equal(w.num, 1); /* the first of them, whose entry is free now */
    names_of_epmd(9);
    found("DS116 DS116");
    sentence_is("10.0.0.9 asked EPMD of 10.0.0.2 for the names of its nodes");
    assert_int_equal(w.last.count, 1);
}

/* A client asks EPMD for all names: one on a node's host may. */
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
    sentence_is("10.0.0.9 asked EPMD of 10.0.0.2 for the names of its nodes");
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    begin(); /* on its own host */
    names_of_epmd(2);
    found("");
    begin(); /* it continues as a node, or was known as one */
    names_of_epmd(1);
    asked("bob");
    found("");
    begin();
    shake(DS_STEP_STATUS, "alice@a", "bob@b");
    next_conn();
    names_of_epmd(1);
    found("");
    begin(); /* a host that was connected to, too */
    shake(DS_STEP_STATUS, "alice@a", "bob@b");
    next_conn();
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 3}};
    names_of_epmd(2);
    found("");
    begin(); /* more than there is room for: unknown */
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
    enum { GARBAGE, NOTHING, UNTOLD, GAP, OTHER_HOST, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        if (i != UNTOLD)
            asked("bob");
        w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 9}};
        if (i == OTHER_HOST)
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 3}};
        w.link.side[0].syns = w.link.side[1].syns = 1;
        w.conn.counters[0].bytes = i == NOTHING ? 0 : 18;
        w.conn.counters[0].gaps = i == GAP;
        close_by(0, SECOND, DS_CLOSE_FIN);
        found(i == GARBAGE ? "DS116" : "");
        if (i == GARBAGE)
            sentence_is("10.0.0.9 sends data that is not a handshake to the port of bob");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_not_resolve),
        cmocka_unit_test(name_server_is_not_there),
        cmocka_unit_test(others_names),
        cmocka_unit_test(resolves),
        cmocka_unit_test(bounds_of_lookups),
        cmocka_unit_test(dials_after_a_lookup),
        cmocka_unit_test(many_hosts),
        cmocka_unit_test(oldest_lookup),
        cmocka_unit_test(many_lookups),
        cmocka_unit_test(scanners),
        cmocka_unit_test(looks_around), cmocka_unit_test(looks_around_again),
        cmocka_unit_test(no_handshake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
