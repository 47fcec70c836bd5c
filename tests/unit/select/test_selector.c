/*
 * test_selector.c - which records are shown: by kind, by node and process for records that are not
 * messages, gaps, and the messages after a match.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "default_limits.h"
#include "select/filter.h"
#include "select/selector.h"

#include <string.h>

static struct selector_config config;
static struct selector *selector;
static struct ds_conn conn;
static struct ds_event event;
static struct record record;

static struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

static void begin(void)
{
    config = (struct selector_config){.calls_only = false};
    default_limits(config.limits);
    conn = (struct ds_conn){.number = 1};
    conn.end[0].node = text_of("a@h");
    conn.end[1].node = text_of("b@h");
}

static void open_selector(void)
{
    selector = selector_new(&config);
    assert_non_null(selector);
}

static void happens(enum ds_event_type type)
{
    event = (struct ds_event){.type = type, .conn = &conn};
    record = (struct record){.event = &event};
}

/* says makes a message with a known label, group and call. */
static bool says(uint8_t code, const char *label, const char *group, uint64_t call)
{
    happens(DS_EVENT_MESSAGE);
    event.message.code = code;
    event.message.op = ds_op_find(code);
    record.note.label = label;
    record.note.group = group;
    record.note.call = call;
    return selector_wants(selector, &record);
}

static bool is_missing(void)
{
    happens(DS_EVENT_GAP);
    return selector_wants(selector, &record);
}

static bool call_ends(const char *label, uint64_t number)
{
    const struct call call = {.number = number, .label = label, .group = ""};
    record = (struct record){.call = &call};
    return selector_wants(selector, &record);
}

/* --calls-only, --only and --hide. */
static void chooses_kinds(void **state)
{
    static const struct {
        bool calls_only;
        const char *only[2], *hide;
        bool plain, cast, request, house, end;
    } cases[] = {
        {false, {NULL, NULL}, NULL, true, true, true, true, true},
        {true, {NULL, NULL}, NULL, false, false, true, false, true},
        {false, {"gen:call", NULL}, NULL, false, false, true, false, true},
        {false, {"gen", NULL}, NULL, false, true, true, false, true},
        {false, {"rpc", "gen"}, NULL, false, true, true, false, true},
        {false, {"rpc,erpc", NULL}, NULL, false, false, false, false, false},
        {false, {NULL, NULL}, "gen:call", true, true, false, true, false},
        {false, {NULL, NULL}, "otp", true, true, true, false, true},
        {false, {"gen", NULL}, "gen:cast", false, false, true, false, true},
        {true, {NULL, NULL}, "gen:call", false, false, false, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        config.calls_only = cases[i].calls_only;
        for (size_t word = 0; word < 2 && cases[i].only[word] != NULL; word++)
            config.only.word[config.only.num++] = cases[i].only[word];
        if (cases[i].hide != NULL)
            config.hide.word[config.hide.num++] = cases[i].hide;
        open_selector();
        assert_int_equal(selector_chooses(selector), i != 0);
        if (says(22, NULL, NULL, 0) != cases[i].plain ||
            says(22, "gen:cast", "", 0) != cases[i].cast ||
            says(22, "gen:call", "", 7) != cases[i].request ||
            says(19, NULL, "otp", 0) != cases[i].house || call_ends("gen:call", 7) != cases[i].end)
            fail_msg("case %zu", i);
        assert_true(is_missing()); /* it may have matched */
        selector_free(selector);
    }
}

/* A gap may have contained anything; if both nodes have names, only messages of these. */
static void shows_what_is_missing(void **state)
{
    struct filter_error error;
    (void)state;
    for (int i = 0; i < 5; i++) {
        begin();
        config.num_processes = i == 0;
        config.processes[0] = (struct pick_process){.name = text_of("x")};
        if (i == 1)
            assert_true(op_set_add(&config.ops, "link"));
        if (i == 2)
            config.nodes = (struct string_list){{"b@h"}, 1};
        if (i == 3)
            config.nodes = (struct string_list){{"c@h"}, 1};
        if (i == 4)
            config.filter = filter_parse("type == \"gap\"", NULL, &error);
        open_selector();
        assert_int_equal(is_missing(), i != 3);
        assert_int_equal(says(22, NULL, NULL, 0), i == 2);
        conn.end[0].node = (struct ds_text){NULL, 0};
        assert_true(is_missing());
        selector_free(selector);
        filter_free(config.filter);
    }
}

static bool tells_end(const char *watcher, const char *target, bool is_link)
{
    struct monitor_end end = {.is_link = is_link};
    end.watcher.node = end.target.node = text_of("a@h");
    end.watcher.name = text_of(watcher);
    end.target.name = text_of(target);
    end.target.node = text_of("b@h");
    record = (struct record){.monitor = &end};
    return selector_wants(selector, &record);
}

/* The end of a monitor or link belongs to two processes and two nodes, and to no op or line. */
static void chooses_ends(void **state)
{
    static const struct {
        const char *node, *process, *only, *hide;
        bool calls_only, has_op, monitor, link;
    } cases[] = {
        {NULL, NULL, NULL, NULL, false, false, true, true},
        {"a@h", NULL, NULL, NULL, false, false, true, true},
        {"b@h", "x", NULL, NULL, false, false, true, true},
        {"b@h", "y", NULL, NULL, false, false, true, true},
        {"c@h", "y", NULL, NULL, false, false, false, false},
        {"b@h", "z", NULL, NULL, false, false, false, false},
        {NULL, NULL, "link", NULL, false, false, false, true},
        {NULL, NULL, NULL, "link", false, false, true, false},
        {NULL, NULL, "gen", NULL, false, false, false, false},
        {NULL, NULL, NULL, NULL, true, false, false, false},
        {NULL, NULL, NULL, NULL, false, true, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        if (cases[i].node != NULL)
            config.nodes = (struct string_list){{cases[i].node}, 1};
        if (cases[i].only != NULL)
            config.only = (struct string_list){{cases[i].only}, 1};
        if (cases[i].hide != NULL)
            config.hide = (struct string_list){{cases[i].hide}, 1};
        if (cases[i].process != NULL)
            config.processes[config.num_processes++].name = text_of(cases[i].process);
        config.calls_only = cases[i].calls_only;
        if (cases[i].has_op)
            assert_true(op_set_add(&config.ops, "monitor_p"));
        open_selector();
        if (tells_end("x", "y", false) != cases[i].monitor ||
            tells_end("x", "y", true) != cases[i].link)
            fail_msg("case %zu", i);
        selector_free(selector);
    }
}

/* A number of messages of the same connection after a match, or until the next match. */
static void follows(void **state)
{
    (void)state;
    begin();
    assert_true(op_set_add(&config.ops, "link"));
    config.num_after = 2;
    config.limits[DS_LIMIT_CONNECTIONS] = 2;
    open_selector();
    assert_false(says(22, NULL, NULL, 0));
    assert_true(says(1, NULL, NULL, 0));
    conn.number = 2;
    assert_false(says(22, NULL, NULL, 0)); /* on another connection */
    conn.number = 1;
    happens(DS_EVENT_TICK);
    assert_false(selector_wants(selector, &record)); /* and does not count */
    assert_true(says(22, NULL, NULL, 0));
    assert_true(says(1, NULL, NULL, 0)); /* from here on */
    assert_true(says(22, NULL, NULL, 0));
    assert_true(says(22, NULL, NULL, 0));
    assert_false(says(22, NULL, NULL, 0));
    /* A connection that ends is not followed any more. */
    assert_true(says(1, NULL, NULL, 0));
    happens(DS_EVENT_CONN);
    assert_false(selector_wants(selector, &record));
    assert_true(says(22, NULL, NULL, 0));
    happens(DS_EVENT_CONN);
    event.change.final = true;
    assert_false(selector_wants(selector, &record));
    assert_false(says(22, NULL, NULL, 0));
    /* If there are too many connections, the oldest is not followed. */
    for (conn.number = 3; conn.number <= 5; conn.number++)
        assert_true(says(1, NULL, NULL, 0));
    for (conn.number = 3; conn.number <= 5; conn.number++)
        assert_int_equal(says(22, NULL, NULL, 0), conn.number != 3);
    selector_free(selector);
}

/* The end of a call is shown if its request matched; if there are too many, the oldest is forgotten. */
static void ends_of_what_was_asked_for(void **state)
{
    (void)state;
    begin();
    assert_true(op_set_add(&config.ops, "link"));
    config.limits[DS_LIMIT_CALLS] = 2;
    open_selector();
    for (uint64_t call = 1; call <= 3; call++)
        assert_true(says(1, "gen:call", "", call));
    for (uint64_t call = 1; call <= 4; call++)
        assert_int_equal(call_ends("gen:call", call), call == 2 || call == 3);
    assert_false(call_ends("gen:call", 3)); /* once */
    selector_free(selector);
}

/* Raw frames are shown with the message that they complete, segments never. */
static void shows_frames_of_messages(void **state)
{
    (void)state;
    begin();
    assert_true(op_set_add(&config.ops, "link"));
    open_selector();
    for (int i = 0; i < 4; i++) {
        const bool wanted = i < 2, completes = i % 2 == 0;
        assert_int_equal(says(wanted ? 1 : 22, NULL, NULL, 0), wanted);
        happens(DS_EVENT_FRAME);
        event.frame_sent.completes = completes;
        assert_int_equal(selector_wants(selector, &record), wanted && completes);
        happens(DS_EVENT_DATA);
        assert_false(selector_wants(selector, &record));
    }
    selector_free(selector);
    begin();
    open_selector();
    happens(DS_EVENT_DATA);
    assert_true(selector_wants(selector, &record));
    selector_free(selector);
}

/* Events that are only for tables have no line in which -e could match, or not match. */
static void finds_no_text_in_parts(void **state)
{
    (void)state;
    for (int invert = 0; invert < 2; invert++) {
        begin();
        config.invert = invert != 0;
        config.regexes[config.num_regexes++] = match_regex_new("a", false);
        assert_non_null(config.regexes[0]);
        open_selector();
        happens(DS_EVENT_PART);
        assert_false(selector_wants(selector, &record));
        happens(DS_EVENT_TICK);
        assert_int_equal(selector_wants(selector, &record), invert == 0); /* a@h is the sender */
        selector_free(selector);
        match_regex_free(config.regexes[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_kinds), cmocka_unit_test(shows_what_is_missing),
        cmocka_unit_test(chooses_ends),  cmocka_unit_test(follows),
        cmocka_unit_test(ends_of_what_was_asked_for),
        cmocka_unit_test(shows_frames_of_messages), cmocka_unit_test(finds_no_text_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
