/*
 * test_regex.c - -e: the search in the bytes skips no message whose text would match; bad
 * expressions, slow expressions, and -A, --invert.
 */
#include "output/event_text.h"
#include "failing_alloc.h"
#include "select/match_regex.h"
#include "select/selector.h"
#include "default_limits.h"

#include <distsniff/dissect.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TEXT(literal) ((struct ds_text){(literal), sizeof(literal) - 1})
#define TERM(literal) ((struct ds_term){.data = (const uint8_t *)(literal),                        \
                                        .len = sizeof(literal) - 1})

static struct ds_conn conn;

/* A message from a@h to b@h. */
static struct ds_event make_message(struct ds_term payload)
{
    conn = (struct ds_conn){.number = 1};
    conn.end[0].node = TEXT("a@h");
    conn.end[1].node = TEXT("b@h");
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &conn};
    event.message.code = 22;
    event.message.op = ds_op_find(22);
    event.message.fragments = 1;
    event.message.control = TERM("h\3a\x16w\4fromw\2to");
    event.message.role[DS_ROLE_FROM] = TERM("w\4from");
    event.message.role[DS_ROLE_TO] = TERM("w\2to");
    event.message.payload = payload;
    return event;
}

/* Returns whether the pattern matches the text of the record. The prefilter must not exclude a match. */
static bool matches(const char *pattern, const struct record *record, bool *may)
{
    struct match_regex *regex = match_regex_new(pattern, false);
    struct event_text *printer = event_text_new();
    struct ds_buffer text = {0};
    assert_non_null(regex);
    assert_non_null(printer);
    event_text_print(printer, record, &text);
    const enum regex_result result = match_regex_text(regex, text.data, text.len);
    assert_int_not_equal(result, REGEX_GAVE_UP);
    *may = match_regex_may(regex, record);
    if (result == REGEX_YES && !*may)
        fail_msg("'%s' matches, but is not searched for in: %.*s", pattern, (int)text.len,
                 text.data);
    ds_buffer_free(&text);
    event_text_free(printer);
    match_regex_free(regex);
    return result == REGEX_YES;
}

static void assert_match(const char *pattern, const struct ds_event *event)
{
    const struct record record = {.event = event};
    bool may;
    if (!matches(pattern, &record, &may))
        fail_msg("'%s' does not match", pattern);
}

/* assert_passed_over: it does not match, and the prefilter decides that without the text. */
static void assert_passed_over(const char *pattern, const struct ds_event *event)
{
    const struct record record = {.event = event};
    bool may;
    if (matches(pattern, &record, &may))
        fail_msg("'%s' matches", pattern);
    if (may)
        fail_msg("'%s' is not passed over", pattern);
}

static void finds_text_wherever_it_comes_from(void **state)
{
    (void)state;
    struct ds_event event = make_message(TERM("h\3w\5worldk\0\5helxom\0\0\0\5bytes"));
    assert_match("world", &event);
    assert_match("helxo", &event);
    assert_match("^a@h > b@h: send_sender from > to \\{world,\"helxo\",<<\"bytes\">>\\}$", &event);
    assert_match("send_sender", &event);
    assert_match("worl*d", &event);
    assert_match("world?,.h", &event);
    assert_match("worldx?,", &event);
    assert_passed_over("yonder", &event);
    assert_passed_over("world.*yonder", &event);
    assert_match("a@h > b", &event);

    conn.end[0].node = TEXT("singapore@h");
    assert_match("singapore", &event);
    struct record record = {.event = &event, .note = {.label = "global:info", .call = 5}};
    bool may;
    assert_true(matches("#5 global:info", &record, &may));
    record.note.to_name = TEXT("city_server");
    assert_true(matches("city_server", &record, &may));
    record.note = (struct note){.call = 5, .label = "gen:call", .has_latency = true,
                                .outcome = CALL_TIMEOUT, .role = NOTE_DEMONITOR};
    assert_true(matches("timeout after", &record, &may));
    record.note = (struct note){.call = 5, .label = "spawn", .role = NOTE_SPAWNED};
    assert_true(matches("spawned", &record, &may));
}

static void finds_cached_atoms(void **state)
{
    static const struct ds_atom atoms[] = {
        {(const uint8_t *)"harbour", 7, 3, DS_ATOM_KNOWN, 0, false},
    };
    (void)state;
    struct ds_event event = make_message(TERM("R\0"));
    event.message.payload.atoms = atoms;
    event.message.payload.num_atoms = 1;
    assert_match("harbour", &event);
    assert_passed_over("market", &event);
}

static void finds_what_is_not_in_the_bytes_as_it_is_shown(void **state)
{
    (void)state;
    struct ds_event event = make_message(TERM("k\0\6\nights"));
    assert_match("nights", &event); /* shown as "\nights" */
    event = make_message(TERM("k\0\4\bort"));
    assert_match("bort", &event);
    event = make_message(TERM("w\6\xC2\x80tops"));
    assert_match("tops", &event);
    /* A list of small integers, and one that is not. */
    event = make_message(TERM("l\0\0\0\6aWaoaralad" "b\0\0\0\xE9" "j"));
    assert_match("World", &event);
    assert_match("orld", &event);
    assert_passed_over("orldly", &event);
    event = make_message(TERM("l\0\0\0\4aWb\0\0\0oaralj"));
    assert_match("Worl", &event);
    event = make_message(TERM("l\0\0\0\4aqaub\0\0\0aayj"));
    assert_match("quay", &event);
    event = make_message(TERM("l\0\0\0\4b\0\0\0qauaaayj"));
    assert_match("quay", &event);
    event = make_message(TERM("h\2w\6aqauaqj"));
    assert_passed_over("quayside", &event);
    event = make_message(TERM("w\6quayaq"));
    assert_passed_over("quays", &event);
    event = make_message(TERM("b\0\0\xFF\xFF"));
    conn.end[1].node = TEXT("\xFFtown@h"); /* \xFFtown@h */
    assert_match("xFFtown", &event);
    assert_match("FFtown", &event);
    assert_match("Ftown", &event);
    assert_match("FF", &event);
    event.message.payload = TERM("F\x7F\xF0\0\0\0\0\0\0");
    assert_match("from", &event);
}

static void looks_closely_at_trouble(void **state)
{
    (void)state;
    struct ds_event event = make_message(TERM("w\1x"));
    event.fault = (struct ds_fault){DS_FAULT_MALFORMED, 3, "strange tag"};
    assert_match("strange", &event);
    event.fault = (struct ds_fault){0};
    event.unknown_atoms = 1;
    assert_match("unknown atom", &event);
    static const uint8_t pair[] = {104, 2, 82, 0, 82, 0};
    static const struct ds_atom node = {(const uint8_t *)"~10.0.0.7:9000", 14, 3, DS_ATOM_ADDRESS, 0, false};
    event.unknown_atoms = 0;
    event.address_atoms = 2;
    event.message.payload = (struct ds_term){pair, sizeof pair, &node, 1, false};
    assert_match("'~10\\.0\\.0\\.7:9000',", &event);
}

static void refuses_bad_expressions(void **state)
{
    static const char *const patterns[] = {"a(", "a)", "[a", "*", "\\", "(?<n>a)(?<n>b)",
                                           "\\C", "\xFF", "(?R", "(a{1000}){1000}{1000}"};
    static char lengthy[MAX_REGEX_LEN + 2];
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct match_regex *regex = match_regex_new(patterns[i], false);
        if (regex != NULL)
            fail_msg("accepted: %s", patterns[i]);
        match_regex_free(regex);
    }
    memset(lengthy, 'a', MAX_REGEX_LEN);
    struct match_regex *regex = match_regex_new(lengthy, false);
    assert_non_null(regex);
    match_regex_free(regex);
    lengthy[MAX_REGEX_LEN] = 'a';
    assert_null(match_regex_new(lengthy, false));
    match_regex_free(NULL);
}

static void gives_up_in_time(void **state)
{
    static char text[4096];
    (void)state;
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '!';
    struct match_regex *regex = match_regex_new("^(a|aa)+$", false);
    assert_non_null(regex);
    assert_int_equal(match_regex_text(regex, text, sizeof text), REGEX_GAVE_UP);
    match_regex_free(regex);
}

static void ignores_case(void **state)
{
    (void)state;
    struct match_regex *regex = match_regex_new("WORLD", true);
    struct ds_event event = make_message(TERM("w\5world"));
    const struct record record = {.event = &event};
    assert_true(match_regex_may(regex, &record));
    assert_int_equal(match_regex_text(regex, "a world", 7), REGEX_YES);
    assert_int_equal(match_regex_text(regex, "\xFF\xFE", 2), REGEX_NO);
    match_regex_free(regex);
}

/* Passes a message to select. */
static bool wants(struct selector *select, struct ds_term payload, uint64_t conn_number)
{
    const struct ds_event event = make_message(payload);
    const struct record record = {.event = &event};
    conn.number = conn_number;
    return selector_wants(select, &record);
}

static void shows_what_follows(void **state)
{
    static struct selector_config options = {.num_after = 2, .num_regexes = 1};
    (void)state;
    default_limits(options.limits);
    options.limits[DS_LIMIT_CONNECTIONS] = 2;
    options.regexes[0] = match_regex_new("town", false);
    struct selector *select = selector_new(&options);
    assert_non_null(select);
    const struct ds_term yes = TERM("w\4town"), no = TERM("w\4city");
    assert_false(wants(select, no, 1));
    assert_true(wants(select, yes, 1));
    assert_false(wants(select, no, 2));
    assert_true(wants(select, no, 1));
    assert_true(wants(select, yes, 1)); /* the count starts again */
    assert_true(wants(select, no, 1));
    assert_true(wants(select, no, 1));
    assert_false(wants(select, no, 1));
    for (uint64_t number = 1; number <= 3; number++)
        assert_true(wants(select, yes, number));
    assert_false(wants(select, no, 1)); /* the oldest connection, beyond the cap */
    assert_true(wants(select, no, 2));
    struct ds_event event = make_message(no);
    event.type = DS_EVENT_CONN;
    event.change = (struct ds_conn_change){.state = DS_CONN_CLOSED, .final = true};
    conn.number = 3;
    const struct record record = {.event = &event};
    assert_false(selector_wants(select, &record));
    assert_false(wants(select, no, 3)); /* it has ended */
    selector_free(select);
    match_regex_free(options.regexes[0]);
}

static void shows_the_others(void **state)
{
    static struct selector_config options = {.invert = true, .num_regexes = 2};
    (void)state;
    default_limits(options.limits);
    options.regexes[0] = match_regex_new("town", false);
    options.regexes[1] = match_regex_new("c.ty", false);
    struct selector *select = selector_new(&options);
    assert_false(wants(select, TERM("w\4town"), 1));
    assert_false(wants(select, TERM("w\4city"), 1));
    assert_true(wants(select, TERM("w\4port"), 1));
    struct ds_event event = make_message(TERM("w\4town"));
    event.type = DS_EVENT_GAP;
    const struct record gap = {.event = &event};
    assert_true(selector_wants(select, &gap));
    assert_int_equal(selector_num_given_up(select), 0);
    selector_free(select);
    match_regex_free(options.regexes[0]);
    match_regex_free(options.regexes[1]);
}

/* An excluded message does not come back because the request of its call is shown. */
static void shows_no_pairs_of_the_others(void **state)
{
    static struct selector_config options = {.invert = true, .num_regexes = 1};
    (void)state;
    default_limits(options.limits);
    options.regexes[0] = match_regex_new("town", false);
    struct selector *select = selector_new(&options);
    const struct ds_event request = make_message(TERM("w\4city")), reply = make_message(TERM("w\4town"));
    const struct record asked = {.event = &request, .note = {.role = NOTE_REQUEST, .label = "call", .call = 5}};
    const struct record answered = {.event = &reply, .note = {.role = NOTE_REPLY, .label = "call", .call = 5}};
    assert_true(selector_wants(select, &asked));
    assert_false(selector_wants(select, &answered));
    selector_free(select);
    match_regex_free(options.regexes[0]);
}

/* An expression that takes too long does not stop the others. */
static void asks_the_others_when_one_gives_up(void **state)
{
    static struct selector_config options = {.num_regexes = 2};
    static uint8_t payload[5 + 60000] = {109, 0, 0, 60000 >> 8, 60000 & 255};
    (void)state;
    memset(payload + 5, 'a', sizeof payload - 5);
    options.regexes[0] = match_regex_new(".*.*[#~]", false);
    options.regexes[1] = match_regex_new("aaa\">>$", false);
    default_limits(options.limits);
    struct selector *select = selector_new(&options);
    const struct ds_term term = {.data = payload, .len = sizeof payload};
    assert_true(wants(select, term, 1));
    assert_int_equal(selector_num_given_up(select), 0);
    payload[sizeof payload - 1] = 'b';
    assert_false(wants(select, term, 1));
    assert_int_equal(selector_num_given_up(select), 1);
    selector_free(select);
    match_regex_free(options.regexes[0]);
    match_regex_free(options.regexes[1]);
}

/* Every allocation fails in turn, PCRE2's as well. */
static void compile_and_search(void *context)
{
    static char text[2000]; /* too long for the interpreter's initial memory */
    const char *pattern = context;
    struct regex_error error;
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 'b';
    struct match_regex *regex = match_regex_compile(pattern, false, &error);
    if (regex == NULL) {
        assert_true(failing_alloc_failed());
        assert_int_equal(error.column, 0);
        assert_string_equal(error.what, "out of memory");
        return;
    }
    const enum regex_result result = match_regex_text(regex, text, sizeof text);
    assert_true(result == REGEX_YES || (failing_alloc_failed() && result == REGEX_GAVE_UP));
    match_regex_free(regex);
}

static void memory_runs_out(void **state)
{
    (void)state;
    const char *const patterns[] = {"b", "^(?:(a)|x)+b$", "(*NO_JIT)^(?:(a)|x)+b$"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        assert_true(failing_alloc_each(compile_and_search, (void *)(uintptr_t)patterns[i]) >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_text_wherever_it_comes_from),
        cmocka_unit_test(finds_cached_atoms),
        cmocka_unit_test(finds_what_is_not_in_the_bytes_as_it_is_shown),
        cmocka_unit_test(looks_closely_at_trouble),
        cmocka_unit_test(refuses_bad_expressions),
        cmocka_unit_test(gives_up_in_time),
        cmocka_unit_test(ignores_case),
        cmocka_unit_test(shows_what_follows),
        cmocka_unit_test(shows_the_others),
        cmocka_unit_test(shows_no_pairs_of_the_others),
        cmocka_unit_test(asks_the_others_when_one_gives_up),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
