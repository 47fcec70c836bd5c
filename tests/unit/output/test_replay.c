/*
 * test_replay.c - the output of -T replay: the recording consists of comments only, whatever peers
 * send, and there is none if it cannot be played. tests/live/replay plays it with real nodes.
 */
#include "failing_alloc.h"
#include "output/sink.h"
#include "output/fixture/templates/templates.h"
#include "default_limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct sink_config options;
static struct sink sink;
static struct ds_conn conn;
static struct ds_event event;
static struct record record;

static struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

static bool begin(void)
{
    default_limits(options.limits);
    sink = (struct sink){
        .kind = &sink_replay, .config = &options, .output.is_stdout = true, .output.fd = -1};
    conn = (struct ds_conn){.number = 7};
    conn.end[0].node = text_of("alice@h");
    conn.end[1].node = text_of("bob@h");
    return sink.kind->open(&sink);
}

/* Returns the output behind the template, empty if nothing is kept. The caller frees it. */
static char *end(void)
{
    struct ds_buffer *out = &sink.output.buffer;
    sink.kind->end(&sink);
    char *text = calloc(1, out->len + 1);
    if (text != NULL && !sink.output.failed && !out->failed && out->len > template_replay.len)
        memcpy(text, out->data + template_replay.len, out->len - template_replay.len);
    sink.kind->close(&sink);
    ds_buffer_free(out);
    return text;
}

static void say(enum ds_event_type type, int dir)
{
    record = (struct record){.event = &event};
    event.type = type;
    event.dir = (uint8_t)dir;
    event.frame++;
    event.ts_ns += 1000000;
    event.conn = &conn;
    sink.kind->record(&sink, &record);
    memset(&event.handshake, 0, sizeof event.handshake);
}

static void say_step(enum ds_handshake_step step, int dir, uint64_t flags)
{
    event.handshake = (struct ds_handshake){
        .step = step, .version = 6, .flags = flags, .has_flags = true};
    say(DS_EVENT_HANDSHAKE, dir);
}

static void say_up(enum ds_conn_state state, const char *reason)
{
    event.change = (struct ds_conn_change){.state = state, .reason = reason};
    say(DS_EVENT_CONN, 0);
}

static void connect_nodes(void)
{
    say_step(DS_STEP_SEND_NAME, 0, 0x12);
    say_step(DS_STEP_CHALLENGE, 1, 0x34);
    say_up(DS_CONN_UP, NULL);
}

static void say_frame(enum ds_frame_kind kind, int dir, const char *bytes, size_t len, bool whole)
{
    event.bytes = (const uint8_t *)bytes;
    event.bytes_len = len;
    event.frame_sent = (struct ds_frame){
        .kind = kind, .size = len + !whole, .completes = kind != DS_FRAME_FIRST, .fragment = 3};
    say(DS_EVENT_FRAME, dir);
    event.bytes = NULL;
    event.bytes_len = 0;
}

static void say_message(const char *payload, size_t len)
{
    static const uint8_t control[] = "h\2a\x16j";
    event.message = (struct ds_message){.code = 22, .op = ds_op_find(22)};
    event.message.control = (struct ds_term){.data = control, .len = sizeof control - 1};
    event.message.payload = (struct ds_term){.data = (const uint8_t *)payload, .len = len};
    say(DS_EVENT_MESSAGE, 0);
}

static void writes_frames_in_order(void **state)
{
    (void)state;
    memset(&event, 0, sizeof event);
    assert_true(begin());
    connect_nodes();
    say_message("w\2hi", 4);
    say_frame(DS_FRAME_MESSAGE, 0, "\0\0\0\3abc", 7, true);
    say_frame(DS_FRAME_TICK, 1, "\0\0\0\0", 4, true);
    say_frame(DS_FRAME_FIRST, 1, "\0\0\0\1d", 5, true);
    char *text = end();
    assert_string_equal(
        text,
        "%@ {initiator, #{name => alice@h, creation => 0, flags => 16#12, version => 6, "
        "asks_name => false}}.\n"
        "%@ {acceptor, #{name => bob@h, creation => 0, flags => 16#34, version => 6, "
        "asks_name => false}}.\n"
        "%# 1 > 2000 5 send_sender {22,[]} payload hi\n%= YWJj\n"
        "%# 2 < 4000 7 fragment, 2 of its message follow\n%= ZA==\n"
        "%@ {frames, 2}.\n");
    free(text);
}

/* Nothing that a peer names or sends begins a line. */
static void stays_in_its_comments(void **state)
{
    static const char payload[] = "w\x0f\n-evil().\n%= AAm\0\0\0\7x\n%@ {}.";
    (void)state;
    assert_true(begin());
    conn.end[0].node = text_of("a\n-compile([]).\n%@ {frames, 0}.@h'}}.");
    conn.end[1].node = text_of("b\xff\xe2\x80\xa8\r\n\x1b[2Jx@h");
    connect_nodes();
    say_message(payload, sizeof payload - 1);
    say_frame(DS_FRAME_MESSAGE, 0, "\0\0\0\3abc", 7, true);
    char *text = end();
    unsigned num_lines = 0;
    for (char *line = text; *line != '\0'; line = strchr(line, '\n') + 1, num_lines++) {
        assert_int_equal(line[0], '%');
        for (char *c = line; *c != '\n'; c++)
            assert_true((unsigned char)*c >= ' ' && (unsigned char)*c != 0x7f);
    }
    assert_int_equal(num_lines, 5);
    assert_null(strstr(text, "\n%@ {frames, 0}"));
    assert_null(strstr(text, "\xe2\x80\xa8"));
    free(text);
}

static void assert_refused(void)
{
    char *text = end();
    assert_string_equal(text, "");
    assert_true(sink.output.failed);
    free(text);
}

static void keeps_nothing_that_cannot_be_played(void **state)
{
    (void)state;
    assert_true(begin());
    assert_refused(); /* nothing at all */

    assert_true(begin());
    say_step(DS_STEP_SEND_NAME, 0, 1);
    assert_refused(); /* never up */

    assert_true(begin());
    say_up(DS_CONN_JOINED_LATE, NULL);
    assert_refused();

    assert_true(begin());
    say_step(DS_STEP_CHALLENGE, 1, 1);
    say_up(DS_CONN_UP, "a part of the handshake was not captured");
    assert_refused();

    assert_true(begin());
    connect_nodes();
    event.gap = (struct ds_gap){.bytes = 1};
    say(DS_EVENT_GAP, 1);
    assert_refused();

    assert_true(begin());
    connect_nodes();
    say_frame(DS_FRAME_MESSAGE, 0, "\0\0\0\3abc", 7, false);
    assert_refused(); /* cut */

    assert_true(begin());
    connect_nodes();
    say_frame(DS_FRAME_UNKNOWN, 0, "\0\0\0\3abc", 7, true);
    assert_refused();

    assert_true(begin());
    connect_nodes();
    conn.number = 8;
    connect_nodes();
    assert_refused(); /* two */
}

/* Of messages that were not selected, only those of the chosen connection count. */
static void follows_one_connection(void **state)
{
    (void)state;
    assert_true(begin());
    connect_nodes();
    conn.number = 8;
    event.change = (struct ds_conn_change){.state = DS_CONN_UP};
    event.type = DS_EVENT_CONN;
    event.conn = &conn;
    record = (struct record){.event = &event, .left_out = true};
    sink.kind->record(&sink, &record);
    say_frame(DS_FRAME_MESSAGE, 0, "\0\0\0\1x", 5, true);
    event.gap = (struct ds_gap){.bytes = 1};
    say(DS_EVENT_GAP, 1);
    conn.number = 7;
    say_frame(DS_FRAME_MESSAGE, 0, "\0\0\0\1y", 5, true);
    char *text = end();
    assert_non_null(strstr(text, "\n%= eQ==\n%@ {frames, 1}.\n"));
    assert_null(strstr(text, "eA=="));
    free(text);
}

static void play_once(void *context)
{
    (void)context;
    if (!begin()) {
        assert_true(failing_alloc_failed());
        return;
    }
    connect_nodes();
    say_message("w\2hi", 4);
    say_frame(DS_FRAME_MESSAGE, 0, "\0\0\0\3abc", 7, true);
    char *text = end();
    if (!failing_alloc_failed())
        assert_non_null(strstr(text, "%@ {frames, 1}.\n"));
    else if (text != NULL && text[0] != '\0') /* whole, or not reported as whole */
        assert_true(strstr(text, "%@ {frames, 1}.\n") == NULL || strstr(text, "YWJj") != NULL);
    free(text);
}

static void stands_failing_allocations(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(play_once, NULL) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_frames_in_order),
        cmocka_unit_test(stays_in_its_comments),
        cmocka_unit_test(keeps_nothing_that_cannot_be_played),
        cmocka_unit_test(follows_one_connection),
        cmocka_unit_test(stands_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
