/*
 * test_findings_connect.c - findings of connections that do not come to be: names, cookies, EPMD, TLS; for each code records
 * that raise it, and near misses that do not.
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
    begin(); /* it goes on */
    shake(DS_STEP_CHALLENGE_ACK, "alice@a", "bob@b");
    change(DS_CONN_UP, 0, false);
    close_by(1, MS, DS_CLOSE_FIN);
    found("DS401");
    begin(); /* the capture ends */
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    w.link.close = DS_CLOSE_CAPTURE;
    change(DS_CONN_OPEN_AT_END, 0, true);
    found("");
    begin(); /* packets are missing: who knows what was in them */
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
    close_by(-1, 7 * SECOND, DS_CLOSE_SILENT);
    found("DS105");
    sentence_is("a connection from 10.0.0.1 to bob, 10.0.0.2 port 5555 goes unanswered");
    begin(); /* the answer is of the other version of IP */
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
        close_by(i == 0 ? 1 : -1, MS, i == 0 ? DS_CLOSE_RESET : DS_CLOSE_SILENT);
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

static void answers_of_epmd(void **state)
{
    (void)state;
    begin();
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, "bo\33b", 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
    found("DS107");
    sentence_is("no node bo\\x1Bb is registered at EPMD of 10.0.0.2");
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

/* Both connect at once: who gives its connection up does so before it is told to. */
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
    for (int waits = 0; waits < 2; waits++) { /* and the answer comes when it is gone */
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

static void tls_and_plain(void **state)
{
    static const uint8_t alert[] = {21, 3, 3, 0, 2, 2, 40};
    (void)state;
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 1);
    event.handshake.step = DS_STEP_UNKNOWN;
    event.bytes = alert;
    event.bytes_len = sizeof alert;
    event.fault.kind = DS_FAULT_MALFORMED;
    put(&event);
    close_by(1, MS, DS_CLOSE_FIN);
    found("DS111");
    for (uint64_t answered = 0; answered < 2; answered++) {
        begin();
        const struct ds_tls tls = {.has_alert = {answered != 0}, .alert_code = {48}};
        w.conn.tls = &tls;
        w.conn.counters[0].bytes = 300;
        w.link.side[1].data_bytes = answered;
        close_by(0, 7 * SECOND, DS_CLOSE_FIN);
        found(answered ? "DS112" : "DS111");
    }
}

/* shaking is a connection whose ends have said hello, in TLS. */
static struct ds_tls shaking(void)
{
    begin();
    w.conn.counters[0].bytes = w.conn.counters[1].bytes = 300;
    w.link.side[0].data_bytes = w.link.side[1].data_bytes = 300;
    w.link.side[0].last_data_ns = w.now_ns;
    w.link.side[1].last_data_ns = w.now_ns + MS;
    return (struct ds_tls){.version = 0x0303, .offered = 0x0303};
}

static void nothing_in_common(void **state)
{
    static const struct {
        uint8_t code;
        bool said_hello, has_certificate;
        const char *codes;
    } cases[] = {
        {70, false, false, "DS120"}, {71, false, false, "DS120"}, {86, true, false, "DS120"},
        {40, false, false, "DS120"}, {40, true, true, "DS112"},   {40, true, false, ""},
        {0, true, false, ""},        {80, true, false, ""},       {48, true, true, "DS112"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_tls tls = shaking();
        w.conn.tls = &tls;
        tls.version = cases[i].said_hello ? 0x0303 : 0;
        tls.has_alert[1] = true;
        tls.alert_code[1] = cases[i].code;
        tls.valid_until[0] = cases[i].has_certificate ? INT64_MAX : 0;
        close_by(1, MS, DS_CLOSE_FIN);
        found(cases[i].codes);
    }
    /* Later it is another's matter: what nodes say came through. */
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    tls.has_alert[1] = true;
    tls.alert_code[1] = 71;
    change(DS_CONN_UP, 0, false);
    close_by(1, MS, DS_CLOSE_FIN);
    found("");
}

static void certificates_expire(void **state)
{
    enum { DAY = 24 * 60 * 60 };
    static const struct {
        int64_t from, until; /* seconds, by the clock of the packets; 0 and 0: not seen */
        const char *codes, *sentence;
    } cases[] = {
        {-DAY, 15 * DAY, "", NULL},
        {-DAY, 13 * DAY, "DS121", "the certificate of 10.0.0.2:5555 is about to expire"},
        {-2 * DAY, -1, "DS121", "the certificate of 10.0.0.2:5555 has expired"},
        {-2 * DAY, 1, "DS121", "the certificate of 10.0.0.2:5555 is about to expire"},
        {1, 90 * DAY, "DS121", "the certificate of 10.0.0.2:5555 is not valid yet"},
        {0, 0, "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_tls tls = shaking();
        const int64_t now = 20000 * (int64_t)DAY;
        w.now_ns = now * SECOND;
        w.conn.tls = &tls;
        if (cases[i].until != 0) {
            tls.valid_from[1] = now + cases[i].from;
            tls.valid_until[1] = now + cases[i].until;
        }
        change(DS_CONN_OPEN, 0, false);
        change(DS_CONN_UP, 0, false);
        change(DS_CONN_CLOSED, 0, true);
        found(cases[i].codes);
        if (cases[i].sentence != NULL) {
            sentence_is(cases[i].sentence);
            assert_int_equal(w.last.severity == SEVERITY_ERROR, i == 2 || i == 4);
            assert_int_equal(w.last.count, 1);
        }
    }
}

static void handshake_stalls(void **state)
{
    (void)state;
    /* The server goes silent. */
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    w.link.side[0].last_data_ns = w.now_ns + 2 * MS;
    close_by(0, 7 * SECOND, DS_CLOSE_FIN);
    found("DS122");
    sentence_is("10.0.0.2:5555 does not go on with the TLS handshake with 10.0.0.1:40000");
    /* The client does, and the capture ends. */
    tls = shaking();
    w.conn.tls = &tls;
    tls.data_records[1] = 4; /* its hello, of TLS 1.3 */
    w.now_ns += 6 * SECOND;
    change(DS_CONN_OPEN_AT_END, 0, true);
    found("DS122");
    sentence_is("10.0.0.1:40000 does not go on with the TLS handshake with 10.0.0.2:5555");
    /* Not for long; done; ended by an alert; never answered. */
    for (int i = 0; i < 4; i++) {
        tls = shaking();
        w.conn.tls = &tls;
        if (i == 1)
            tls.data_records[0] = tls.data_records[1] = 2;
        if (i == 2) {
            tls.has_alert[0] = true;
            tls.alert_code[0] = 80;
        }
        if (i == 3) {
            tls.version = 0;
            w.link.side[1].data_bytes = 0;
        }
        close_by(0, i == 0 ? 4 * SECOND : 7 * SECOND, DS_CLOSE_FIN);
        found(i == 3 ? "DS111" : "");
    }
}

static void keys_renewed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct ds_tls tls = shaking();
        w.conn.tls = &tls;
        tls.data_records[0] = tls.data_records[1] = 100;
        change(DS_CONN_UP, 0, false);
        tls.key_updates[0] = i == 1 ? 1 : 2;
        tls.key_updates[1] = 2;
        w.now_ns += i == 2 ? 250 * SECOND : 200 * SECOND;
        if (i == 3)
            w.conn.counters[0].bytes = UINT64_C(17) << 30;
        change(DS_CONN_CLOSED, 0, true);
        found(i == 0 ? "DS213" : "");
    }
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

/* Both dial: what comes of it. */

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
        w.conn.end[1].node = text("bob"); /* as EPMD tells it */
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
    begin(); /* the acceptor gives its own attempt up, and who knows why is silent */
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
        cmocka_unit_test(answers_of_epmd),
        cmocka_unit_test(refusals),
        cmocka_unit_test(gives_up_for_the_other),
        cmocka_unit_test(silent_acceptor),
        cmocka_unit_test(does_not_resolve),
        cmocka_unit_test(resolves),
        cmocka_unit_test(many_lookups),
        cmocka_unit_test(tls_and_plain),
        cmocka_unit_test(scanners),
        cmocka_unit_test(looks_around),
        cmocka_unit_test(no_handshake),
        cmocka_unit_test(nothing_in_common),
        cmocka_unit_test(certificates_expire),
        cmocka_unit_test(handshake_stalls),
        cmocka_unit_test(keys_renewed),
        cmocka_unit_test(simultaneous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
