/* test_metrics.c - the numbers of --metrics: what each counts, hostile names, the cap of series,
 * which series enter and leave, and failing memory. promtool checks the format in scripts/metrics. */
#include "analyse/metrics/metrics.h"
#include "default_limits.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND_NS INT64_C(1000000000)

static struct metrics_config config;
static struct metrics *metrics;
static struct ds_buffer text;

static int set_up(void **state)
{
    (void)state;
    config = (struct metrics_config){.file = "x.prom", .has_calls = true};
    default_limits(config.limits);
    config.limits[DS_LIMIT_SERIES] = 4;
    config.limits[DS_LIMIT_CONNECTIONS] = 8;
    metrics = metrics_new(&config);
    return metrics == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    metrics_free(metrics);
    ds_buffer_free(&text);
    return 0;
}

static void print(int64_t now_ns)
{
    text.len = 0;
    metrics_print(metrics, now_ns, &text);
    ds_buffer_add(&text, "", 1);
    assert_false(text.failed);
}

static void assert_has(const char *line)
{
    if (strstr(text.data, line) == NULL) {
        print_error("no %s in\n%s", line, text.data);
        fail();
    }
}

static void assert_lacks(const char *line)
{
    if (strstr(text.data, line) != NULL) {
        print_error("%s in\n%s", line, text.data);
        fail();
    }
}

static struct ds_text text_of(const char *chars)
{
    return (struct ds_text){chars, strlen(chars)};
}

static struct ds_conn conn_of(uint64_t number, const char *a, const char *b)
{
    struct ds_conn conn = {.number = number};
    const char *const names[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        conn.end[i].addr = (struct ds_addr){4, {10, 0, 0, (uint8_t)(i + 1)}};
        conn.end[i].port = (uint16_t)(1000 + i);
        if (names[i] != NULL)
            conn.end[i].node = text_of(names[i]);
    }
    return conn;
}

static void tell(struct ds_event *event, const struct ds_conn *conn, int64_t ts_ns)
{
    const struct record record = {.event = event};
    event->conn = conn;
    event->ts_ns = ts_ns;
    metrics_record(metrics, &record);
}

static void send_some(const struct ds_conn *conn, unsigned dir, int64_t ts_ns, int num)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .dir = (uint8_t)dir};
    event.message = (struct ds_message){.op = ds_op_find(22), .size = 100};
    for (int i = 0; i < num; i++)
        tell(&event, conn, ts_ns);
}

static void change(const struct ds_conn *conn, enum ds_conn_state state, bool final, bool unfollowed)
{
    struct ds_event event = {.type = DS_EVENT_CONN};
    event.change = (struct ds_conn_change){state, .final = final, .unfollowed = unfollowed};
    tell(&event, conn, SECOND_NS);
}

static void call_took(int64_t ns, const char *from, const char *to, enum call_outcome outcome)
{
    const struct call call = {.label = "gen:call",
                              .caller = {.node = text_of(from)},
                              .callee = {.node = text_of(to)},
                              .start_ns = SECOND_NS,
                              .end_ns = SECOND_NS + ns,
                              .outcome = outcome};
    const struct record record = {.call = &call};
    metrics_record(metrics, &record);
}

static void messages_and_links(void **state)
{
    const struct ds_conn conn = conn_of(1, "a@h", "b@h"), nameless = conn_of(2, NULL, "b@h");
    struct ds_event unknown = {.type = DS_EVENT_MESSAGE};
    (void)state;
    change(&conn, DS_CONN_UP, false, false);
    send_some(&conn, 0, SECOND_NS, 2);
    send_some(&conn, 1, 3 * SECOND_NS, 1);
    tell(&unknown, &nameless, 3 * SECOND_NS);
    metrics_lost(metrics, LOSS_KERNEL, 7);
    print(5 * SECOND_NS + 1);
    assert_has("distsniff_messages_total{src=\"a@h\",dst=\"b@h\",op=\"send_sender\"} 2\n");
    assert_has("distsniff_messages_total{src=\"b@h\",dst=\"a@h\",op=\"send_sender\"} 1\n");
    assert_has("distsniff_messages_total{src=\"10.0.0.1\",dst=\"b@h\",op=\"unknown\"} 1\n");
    assert_has("distsniff_message_bytes_total{src=\"a@h\",dst=\"b@h\"} 200\n");
    assert_has("distsniff_tick_gap_seconds{src=\"a@h\",dst=\"b@h\"} 4.000000001\n");
    assert_has("distsniff_tick_gap_seconds{src=\"b@h\",dst=\"a@h\"} 2.000000001\n");
    assert_has("distsniff_link_up{src=\"a@h\",dst=\"b@h\"} 1\n");
    assert_has("distsniff_handshakes_total{outcome=\"ok\"} 1\n");
    assert_has("distsniff_lost_packets_total{where=\"kernel\"} 7\n");
    change(&conn, DS_CONN_CLOSED, true, false);
    change(&nameless, DS_CONN_OPEN_AT_END, true, true); /* as far as is known it goes on */
    print(6 * SECOND_NS);
    assert_has("distsniff_link_up{src=\"a@h\",dst=\"b@h\"} 0\n");
    assert_has("distsniff_link_closes_total{reason=\"unknown\"} 1\n");
    assert_lacks("distsniff_tick_gap_seconds{src=\"a@h\"");
}

static void handshakes_that_fail(void **state)
{
    struct ds_conn conn = conn_of(1, "a@h", "b@h");
    const struct ds_tcp_stats link = {.close = DS_CLOSE_RESET};
    struct ds_event step = {.type = DS_EVENT_HANDSHAKE};
    (void)state;
    conn.link = &link;
    change(&conn, DS_CONN_FAILED, true, false); /* no handshake has begun */
    tell(&step, &conn, SECOND_NS);
    change(&conn, DS_CONN_FAILED, true, false);
    step.handshake.status = text_of("not_allowed");
    tell(&step, &conn, SECOND_NS);
    change(&conn, DS_CONN_FAILED, true, false);
    step.handshake.status = text_of("no");
    step.handshake.cookie = DS_COOKIE_WRONG;
    tell(&step, &conn, SECOND_NS);
    change(&conn, DS_CONN_FAILED, true, false);
    tell(&step, &conn, SECOND_NS);
    change(&conn, DS_CONN_FAILED, true, true);
    change(&conn, DS_CONN_UP, false, false);
    change(&conn, DS_CONN_CLOSED, true, false);
    print(0);
    assert_has("{outcome=\"failed\"} 1\n");
    assert_has("{outcome=\"not_allowed\"} 1\n");
    assert_has("{outcome=\"wrong_cookie\"} 1\n");
    assert_has("{outcome=\"ok\"} 1\n");
    assert_has("{outcome=\"nok\"} 0\n");
    assert_has("distsniff_link_closes_total{reason=\"reset\"} 1\n");
}

static void hostile_names(void **state)
{
    const struct ds_conn conn = conn_of(1, "a\"}\n\\ 1\x1b[2J\xff@h", "\xe2\x80\xae\xc3\xa9");
    char long_name[600];
    (void)state;
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const struct ds_conn other = conn_of(2, long_name, "b@h");
    send_some(&conn, 0, SECOND_NS, 1);
    send_some(&other, 0, SECOND_NS, 1);
    send_some(&other, 0, SECOND_NS, 1);
    print(0);
    assert_has("{src=\"a\\\"}\\\\x{A}\\\\\\\\ 1\\\\x{1B}[2J\\\\xff@h\","
               "dst=\"\\\\x{202E}\xc3\xa9\",op=\"send_sender\"} 1\n");
    long_name[255] = '\0';
    char line[700];
    snprintf(line, sizeof line, "{src=\"%s\",dst=\"b@h\",op=\"send_sender\"} 2\n", long_name);
    assert_has(line);
}

/* Prometheus would refuse two equal series, and all others with them. */
static void names_are_never_alike(void **state)
{
    static const char *const names[] = {"\x01@h", "\x02@h", "\\x{1}@h", "\xff@h", "\xc3\xbf@h",
                                        "\\xff@h", "\xef\xbf\xbd@h", "_other", "\\_other"};
    enum { NUM = sizeof names / sizeof names[0] };
    (void)state;
    metrics_free(metrics);
    config.limits[DS_LIMIT_SERIES] = config.limits[DS_LIMIT_CONNECTIONS] = 4 * NUM;
    metrics = metrics_new(&config);
    assert_non_null(metrics);
    for (uint32_t i = 0; i < NUM; i++) {
        const struct ds_conn conn = conn_of(i + 1, names[i], "_other");
        send_some(&conn, 0, SECOND_NS, i + 1);
    }
    print(0);
    assert_has("_bytes_total{src=\"\\\\x{1}@h\",dst=\"\\\\_other\"}");
    assert_has("_bytes_total{src=\"\\\\x{2}@h\",dst=\"\\\\_other\"}");
    assert_has("_bytes_total{src=\"\\\\\\\\x{1}@h\",dst=\"\\\\_other\"}");
    assert_has("_bytes_total{src=\"\\\\xff@h\",dst=\"\\\\_other\"}");
    assert_has("_bytes_total{src=\"\xc3\xbf@h\",dst=\"\\\\_other\"}");
    assert_has("_bytes_total{src=\"\\\\\\\\xff@h\",dst=\"\\\\_other\"}");
    assert_has("_bytes_total{src=\"\xef\xbf\xbd@h\",dst=\"\\\\_other\"}");
    assert_has("_bytes_total{src=\"\\\\_other\",dst=\"\\\\_other\"}");
    assert_has("_bytes_total{src=\"\\\\\\\\_other\",dst=\"\\\\_other\"}");
}

static void buckets(void **state)
{
    (void)state;
    call_took(50000, "a@h", "b@h", CALL_OK);
    call_took(50001, "a@h", "b@h", CALL_OK);
    call_took(10 * SECOND_NS, "a@h", "b@h", CALL_OK);
    call_took(10 * SECOND_NS + 1, "a@h", "b@h", CALL_OK);
    call_took(-5, "a@h", "b@h", CALL_TIMEOUT);
    call_took(5, "a@h", "b@h", CALL_UNANSWERED); /* the duration is unknown */
    print(0);
#define OF_OK "{src=\"a@h\",dst=\"b@h\",label=\"gen:call\",outcome=\"ok\""
    assert_has("_bucket" OF_OK ",le=\"5e-05\"} 1\n");
    assert_has("_bucket" OF_OK ",le=\"0.0001\"} 2\n");
    assert_has("_bucket" OF_OK ",le=\"5\"} 2\n");
    assert_has("_bucket" OF_OK ",le=\"10\"} 3\n");
    assert_has("_bucket" OF_OK ",le=\"+Inf\"} 4\n");
    assert_has("_sum" OF_OK "} 20.000100002\n");
    assert_has("_count" OF_OK "} 4\n");
    assert_has("outcome=\"timeout\",le=\"5e-05\"} 1\n");
    assert_lacks("unanswered");
}

/* Beyond the cap, all other pairs are counted together. The heaviest of them takes the place of the
 * lightest series; earlier counts stay where they are. */
static void the_heaviest_have_series(void **state)
{
    struct ds_conn conns[6];
    char names[6][8];
    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        snprintf(names[i], sizeof names[i], "n%d@h", (int)i);
        conns[i] = conn_of(i + 1, names[i], "x@h");
    }
    for (int i = 0; i < 2; i++) /* each has two pairs */
        send_some(&conns[i], 0, SECOND_NS, 10 + i);
    send_some(&conns[2], 0, SECOND_NS, 3);
    send_some(&conns[5], 0, SECOND_NS, 50);
    call_took(5, "o@h", "x@h", CALL_OK);
    for (int i = 0; i < 5; i++)
        call_took(5, names[i], "x@h", CALL_OK);
    print(0);
    assert_has("{src=\"n1@h\",dst=\"x@h\",op=\"send_sender\"} 11\n");
    assert_has("{src=\"_other\",dst=\"_other\",op=\"send_sender\"} 53\n");
    assert_has("distsniff_link_up{src=\"_other\",dst=\"_other\"} 4\n");
    assert_has("_count{src=\"_other\",dst=\"_other\",label=\"_other\",outcome=\"ok\"} 2\n");
    assert_lacks("n5@h");
    print(62 * SECOND_NS); /* a minute later, a pair that is heavier than twice the lightest enters */
    assert_has("{src=\"_other\",dst=\"_other\",op=\"send_sender\"} 53\n");
    assert_has("distsniff_link_up{src=\"n5@h\",dst=\"x@h\"} 1\n");
    assert_has("{src=\"n1@h\",dst=\"x@h\",op=\"send_sender\"} 11\n");
    send_some(&conns[5], 0, 63 * SECOND_NS, 1);
    print(64 * SECOND_NS);
    assert_has("{src=\"n5@h\",dst=\"x@h\",op=\"send_sender\"} 1\n");
    assert_has("{src=\"_other\",dst=\"_other\",op=\"send_sender\"} 53\n");
}

static void the_silent_are_let_go(void **state)
{
    const struct ds_conn gone = conn_of(1, "a@h", "b@h"), held = conn_of(2, "c@h", "b@h");
    (void)state;
    send_some(&gone, 0, SECOND_NS, 1);
    send_some(&held, 0, SECOND_NS, 1);
    change(&gone, DS_CONN_CLOSED, true, false);
    call_took(5, "a@h", "b@h", CALL_OK);
    print(2 * SECOND_NS);
    print(15 * 60 * SECOND_NS);
    assert_has("src=\"a@h\"");
    assert_has("label=\"gen:call\"");
    print(17 * 60 * SECOND_NS);
    assert_lacks("src=\"a@h\"");
    assert_lacks("label=\"gen:call\"");
    assert_has("distsniff_messages_total{src=\"c@h\",dst=\"b@h\",op=\"send_sender\"} 1\n");
}

/* More connections than allowed: only the oldest is forgotten. */
static void many_connections(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 100; i++) {
        const struct ds_conn conn = conn_of(i, "a@h", "b@h");
        send_some(&conn, 0, SECOND_NS, 1);
    }
    print(0);
    assert_has("distsniff_messages_total{src=\"a@h\",dst=\"b@h\",op=\"send_sender\"} 100\n");
    assert_has("distsniff_link_up{src=\"a@h\",dst=\"b@h\"} 8\n");
}

static void names_that_become_known(void **state)
{
    const struct ds_conn before = conn_of(1, NULL, NULL), after = conn_of(1, "a@h", "b@h");
    (void)state;
    send_some(&before, 0, SECOND_NS, 1);
    send_some(&after, 0, SECOND_NS, 2);
    print(0);
    assert_has("{src=\"10.0.0.1\",dst=\"10.0.0.2\",op=\"send_sender\"} 1\n");
    assert_has("{src=\"a@h\",dst=\"b@h\",op=\"send_sender\"} 2\n");
}

static void without_calls(void **state)
{
    (void)state;
    config.has_calls = false;
    print(0);
    assert_lacks("call_duration");
    assert_lacks("findings");
    assert_lacks("zero_window");
}

static void run_once(void *context)
{
    (void)context;
    (void)set_up(NULL);
    if (metrics == NULL)
        return;
    for (uint64_t i = 1; i <= 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d@h", (int)i);
        const struct ds_conn conn = conn_of(i, name, "x@h");
        send_some(&conn, 0, SECOND_NS, (int)i);
        call_took(5, name, "x@h", CALL_OK);
    }
    metrics_print(metrics, 62 * SECOND_NS, &text);
    struct ds_stats stats = {0};
    metrics_add_stats(metrics, &stats);
    metrics_free(metrics);
    metrics = NULL;
    ds_buffer_free(&text);
}

static void memory_runs_out(void **state)
{
    (void)state;
    failing_alloc_each(run_once, NULL);
}

/* answer: the kernels of both ends answer, and a message follows. */
static void answer(const struct ds_conn *conn, int64_t now_ns, uint64_t waiting, int64_t limited_ns,
                   uint32_t retransmitted)
{
    struct ds_tcp_stats stats = {0};
    struct ds_conn with = *conn;
    stats.side[0].socket = (struct ds_socket){.asked_ns = now_ns,
                                              .send_queue = waiting,
                                              .rwnd_limited_ns = limited_ns,
                                              .sndbuf_limited_ns = 2 * limited_ns,
                                              .retransmitted = retransmitted};
    stats.side[1].socket = (struct ds_socket){.asked_ns = now_ns, .recv_queue = waiting / 2};
    with.link = &stats;
    send_some(&with, 0, now_ns, 1);
}

/* Answers of kernels: queues as they are now, of all connections of a pair; totals from the first
 * answer on, which never decrease. */
static void sockets(void **state)
{
    const struct ds_conn one = conn_of(1, "a@h", "b@h"), two = conn_of(2, "a@h", "b@h");
    (void)state;
    config.has_sockets = true;
    change(&one, DS_CONN_UP, false, false);
    send_some(&one, 0, SECOND_NS, 1);
    print(SECOND_NS);
    assert_has("# TYPE distsniff_socket_send_queue_bytes gauge\n");
    assert_lacks("distsniff_socket_send_queue_bytes{"); /* no kernel was asked yet */
    answer(&one, 2 * SECOND_NS, 1000, 7 * SECOND_NS, 5);
    answer(&one, 3 * SECOND_NS, 600, 9 * SECOND_NS, 8);
    answer(&one, 3 * SECOND_NS, 600, 9 * SECOND_NS, 8); /* the same answer, with the next message */
    print(3 * SECOND_NS);
    assert_has("distsniff_socket_send_queue_bytes{src=\"a@h\",dst=\"b@h\"} 600\n");
    assert_has("distsniff_socket_receive_queue_bytes{src=\"a@h\",dst=\"b@h\"} 300\n");
    assert_has("distsniff_socket_receive_queue_bytes{src=\"b@h\",dst=\"a@h\"} 0\n");
    assert_has("limited_seconds_total{src=\"a@h\",dst=\"b@h\",by=\"receive_window\"} 2.000000000\n");
    assert_has("limited_seconds_total{src=\"a@h\",dst=\"b@h\",by=\"send_buffer\"} 4.000000000\n");
    assert_has("retransmitted_segments_total{src=\"a@h\",dst=\"b@h\"} 3\n");
    change(&two, DS_CONN_UP, false, false);
    answer(&two, 4 * SECOND_NS, 50, SECOND_NS, 1);
    print(4 * SECOND_NS);
    assert_has("distsniff_socket_send_queue_bytes{src=\"a@h\",dst=\"b@h\"} 650\n");
    change(&one, DS_CONN_CLOSED, true, false);
    print(5 * SECOND_NS);
    assert_has("distsniff_socket_send_queue_bytes{src=\"a@h\",dst=\"b@h\"} 50\n");
    assert_has("limited_seconds_total{src=\"a@h\",dst=\"b@h\",by=\"receive_window\"} 2.000000000\n");
    assert_has("retransmitted_segments_total{src=\"a@h\",dst=\"b@h\"} 3\n");
    config.has_sockets = false;
    print(6 * SECOND_NS);
    assert_lacks("distsniff_socket_");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(messages_and_links),
        TEST(handshakes_that_fail),
        TEST(hostile_names),
        TEST(names_are_never_alike),
        TEST(buckets),
        TEST(the_heaviest_have_series),
        TEST(the_silent_are_let_go),
        TEST(many_connections),
        TEST(names_that_become_known),
        TEST(without_calls),
        TEST(sockets),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
