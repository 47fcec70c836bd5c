/*
 * test_findings_tls.c - findings about connections with TLS: in clear on one side, nothing in
 * common, certificates, handshakes that stall; for each code records that raise it, and near misses
 * that do not.
 */
#include "findings_world.h"

static void tls_and_plain(void **state)
{
    (void)state;
    begin();
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    const struct ds_event event = event_of_alert();
    put(&event);
    close_by(1, MS, DS_CLOSE_FIN);
    found("DS111");
    /* An end that does not answer proves nothing about the other end, which may have sent a hello. */
    begin();
    w.conn.counters[0].bytes = w.link.side[0].data_bytes = w.link.side[1].data_bytes = 300;
    put(&event);
    close_by(1, MS, DS_CLOSE_FIN);
    found("");
    for (uint64_t answered = 0; answered < 2; answered++) {
        begin();
        const struct ds_tls tls = {
            .has_alert = {answered != 0}, .alert_code = {48}, .has_hello = {true, answered != 0}};
        w.conn.tls = &tls;
        w.conn.counters[0].bytes = 300;
        w.link.side[1].data_bytes = answered;
        close_by(0, 7 * SECOND, DS_CLOSE_FIN);
        found(answered ? "DS112" : "DS111");
    }
}

/* Alerts about a certificate. */
static void alerts_of_certificates(void **state)
{
    static const struct {
        uint8_t code;
        bool is_certificate;
    } cases[] = {{41, false}, {42, true},   {46, true},  {47, false},
                 {48, true},  {49, false}, {116, true}, {115, false}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const int end = i % 2;
        begin();
        struct ds_tls tls = {.version = 0x0303, .has_hello = {true, true}};
        tls.has_alert[end] = true;
        tls.alert_code[end] = cases[i / 2].code;
        w.conn.tls = &tls;
        w.conn.counters[0].bytes = 300;
        w.link.side[1].data_bytes = 1;
        close_by(0, MS, DS_CLOSE_FIN);
        found(cases[i / 2].is_certificate ? "DS112" : "");
        if (w.num != 0)
            sentence_is(end == 0 ? "10.0.0.1:40000 refused the certificate of 10.0.0.2:5555"
                                 : "10.0.0.2:5555 refused the certificate of 10.0.0.1:40000");
        if (w.num != 0)
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY); /* it was not seen */
    }
    /* If no end can have sent one. */
    for (int hello = 0; hello < 2; hello++) {
        begin();
        struct ds_tls tls = {.has_hello = {hello == 0, hello == 1}, .has_alert = {false, true}};
        tls.alert_code[1] = 42;
        w.conn.tls = &tls;
        w.conn.counters[0].bytes = 300;
        w.link.side[1].data_bytes = 1;
        close_by(1, MS, DS_CLOSE_FIN);
        found("");
    }
}

/* In TLS 1.3 alerts are encrypted: one that is an end's whole answer is recognised by its length. */
static void sealed_alerts(void **state)
{
    const struct {
        uint64_t answers[2];
        bool ends_like_alert[2], has_hello, is_known;
        const char *sentence;
    } cases[] = {
        {{1, 0}, {true, false}, true, false, "10.0.0.1:40000 refused the certificate of 10.0.0.2:5555"},
        {{3, 1}, {false, true}, true, false, "10.0.0.2:5555 refused the certificate of 10.0.0.1:40000"},
        {{1, 1}, {true, true}, true, false, "10.0.0.1:40000 refused the certificate of 10.0.0.2:5555"},
        {{2, 0}, {true, false}, true, false, NULL}, /* it has gone on before that */
        {{3, 2}, {true, true}, true, false, NULL},
        {{1, 0}, {false, false}, true, false, NULL},
        {{1, 0}, {true, false}, false, false, NULL},
        {{1, 0}, {true, false}, true, true, NULL}, /* it was opened, and is about something else */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        asked("bob");
        const struct ds_tls tls = {
            .version = 0x0304,
            .has_hello = {true, cases[i].has_hello},
            .answers = {cases[i].answers[0], cases[i].answers[1]},
            .ends_like_alert = {cases[i].ends_like_alert[0], cases[i].ends_like_alert[1]},
            .has_alert = {cases[i].is_known},
            .alert_code = {80},
        };
        w.conn.tls = &tls;
        w.conn.counters[0].bytes = 300;
        w.link.side[1].data_bytes = 1;
        close_by(0, MS, DS_CLOSE_FIN);
        found(cases[i].sentence != NULL ? "DS112" : "");
        if (cases[i].sentence == NULL)
            continue;
        sentence_is(cases[i].sentence);
        detail_has("10.0.0.2:5555 is bob according to EPMD");
        assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    }
}

/* shaking returns the state of a connection after both hellos. */
static struct ds_tls shaking(void)
{
    begin();
    w.conn.counters[0].bytes = w.conn.counters[1].bytes = 300;
    w.link.side[0].data_bytes = w.link.side[1].data_bytes = 300;
    w.link.side[0].last_data_ns = w.now_ns;
    w.link.side[1].last_data_ns = w.now_ns + MS;
    return (struct ds_tls){
        .version = 0x0303, .offered = 0x0303, .has_hello = {true, true}, .has_ended = {true, true}};
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
    /* An end that sent nothing has no lists to compare. */
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    tls.has_hello[0] = false;
    tls.has_alert[1] = true;
    tls.alert_code[1] = 70;
    close_by(1, MS, DS_CLOSE_FIN);
    found("");
    /* Later failures have other reasons: messages of nodes came through. */
    tls = shaking();
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
    sentence_is("10.0.0.2:5555 stopped in the TLS handshake with 10.0.0.1:40000");
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    /* It may be the other's turn; it is, if the other's message is not whole, or no hello came at
     * all. */
    for (int i = 0; i < 3; i++) {
        tls = shaking();
        w.conn.tls = &tls;
        w.link.side[0].last_data_ns = w.now_ns + 2 * MS;
        tls.has_ended[0] = false;
        tls.is_amid[0] = i == 1;
        tls.has_hello[1] = i != 2;
        close_by(0, 7 * SECOND, DS_CLOSE_FIN);
        found(i == 0 ? "DS122" : "");
        if (i == 0)
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    }
    /* The client does, and the capture ends. */
    tls = shaking();
    w.conn.tls = &tls;
    tls.data_records[1] = 4; /* its hello, of TLS 1.3 */
    w.now_ns += 6 * SECOND;
    change(DS_CONN_OPEN_AT_END, 0, true);
    found("DS122");
    sentence_is("10.0.0.1:40000 stopped in the TLS handshake with 10.0.0.2:5555");
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

static bool detail_begins(const char *wanted)
{
    struct ds_buffer out = {0};
    wording_print(&w.last.detail, &out);
    const bool begins = out.len >= strlen(wanted) && memcmp(out.data, wanted, strlen(wanted)) == 0;
    if (!begins)
        print_error("%.*s\n", (int)out.len, out.data);
    ds_buffer_free(&out);
    return begins;
}

/* While the link goes on: with the first message after the last renewal. */
static void keys_renewed_again(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct ds_tls tls = shaking();
        w.conn.tls = &tls;
        tls.data_records[0] = tls.data_records[1] = 100;
        change(DS_CONN_UP, 0, false);
        tls.key_updates[0] = 3;
        w.now_ns += i == 0 ? 200 * SECOND : 250 * SECOND;
        const struct ds_event before = event_of(DS_EVENT_MESSAGE, 0);
        put(&before);
        found("");
        tls.key_updates[1] = 1;
        const struct ds_event behind = event_of(DS_EVENT_MESSAGE, 1);
        put(&behind);
        found(i == 0 ? "DS213" : "");
        w.now_ns += 1000 * SECOND; /* once is enough, and a certain finding stays certain */
        put(&behind);
        change(DS_CONN_HALF_CLOSED, 0, false);
        found(i == 0 ? "DS213" : "");
        assert_true(i != 0 || detail_begins("4 times in 3.3 min"));
        tls.key_updates[1] = 97; /* the more, the better it is known */
        change(DS_CONN_CLOSED, 0, true);
        assert_true(detail_begins("100 times in 20"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tls_and_plain),
        cmocka_unit_test(alerts_of_certificates),
        cmocka_unit_test(sealed_alerts),
        cmocka_unit_test(nothing_in_common),
        cmocka_unit_test(certificates_expire),
        cmocka_unit_test(handshake_stalls),
        cmocka_unit_test(keys_renewed), cmocka_unit_test(keys_renewed_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
