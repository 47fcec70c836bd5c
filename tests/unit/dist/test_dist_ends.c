/*
 * test_dist_ends.c - the two ends of a distribution connection: their names, and what is reported
 * if one of them is missing, closes, or gives the other up.
 */
#include "dist_world.h"

#define SECOND INT64_C(1000000000)

static const struct conversation version_6 = {
    .steps = {A(SEND_NAME), B(STATUS_OK CHALLENGE), A(REPLY_SECRET), B(ACK_SECRET)}};

static void test_ends(void **state)
{
    (void)state;
    assert_true(begin(&version_6));
    for (int i = 0; i < 4; i++)
        do_step(&version_6.steps[i], false);
    const struct ds_conn *view = &fake.conn.view;
    assert_int_equal(view->counters[0].frames, 2);
    assert_int_equal(view->counters[1].frames, 3);
    assert_memory_equal(view->end[0].node.data, "alice@h", 7);
    assert_memory_equal(view->end[1].node.data, "bob@h", 5);
    assert_int_equal(view->end[0].creation, 1);
    assert_int_equal(view->end[1].creation, 2);
    assert_false(view->end[0].node_inferred);
    assert_int_equal(fake.env.stats.handshakes, 1);
    assert_int_equal(view->number, 1);
    fake_close(&fake, TCP_CLOSE_FIN);

    /* A later connection to the same port, joined late: the node that listens there is known. */
    assert_true(fake_open(&fake, &dist_proto, 40003, 40002, false));
    fake_send(&fake, 0, "\x83xxxxxx", 7);
    assert_null(fake.conn.view.end[0].node.data);
    assert_memory_equal(fake.conn.view.end[1].node.data, "bob@h", 5);
    assert_true(fake.conn.view.end[1].node_inferred);
    assert_int_equal(fake.conn.view.end[1].creation, 2);
    fake_close(&fake, TCP_CLOSE_CAPTURE);
    assert_int_equal(fake_finish(&fake), 0);
}

/* Both ends have sent a SYN at once: who speaks first is the initiator, whoever's SYN was captured first. */
static void test_both_opened(void **state)
{
    (void)state;
    static const struct step steps[] = {B(SEND_NAME), A(STATUS_OK CHALLENGE), B(REPLY_SECRET), A(ACK_SECRET)};
    assert_true(begin(&version_6));
    fake.tcp.both_opened = true;
    fake.conn.proto->close(&fake.env, &fake.conn, TCP_CLOSE_CAPTURE);
    assert_true(fake.conn.proto->start(&fake.env, &fake.conn));
    for (int i = 0; i < 4; i++)
        do_step(&steps[i], false);
    assert_memory_equal(fake.conn.view.end[1].node.data, "alice@h", 7);
    assert_memory_equal(fake.conn.view.end[0].node.data, "bob@h", 5);
    assert_int_equal(fake.env.stats.handshakes, 1);
    fake_close(&fake, TCP_CLOSE_FIN);
    assert_int_equal(fake_finish(&fake), 0);
}

static void test_nobody_there(void **state)
{
    (void)state;
    static const struct {
        enum tcp_close why;
        const char *expected;
        uint32_t num_syns;
    } cases[] = {
        {TCP_CLOSE_RESET, "< conn failed: connection refused\n", 3},
        {TCP_CLOSE_CAPTURE, "> conn open_at_end: no answer yet\n", 3},
        {TCP_CLOSE_EVICTED, "> conn open_at_end: no answer yet\n", 3},
        {TCP_CLOSE_REUSED, "> conn failed: no answer\n", 3},
        {TCP_CLOSE_SYN_TIMEOUT, "> conn failed: no answer to 3 SYNs in 7.0 s\n", 3},
        {TCP_CLOSE_SYN_TIMEOUT, "> conn failed: no answer to 1 SYN in 7.0 s\n", 1},
        {TCP_CLOSE_ICMP, "> conn failed: host unreachable (ICMP)\n", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(begin(&version_6));
        fake.tcp.syn_seen[1] = false;
        fake.tcp.reset_dir = 1;
        fake.tcp.num_syns = cases[i].num_syns;
        fake.tcp.now_ns = 7 * SECOND;
        fake.tcp.icmp.what = "host unreachable";
        fake_close(&fake, cases[i].why);
        assert_string_equal(fake.log, cases[i].expected);
        assert_int_equal(fake_finish(&fake), 0);
    }
}

static void shake_hands(void)
{
    assert_true(begin(&version_6));
    for (int i = 0; i < 4; i++)
        do_step(&version_6.steps[i], false);
}

/* The capture ends between the two FINs: it is known which end closed first, and that the other did
 * not follow. */
static void test_half_closed(void **state)
{
    (void)state;
    static const enum tcp_close whys[] = {TCP_CLOSE_CAPTURE, TCP_CLOSE_EVICTED};
    for (size_t i = 0; i < sizeof whys / sizeof whys[0]; i++) {
        shake_hands();
        fake.log_len = 0;
        do_step(&(struct step){.what = FIN, .dir = 1}, false);
        assert_string_equal(fake.log, "< conn half_closed: closed by bob@h\n");
        assert_int_equal(fake.num_finals, 0);
        fake_close(&fake, whys[i]);
        assert_string_equal(fake.log,
                            "< conn half_closed: closed by bob@h\n"
                            "< conn closed: closed by bob@h; nothing followed from alice@h\n");
        assert_int_equal(fake_finish(&fake), 0);
    }
}

/* An end that ticks but receives nothing gives up; the silence of the other is reported. */
static void test_silence(void **state)
{
    (void)state;
    static const struct {
        int64_t silence_ns;
        int num_ticks;
        const char *words;
    } cases[] = {
        {2 * SECOND, 2, " after 2.0 s of silence from bob@h"},
        {2 * SECOND - 1, 2, ""},
        {44 * SECOND, 1, ""},
        {45 * SECOND, 0, " after 45.0 s of silence from bob@h"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int reset = 0; reset < 2; reset++) {
            char expected[200];
            shake_hands();
            fake.tcp.now_ns = 100 * SECOND;
            fake.conn.view.counters[0].ticks++; /* one tick of alice before bob's last */
            fake_send(&fake, 1, "\0\0\0\0", 4);
            fake.tcp.now_ns += cases[i].silence_ns;
            fake.conn.view.counters[0].ticks += (uint64_t)cases[i].num_ticks;
            if (!reset) {
                fake_fin(&fake, 0);
                fake.tcp.now_ns += 50 * SECOND; /* does not count any more */
            }
            fake_close(&fake, reset ? TCP_CLOSE_RESET : TCP_CLOSE_FIN);
            snprintf(expected, sizeof expected, "> conn closed: %s by alice@h%s\n",
                     reset ? "reset" : "closed", cases[i].words);
            assert_non_null(strstr(fake.log, expected));
            assert_int_equal(fake_finish(&fake), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_both_opened),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_half_closed),
        cmocka_unit_test(test_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
