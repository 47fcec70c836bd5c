/*
 * test_simple_filter.c - which events have the given node, process or op; and a reply is shown with
 * its request.
 */
#include "core/suggest.h"
#include "select/selector.h"
#include "default_limits.h"

#include <distsniff/dissect.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define TEXT(literal) ((struct ds_text){(literal), sizeof(literal) - 1})
#define TERM(literal) ((struct ds_term){.data = (const uint8_t *)(literal),                        \
                                        .len = sizeof(literal) - 1})
/* <a@h.85.2>, creation 7 */
#define PID TERM("\x58w\3a@h\0\0\0\x55\0\0\0\2\0\0\0\7")

static struct ds_conn conn;

static struct ds_event make_message(uint8_t code)
{
    conn = (struct ds_conn){.number = 1};
    conn.end[0].node = TEXT("a@h");
    conn.end[1].node = TEXT("b@k");
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &conn};
    event.message.code = code;
    event.message.op = ds_op_find(code);
    return event;
}

static bool has_process(const char *word, const struct record *record)
{
    struct pick_process process;
    assert_true(pick_process_parse(&process, word));
    return pick_process_has(&process, record);
}

static void finds_processes(void **state)
{
    struct ds_event event = make_message(6);
    struct record record = {.event = &event};
    (void)state;
    event.message.role[DS_ROLE_FROM] = PID;
    event.message.role[DS_ROLE_TO] = TERM("w\3rex");
    record.note.from_name = TEXT("shell 1");
    assert_true(has_process("rex", &record));
    assert_true(has_process("'rex'", &record));
    assert_true(has_process("rex@b@k", &record)); /* as reports show it */
    assert_true(has_process("'rex'@b@k", &record));
    conn.end[1].node = TEXT("b@10.0.0.1");
    assert_true(has_process("rex@b@10.0.0.1", &record)); /* not a pid, whatever it ends in */
    conn.end[1].node = TEXT("b@k");
    assert_true(has_process("rex@b", &record));
    assert_true(has_process("rex@k", &record));
    assert_true(has_process("'shell 1'@a@h", &record));
    assert_false(has_process("rex@a@h", &record)); /* the process of that name on the other node */
    assert_false(has_process("'shell 1'@b@k", &record));
    assert_false(has_process("re@b@k", &record));
    assert_false(has_process("@b@k", &record));
    assert_false(has_process("rex@", &record));
    assert_true(has_process("shell 1", &record));
    const struct titles titles = {
        .num = 2,
        .text = {TEXT("global:'Elixir.Lab'"), TEXT("pg:workers")},
        .elixir = {TEXT("global:Lab"), TEXT("pg::workers")},
    };
    record.note.to_titles = &titles;
    assert_true(has_process("Lab", &record));
    assert_true(has_process("'Elixir.Lab'", &record));
    assert_true(has_process("global:'Elixir.Lab'", &record));
    assert_true(has_process("global:Lab", &record));
    assert_true(has_process("pg:workers", &record));
    assert_true(has_process("pg::workers", &record));
    assert_false(has_process("global", &record));
    assert_false(has_process(":workers", &record));
    assert_false(has_process("workers", &record)); /* a group is not the name of a process */
    assert_false(has_process("re", &record));
    assert_false(has_process("<b@k.90.0>", &record));
    record.note.has_to_pid = true;
    record.note.to_id = 90;
    record.note.to_serial = 3;
    assert_true(has_process("<b@k.90.3>", &record)); /* the process that has the name it is sent to */
    assert_true(has_process("<0.90.3>", &record));
    assert_false(has_process("<a@h.90.3>", &record));
    assert_false(has_process("<b@k.90.0>", &record));
    assert_false(has_process("<b@k.91.3>", &record));
    record.note.has_to_pid = false;
    assert_false(has_process("<b@k.90.3>", &record));
    assert_true(has_process("<a@h.85.2>", &record));
    assert_true(has_process("a@h.85.2", &record));
    assert_true(has_process("<0.85.2>", &record));
    assert_true(has_process("0.85.2", &record));
    assert_true(has_process("<85.2>", &record)); /* as reports show it */
    assert_true(has_process("<85.2> of a@h", &record));
    assert_false(has_process("<85.2> of b@k", &record));
    assert_false(has_process("<85.1> of a@h", &record));
    assert_false(has_process("<84.2>", &record));
    assert_false(has_process("<a@h.85.0>", &record));
    assert_false(has_process("<a@h.84.2>", &record));
    assert_false(has_process("<b@k.85.2>", &record));
    assert_false(has_process("Elixir.App.85.2", &record)); /* a name */
    event.type = DS_EVENT_TICK;
    assert_false(has_process("rex", &record));
}

static void refuses_what_is_no_process(void **state)
{
    static const char *const words[] = {"", "<", "<>", "<a@h>", "<a@h.1>", "<a@h.1.x>", "<.1.2>",
                                        "<a@h.1.4294967296>", "<a@h.1.99999999999999999999>",
                                        "<1.2> of ", "<1.2> a@h", "<1.2>of a@h", "<4294967296.2> of a@h",
                                        "<x.2> of a@h", "<1> of a@h"};
    struct pick_process process;
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (pick_process_parse(&process, words[i]))
            fail_msg("accepted: %s", words[i]);
    }
}

static void reads_the_largest_numbers(void **state)
{
    struct pick_process process;
    (void)state;
    assert_true(pick_process_parse(&process, "<a@h.4294967295.4294967294>"));
    assert_null(process.name.data);
    assert_int_equal(process.id, 4294967295);
    assert_int_equal(process.serial, 4294967294);
}

static void finds_nodes(void **state)
{
    struct ds_event event = make_message(6);
    (void)state;
    assert_true(pick_node_has("a@h", &event));
    assert_true(pick_node_has("b", &event));
    assert_false(pick_node_has("a@k", &event));
    assert_false(pick_node_has("a@", &event));
    assert_true(pick_node_has("h", &event)); /* any node on that host */
    conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 1}};
    conn.end[0].port = 25672;
    conn.end[1].addr = (struct ds_addr){6, {0x20, 1, 0xd, 0xb8, [15] = 1}};
    conn.end[1].port = 4000;
    assert_true(pick_node_has("10.0.0.1", &event)); /* any node at that address */
    assert_true(pick_node_has("10.0.0.1:25672", &event));
    assert_true(pick_node_has("~10.0.0.1:25672", &event));
    assert_true(pick_node_has("2001:db8::1", &event));
    assert_true(pick_node_has("[2001:db8::1]:4000", &event));
    static const char *const spelled[] = {"10.0.0.1.25672", "[2001:db8::1]", "2001:DB8::1", "2001:db8:0:0::0:1",
                                          "[2001:0db8::1]:4000", "~[2001:DB8::0001].4000", "2001:db8::1.4000"};
    for (size_t i = 0; i < sizeof spelled / sizeof spelled[0]; i++)
        assert_true(pick_node_has(spelled[i], &event));
    static const char *const others[] = {
        "10.0.0.1.2567", "10.0.0.1.", "10.0.0.1:", "10.0.0.1:91208", "10.0.0.1:025672", "10.0.0.1:+2567",
        "[10.0.0.1]:25672", "10.0.0.1]", "[2001:db8::1", "[2001:db8::1]4000", "[2001:db8::1]:",
        "[2001:db8::1]:4001", "2001:db8::1:4000", "2001:db8::1.25672", "[]", "[]:4000", "~", "a.", ".25672",
        "2001:0db8:0000:0000:0000:0000:0000:000000000000001"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(pick_node_has(others[i], &event));
    assert_false(pick_node_has("10.0.0.1:2567", &event));
    assert_false(pick_node_has("10.0.0.1:4000", &event));
    assert_false(pick_node_has("10.0.0", &event));
    assert_false(pick_node_has("10.0.0.10", &event));
    assert_false(pick_node_has("", &event));
    assert_false(pick_node_is_at("10.0.0.1:0", &conn.end[0].addr, 0));
    assert_true(pick_node_is_on("10.0.0.1", &conn.end[0].addr)); /* its port is not known */
    assert_true(pick_node_is_on("10.0.0.1:7", &conn.end[0].addr));
    assert_false(pick_node_is_on("10.0.0.2", &conn.end[0].addr));
    assert_false(pick_node_is_on("a", &(struct ds_addr){0}));
    static const struct {
        const char *word, *addr;
        bool is_same;
    } written[] = {
        {"10.0.0.1", "10.0.0.1:25672", true},     {"10.0.0.1:25672", "10.0.0.1", true},
        {"10.0.0.1:7", "10.0.0.1:25672", false},  {"10.0.0.1", "10.0.0.10", false},
        {"2001:DB8::1", "[2001:db8::1]:7", true}, {"[2001:db8::1]:8", "[2001:db8::1]:7", false},
        {"a@h", "a@h", false},                    {"10.0.0.1", "", false},
        {"10.0.0.1", "10.0.0.1:2567210.0.0.1:2567210.0.0.1:2567210.0.0.1:2567210.0.0.1:2567", false},
    };
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
        assert_int_equal(pick_node_is_written(written[i].word,
                                              (struct ds_text){written[i].addr, strlen(written[i].addr)}), written[i].is_same);
    assert_false(pick_node_has("h.x", &event));
    conn.end[0].node = TEXT("a@h.x.org");
    assert_true(pick_node_has("h", &event));
    assert_true(pick_node_has("h.x.org", &event));
    assert_false(pick_node_has("h.x", &event));
    assert_false(pick_node_has("x", &event));
    conn.end[0].node = TEXT("c"); /* a name from EPMD */
    assert_true(pick_node_has("c@anywhere", &event));
    event.type = DS_EVENT_EPMD;
    event.epmd = (struct ds_epmd){.name = TEXT("d")};
    assert_true(pick_node_has("d@h", &event));
    assert_false(pick_node_has("e@h", &event));
}

static void finds_ops(void **state)
{
    struct op_set set = {0};
    struct ds_event event = make_message(6);
    (void)state;
    assert_true(op_set_add(&set, "reg_send,names_req"));
    assert_true(op_set_add(&set, "op_255"));
    assert_true(op_set_has(&set, &event));
    event.message.code = 255;
    assert_true(op_set_has(&set, &event));
    event.message.code = 2;
    assert_false(op_set_has(&set, &event));
    event.message.code = -1;
    assert_false(op_set_has(&set, &event));
    event.message.code = 256 + 6;
    assert_false(op_set_has(&set, &event));
    event.type = DS_EVENT_EPMD;
    event.epmd.op = DS_EPMD_NAMES_REQ;
    assert_true(op_set_has(&set, &event));
    event.epmd.op = DS_EPMD_NAMES_RESP;
    assert_false(op_set_has(&set, &event));
}

static void names_the_nearest(void **state)
{
    static const char *const names[] = {"send", "reg_send", "payload_exit"};
    (void)state;
    assert_string_equal(suggest_find("reg_sned", 8, names, 3), "reg_send");
    assert_string_equal(suggest_find("sendx", 4, names, 3), "send");
    assert_string_equal(suggest_find("payloadexit", 11, names, 3), "payload_exit");
    assert_null(suggest_find("whatever", 8, names, 3));
    /* Two swapped neighbours are one mistake. */
    assert_string_equal(suggest_find("hodl", 4, (const char *const[]){"html", "hold"}, 2), "hold");
    assert_int_equal(suggest_changes("hodl", 4, "hold", 4), 1);
    assert_int_equal(suggest_changes("ohdl", 4, "hold", 4), 2);
    assert_null(suggest_find("", 0, names, 3));
    char lengthy[200];
    memset(lengthy, 's', sizeof lengthy);
    assert_null(suggest_find(lengthy, sizeof lengthy, names, 3));
}

/* Passes a message of call number to select. */
static bool wants(struct selector *select, uint8_t code, uint64_t number)
{
    const struct ds_event event = make_message(code);
    const struct record record = {.event = &event, .note = {.call = number}};
    return selector_wants(select, &record);
}

static bool wants_end(struct selector *select, uint64_t number)
{
    const struct call call = {.number = number};
    const struct record record = {.call = &call};
    return selector_wants(select, &record);
}

static void shows_the_reply_with_the_request(void **state)
{
    static struct selector_config options;
    (void)state;
    default_limits(options.limits);
    options.limits[DS_LIMIT_CALLS] = 2;
    assert_true(op_set_add(&options.ops, "reg_send"));
    struct selector *select = selector_new(&options);
    assert_true(wants(select, 6, 1));
    assert_false(wants(select, 2, 2));
    assert_true(wants(select, 2, 1));
    assert_true(wants_end(select, 1));
    assert_false(wants(select, 2, 1)); /* it has ended */
    assert_false(wants_end(select, 2));
    for (uint64_t number = 3; number <= 5; number++)
        assert_true(wants(select, 6, number));
    assert_false(wants(select, 2, 3)); /* the oldest call, beyond the cap */
    assert_true(wants(select, 2, 4));
    assert_true(wants(select, 2, 5));
    selector_free(select);

    options.no_pairs = true;
    select = selector_new(&options);
    assert_true(wants(select, 6, 1));
    assert_false(wants(select, 2, 1));
    assert_true(wants_end(select, 1));
    selector_free(select);
}

static void says_gaps_that_may_matter(void **state)
{
    static struct selector_config options = {.nodes = {{"c"}, 1}};
    (void)state;
    default_limits(options.limits);
    struct selector *select = selector_new(&options);
    struct ds_event event = make_message(2);
    const struct record record = {.event = &event};
    assert_false(selector_wants(select, &record));
    event.type = DS_EVENT_GAP;
    assert_false(selector_wants(select, &record));
    conn.end[1].node = (struct ds_text){NULL, 0};
    assert_true(selector_wants(select, &record));
    selector_free(select);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_processes),
        cmocka_unit_test(refuses_what_is_no_process),
        cmocka_unit_test(reads_the_largest_numbers),
        cmocka_unit_test(finds_nodes),
        cmocka_unit_test(finds_ops),
        cmocka_unit_test(names_the_nearest),
        cmocka_unit_test(shows_the_reply_with_the_request),
        cmocka_unit_test(says_gaps_that_may_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
