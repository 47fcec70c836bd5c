/*
 * test_stall_effects.c - messages that waited behind a stall: those of its own direction that
 * follow it without a pause. They are reported once, however the stall ends.
 */
#include "analyse/calls/stall_effects.h"
#include "failing_alloc.h"

#include <distsniff/dissect.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MS INT64_C(1000000)

static struct stall_effects *held_up;
static struct ds_conn conn;
static struct ds_tcp_stats facts;
static char node[] = "alice@a";
static int64_t now_ns;
static uint64_t frame;
static unsigned num_told;
static struct waited told;
static struct ds_buffer text;

static void take_told(void *context, const struct record *record)
{
    (void)context;
    assert_int_equal(record->event->type, DS_EVENT_STALL);
    assert_true(record->event->stall.is_over);
    assert_ptr_not_equal(record->event->conn, &conn); /* the connection may be gone */
    assert_int_equal(record->event->conn->number, record->event->conn->end[0].port);
    assert_memory_equal(record->event->conn->end[0].node.data, "alice@a", 7);
    told = *record->note.held;
    num_told++;
    text.len = 0;
    held_print(&told, &text);
    ds_buffer_add(&text, "", 1);
}

static struct ds_event make(enum ds_event_type type, uint64_t number, int dir)
{
    memset(&conn, 0, sizeof conn);
    conn.number = conn.end[0].port = (uint16_t)number;
    conn.end[0].node = (struct ds_text){node, strlen(node)};
    conn.link = &facts;
    return (struct ds_event){
        .type = type, .dir = (uint8_t)dir, .frame = ++frame, .ts_ns = now_ns, .conn = &conn};
}

static bool stall(uint64_t number, int dir, uint64_t in_middle)
{
    struct ds_event event = make(DS_EVENT_STALL, number, dir);
    event.stall = (struct ds_stall){.is_over = true, .duration_ns = 4000 * MS,
                                    .message_size = in_middle};
    const struct record record = {.event = &event};
    return stall_effects_on_record(held_up, &record);
}

static void message(uint64_t number, int dir, bool waited, enum note_role role, uint64_t call)
{
    struct ds_event event = make(DS_EVENT_MESSAGE, number, dir);
    event.message.size = 100;
    event.message.op = ds_op_find(22);
    event.message.stalled_ns = waited ? 4000 * MS : 0;
    const struct record record = {.event = &event, .note = {.role = role, .call = call}};
    assert_false(stall_effects_on_record(held_up, &record));
}

static int setup(void **state)
{
    (void)state;
    num_told = 0;
    frame = 0;
    now_ns = 1000 * MS;
    held_up = stall_effects_new(take_told, NULL);
    return held_up != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    stall_effects_free(held_up);
    ds_buffer_free(&text);
    return 0;
}

static void what_waited(void **state)
{
    (void)state;
    message(1, 0, true, NOTE_SEND, 0); /* sent before it */
    assert_true(stall(1, 0, 5000));
    message(1, 0, true, NOTE_SEND, 0);
    message(1, 1, false, NOTE_SEND, 0); /* the other direction */
    message(2, 0, true, NOTE_SEND, 0);  /* another connection */
    message(1, 0, true, NOTE_REQUEST, 7);
    message(1, 0, true, NOTE_REPLY, 3);
    assert_int_equal(num_told, 0);
    message(1, 0, false, NOTE_REQUEST, 8);
    assert_int_equal(num_told, 1);
    assert_string_equal(text.data, "3 messages of 300 bytes for 2 calls: packet 3 send of 100 bytes, "
                                   "behind it packet 6 #7 request, packet 7 #3 reply");
    stall_effects_end(held_up);
    assert_int_equal(num_told, 1);
}

static void ends(void **state)
{
    (void)state;
    assert_true(stall(1, 0, 0)); /* nothing waited, and nothing follows */
    stall_effects_time(held_up, now_ns + 999 * MS);
    assert_int_equal(num_told, 0);
    stall_effects_time(held_up, now_ns + 1000 * MS);
    assert_int_equal(num_told, 1);
    assert_int_equal(told.num_messages, 0);
    assert_string_equal(text.data, "");
    assert_true(stall(1, 0, 0)); /* another stall */
    message(1, 0, true, NOTE_NONE, 0);
    assert_true(stall(1, 0, 0));
    assert_int_equal(num_told, 2);
    assert_string_equal(text.data, "1 message of 100 bytes: packet 3 send_sender");
    struct ds_event event = make(DS_EVENT_CONN, 1, 0); /* the connection */
    const struct record record = {.event = &event};
    assert_false(stall_effects_on_record(held_up, &record));
    assert_int_equal(num_told, 2);
    event.change.final = true;
    assert_false(stall_effects_on_record(held_up, &record));
    assert_int_equal(num_told, 3);
    assert_true(stall(1, 1, 0)); /* the capture */
    stall_effects_end(held_up);
    assert_int_equal(num_told, 4);
    struct ds_event ongoing = make(DS_EVENT_STALL, 1, 0);
    const struct record passed = {.event = &ongoing};
    assert_false(stall_effects_on_record(held_up, &passed)); /* a stall that goes on is reported at once */
}

static void many(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 100; i++) {
        assert_true(stall(i, 0, 0));
        now_ns += MS;
    }
    assert_int_equal(num_told, 84); /* 16 are kept */
    for (int i = 0; i < 50; i++)
        message(100, 0, true, NOTE_REQUEST, 1);
    stall_effects_end(held_up);
    assert_int_equal(num_told, 100);
    assert_true(stall(1, 0, 0));
    for (int i = 0; i < 50; i++)
        message(1, 0, true, NOTE_REQUEST, 1);
    stall_effects_end(held_up);
    assert_int_equal(told.num_messages, 50);
    assert_int_equal(told.num, HELD_SHOWN);
    assert_non_null(strstr(text.data, " and 42 more"));
}

static void run_without_memory(void *context)
{
    (void)context;
    struct stall_effects *h = stall_effects_new(take_told, NULL);
    assert_true(h != NULL || failing_alloc_failed());
    stall_effects_free(h);
}

static void no_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_without_memory, NULL) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_waited, setup, teardown),
        cmocka_unit_test_setup_teardown(ends, setup, teardown),
        cmocka_unit_test_setup_teardown(many, setup, teardown),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
