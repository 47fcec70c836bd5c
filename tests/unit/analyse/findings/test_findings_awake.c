/*
 * test_findings_awake.c - DS216: a node answered nothing for a while, and then everything at once;
 * and near misses: one slow process, calls that began together, a node that sent something, or
 * whose host was gone.
 */
#include "findings_world.h"

enum { BOB = 1 };

/* asks is a call of a process of bob, which begins and ends so many ms after the beginning. */
static int64_t zero_ns;
static void asks(const char *name, uint32_t id, int64_t from_ms, int64_t to_ms, enum call_outcome outcome)
{
    struct call call = call_of(outcome);
    call.conn = w.conn.number;
    call.callee = (struct party){.node = w.conn.end[BOB].node, .name = text(name), .has_pid = id != 0, .id = id};
    call.start_ns = zero_ns + from_ms * MS;
    call.end_ns = zero_ns + to_ms * MS;
    call.end_frame = w.frame;
    w.now_ns = call.end_ns;
    put_call(&call);
}

static void begin_link(void)
{
    begin();
    shake(DS_STEP_CHALLENGE_ACK, "alice@a", "bob@b");
    change(DS_CONN_UP, 0, false);
    zero_ns = w.now_ns;
}

/* speaks: bob sends something after a silence, and last acknowledged something at heard_ms. */
static void speaks(int64_t from_ms, int64_t heard_ms, int64_t to_ms)
{
    static const uint8_t payload[] = {106};
    struct ds_tcp_side *side = &w.link.side[BOB];
    side->pause_from_ns = zero_ns + from_ms * MS;
    side->pause_heard_ns = zero_ns + heard_ms * MS;
    side->pause_to_ns = w.now_ns = zero_ns + to_ms * MS;
    const struct ds_event event = message(BOB, payload, sizeof payload);
    put(&event);
}

static void suspended(void **state)
{
    (void)state;
    begin_link();
    speaks(900, 1500, 10000);
    asks("a", 1, 1000, 10001, CALL_OK);
    assert_string_equal(w.log, "");
    asks("b", 2, 1300, 10002, CALL_ERROR);
    assert_string_equal(w.log, "DS216");
    sentence_is("bob@b did not respond for a while");
    detail_has("it sent nothing for 9.00 s after a request");
    assert_int_equal(w.last.first_ns, zero_ns + 1000 * MS);
    assert_int_equal(w.last.last_ns, zero_ns + 10000 * MS);
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    assert_true(w.last.is_over);
    asks("c", 3, 1400, 10003, CALL_OK); /* once */
    found("DS216");
    assert_int_equal(w.last.count, 1);
}

/* A node that had been sending often stops with its last message, not with the first request. */
static void stops_before_it_is_asked(void **state)
{
    static const struct {
        int64_t from, usual, begin;
    } rows[] = {
        {200, 99, 200},  {200, 100, 1000}, /* it is silent for eight times as long now and then */
        {200, 0, 1000},                    /* it had not spoken before */
        {-4000, 99, -4000}, {-4001, 99, 1000}, /* it had nothing to send for a while */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_link();
        w.link.side[BOB].pause_usual_ns = rows[i].usual * MS;
        speaks(rows[i].from, 1500, 10000);
        asks("a", 1, 1000, 10001, CALL_OK);
        asks("b", 2, 1300, 10002, CALL_ERROR);
        found("DS216");
        assert_int_equal(w.last.first_ns, zero_ns + rows[i].begin * MS);
        detail_has(rows[i].begin == 1000 ? "it sent nothing for 9.00 s after a request"
                                         : "though it had been sending more often before");
    }
}

static void almost(void **state)
{
    enum { OK = CALL_OK, LATE = CALL_TIMEOUT };
    const struct {
        int64_t from, heard, to, a_from, a_to, b_from, b_to;
        uint32_t b;
        enum call_outcome outcome;
        bool is_found;
    } cases[] = {
        {900, 1500, 4000, 1000, 4001, 1300, 4002, 2, CALL_OK, true},
        {900, 1500, 4000, 1001, 4001, 1300, 4002, 2, CALL_OK, false},    /* less than three seconds */
        {900, 1500, 4000, 1000, 4001, 1300, 4002, 1, CALL_OK, false},    /* only one process */
        {900, 1000, 4000, 1000, 4001, 1300, 4002, 2, CALL_OK, false},    /* not acknowledged */
        {1000, 1500, 4000, 1000, 4001, 1300, 4002, 2, CALL_OK, false},   /* it spoke after the request */
        {900, 1500, 9000, 1000, 9000, 1023, 9001, 2, CALL_OK, false},    /* they began together, nearly */
        {900, 1500, 9000, 1000, 9000, 1024, 9001, 2, CALL_OK, true},
        {900, 1500, 4000, 1000, 4001, 3000, 4002, 2, CALL_OK, true},
        {900, 1500, 4000, 1000, 4001, 3001, 4002, 2, CALL_OK, false},    /* it did not wait for long */
        {900, 1500, 9000, 1000, 9000, 4000, 9500, 2, CALL_OK, true},
        {900, 1500, 9000, 1000, 9000, 4000, 9501, 2, CALL_OK, false},    /* not at once */
        {900, 1500, 9000, 1000, 8999, 4000, 9001, 2, CALL_OK, false},    /* that was not its answer */
        {900, 1500, 4000, 1000, 4001, 1300, 4002, 2, CALL_TIMEOUT, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_link();
        speaks(cases[i].from, cases[i].heard, cases[i].to);
        asks("", 1, cases[i].a_from, cases[i].a_to, CALL_OK);
        asks("", cases[i].b, cases[i].b_from, cases[i].b_to, cases[i].outcome);
        if ((strstr(w.log, "DS216") != NULL) != cases[i].is_found)
            fail_msg("case %zu: '%s'", i, w.log);
    }
    begin_link(); /* it did not read either: that is DS205 */
    struct ds_event stall = event_of(DS_EVENT_STALL, 0);
    stall.stall = (struct ds_stall){.why = DS_STALL_ZERO_WINDOW, .start_ns = w.now_ns, .duration_ns = 500 * MS,
                                    .tries = 1};
    put(&stall);
    speaks(900, 1500, 9000);
    asks("a", 1, 1000, 9000, CALL_OK);
    asks("b", 2, 4000, 9001, CALL_OK);
    assert_null(strstr(w.log, "DS216"));
    begin_link(); /* a pause that was not long is not looked at */
    speaks(900, 1500, 3899);
    asks("a", 1, 901, 3900, CALL_OK);
    asks("b", 2, 1400, 3900, CALL_OK);
    assert_null(strstr(w.log, "DS216"));
}

static void of_two_links(void **state)
{
    (void)state;
    begin_link();
    for (int i = 0; i < 2; i++) {
        if (i == 1) {
            next_conn();
            shake(DS_STEP_CHALLENGE_ACK, "carol@c", "bob@b");
            change(DS_CONN_UP, 0, false);
        }
        speaks(900, 1500, 10000 + i);
        asks("a", 1, 1000, 10001, CALL_OK);
        asks("b", 2, 1300, 10002, CALL_OK);
    }
    found("DS216");
    assert_int_equal(w.last.count, 1);
}

/* Callers that time out do not wait for later answers. */
static void late_ones(void **state)
{
    static const uint8_t pid[2][27] = {{88, 119, 5, 'b', 'o', 'b', '@', 'b', 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5},
                                       {88, 119, 5, 'b', 'o', 'b', '@', 'b', 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5}};
    static const uint8_t payload[] = {106};
    (void)state;
    for (int is_other = 0; is_other < 2; is_other++) {
        begin_link();
        speaks(900, 1500, 10000);
        for (int i = 0; i < 2; i++) {
            struct ds_event event = message(BOB, payload, sizeof payload);
            event.message.role[DS_ROLE_FROM] = (struct ds_term){.data = pid[i & is_other], .len = 20};
            const struct record record = {.event = &event,
                                          .note = {.role = NOTE_REPLY, .label = "gen:call", .late = true,
                                                   .has_latency = true, .latency_ns = (9000 - 300 * i) * MS}};
            findings_record(w.findings, &record);
        }
        assert_int_equal(strstr(w.log, "DS216") != NULL, is_other);
    }
}

/* A caller that was suspended gives up when it wakes: that proves nothing about its callee. */
static void wakes_and_gives_up(void **state)
{
    const struct {
        int64_t from, to, call_from, call_to;
        bool is_callee; /* the callee is to blame, as far as can be seen */
    } cases[] = {
        {1000, 10140, 1000, 10140, false}, {1000, 10140, 1000, 10640, false},
        {1000, 10140, 1000, 10641, true},  /* it had been awake */
        {1000, 10140, 1001, 10140, true},  /* it had made the request later */
        {1000, 6000, 1000, 6000, true},    /* that is a timeout as people write it */
        {1000, 6000, 1000, 6020, true},    {1000, 6000, 1000, 6021, false},
        {1000, 5995, 1000, 5995, true},    {1000, 5994, 1000, 5994, false},
        {1000, 3999, 1000, 4030, true},    /* not for long */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_link();
        speaks(cases[i].from, cases[i].from, cases[i].to);
        struct call call = call_of(CALL_TIMEOUT);
        call.conn = w.conn.number;
        call.caller.node = text("bob@b");
        call.callee.node = text("alice@a");
        call.start_ns = zero_ns + cases[i].call_from * MS;
        call.end_ns = w.now_ns = zero_ns + cases[i].call_to * MS;
        put_call(&call);
        if ((strstr(w.log, "DS313") != NULL) != cases[i].is_callee)
            fail_msg("case %zu: '%s'", i, w.log);
    }
}

/* On a link that was joined late, names may be missing: the packet of the answer shows whose it is. */
static void joined_late(void **state)
{
    (void)state;
    begin();
    change(DS_CONN_JOINED_LATE, 0, false);
    zero_ns = w.now_ns;
    speaks(900, 1500, 10000);
    asks("", 1, 1000, 10001, CALL_OK);
    asks("", 2, 1300, 10002, CALL_OK);
    found("DS216");
    sentence_is("10.0.0.2:5555 did not respond for a while");
    begin();
    change(DS_CONN_JOINED_LATE, 0, false);
    zero_ns = w.now_ns;
    speaks(900, 1500, 10000);
    w.frame++; /* the answer came from the other end */
    asks("", 1, 1000, 10001, CALL_OK);
    asks("", 2, 1300, 10002, CALL_OK);
    found("");
}

/* The latest MAX_AWAKE links are looked at. */
static void many_links(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        begin_link();
        const struct ds_conn first = w.conn;
        speaks(900, 1500, 10000);
        for (int i = 0; i < 15 + more; i++) {
            next_conn();
            w.conn.end[0].node = text("alice@a");
            w.conn.end[BOB].node = text("dora@d");
            speaks(900, 1500, 10000);
        }
        w.conn = first;
        asks("a", 1, 1000, 10001, CALL_OK);
        asks("b", 2, 1300, 10002, CALL_OK);
        assert_int_equal(strstr(w.log, "DS216") != NULL, !more);
    }
}

static int end(void **state)
{
    (void)state;
    findings_free(w.findings);
    w.findings = NULL;
    ds_buffer_free(&term_bytes);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspended), cmocka_unit_test(stops_before_it_is_asked),
        cmocka_unit_test(almost),      cmocka_unit_test(of_two_links),
        cmocka_unit_test(late_ones),    cmocka_unit_test(joined_late), cmocka_unit_test(many_links),
        cmocka_unit_test(wakes_and_gives_up),
    };
    leaves_out = "DS401";
    return cmocka_run_group_tests(tests, NULL, end);
}
