/*
 * test_findings_refusal.c - why a handshake was closed: by which end, after which step and time,
 * and what both ends had sent by then; each reason up to the very time or name at which it is
 * another.
 */
#include "findings_world.h"

#define SETUP_NS (5 * SECOND) /* ACCEPTOR_NS */

/* An end that waits for a second or longer gave up waiting; an end that has to send the next step
 * has no such reason. */
static void waits(void **state)
{
    static const struct {
        enum ds_handshake_step last;
        int closed_by;
        int64_t after_ns;
        const char *codes;
        enum certainty certainty;
    } cases[] = {
        {DS_STEP_SEND_NAME, 0, SETUP_NS - 1, "DS115", CERTAINTY_LIKELY},
        {DS_STEP_SEND_NAME, 0, SETUP_NS, "DS115", CERTAINTY_SURE},
        {DS_STEP_SEND_NAME, 1, SETUP_NS, "DS119", CERTAINTY_SURE},
        {DS_STEP_STATUS, 0, SECOND - 1, "DS119", CERTAINTY_SURE},
        {DS_STEP_STATUS, 0, SECOND, "DS115", CERTAINTY_LIKELY},
        {DS_STEP_STATUS, 1, SECOND, "DS119", CERTAINTY_SURE},
        {DS_STEP_CHALLENGE, 0, SECOND - 1, "DS102", CERTAINTY_LIKELY}, /* it dislikes a name at once */
        {DS_STEP_CHALLENGE, 0, SECOND, "DS119", CERTAINTY_SURE},
        {DS_STEP_CHALLENGE, 1, MS, "DS119", CERTAINTY_SURE},
        {DS_STEP_CHALLENGE_REPLY, 0, SECOND - 1, "DS119", CERTAINTY_SURE},
        {DS_STEP_CHALLENGE_REPLY, 0, SECOND, "DS115", CERTAINTY_LIKELY},
        {DS_STEP_CHALLENGE_REPLY, 1, SECOND, "DS101", CERTAINTY_LIKELY},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        shake(cases[i].last, "alice@a", "bob@b");
        close_by(cases[i].closed_by, cases[i].after_ns, DS_CLOSE_FIN);
        found(cases[i].codes);
        assert_int_equal(w.last.certainty, cases[i].certainty);
    }
}

/* The waiting end, what it waited for, and the total time. */
static void gives_up(void **state)
{
    static const struct {
        enum ds_handshake_step last;
        int closed_by;
        bool has_waited; /* for the other end's step */
    } cases[] = {{DS_STEP_CHALLENGE, 1, true},  {DS_STEP_CHALLENGE, 0, false}, {DS_STEP_STATUS, 1, true},
                 {DS_STEP_SEND_NAME, 1, false}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const bool waits_long = i % 2 != 0;
        begin();
        shake(cases[i / 2].last, "alice@a", "bob@b");
        close_by(cases[i / 2].closed_by, waits_long ? SECOND : SECOND - 1, DS_CLOSE_FIN);
        const bool is_name = cases[i / 2].last == DS_STEP_CHALLENGE && cases[i / 2].closed_by == 0;
        found(is_name && !waits_long ? "DS102" : "DS119");
        if (is_name && !waits_long)
            continue;
        struct ds_buffer out = {0};
        wording_print(&w.last.detail, &out);
        ds_buffer_add(&out, "", 1);
        assert_int_equal(strstr(out.data, " reached its net_setuptime, or stopped for another reason") != NULL,
                         cases[i / 2].has_waited && waits_long);
        assert_int_equal(strstr(out.data, "; the whole attempt took 1.00 s") != NULL, waits_long);
        ds_buffer_free(&out);
    }
}

/* An end that closes first, and may still be answered. */
static void half_closed(void **state)
{
    (void)state;
    for (int waits_long = 0; waits_long < 2; waits_long++) {
        begin();
        step(DS_STEP_SEND_NAME, 0, "alice@a");
        w.now_ns += waits_long ? SECOND : SECOND - 1;
        half_close(0, DS_CLOSE_FIN);
        assert_int_equal(w.num, waits_long);
        close_by(1, MS, DS_CLOSE_FIN);
        found(waits_long ? "DS115" : "DS119");
    }
    begin(); /* the initiator is the end that sent send_name */
    step(DS_STEP_SEND_NAME, 1, "alice@a");
    half_close(1, DS_CLOSE_FIN);
    step(DS_STEP_STATUS, 0, "nok");
    close_by(1, MS, DS_CLOSE_FIN);
    found("");
}

/* The names in the acceptor's answer, after a lookup of bob at EPMD. */
static void other_names(void **state)
{
    static const struct {
        const char *bob;
        bool is_other;
    } cases[] = {{"bob@b", false}, {"rob@b", true}, {"bobby@b", true}, {"bo@b", true}, {"bob", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        asked("bob");
        shake(DS_STEP_CHALLENGE, "alice@a", cases[i].bob);
        close_by(0, MS, DS_CLOSE_FIN);
        found("DS102");
        assert_int_equal(w.last.certainty, cases[i].is_other ? CERTAINTY_SURE : CERTAINTY_LIKELY);
    }
}

/* says sends flags: in send_name, or in a challenge after a send_name with all flags. */
static void says(enum ds_handshake_step which, uint64_t flags)
{
    struct ds_event event = event_of(DS_EVENT_HANDSHAKE, which == DS_STEP_CHALLENGE);
    const char *const name = which == DS_STEP_CHALLENGE ? "bob@b" : "alice@a";
    if (which == DS_STEP_CHALLENGE)
        shake(DS_STEP_STATUS, "alice@a", "bob@b");
    event.handshake = (struct ds_handshake){
        .step = which, .version = 6, .name = text(name), .has_flags = true, .flags = flags};
    w.conn.end[event.dir].node = text(name);
    w.conn.counters[event.dir].bytes = 30;
    put(&event);
}

/* An end that lacks a flag is refused by the other end; the refusing end lacks none. */
static void flags(void **state)
{
    static const struct {
        enum ds_handshake_step which;
        int closed_by;
        const char *codes;
    } cases[] = {{DS_STEP_SEND_NAME, 1, "DS104"},
                 {DS_STEP_SEND_NAME, 0, "DS119"},
                 {DS_STEP_CHALLENGE, 0, "DS104"},
                 {DS_STEP_CHALLENGE, 1, "DS119"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        says(cases[i].which, 0x37ffd);
        close_by(cases[i].closed_by, MS, DS_CLOSE_FIN);
        found(cases[i].codes);
    }
    begin(); /* eight are named */
    says(DS_STEP_SEND_NAME, 1);
    close_by(1, MS, DS_CLOSE_FIN);
    found("DS104");
    struct ds_buffer out = {0};
    wording_print(&w.last.detail, &out);
    ds_buffer_add(&out, "", 1);
    unsigned num = 1;
    assert_true(strncmp(out.data, "missing: ", 9) == 0 && out.data[9] != ',');
    for (const char *at = out.data; (at = strstr(at, ", ")) != NULL; at++)
        num++;
    assert_int_equal(num, 8);
    ds_buffer_free(&out);
}

/* After the acknowledgement: only a digest that is known to be wrong proves a reason. */
static void after_the_acknowledgement(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool is_wrong = i / 2 != 0;
        const int closed_by = i % 2;
        begin_with(true);
        next_conn();
        shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
        struct ds_event ack = event_of(DS_EVENT_HANDSHAKE, 1);
        ack.handshake.step = DS_STEP_CHALLENGE_ACK;
        ack.handshake.has_digest = true;
        ack.handshake.cookie = is_wrong ? DS_COOKIE_WRONG : DS_COOKIE_OK;
        put(&ack);
        close_by(closed_by, MS, DS_CLOSE_FIN);
        found(is_wrong && closed_by == 0 ? "DS101" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits),
        cmocka_unit_test(gives_up),
        cmocka_unit_test(half_closed),
        cmocka_unit_test(other_names),
        cmocka_unit_test(flags),
        cmocka_unit_test(after_the_acknowledgement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
