/*
 * test_findings_rabbit.c - DS606, RabbitMQ acts on a partition: messages between its node monitors.
 */
#include "findings_world.h"

static void begin_rabbit(void)
{
    leaves_out = "DS401";
    begin();
    begin_terms();
    w.conn.end[0].node = text("rabbit@a");
    w.conn.end[1].node = text("rabbit@b");
}

/* monitor_says sends the term since then, from rabbit@a to rabbit@b. */
static void monitor_says(const char *label)
{
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
    event.message.payload = term_since(0);
    const struct record record = {
        .event = &event, .note = {.group = "rabbit", .label = label, .role = NOTE_INFO}};
    findings_record(w.findings, &record);
    begin_terms();
}

static void put_autoheal(const char *what)
{
    put_tuple(2);
    put_atom("autoheal_msg");
    put_tuple(2);
    put_atom(what);
    put_atom("rabbit@c");
}

static void put_told(const char *what)
{
    put_tuple(2);
    put_atom(what);
    put_atom("rabbit@a");
}

static void acts(void **state)
{
    (void)state;
    begin_rabbit();
    put_autoheal("winner_is");
    monitor_says("rabbit_node_monitor");
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    sentence_is("RabbitMQ restarts itself on rabbit@b to heal a partition (autoheal)");
    detail_has("rabbit@c is on the side whose data is kept; what rabbit@b accepted during the partition is lost");
    assert_int_equal(w.errors, 1);
    findings_sum_up(w.findings);
    assert_false(w.last.is_past);
    w.now_ns += 61 * SECOND;
    findings_time(w.findings, w.now_ns);
    findings_sum_up(w.findings);
    assert_true(w.last.is_past);
    found("DS606");
    begin_rabbit();
    put_told("partial_partition_disconnect");
    monitor_says("rabbit_node_monitor");
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    sentence_is("RabbitMQ makes rabbit@b disconnect from rabbit@a, as a partition is partial");
    found("DS606");
}

/* Messages at other times, other messages, and those of other processes. */
static void routine(void **state)
{
    (void)state;
    begin_rabbit();
    put_autoheal("request_start");
    monitor_says("rabbit_node_monitor");
    put_told("check_partial_partition");
    monitor_says("rabbit_node_monitor");
    put_told("partial_partition");
    monitor_says("rabbit_node_monitor");
    put_told("autoheal_msg");
    monitor_says("rabbit_node_monitor");
    put_small(7);
    monitor_says("rabbit_node_monitor");
    put_tuple(2);
    put_atom("autoheal_msg");
    put_tuple(2);
    put_atom("winner_is");
    put_small(7);
    monitor_says("rabbit_node_monitor");
    put_autoheal("winner_is");
    monitor_says("rabbit_alarm");
    found("");
}

/* from_monitor makes a message of a node monitor, process id: node_up with a Guid, or keepalive if
 * that is 0. */
static struct ds_event from_monitor(uint8_t id, uint8_t guid)
{
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
    if (guid == 0) {
        put_atom("keepalive");
    } else {
        put_tuple(4);
        put_atom("node_up");
        put_atom("rabbit@a");
        put_atom("disc");
        put_small(guid);
    }
    event.message.payload = term_since(0);
    const size_t at = term_bytes.len;
    put_pid("rabbit@a", id);
    event.message.role[DS_ROLE_FROM] = term_since(at);
    return event;
}

static void monitor_lives(uint8_t id, uint8_t guid)
{
    begin_terms();
    const struct ds_event event = from_monitor(id, guid);
    const struct record record = {
        .event = &event, .note = {.group = "rabbit", .label = "rabbit_node_monitor", .role = NOTE_INFO}};
    findings_record(w.findings, &record);
    begin_terms();
}

/* link_again: the link is lost after a while, and up again after a while. */
static void link_again(void)
{
    close_by(1, 20 * SECOND, DS_CLOSE_RESET);
    w.now_ns += 10 * SECOND;
    next_conn();
    up();
    w.conn.end[0].node = text("rabbit@a");
    w.conn.end[1].node = text("rabbit@b");
}

static void begin_monitor(void)
{
    begin_rabbit();
    leaves_out = "DS401 DS201 DS204";
    up();
    w.conn.end[0].node = text("rabbit@a");
    w.conn.end[1].node = text("rabbit@b");
    w.now_ns += SECOND;
    monitor_lives(7, 3);
    w.now_ns += 10 * SECOND;
    monitor_lives(7, 0);
}

static void pauses(void **state)
{
    (void)state;
    begin_monitor();
    link_again();
    w.now_ns += SECOND;
    monitor_lives(9, 3);
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    assert_true(w.last.is_over);
    sentence_is("RabbitMQ stopped on rabbit@a while its links were down, and has started again");
    monitor_lives(9, 3); /* once */
    assert_int_equal(w.last.count, 1);
    found("DS606");
}

/* A pause is distinguished by earlier messages, so it is at most possible; missing packets do not
 * change that, and a finding that one message proves stays certain. */
static void gap_monitor(void **state)
{
    (void)state;
    begin_monitor();
    link_again();
    struct ds_event event = event_of(DS_EVENT_GAP, 0);
    event.gap = (struct ds_gap){.bytes = 100, .messages = -1};
    put(&event);
    w.now_ns += SECOND;
    monitor_lives(9, 3);
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    found("DS606");
    begin_rabbit();
    put(&event);
    put_autoheal("winner_is");
    monitor_says("rabbit_node_monitor");
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    found("DS606");
}

/* Joined late, nothing is known of a node monitor: its first node_up does not show a pause.
 * Autoheal is reported all the same. */
static void late_monitor(void **state)
{
    (void)state;
    begin_rabbit();
    change(DS_CONN_JOINED_LATE, 0, false);
    monitor_lives(9, 3);
    w.now_ns += SECOND;
    monitor_lives(9, 3);
    found("");
    begin_rabbit();
    change(DS_CONN_JOINED_LATE, 0, false);
    put_autoheal("winner_is");
    monitor_says("rabbit_node_monitor");
    found("DS606");
}

/* No pause: other ways to stop and start, each with one difference. */
static void no_pause(void **state)
{
    (void)state;
    begin_monitor(); /* the link stays: rabbitmqctl stop_app and start_app */
    monitor_lives(9, 3);
    found("");
    begin_monitor(); /* RabbitMQ ran on, and sends that on each new link */
    link_again();
    monitor_lives(7, 3);
    found("");
    begin_monitor(); /* the node was restarted */
    link_again();
    monitor_lives(9, 4);
    found("");
    begin_monitor(); /* it was heard on the new link before it was stopped */
    link_again();
    monitor_lives(7, 0);
    monitor_lives(9, 3);
    found("");
    begin_monitor(); /* long after the link was back */
    link_again();
    w.now_ns += 121 * SECOND;
    monitor_lives(9, 3);
    found("");
    begin_monitor(); /* a node that had no link to it before */
    link_again();
    w.conn.end[1].node = text("rabbit@z");
    monitor_lives(9, 3);
    found("");
    begin_rabbit(); /* it was not heard before: a link that was joined late */
    leaves_out = "DS105 DS401";
    monitor_lives(7, 0);
    link_again();
    monitor_lives(9, 3);
    found("");
}

static void heals(void **state)
{
    (void)state;
    begin_monitor();
    link_again();
    w.conn.end[0].node = text("rabbit@b"); /* the winner sends it */
    w.conn.end[1].node = text("rabbit@a");
    put_autoheal("winner_is");
    monitor_says("rabbit_node_monitor");
    assert_int_equal(w.errors, 1);
    w.conn.end[0].node = text("rabbit@a");
    w.conn.end[1].node = text("rabbit@b");
    monitor_lives(9, 3);
    assert_true(w.last.is_over);
    found("DS606");
}

/* More pairs than there is room for: the one that was silent for longest is forgotten, and no
 * finding is wrong. */
static void many(void **state)
{
    (void)state;
    static char name[600][24];
    begin_monitor();
    for (int i = 0; i < 600; i++) {
        snprintf(name[i], sizeof name[i], "rabbit@h%d", i);
        w.conn.end[0].node = text(name[i]);
        w.now_ns += MS;
        monitor_lives(7, 3);
    }
    w.conn.end[0].node = text("rabbit@a");
    link_again();
    monitor_lives(9, 3);
    found("");
}

static void no_memory(void **state)
{
    (void)state;
    begin_rabbit();
    monitor_lives(7, 3);
    begin_rabbit();
    failing_alloc_at(1);
    monitor_lives(7, 3);
    assert_true(failing_alloc_failed());
    failing_alloc_at(0);
    struct ds_stats stats = {0};
    findings_add_stats(w.findings, &stats);
    assert_int_equal(stats.no_memory, 1);
    found("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(acts), cmocka_unit_test(routine), cmocka_unit_test(pauses),
                                       cmocka_unit_test(gap_monitor), cmocka_unit_test(late_monitor),
                                       cmocka_unit_test(no_pause), cmocka_unit_test(heals), cmocka_unit_test(many), cmocka_unit_test(no_memory)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
