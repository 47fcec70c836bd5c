/*
 * test_fixture.c - the module that -T erlmod writes of a few records, word for word
 * (fixture/small.erl, which erlc compiles as well), with hostile texts in it; and that an
 * allocation that fails leaves a whole module or a failed output. DISTSNIFF_UPDATE=1 in the
 * environment writes small.erl.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "failing_alloc.h"
#include "fixtures/fixture.h"
#include "fixtures/node_list.h"
#include "output/sink.h"

#include <distsniff/dissect.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT(literal) ((struct ds_text){(literal), sizeof(literal) - 1})
#define TERM(literal) ((struct ds_term){.data = (const uint8_t *)(literal),                        \
                                        .len = sizeof(literal) - 1})

static char folder[] = "/tmp/test_fixture.XXXXXX";
static char path[64];
static struct ds_conn conn;
static struct sink sink;

static struct ds_event make(enum ds_event_type type, int dir)
{
    conn.number = 7;
    for (unsigned i = 0; i < 2; i++) {
        conn.end[i].addr = (struct ds_addr){4, {10, 0, 0, (uint8_t)(1 + i)}};
        conn.end[i].port = (uint16_t)(1000 + i);
    }
    conn.end[0].node = TEXT("it's@h\\', halt(), '\n%");
    conn.end[0].creation = 5;
    return (struct ds_event){.type = type, .dir = (uint8_t)dir, .frame = 12, .ts_ns = 1700000000123456789,
                             .conn = &conn};
}

static void give(const struct ds_event *event)
{
    const struct record record = {.event = event};
    sink_record(&sink, &record);
}

static void give_bytes(struct ds_event event, const char *bytes, size_t len)
{
    event.bytes = (const uint8_t *)bytes;
    event.bytes_len = len;
    give(&event);
}

static void give_handshake(void)
{
    struct ds_event event = make(DS_EVENT_HANDSHAKE, 0);
    event.handshake = (struct ds_handshake){
        .step = DS_STEP_CHALLENGE_REPLY, .challenge = 11, .has_challenge = true,
        .has_digest = true, .name = TEXT("\"}, #{\x1b")};
    give(&event);
    event = make(DS_EVENT_FRAME, 0);
    event.frame_sent = (struct ds_frame){DS_FRAME_HANDSHAKE, 0, 0, 5, true};
    give_bytes(event, "\0\3sok", 5);
}

static void give_messages(void)
{
    struct ds_event event = make(DS_EVENT_FRAME, 1);
    event.frame_sent = (struct ds_frame){DS_FRAME_FIRST, 3, 2, 50, false};
    event.fault = (struct ds_fault){DS_FAULT_GAP, 4, "packets are missing"};
    give_bytes(event, "\0\0\0\x2e", 4);

    event = make(DS_EVENT_MESSAGE, 1);
    event.message = (struct ds_message){.code = 6, .op = ds_op_find(6), .size = 99, .fragments = 2};
    event.message.control = TERM("h\4a\6Xw\7alice@h\0\0\0\x55\0\0\0\0\0\0\0\1w\0w\3rex");
    event.message.payload = TERM("h\3m\0\0\0\x0e\">>). halt().%w\x0c', halt(), 'k\0\3\"\\\n");
    event.unknown_atoms = 1;
    give(&event);
    event = make(DS_EVENT_FRAME, 1);
    event.frame_sent = (struct ds_frame){DS_FRAME_FURTHER, 3, 1, 8, true};
    give_bytes(event, "\0\0\0\4abcd", 8);

    event = make(DS_EVENT_MESSAGE, 1);
    event.message = (struct ds_message){.code = 99, .size = 9, .fragments = 1};
    event.message.control = TERM("h\2a\x63");
    event.message.control.damaged = true;
    event.fault = (struct ds_fault){DS_FAULT_MALFORMED, 8, "the term ends early"};
    give(&event);
}

static void give_missing(void)
{
    struct ds_event event = make(DS_EVENT_GAP, 0);
    event.gap = (struct ds_gap){77, -1};
    event.fault = (struct ds_fault){DS_FAULT_GAP, 0, "packets are missing"};
    give(&event);
    event = make(DS_EVENT_DATA, 0);
    event.data.missing = 77;
    event.fault = (struct ds_fault){DS_FAULT_GAP, 0, "packets are missing"};
    give(&event);
    give_bytes(make(DS_EVENT_DATA, 0), "", 0);
    static char long_data[100];
    give_bytes(make(DS_EVENT_DATA, 1), long_data, sizeof long_data);
    sink_lost(&sink, &(struct loss){.cause = LOSS_QUEUE, .count = 3, .first_ns = 1});
}

static void give_call(void)
{
    const struct call call = {
        .number = 4, .conn = 7, .label = "gen:call", .outcome = CALL_OK,
        .caller = {.node = TEXT("a@h"), .has_pid = true, .id = 1, .creation = 2},
        .callee = {.name = TEXT("the server")},
        .request = TERM("w\3get"), .result = TERM("a\7"), .start_ns = 10, .end_ns = 30,
    };
    const struct record record = {.call = &call};
    sink_record(&sink, &record);
}

/* write_module returns whether the sink could be opened. */
static bool write_module(void)
{
    static struct sink_config options;
    const struct sink_format format = {&sink_erlmod, path};
    if (!sink_open(&sink, &format, &options))
        return false;
    give_handshake();
    give_messages();
    give_missing();
    give_call();
    sink_close(&sink);
    return true;
}

enum { MODULE_LEN = 65536 };

static size_t read_file(const char *name, char *out)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    size_t len = fread(out, 1, MODULE_LEN, file);
    fclose(file);
    return len;
}

static void assert_same_as_golden(void)
{
    static char golden[MODULE_LEN], written[MODULE_LEN];
    size_t len = read_file("fixture/small.erl", golden);
    assert_int_equal(read_file(path, written), len);
    assert_memory_equal(written, golden, len);
}

static void writes_a_module(void **state)
{
    (void)state;
    assert_true(write_module());
    assert_false(sink.output.failed);
    if (getenv("DISTSNIFF_UPDATE") != NULL) {
        static char text[MODULE_LEN];
        size_t len = read_file(path, text);
        FILE *file = fopen("fixture/small.erl", "w");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, len, file), len);
        fclose(file);
    }
    assert_same_as_golden();
}

static void run(void *context)
{
    (void)context;
    memset(&conn, 0, sizeof conn);
    if (write_module() && !sink.output.failed)
        assert_same_as_golden();
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run, NULL) > 8);
}

/* name_end tells what the end of a connection is called. */
static void name_end(uint64_t number, uint8_t host, const char *name)
{
    struct ds_event event = make(DS_EVENT_TICK, 0);
    conn.number = number;
    conn.end[1].addr.bytes[3] = host;
    conn.end[1].node = (struct ds_text){name, strlen(name)};
    conn.end[1].creation = 6;
    give(&event);
}

/* A node whose name had no host at first is listed once, by its whole name if that is learnt. */
static void lists_each_node_once(void **state)
{
    static struct sink_config options;
    const struct sink_format format = {&sink_erlmod, path};
    static char text[MODULE_LEN];
    (void)state;
    memset(&conn, 0, sizeof conn);
    assert_true(sink_open(&sink, &format, &options));
    name_end(1, 2, "bob");
    name_end(2, 2, "bob");
    name_end(3, 2, "bob@h");
    name_end(1, 2, "bob@h");
    name_end(2, 2, "bob@h");
    name_end(4, 3, "bob");
    name_end(5, 4, "bob");
    name_end(6, 4, "bob");
    for (uint64_t i = 0; i < NODE_LIST_WAITING - 3; i++)
        name_end(7 + i, 5, "carol");
    name_end(1000, 6, "dave"); /* the oldest does not wait any longer */
    sink_close(&sink);
    assert_false(sink.output.failed);
    text[read_file(path, text)] = '\0';
    const char *at = strstr(text, "nodes() ->\n");
    assert_non_null(at);
    assert_non_null(at = strstr(at, "creation => 5, name => 'it\\'s@h"));
    assert_string_equal(strstr(at, "     #{creation => 6"),
                        "     #{creation => 6, name => bob@h,\n"
                        "       addr => {{10,0,0,2},1001}},\n"
                        "     #{creation => 6, name => bob,\n"
                        "       addr => {{10,0,0,3},1001}},\n"
                        "     #{creation => 6, name => carol,\n"
                        "       addr => {{10,0,0,5},1001}},\n"
                        "     #{creation => 6, name => dave,\n"
                        "       addr => {{10,0,0,6},1001}},\n"
                        "     #{creation => 6, name => bob,\n"
                        "       addr => {{10,0,0,4},1001}}].\n\n"
                        "%% hex(Text): the bytes that hexadecimal digits stand for.\n"
                        "hex(Text) ->\n    binary:decode_hex(Text).\n");
}

static void knows_names_of_modules(void **state)
{
    (void)state;
    static const char *const good[] = {"a.erl", "x/my_fixture.erl", "b@2.erl"};
    static const char *const bad[] = {"A.erl", "case.erl", "a b.erl", ".erl", "a.beam",
                                      "1.erl", "a-b.erl", "erl", "x/"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(fixture_check_erl(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(fixture_check_erl(bad[i]));
    assert_false(fixture_check_erl(NULL));
    assert_true(fixture_check_exs("my_test.exs"));
    assert_false(fixture_check_exs("my_test.erl"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_a_module),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(lists_each_node_once),
        cmocka_unit_test(knows_names_of_modules),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/small.erl", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
