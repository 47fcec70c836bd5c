/*
 * test_findings_kernel.c - the kernels' answers about the ends of a link make DS205 and DS214
 * certain, and name the end at fault; answers from before it began, or empty ones, do not.
 */
#include "findings_world.h"

static struct ds_socket answer(int64_t asked_ns)
{
    return (struct ds_socket){.asked_ns = asked_ns, .send_queue = 621000, .pid = 17, .process = "beam.smp",
                              .span_ns = 400 * MS};
}

static void stall(enum ds_stall_why why, int64_t start_ns)
{
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = why, .start_ns = start_ns, .duration_ns = w.now_ns - start_ns,
                                    .in_flight = 40};
    put(&event);
}

/* For DS205 the sender's probes were not captured: it is likely, unless a kernel confirms it. */
static void unread(void **state)
{
    enum { SENDER, READER, BOTH, STALE, IDLE, NO_SPAN, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        const int64_t start_ns = w.now_ns;
        w.now_ns += 2 * SECOND;
        w.link.side[1].last_ns = w.now_ns;
        const int64_t asked_ns = i == STALE ? start_ns - 1 : start_ns;
        struct ds_socket sender = answer(asked_ns), reader = answer(asked_ns);
        sender.span_rwnd_ns = i == READER || i == IDLE ? 39 * MS : 392 * MS;
        sender.span_ns = i == NO_SPAN ? 0 : 400 * MS;
        reader.recv_queue = i == READER || i == BOTH || i == STALE ? 96000 : 0;
        strcpy(reader.pod, i == BOTH ? "shop/rabbit-0" : "");
        strcpy(reader.container, i == READER ? "0123456789ab" : "");
        w.link.side[0].socket = sender;
        w.link.side[1].socket = reader;
        stall(DS_STALL_ZERO_WINDOW, start_ns);
        const bool is_proved = i <= BOTH;
        assert_int_equal(w.last.certainty, is_proved ? CERTAINTY_SURE : CERTAINTY_LIKELY);
        if (i == SENDER || i == BOTH)
            detail_has("the kernel of alice@127.0.0.1: 621 kB are not acknowledged, held up by the receiver's window "
                       "for 98 % of the last 400.0 ms");
        if (i == READER)
            detail_has("the kernel of bob@127.0.0.1: beam.smp (pid 17, container 0123456789ab) has not read 96 kB");
        if (i == BOTH)
            detail_has("beam.smp (pid 17, pod shop/rabbit-0) has not read 96 kB");
        found("DS205");
    }
}

/* A gap makes the packets' evidence weaker, but not a kernel's answer. */
static void gap_within(void **state)
{
    (void)state;
    for (int is_proved = 0; is_proved < 2; is_proved++) {
        begin();
        up();
        const int64_t start_ns = w.now_ns;
        w.now_ns += 2 * SECOND;
        w.link.side[1].last_ns = w.now_ns;
        if (is_proved)
            w.link.side[1].socket = answer(start_ns);
        w.link.side[1].socket.recv_queue = 1;
        const struct ds_event gap = event_of(DS_EVENT_GAP, 0);
        put(&gap);
        stall(DS_STALL_ZERO_WINDOW, start_ns);
        put(&gap);
        assert_int_equal(w.last.certainty == CERTAINTY_SURE, is_proved);
        found("DS205");
    }
}

static void lost(void **state)
{
    enum { PROVED, STALE, FEW, OTHER_END, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        const int64_t start_ns = w.now_ns + 100 * MS;
        w.now_ns = start_ns + 1400 * MS;
        struct ds_socket socket = answer(i == STALE ? start_ns - 1 : start_ns);
        socket.retries = i == FEW ? 1 : 3;
        w.link.side[i == OTHER_END].socket = socket;
        stall(DS_STALL_LOST, start_ns);
        w.now_ns = start_ns + 3 * SECOND;
        findings_time(w.findings, w.now_ns);
        assert_int_equal(w.last.certainty, i == PROVED ? CERTAINTY_SURE : CERTAINTY_LIKELY);
        if (i == PROVED)
            detail_has("the kernel of alice@127.0.0.1 has retransmitted it 3 times without an answer, and "
                       "621 kB wait: the network does not deliver it");
        found("DS214");
    }
}

int main(void)
{
    leaves_out = "DS401 DS204"; /* other tests cover these */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unread),
        cmocka_unit_test(gap_within),
        cmocka_unit_test(lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
