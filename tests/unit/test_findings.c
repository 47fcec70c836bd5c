/*
 * test_findings.c - what the detectors find: for each code records that raise it, and near misses
 * that do not; equal findings, caps, memory that runs out, texts that peers chose.
 */
#include "default_limits.h"
#include "failing_alloc.h"
#include "findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)
#define MS INT64_C(1000000)
#define FULL_FLAGS UINT64_C(0xd07df7fbd)

enum { EPMD = 4369, PORT = 5555 };

/* world is a capture told event by event: alice (end 0) and bob (end 1) on one connection at a time. */
static struct world {
    struct findings *findings;
    struct ds_conn conn;
    struct ds_link link;
    int64_t now_ns;
    uint64_t frame;
    char log[8192];
    size_t len;
    struct finding last;
    unsigned num;
} w;

static void say(const char *text)
{
    if (sizeof w.log - w.len > 16)
        w.len += (size_t)snprintf(w.log + w.len, sizeof w.log - w.len, "%s", text);
}

static void take(void *context, const struct record *record)
{
    const struct finding *f = record->finding;
    (void)context;
    if (f->kind == NULL || f->is_update) {
        if (f->kind != NULL)
            w.last = *f;
        return;
    }
    w.last = *f;
    w.num++;
    say(w.len != 0 ? " " : "");
    say(f->kind->code);
}

static void begin_with(bool has_cookie)
{
    struct findings_config config = {.emit = take, .epmd_port = EPMD, .has_cookie = has_cookie};
    default_limits(config.limits);
    findings_free(w.findings);
    memset(&w, 0, sizeof w);
    w.findings = findings_new(&config);
    assert_non_null(w.findings);
    w.now_ns = 1000 * SECOND;
}

static void next_conn(void)
{
    static const struct ds_addr addr[2] = {{4, {10, 0, 0, 1}}, {4, {10, 0, 0, 2}}};
    const uint64_t number = w.conn.number + 1;
    memset(&w.conn, 0, sizeof w.conn);
    memset(&w.link, 0, sizeof w.link);
    w.conn.number = number;
    w.conn.link = &w.link;
    w.link.closer = -1;
    for (int end = 0; end < 2; end++)
        w.conn.end[end].addr = addr[end];
    w.conn.end[0].port = 40000;
    w.conn.end[1].port = PORT;
}

static void begin(void)
{
    begin_with(false);
    next_conn();
}

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static struct ds_event event_of(enum ds_event_type type, int dir)
{
    w.frame++;
    return (struct ds_event){.type = type, .dir = (uint8_t)dir, .frame = w.frame,
                             .ts_ns = w.now_ns, .conn = &w.conn};
}

static void put(const struct ds_event *event)
{
    const struct record record = {.event = event};
    findings_record(w.findings, &record);
}

static void epmd(enum ds_epmd_op op, int dir, const char *name, uint16_t port, uint8_t result)
{
    struct ds_event event = event_of(DS_EVENT_EPMD, dir);
    w.conn.end[1].port = EPMD;
    event.epmd = (struct ds_epmd){.op = op, .name = text(name), .port = port, .result = result};
    if (result != 0)
        event.epmd.name = (struct ds_text){NULL, 0};
    put(&event);
}

static void asked(const char *name)
{
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, name, 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, name, PORT, 0);
    next_conn();
}

static void step(enum ds_handshake_step which, int dir, const char *name)
{
    struct ds_event event = event_of(DS_EVENT_HANDSHAKE, dir);
    struct ds_handshake *h = &event.handshake;
    h->step = which;
    w.conn.counters[dir].bytes += 30;
    if (which == DS_STEP_STATUS || which == DS_STEP_STATUS_REPLY) {
        h->status = text(name);
    } else if (which == DS_STEP_SEND_NAME || which == DS_STEP_CHALLENGE) {
        h->name = text(name);
        h->version = 6;
        h->flags = FULL_FLAGS;
        h->has_flags = true;
        w.conn.end[dir].node = h->name;
        w.conn.end[dir].creation = 5;
    }
    if (which == DS_STEP_CHALLENGE) {
        h->challenge = 7;
        h->has_challenge = true;
    }
    put(&event);
}

/* shake goes as far as a step. */
static void shake(enum ds_handshake_step last, const char *alice, const char *bob)
{
    step(DS_STEP_SEND_NAME, 0, alice);
    if (last >= DS_STEP_STATUS)
        step(DS_STEP_STATUS, 1, "ok");
    if (last >= DS_STEP_CHALLENGE)
        step(DS_STEP_CHALLENGE, 1, bob);
    if (last >= DS_STEP_CHALLENGE_REPLY)
        step(DS_STEP_CHALLENGE_REPLY, 0, "");
    if (last >= DS_STEP_CHALLENGE_ACK)
        step(DS_STEP_CHALLENGE_ACK, 1, "");
}

static void change(enum ds_conn_state state, int dir, bool final)
{
    struct ds_event event = event_of(DS_EVENT_CONN, dir);
    event.change = (struct ds_conn_change){.state = state, .final = final};
    put(&event);
}

static void close_by(int closer, int64_t after_ns, enum ds_close how)
{
    w.now_ns += after_ns;
    w.link.close = how;
    w.link.closer = (int8_t)closer;
    change(DS_CONN_FAILED, closer, true);
}

static void half_close_by(int end)
{
    w.link.closer = (int8_t)end;
    change(DS_CONN_HALF_CLOSED, end, false);
}

/* found ends it, and says what was found. */
static void found(const char *codes)
{
    findings_end(w.findings);
    if (strcmp(w.log, codes) != 0)
        fail_msg("found '%s', not '%s'", w.log, codes);
}

static void sentence_is(const char *wanted)
{
    struct ds_buffer out = {0};
    wording_print(&w.last.sentence, &out);
    ds_buffer_add(&out, "", 1);
    assert_string_equal(out.data, wanted);
    ds_buffer_free(&out);
}

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
        found(i == 0 ? "DS118" : "");
    }
}

/* Both connect at once: who gives its connection up does so before it is told to. */
static void gives_up_for_the_other(void **state)
{
    (void)state;
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    half_close_by(0);
    step(DS_STEP_STATUS, 1, "nok");
    close_by(0, MS, DS_CLOSE_FIN);
    found("");
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    half_close_by(0);
    close_by(0, MS, DS_CLOSE_FIN);
    found("DS119");
    begin(); /* the acceptor knows why at once */
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    half_close_by(1);
    found("DS119");
}

static void silent_acceptor(void **state)
{
    (void)state;
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    close_by(0, 7 * SECOND, DS_CLOSE_FIN);
    found("DS115");
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    close_by(0, SECOND, DS_CLOSE_FIN);
    found("DS119");
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

/* Links. */

static void up(void)
{
    shake(DS_STEP_CHALLENGE_ACK, "alice@127.0.0.1", "bob@127.0.0.1");
    w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
    w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns;
    w.link.side[0].last_ns = w.link.side[1].last_ns = w.now_ns;
    change(DS_CONN_UP, 0, false);
}

static void half_close(int closer, enum ds_close how)
{
    w.link.closer = (int8_t)closer;
    w.link.close = how;
    change(how == DS_CLOSE_RESET ? DS_CONN_CLOSED : DS_CONN_HALF_CLOSED, closer, false);
}

static void silence(void **state)
{
    (void)state;
    for (int acknowledged = 0; acknowledged < 2; acknowledged++) {
        begin();
        up();
        w.now_ns += 60 * SECOND;
        w.conn.counters[0].ticks = 4;
        w.link.side[0].last_data_ns = w.now_ns;
        if (acknowledged)
            w.link.side[1].last_ns = w.now_ns - SECOND;
        half_close(0, DS_CLOSE_FIN);
        found("DS201");
        sentence_is("alice@127.0.0.1 gave up bob@127.0.0.1, which had fallen silent: net_tick_timeout");
        struct ds_buffer out = {0};
        wording_print(&w.last.detail, &out);
        ds_buffer_add(&out, "", 1);
        assert_true((strstr(out.data, "still acknowledged") != NULL) == acknowledged);
        ds_buffer_free(&out);
    }
    begin(); /* with a net_ticktime of 8 s */
    up();
    w.link.side[0].tick_intervals = 2;
    w.link.side[0].tick_last_ns = w.link.side[0].tick_min_ns = w.link.side[0].tick_max_ns = 2 * SECOND;
    w.conn.counters[0].ticks = 4;
    w.now_ns += 7 * SECOND;
    half_close(0, DS_CLOSE_FIN);
    found("DS201");
    begin(); /* an idle link that somebody closes */
    up();
    w.now_ns += 30 * SECOND;
    w.conn.counters[0].ticks = 2;
    half_close(0, DS_CLOSE_FIN);
    found("");
    begin(); /* the silent one closes itself */
    up();
    w.now_ns += 60 * SECOND;
    w.conn.counters[0].ticks = 4;
    w.link.side[0].last_data_ns = w.now_ns;
    half_close(1, DS_CLOSE_FIN);
    found("");
}

static void ticks(void **state)
{
    (void)state;
    for (int64_t factor = 8; factor <= 11; factor += 3) {
        begin();
        up();
        for (int end = 0; end < 2; end++) {
            struct ds_link_side *side = &w.link.side[end];
            side->tick_intervals = 3;
            side->tick_min_ns = side->tick_max_ns = side->tick_last_ns =
                end == 0 ? 2 * SECOND : 2 * SECOND * factor / 8;
        }
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
        put(&tick);
        found(factor == 8 ? "" : "DS203");
    }
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        w.link.side[1].tick_intervals = 3;
        w.link.side[1].tick_min_ns = w.link.side[1].tick_max_ns = 15 * SECOND;
        w.link.side[1].longest_quiet_ns = i == 0 ? 30 * SECOND : 45 * SECOND;
        w.conn.counters[1].gaps = i == 1;
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
        put(&tick);
        found(i == 2 ? "DS202" : "");
    }
}

static void resets(void **state)
{
    (void)state;
    begin();
    up();
    half_close(1, DS_CLOSE_RESET);
    found("DS204");
    begin();
    up();
    half_close(1, DS_CLOSE_FIN);
    found("");
    for (int64_t second = 100; second <= 130; second += 30) {
        begin();
        for (int i = 0; i < 2; i++) {
            up();
            w.now_ns += (i == 0 ? 100 : second) * SECOND;
            half_close(1, DS_CLOSE_RESET);
            next_conn();
        }
        found(second == 100 ? "DS204 DS208 DS204" : "DS204 DS204");
    }
}

static void flaps(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        for (int n = 0; n < 3; n++) {
            shake(DS_STEP_CHALLENGE_ACK, "alice@127.0.0.1", "bob@127.0.0.1");
            w.conn.end[0].addr = (struct ds_addr){4, {127, 0, 0, 1}};
            if (i == 1)
                w.conn.end[1].creation = (uint32_t)n + 1; /* it is restarted */
            change(DS_CONN_UP, 0, false);
            half_close(1, DS_CLOSE_FIN);
            next_conn();
        }
        found(i == 0 ? "DS209" : "");
    }
}

static void stall(enum ds_stall_why why, int64_t duration_ns, bool is_over, uint64_t in_flight)
{
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = why, .is_over = is_over, .in_flight = in_flight,
                                    .start_ns = w.now_ns - duration_ns, .duration_ns = duration_ns,
                                    .message_size = 8000000, .message_passed = 65000};
    put(&event);
}

static void stalls(void **state)
{
    (void)state;
    begin();
    up();
    stall(DS_STALL_ZERO_WINDOW, SECOND, false, 100);
    assert_int_equal(w.num, 1);
    stall(DS_STALL_ZERO_WINDOW, 5 * SECOND, true, 100); /* the same one */
    assert_int_equal(w.last.count, 1);
    stall(DS_STALL_ZERO_WINDOW, 2 * SECOND, true, 100);
    assert_int_equal(w.last.count, 2);
    found("DS205 DS205");
    sentence_is("bob@127.0.0.1 does not read what alice@127.0.0.1 sends");
    begin();
    up();
    stall(DS_STALL_ZERO_WINDOW, SECOND - MS, true, 100);
    found("");
    begin(); /* nothing at all is heard of it: it is gone */
    up();
    w.now_ns += 3 * SECOND;
    stall(DS_STALL_FULL_WINDOW, 2 * SECOND, false, 100);
    found("");
    begin();
    up();
    w.link.side[1].data_segments = 5;
    w.link.side[1].last_ns = w.now_ns;
    stall(DS_STALL_LOST, SECOND, false, 1400);
    found("DS207");
    begin();
    up();
    w.link.side[1].data_segments = 5;
    stall(DS_STALL_LOST, SECOND, false, 90); /* a small one */
    found("");
}

/* What is sent is not acknowledged. */

static void fading(void **state)
{
    enum { GONE, ACKNOWLEDGED, HEARD, CLOSED, EARLY, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        w.link.side[0].tick_intervals = 2;
        w.link.side[0].tick_last_ns = w.link.side[0].tick_min_ns = SECOND;
        w.now_ns += 2 * SECOND;
        stall(DS_STALL_LOST, SECOND, false, 4);
        struct ds_event tick = event_of(DS_EVENT_TICK, i == HEARD ? 1 : 0);
        put(&tick);
        if (i == ACKNOWLEDGED)
            stall(DS_STALL_LOST, SECOND, true, 4);
        if (i == CLOSED)
            half_close(1, DS_CLOSE_FIN);
        findings_time(w.findings, w.now_ns + (i == EARLY ? 2 : 3) * SECOND);
        found(i == GONE ? "DS201" : "");
        if (i == GONE)
            sentence_is("alice@127.0.0.1 gave up bob@127.0.0.1, which had fallen silent: "
                        "net_tick_timeout");
    }
}

static void losses(void **state)
{
    (void)state;
    for (uint64_t again = 9; again <= 10; again++) {
        begin();
        up();
        w.link.side[0].data_segments = 1000;
        w.link.side[0].resent = again;
        change(DS_CONN_CLOSED, 0, true);
        found(again == 9 ? "" : "DS212");
    }
    begin();
    up();
    w.link.side[0].data_segments = 1001;
    w.link.side[0].resent_unseen = 10;
    change(DS_CONN_CLOSED, 0, true);
    found("");
}

static void big_messages(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
        event.message.size = 50000000;
        event.message.wire_ns = i == 0 ? SECOND - 1 : 2 * SECOND;
        event.message.stalled_ns = i == 1 ? 2 * SECOND : 0;
        put(&event);
        found(i == 2 ? "DS206" : "");
    }
}

/* Calls. */

static void call(enum call_outcome outcome, int64_t ns)
{
    static uint64_t number;
    const struct call call = {.number = ++number, .conn = 1, .label = "gen:call", .group = "",
                              .caller = {.node = text("alice@a"), .has_pid = true, .id = 5},
                              .callee = {.node = text("bob@b"), .name = text("calc")},
                              .start_ns = w.now_ns, .end_ns = w.now_ns + ns,
                              .start_frame = 3, .end_frame = 4, .outcome = outcome};
    const struct record record = {.call = &call};
    findings_record(w.findings, &record);
}

static void calls(void **state)
{
    (void)state;
    begin();
    call(CALL_UNANSWERED, 5 * SECOND);
    found("DS305");
    sentence_is("a gen:call to calc of bob@b is not answered");
    begin();
    call(CALL_UNANSWERED, 5 * SECOND - 1);
    found("");
    for (int good = 3; good < 6; good++) {
        begin();
        for (int i = 0; i < good; i++)
            call(CALL_OK, MS);
        call(CALL_NOPROC, MS);
        found(good == 4 ? "DS310" : "");
    }
    begin();
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 1);
    w.conn.end[0].node = text("alice@a");
    w.conn.end[1].node = text("bob@b");
    struct record late = {.event = &event, .note = {.late = true, .label = "gen:call", .call = 9}};
    findings_record(w.findings, &late);
    late.note.late = false;
    findings_record(w.findings, &late);
    found("DS301");
    for (uint64_t gaps = 0; gaps < 2; gaps++) {
        begin();
        event = event_of(DS_EVENT_MESSAGE, 0);
        event.fault = (struct ds_fault){DS_FAULT_MALFORMED, 9, "no term begins like this"};
        w.conn.counters[0].gaps = gaps;
        put(&event);
        found(gaps ? "" : "DS306");
    }
}

static void kills(void **state)
{
    static const uint8_t atoms[2][6] = {{119, 4, 'k', 'i', 'l', 'l'}, {119, 4, 'k', 'i', 'l', 'n'}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
        event.message.op = ds_op_find(26);
        event.message.payload = (struct ds_term){.data = atoms[i], .len = sizeof atoms[i]};
        const struct record record = {.event = &event, .note = {.role = NOTE_EXIT}};
        findings_record(w.findings, &record);
        found(i == 0 ? "DS311" : "");
    }
}

static void exposure(void **state)
{
    static const struct {
        struct ds_addr addr;
        const char *codes;
        enum severity severity;
    } cases[] = {
        {{4, {127, 0, 0, 2}}, "", SEVERITY_NOTE},
        {{4, {10, 1, 2, 3}}, "DS401", SEVERITY_NOTE},
        {{4, {172, 31, 2, 3}}, "DS401", SEVERITY_NOTE},
        {{4, {172, 32, 2, 3}}, "DS401", SEVERITY_WARNING},
        {{4, {8, 8, 4, 4}}, "DS401", SEVERITY_WARNING},
        {{6, {[15] = 1}}, "", SEVERITY_NOTE},
        {{6, {0xfe, 0x80}}, "DS401", SEVERITY_NOTE},
        {{6, {0x2a, 1}}, "DS401", SEVERITY_WARNING},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        w.conn.end[1].addr = cases[i].addr;
        change(DS_CONN_UP, 0, false);
        found(cases[i].codes);
        if (w.num != 0)
            assert_int_equal(w.last.severity, cases[i].severity);
    }
    for (int i = 0; i < 2; i++) {
        begin();
        if (i == 0)
            w.conn.end[0].addr = (struct ds_addr){4, {8, 8, 8, 8}};
        struct ds_event event = event_of(DS_EVENT_EPMD, 1);
        event.epmd.op = DS_EPMD_NAMES_RESP;
        event.epmd.num_nodes = 1;
        put(&event);
        found(i == 0 ? "DS402" : "");
    }
    for (uint8_t version = 5; version <= 6; version++) {
        begin();
        struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 0);
        event.handshake.step = DS_STEP_SEND_NAME;
        event.handshake.version = version;
        put(&event);
        found(version == 5 ? "DS405" : "");
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

/* Messages. */

/* node_atom: the nodes' names are atoms of the cache here. */
static const uint8_t node_name[] = "bob@127.0.0.1";
static const struct ds_atom node_atoms[] = {
    {.text = node_name, .len = sizeof node_name - 1, .slot = 1, .state = DS_ATOM_KNOWN}};

static struct ds_event message(int dir, const void *payload, size_t len)
{
    struct ds_event event = event_of(DS_EVENT_MESSAGE, dir);
    event.message.op = ds_op_find(22);
    event.message.code = 22;
    event.message.size = len;
    event.message.payload = (struct ds_term){.data = payload, .len = len};
    return event;
}

static void earlier_life(void **state)
{
    static const struct {
        uint8_t creation;
        uint8_t op;
        const char *codes;
    } cases[] = {{5, 22, ""}, {7, 22, "DS308"}, {0, 22, ""}, {7, 20, ""}, {7, 19, "DS308"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t pid[] = {88, 82, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, cases[i].creation};
        begin();
        up();
        struct ds_event event = message(0, NULL, 0);
        event.message.op = ds_op_find(cases[i].op);
        event.message.role[DS_ROLE_TO] = (struct ds_term){
            .data = pid, .len = sizeof pid, .atoms = node_atoms, .num_atoms = 1};
        put(&event);
        found(cases[i].codes);
    }
}

static void fan_out(void **state)
{
    static uint8_t payload[30000];
    enum { SAME_NODE, OTHER_NODES, OTHER_PAYLOADS, ONE_PROCESS, LATER, FEW, CASES };
    static const char *const codes[CASES] = {"DS307", "DS307", "", "", "", ""};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        for (uint8_t n = 0; n < (i == FEW ? 3 : 5); n++) {
            const uint8_t name[] = {119, 1, i == ONE_PROCESS ? 'a' : (uint8_t)('a' + n)};
            struct ds_event event = message(0, payload, sizeof payload);
            event.message.role[DS_ROLE_TO] = (struct ds_term){.data = name, .len = sizeof name};
            payload[20000] = i == OTHER_PAYLOADS ? n : 0; /* where no sample is taken */
            w.now_ns += i == LATER ? 2 * SECOND : MS;
            event.ts_ns = w.now_ns;
            put(&event);
            if (i == OTHER_NODES) {
                const struct ds_endpoint alice = w.conn.end[0];
                next_conn();
                w.conn.end[0] = alice;
            }
        }
        found(codes[i]);
        if (w.num != 0)
            assert_int_equal(w.last.severity, i == SAME_NODE ? SEVERITY_WARNING : SEVERITY_NOTE);
    }
}

static void new_atoms(void **state)
{
    enum { NUMBERED, KNOWN, NODES, THE_SAME, WORDS, CASES };
    static const char *const codes[CASES] = {"DS309", "", "", "", ""};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        for (int n = 0; n < 300; n++) {
            char name[40];
            snprintf(name, sizeof name, i == NODES ? "n%x@host" : "user_%x", i == THE_SAME ? 1 : n);
            if (i == WORDS)
                snprintf(name, sizeof name, "u%c%c", 'g' + n % 20, 'g' + n / 20);
            const struct ds_atom atom = {.text = (const uint8_t *)name,
                                         .len = (uint16_t)strlen(name),
                                         .state = DS_ATOM_KNOWN,
                                         .is_new = i != KNOWN};
            struct ds_event event = message(0, NULL, 0);
            event.message.control = (struct ds_term){.atoms = &atom, .num_atoms = 1};
            put(&event);
        }
        found(codes[i]);
    }
}

/* Terms, as small as they get: atoms of one letter or word, tuples, lists. */

static struct ds_buffer term_bytes;

static void put_bytes(const void *bytes, size_t len)
{
    ds_buffer_add(&term_bytes, bytes, len);
}

static void put_atom(const char *name)
{
    const uint8_t head[] = {119, (uint8_t)strlen(name)};
    put_bytes(head, sizeof head);
    put_bytes(name, strlen(name));
}

static void put_tuple(uint8_t arity)
{
    const uint8_t head[] = {104, arity};
    put_bytes(head, sizeof head);
}

static void put_list(uint8_t len) /* and then the elements, and put_nil */
{
    const uint8_t head[] = {108, 0, 0, 0, len};
    put_bytes(head, sizeof head);
}

static void put_nil(void)
{
    put_bytes("j", 1);
}

static void put_small(uint8_t value)
{
    const uint8_t bytes[] = {97, value};
    put_bytes(bytes, sizeof bytes);
}

static void put_binary(const char *string)
{
    const uint8_t head[] = {109, 0, 0, 0, (uint8_t)strlen(string)};
    put_bytes(head, sizeof head);
    put_bytes(string, strlen(string));
}

static void put_pid(const char *node, uint8_t id)
{
    const uint8_t rest[] = {0, 0, 0, id, 0, 0, 0, 0, 0, 0, 0, 5};
    put_bytes("X", 1);
    put_atom(node);
    put_bytes(rest, sizeof rest);
}

static struct ds_term term_since(size_t start)
{
    return (struct ds_term){.data = (const uint8_t *)term_bytes.data + start,
                            .len = term_bytes.len - start};
}

static void begin_terms(void)
{
    term_bytes.len = 0;
    ds_buffer_reserve(&term_bytes, 4096); /* it does not move any more */
}

/* {undef, [{m, f, 1, []}]}, or another reason and function. */
static void put_reason(const char *why, const char *fun)
{
    put_tuple(2);
    put_atom(why);
    put_list(1);
    put_tuple(4);
    put_atom("m");
    put_atom(fun);
    put_small(1);
    put_nil();
    put_nil();
}

static void missing_code(void **state)
{
    static const struct {
        const char *why, *fun, *codes;
        enum certainty certainty;
    } cases[] = {{"undef", "f", "DS302", CERTAINTY_LIKELY},
                 {"undef", "g", "DS302", CERTAINTY_POSSIBLE},
                 {"function_clause", "f", "DS302", CERTAINTY_LIKELY},
                 {"function_clause", "g", "", CERTAINTY_SURE},
                 {"badarg", "f", "", CERTAINTY_SURE}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const bool wraps = i % 2 != 0; /* {'EXIT', ...} */
        begin();
        begin_terms();
        if (wraps) {
            put_tuple(2);
            put_atom("EXIT");
        }
        put_reason(cases[i / 2].why, cases[i / 2].fun);
        const struct ds_term reason = term_since(0);
        size_t at = term_bytes.len;
        put_atom("m");
        const struct ds_term mod = term_since(at);
        at = term_bytes.len;
        put_atom("f");
        const struct ds_term fun = term_since(at);
        at = term_bytes.len;
        put_list(1);
        put_small(7);
        put_nil();
        const struct call call = {.number = 1, .conn = 1, .label = "rpc:call", .group = "",
                                  .caller = {.node = text("alice@a")},
                                  .callee = {.node = text("bob@b")},
                                  .mod = mod, .fun = fun, .args = term_since(at),
                                  .outcome = CALL_ERROR, .error_class = "error",
                                  .reason = reason, .end_ns = w.now_ns};
        const struct record record = {.call = &call};
        findings_record(w.findings, &record);
        found(cases[i / 2].codes);
        if (w.num != 0)
            assert_int_equal(w.last.certainty, cases[i / 2].certainty);
    }
    begin(); /* a fun of which the code is not there */
    begin_terms();
    put_tuple(2);
    put_tuple(2);
    put_atom("badfun");
    put_atom("f");
    put_nil();
    const struct call call = {.label = "erpc:call", .group = "", .outcome = CALL_ERROR,
                              .callee = {.node = text("bob@b")}, .reason = term_since(0)};
    const struct record record = {.call = &call};
    findings_record(w.findings, &record);
    found("DS302");
}

static void lock_call(const char *label, const char *who, const char *answer)
{
    begin_terms();
    put_tuple(2);
    put_atom("set_lock");
    put_tuple(2);
    put_atom("till");
    put_atom("me");
    const struct ds_term request = term_since(0);
    const size_t at = term_bytes.len;
    put_atom(answer);
    w.now_ns += SECOND;
    const struct call call = {.label = label, .group = "otp", .caller = {.node = text(who)},
                              .callee = {.node = text("bob@b")}, .request = request,
                              .result = term_since(at), .outcome = CALL_OK, .conn = 1,
                              .start_ns = w.now_ns, .end_ns = w.now_ns};
    const struct record record = {.call = &call};
    findings_record(w.findings, &record);
}

static void locks(void **state)
{
    enum { STUCK, FREED, TAKEN_BETWEEN, FOUR_TIMES, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        lock_call("global:set_lock", "carol@c", "true");
        for (int n = 0; n < (i == FOUR_TIMES ? 4 : 6); n++) {
            lock_call("global:set_lock", "alice@a", "false");
            if (n == 2 && i == FREED)
                lock_call("global:del_lock", "carol@c", "true");
            if (n == 2 && i == TAKEN_BETWEEN)
                lock_call("global:set_lock", "dave@d", "true");
        }
        found(i == STUCK ? "DS303" : "");
        if (i == STUCK)
            sentence_is("alice@a asks again and again for the lock till of global, which carol@c "
                        "holds");
    }
}

static void exchange(int dir, const char *name, const char *node, uint8_t id)
{
    begin_terms();
    put_tuple(5);
    put_atom("exchange");
    put_atom("n");
    put_list(1);
    put_tuple(3);
    put_atom(name);
    put_pid(node, id);
    put_atom("resolver");
    put_nil();
    put_nil();
    put_small(1);
    struct ds_event event = message(dir, NULL, 0);
    const struct record record = {
        .event = &event, .note = {.label = "global:exchange", .group = "otp", .body = term_since(0)}};
    findings_record(w.findings, &record);
}

static void global_names(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        exchange(0, "shop", "alice@a", 9);
        exchange(1, i == 1 ? "bank" : "shop", i == 2 ? "alice@a" : "bob@b", 9);
        found(i == 0 ? "DS304" : "");
        if (i == 0)
            sentence_is("bob@127.0.0.1 and alice@127.0.0.1 have different processes by the same name "
                        "of global: shop");
    }
}

static void said_by_global(const char *what, const char *label, int dir)
{
    begin_terms();
    put_tuple(5);
    put_atom(what);
    put_atom("alice@a");
    put_small(1);
    put_small(1);
    put_atom("carol@c");
    struct ds_event event = message(dir, NULL, 0);
    event.message.payload = term_since(0);
    const struct record record = {.event = &event, .note = {.label = label, .group = ""}};
    findings_record(w.findings, &record);
}

static void cut_by_global(void **state)
{
    (void)state;
    begin();
    up();
    said_by_global("lost_connection", "global:lost_connection", 0);
    found(""); /* that alone cuts nothing */
    begin();
    up();
    said_by_global("lost_connection", "global:lost_connection", 0);
    said_by_global("remove_connection", "global:remove_connection", 0);
    found("DS210");
    assert_int_equal(w.last.severity, SEVERITY_WARNING); /* that link was not seen */
    for (int closer = 0; closer < 2; closer++) {
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        half_close(closer, DS_CLOSE_FIN);
        next_conn();
        up();
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(closer == 0 ? "DS210" : ""); /* carol, who was lost, has ended */
        if (closer == 0)
            assert_int_equal(w.last.severity, SEVERITY_ERROR);
    }
}

static void link_up(const char *one, uint8_t host_one, const char *two, uint8_t host_two)
{
    shake(DS_STEP_CHALLENGE_ACK, one, two);
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, host_one}};
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, host_two}};
    change(DS_CONN_UP, 0, false);
    next_conn();
}

static void meshes(void **state)
{
    enum { SEEN, UNSEEN, CONNECTED, EARLY, CASES };
    /* Of clear text is spoken with each link. */
    static const char *const codes[CASES] = {"DS401 DS401 DS105 DS211", "DS401 DS401",
                                             "DS401 DS401 DS401", "DS401 DS401 DS105"};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        link_up("alice@a", 1, "bob@b", 2);
        link_up("bob@b", 2, "carol@c", 3);
        if (i == CONNECTED)
            link_up("carol@c", 3, "alice@a", 1);
        if (i == SEEN || i == EARLY) {
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
            close_by(-1, MS, DS_CLOSE_SILENT);
        }
        w.now_ns += i == EARLY ? 9 * SECOND : 10 * SECOND;
        findings_time(w.findings, w.now_ns);
        found(codes[i]);
    }
}

/* Exposure. */

static void dangerous_code(void **state)
{
    static const struct {
        const char *mod, *fun;
        enum note_role role;
        const char *codes;
    } cases[] = {{"os", "cmd", NOTE_REQUEST, "DS403"},
                 {"lists", "seq", NOTE_REQUEST, ""},
                 {"os", "timestamp", NOTE_REQUEST, ""},
                 {"init", "stop", NOTE_REQUEST, ""}, /* of which audit speaks */
                 {"os", "cmd", NOTE_REPLY, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        up();
        begin_terms();
        put_atom(cases[i].mod);
        const struct ds_term mod = term_since(0);
        const size_t at = term_bytes.len;
        put_atom(cases[i].fun);
        struct ds_event event = message(0, NULL, 0);
        const struct record record = {
            .event = &event,
            .note = {.role = cases[i].role, .label = "rpc:call", .mod = mod, .fun = term_since(at)}};
        findings_record(w.findings, &record);
        found(cases[i].codes);
    }
}

static void secrets(void **state)
{
    enum { ATOM_KEY, BINARY_KEY, OTHER_KEY, NO_TEXT, ONE_HOST, IN_TLS, CASES };
    static const struct ds_tls tls;
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        begin_terms();
        put_tuple(2);
        put_atom("user");
        put_tuple(2);
        if (i == BINARY_KEY)
            put_binary("password");
        else
            put_bytes("R\0", 2); /* an atom of the cache */
        if (i == NO_TEXT)
            put_atom("none");
        else
            put_binary("hunter2");
        const struct ds_atom atom = {.text = (const uint8_t *)(i == OTHER_KEY ? "pass_port" : "password"),
                                     .len = i == OTHER_KEY ? 9 : 8, .state = DS_ATOM_KNOWN};
        struct ds_event event = message(0, NULL, 0);
        event.message.payload = term_since(0);
        event.message.payload.atoms = &atom;
        event.message.payload.num_atoms = 1;
        if (i == ONE_HOST)
            w.conn.end[1].addr = w.conn.end[0].addr;
        if (i == IN_TLS)
            w.conn.tls = &tls;
        put(&event);
        found(i <= BINARY_KEY ? "DS404" : "");
    }
    for (int i = 0; i < 2; i++) { /* {2, Cookie, To} */
        const uint8_t op = i == 0 ? 22 : 2;
        begin();
        begin_terms();
        put_tuple(3);
        put_small(op);
        put_atom("monster");
        put_pid("bob@b", 9);
        struct ds_event event = message(0, NULL, 0);
        event.message.code = op;
        event.message.control = term_since(0);
        put(&event);
        found(op == 2 ? "DS404" : "");
    }
}

/* Equal ones, caps, memory. */

static void equal_ones(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 10; i++) {
        shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
        close_by(1, SECOND, DS_CLOSE_FIN);
        next_conn();
    }
    found("DS101 DS101 DS101"); /* records; the rest only count */
    assert_int_equal(w.last.count, 10);
    assert_int_equal(w.last.num_evidence, FINDING_SETS);
    assert_int_equal(w.last.number, 1);
    assert_int_equal(w.last.last_ns - w.last.first_ns, 9 * SECOND);
    assert_int_equal(w.last.evidence[2].conn, 3);
}

static void many(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 3000; i++) {
        char name[300];
        snprintf(name, sizeof name, "%d%0250d@b", i, 0);
        epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, name, 0, 0);
        epmd(DS_EPMD_PORT2_RESP, 1, "", 0, 1);
        step(DS_STEP_SEND_NAME, 0, "alice@a");
        w.conn.end[1].port = PORT;
        close_by(1, MS, DS_CLOSE_FIN);
        next_conn();
    }
    assert_in_range(w.num, 3000, 3100); /* what is forgotten is found anew */
    findings_end(w.findings);
}

static void run_without_memory(void *context)
{
    (void)context;
    struct findings_config config = {.emit = take, .epmd_port = EPMD};
    default_limits(config.limits);
    memset(&w, 0, sizeof w);
    w.findings = findings_new(&config);
    if (w.findings == NULL)
        return;
    next_conn();
    asked("bob");
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    close_by(1, MS, DS_CLOSE_FIN);
    call(CALL_NOPROC, MS);
    findings_end(w.findings);
    struct ds_stats stats = {0};
    findings_add_stats(w.findings, &stats);
    assert_true(!failing_alloc_failed() || stats.no_memory != 0 || w.num >= 1);
    findings_free(w.findings);
    w.findings = NULL;
}

static void memory(void **state)
{
    (void)state;
    findings_free(w.findings);
    w.findings = NULL;
    assert_true(failing_alloc_each(run_without_memory, NULL) >= 5);
}

static void long_texts(void **state)
{
    struct wording wording = {0};
    struct ds_buffer out = {0};
    char name[2000];
    (void)state;
    memset(name, 'x', sizeof name);
    for (int i = 0; i < 100; i++)
        wording_put(&wording, WORD_NODE, (struct ds_text){name, sizeof name});
    assert_true(wording.is_cut);
    assert_true(wording.num <= WORDING_PARTS && wording.len <= WORDING_BYTES);
    wording_print(&wording, &out);
    assert_true(out.len < 2 * WORDING_BYTES);
    ds_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_cookie),    cmocka_unit_test(checked_cookie),
        cmocka_unit_test(known_cookie),    cmocka_unit_test(names),
        cmocka_unit_test(releases),        cmocka_unit_test(unreachable),
        cmocka_unit_test(no_epmd),         cmocka_unit_test(answers_of_epmd),
        cmocka_unit_test(refusals),        cmocka_unit_test(gives_up_for_the_other),
        cmocka_unit_test(silent_acceptor),
        cmocka_unit_test(tls_and_plain),   cmocka_unit_test(scanners),
        cmocka_unit_test(nothing_in_common), cmocka_unit_test(certificates_expire),
        cmocka_unit_test(handshake_stalls), cmocka_unit_test(keys_renewed),
        cmocka_unit_test(silence),         cmocka_unit_test(ticks),
        cmocka_unit_test(resets),          cmocka_unit_test(flaps),
        cmocka_unit_test(stalls),          cmocka_unit_test(losses),
        cmocka_unit_test(big_messages),    cmocka_unit_test(calls),
        cmocka_unit_test(kills),           cmocka_unit_test(exposure),
        cmocka_unit_test(equal_ones),      cmocka_unit_test(many),
        cmocka_unit_test(fading), cmocka_unit_test(simultaneous),    cmocka_unit_test(earlier_life),
        cmocka_unit_test(fan_out),         cmocka_unit_test(new_atoms),
        cmocka_unit_test(missing_code),    cmocka_unit_test(locks),
        cmocka_unit_test(global_names),    cmocka_unit_test(cut_by_global),
        cmocka_unit_test(meshes),          cmocka_unit_test(dangerous_code),
        cmocka_unit_test(secrets),
        cmocka_unit_test(memory),          cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
