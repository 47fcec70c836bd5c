/*
 * test_explain.c - one thing of a capture in full: what the first pass finds, what the second pass
 * keeps, which neighbours are nearest, caps on lines, failing memory.
 */
#include "analyse/findings/finding_kinds.h"
#include "explain/explain.h"
#include "failing_alloc.h"

#include <distsniff/dissect.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TERM(bytes) ((struct ds_term){.data = (const uint8_t *)(bytes), .len = sizeof(bytes) - 1})
#define MS INT64_C(1000000)

static const struct report_config config = {.command = "-r a.pcap ", .behind = ""};
static struct explain *e;
static struct ds_buffer out;
static unsigned num_selected;

/* The records of a capture. */

static void record(const struct record *r)
{
    explain_record(e, r, r);
    num_selected += explain_selects(e);
}

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static struct ds_conn conn_of(uint64_t number)
{
    return (struct ds_conn){.number = number, .end = {{.node = text("a@h")}, {.node = text("b@h")}}};
}

static void message(uint64_t conn, uint64_t frame, uint64_t call, enum note_role role)
{
    const struct ds_conn own = conn_of(conn);
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = frame, .conn = &own, .ts_ns = (int64_t)frame * MS};
    event.message = (struct ds_message){.code = 22, .op = ds_op_find(22), .size = 9, .fragments = 1};
    event.message.control = TERM("h\3a\x16jj");
    event.message.role[DS_ROLE_FROM] = TERM("w\4from");
    event.message.role[DS_ROLE_TO] = TERM("w\2to");
    event.message.payload = TERM("w\2hi");
    record(&(struct record){.event = &event, .note = {.call = call, .role = role, .label = "gen:call", .group = ""}});
}

static void tick(uint64_t conn, uint64_t frame)
{
    const struct ds_conn own = conn_of(conn);
    const struct ds_event event = {.type = DS_EVENT_TICK, .frame = frame, .conn = &own, .ts_ns = (int64_t)frame * MS};
    record(&(struct record){.event = &event});
}

static void call(uint64_t number, uint64_t parent, const char *caller, const char *callee, enum call_outcome outcome)
{
    const struct ds_conn own = conn_of(2);
    const struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = 10 * number + 1, .conn = &own};
    struct call c = {.number = number, .parent = parent, .conn = 2, .label = "gen:call", .group = "",
                     .caller = {.node = text("a@h"), .name = text(caller)},
                     .callee = {.node = text("b@h"), .name = text(callee)},
                     .start_frame = 10 * number, .end_frame = 10 * number + 1, .outcome = outcome,
                     .start_ns = (int64_t)number * 10 * MS, .end_ns = (int64_t)number * 11 * MS};
    c.request = TERM("w\2go");
    record(&(struct record){.event = &event, .call = &c});
}

static void finding(uint64_t number, uint64_t conn, uint64_t frame)
{
    struct finding *f = calloc(1, sizeof *f);
    if (f == NULL)
        return;
    f->number = number;
    f->kind = finding_kind_find("DS310");
    f->severity = SEVERITY_WARNING;
    f->count = 1;
    f->num_evidence = 1;
    f->evidence[0] = (struct evidence){.conn = conn, .num = 1};
    f->evidence[0].packet[0].frame = frame;
    f->evidence[0].packet[0].what = "it";
    wording_add(&f->sentence, "srv fails");
    record(&(struct record){.finding = f});
    f->happening = HAPPENING_LINK_UP; /* a line of the timeline with that number is not a finding */
    record(&(struct record){.finding = f});
    free(f);
}

/* The packets of call N have the numbers 10 N and 10 N + 1. */
static void small_capture(void)
{
    for (uint64_t n = 1; n <= 12; n++) {
        message(2, 10 * n, n, NOTE_REQUEST);
        tick(4, 10 * n);
        if (n != 5)
            message(2, 10 * n + 1, n, NOTE_REPLY);
        call(n, n == 7 || n == 8 ? 6 : n == 6 ? 5 : 0, n % 2 == 0 ? "even" : "odd", "srv",
             n == 5 ? CALL_TIMEOUT : CALL_OK);
    }
    finding(1, 2, 50);
    finding(2, 9, 999);
}

/* explain reads a capture twice. Returns false if the thing is not in it, or memory ran out. */
static bool explain(enum explain_kind kind, uint64_t number, void (*capture)(void))
{
    const struct explain_target target = {true, kind, number};
    out.len = 0;
    num_selected = 0;
    e = explain_new(&target, NULL, &config, 6);
    if (e == NULL)
        return false;
    capture();
    assert_int_equal(num_selected, 0);
    const struct explain_found found = *explain_get_found(e, 130);
    explain_free(e);
    if (!found.is_there)
        return false;
    e = explain_new(&target, &found, &config, 6);
    if (e == NULL)
        return false;
    capture();
    explain_print(e, &out);
    explain_free(e);
    if (!out.failed)
        ds_buffer_add(&out, "", 1);
    return !out.failed;
}

static void says(const char *wanted)
{
    if (strstr(out.data, wanted) == NULL)
        fail_msg("'%s' is not in:\n%s", wanted, out.data);
}

static void says_not(const char *other)
{
    if (strstr(out.data, other) != NULL)
        fail_msg("'%s' is in:\n%s", other, out.data);
}

static void a_call(void **state)
{
    (void)state;
    assert_true(explain(EXPLAIN_CALL, 6, small_capture));
    says("call 6: gen:call ");
    says("outcome: ok; it was answered");
    says("its messages:\n  packet:60 ");
    says("\n  packet:61 ");
    says_not("no reply");
    says("the call it is nested in:\n  call:5 ");
    says("calls nested in it:\n  call:7 ");
    says("\n  call:8 ");
    says("calls of the same caller:\n  before  call:2 ");
    says("\n  before  call:4 ");
    says("\n  after   call:8 ");
    says("\n  after   call:12 ");
    says("calls to the same callee:\n  before  call:3 "); /* the nearest three on each side */
    says("\n  after   call:9 ");
    says_not("call:11 ");
    says("messages on the same link:\n  before  packet:40 ");
    says("--explain packet:60\n");
    says("--explain call:5\n");
    assert_int_equal(num_selected, 6); /* two messages, and the calls 5, 6, 7 and 8 */
}

/* any_order: calls end in another order than they begin. */
static void any_order(void)
{
    static const uint64_t numbers[] = {3, 5, 11, 4, 9, 6, 1, 12, 8, 2, 10};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        message(2, 10 * numbers[i], numbers[i], NOTE_REQUEST);
        call(numbers[i], 0, "all", "srv", CALL_OK);
    }
}

static void the_nearest(void **state)
{
    static const char *const lines[] = {"calls of the same caller:\n  before  call:3 ", "\n  before  call:4 ",
                                        "\n  before  call:5 ", "\n  after   call:8 ", "\n  after   call:9 ",
                                        "\n  after   call:10 "};
    (void)state;
    assert_true(explain(EXPLAIN_CALL, 6, any_order));
    const char *at = out.data;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) { /* one behind the other */
        const char *next = strstr(at, lines[i]);
        if (next == NULL)
            fail_msg("'%s' is not where it belongs in:\n%s", lines[i], out.data);
        at = next;
    }
    says_not("after   call:6 ");
    says_not("call:1 ");
    says_not("call:2 ");
    says_not("call:11 ");
    says_not("call:12 ");
}

/* of_pid makes a call from a process that has a pid, to a callee of its own. */
static void of_pid(uint64_t number, uint32_t id, uint32_t serial, uint32_t creation, const char *caller)
{
    static char callee[16][8];
    const struct ds_conn own = conn_of(2);
    const struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = 10 * number + 1, .conn = &own};
    snprintf(callee[number], sizeof callee[number], "srv%u", (unsigned)number);
    struct call c = {.number = number, .conn = 2, .label = "gen:call", .group = "",
                     .caller = {.node = text("a@h"), .name = text(caller), .has_pid = creation != 0, .id = id,
                                .serial = serial, .creation = creation},
                     .callee = {.node = text("b@h"), .name = text(callee[number])},
                     .start_frame = 10 * number, .start_ns = (int64_t)number * 10 * MS,
                     .end_ns = (int64_t)number * 11 * MS,
                     .outcome = number == 6 ? CALL_UNKNOWN : CALL_OK, .doubt = DOUBT_LOST};
    c.request = TERM("w\2go");
    record(&(struct record){.event = &event, .call = &c});
}

static void pids(void)
{
    for (uint64_t n = 1; n <= 8; n++)
        message(2, 10 * n, n, NOTE_REQUEST);
    of_pid(1, 7, 8, 9, "worker");
    of_pid(2, 6, 8, 9, "worker");
    of_pid(3, 7, 7, 9, "worker");
    of_pid(4, 7, 8, 8, "worker");
    of_pid(5, 0, 0, 0, "worker"); /* known by its name only */
    of_pid(6, 7, 8, 9, "worker");
    of_pid(7, 7, 8, 9, "renamed");
    of_pid(8, 0, 0, 0, "other");
}

/* A caller with a pid is recognised by it, others by their names. The outcome, and why it is unknown. */
static void the_same_caller(void **state)
{
    (void)state;
    assert_true(explain(EXPLAIN_CALL, 6, pids));
    says("calls of the same caller:\n  before  call:1 ");
    says("\n  before  call:5 ");
    says("\n  after   call:7 ");
    for (int i = 0; i < 4; i++)
        says_not((const char *[]){"call:2 ", "call:3 ", "call:4 ", "call:8 "}[i]);
    says("outcome: unknown; it is unknown how it ended: its answer may be among missing packets");
    says(" (the end of the capture)");
    assert_true(explain(EXPLAIN_CALL, 5, pids));
    says("outcome: ok; it was answered\n");
    says_not("for at least");
    assert_true(explain(EXPLAIN_PACKET, 10, small_capture));
    says("  tick");
    says("its call:\n  call:1 ");
}

static void a_call_without_an_end(void **state)
{
    (void)state;
    assert_true(explain(EXPLAIN_CALL, 5, small_capture));
    says("no reply: the call ended as timeout");
    says("nested in no call that was captured");
    says("findings about it:\n  finding:1 ");
    says_not("finding:2");
    says("--explain finding:1\n");
}

static void a_finding(void **state)
{
    (void)state;
    assert_true(explain(EXPLAIN_FINDING, 1, small_capture));
    says("finding 1: ");
    says("DS310");
    says("the packets that show it:\n  packet:50 ");
    says_not("packet:51");
    says("--explain call:5\n");
    says("--explain conn:2\n");
    assert_true(explain(EXPLAIN_FINDING, 2, small_capture)); /* its packet completes nothing */
    says("no packet that shows it completed a message or event");
    assert_false(explain(EXPLAIN_FINDING, 3, small_capture));
}

static void a_connection(void **state)
{
    (void)state;
    assert_true(explain(EXPLAIN_CONN, 2, small_capture));
    says("connection 2\n");
    says("messages:\n  first  packet:10 ");
    says("\n  last   packet:121 ");
    says("12 calls began on it, 1 of them failed");
    says("calls that failed:\n  call:5 ");
    says("findings about it:\n  finding:1 ");
    says("--explain call:5\n"); /* the first that failed */
    says("--explain call:12\n"); /* the slowest */
    assert_true(explain(EXPLAIN_CONN, 4, small_capture)); /* ticks alone */
    says("messages: none");
    says("no findings about it");
    assert_false(explain(EXPLAIN_CONN, 5, small_capture));
}

static void a_packet_and_a_message(void **state)
{
    (void)state;
    assert_true(explain(EXPLAIN_PACKET, 31, small_capture));
    says("packet 31\n\ndecoded:\n  packet:31 ");
    says("its call:\n  call:3 ");
    says("on the same link:\n  before  packet:20 ");
    says("\n  after   packet:41 ");
    says("\n  after   packet:50 ");
    says_not("packet:51 ");
    says_not("packet:60 ");
    assert_true(explain(EXPLAIN_PACKET, 130, small_capture)); /* the last packet: it completed nothing */
    says("it is of no connection that is followed");
    assert_false(explain(EXPLAIN_PACKET, 131, small_capture));
    assert_true(explain(EXPLAIN_MESSAGE, 1, small_capture));
    says("message 1\n\ndecoded:\n  packet:10 ");
    says("on the same link:\n  after   packet:11 ");
    assert_true(explain(EXPLAIN_MESSAGE, 23, small_capture));
    says("message 23\n\ndecoded:\n  packet:121 ");
    assert_false(explain(EXPLAIN_MESSAGE, 24, small_capture));
}

static void crowd(void)
{
    for (int i = 0; i < 30; i++)
        message(2, 10, 1, NOTE_REQUEST);
    for (uint64_t n = 2; n <= 42; n++)
        call(n, 1, "odd", "srv", CALL_ERROR);
    call(1, 0, "odd", "srv", CALL_OK);
    for (uint64_t n = 1; n <= 30; n++)
        finding(n, 2, 10);
}

static void no_more_than_there_is_room_for(void **state)
{
    (void)state;
    assert_true(explain(EXPLAIN_CALL, 1, crowd));
    says("  and 6 more\n  no reply"); /* 30 messages in all */
    says("  and 21 more\n\nfindings about it"); /* 41 calls in all */
    says("  and 10 more\n\ncalls of the same caller"); /* 30 findings in all */
}

/* many_calls: one packet completes messages of several calls, and ends of others, some of them twice. */
static void many_calls(void)
{
    static const uint64_t of[] = {1, 1, 0, 2, 3, 2, 4, 5};
    static char long_name[EXPLAIN_NAME + 44];
    memset(long_name, 'n', sizeof long_name - 1);
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        message(2, 10, of[i], NOTE_REQUEST);
    call(9, 0, long_name, "srv", CALL_OK);
    finding(3, 2, 10);
    struct finding *line = calloc(1, sizeof *line); /* a line that is not a finding */
    assert_non_null(line);
    line->number = 77;
    record(&(struct record){.finding = line});
    free(line);
}

/* The first pass records each thing once, up to a cap. */
static void what_is_noted(void **state)
{
    const struct explain_target targets[] = {{true, EXPLAIN_PACKET, 10}, {true, EXPLAIN_CALL, 9}};
    (void)state;
    e = explain_new(&targets[0], NULL, &config, 6);
    assert_non_null(e);
    many_calls();
    const struct explain_found *found = explain_get_found(e, 10);
    assert_int_equal(found->num_calls, EXPLAIN_CONNS);
    for (uint64_t i = 0; i < EXPLAIN_CONNS; i++)
        assert_int_equal(found->calls[i], i + 1);
    assert_int_equal(found->num_conns, 1);
    assert_int_equal(found->num_frames, 1);
    assert_int_equal(found->num[EXPLAIN_FINDING], 3);
    assert_int_equal(found->num[EXPLAIN_CALL], 9);
    explain_free(e);
    e = explain_new(&targets[1], NULL, &config, 6);
    assert_non_null(e);
    many_calls();
    found = explain_get_found(e, 10);
    assert_int_equal(found->caller.name_len, EXPLAIN_NAME);
    assert_int_equal(found->caller.name[EXPLAIN_NAME - 1], 'n');
    assert_int_equal(found->caller.node_len, 3);
    explain_free(e);
}

static void without_memory(void *context)
{
    (void)context;
    const bool is_there = explain(EXPLAIN_CALL, 6, small_capture) && explain(EXPLAIN_CONN, 2, small_capture) &&
                          explain(EXPLAIN_FINDING, 1, small_capture);
    assert_true(is_there || failing_alloc_failed());
    ds_buffer_free(&out);
}

static void memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(without_memory, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call), cmocka_unit_test(the_nearest), cmocka_unit_test(the_same_caller), cmocka_unit_test(a_call_without_an_end), cmocka_unit_test(a_finding),
        cmocka_unit_test(a_connection), cmocka_unit_test(a_packet_and_a_message),
        cmocka_unit_test(no_more_than_there_is_room_for), cmocka_unit_test(what_is_noted), cmocka_unit_test(memory),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ds_buffer_free(&out);
    return failed;
}
