/*
 * test_filter_expressions.c - the field filter: every operator and unit, every error with its
 * column, and hostile expressions and failing memory.
 */
#include "failing_alloc.h"
#include "filter_records.h"

#include <stdlib.h>

static void takes_atoms_as_written_or_quoted(void **state)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    const struct record record = {.event = &event};
    (void)state;
    event.message.role[DS_ROLE_TO] = TERM("w\3a b");
    assert_true(holds("to == \"a b\"", &record));
    assert_true(holds("to == \"'a b'\"", &record));
    assert_true(holds("to == '\\'a b\\''", &record));
    assert_false(holds("to != \"'a b'\"", &record));
    assert_false(holds("to == \"'a'\"", &record));
}

static void knows_the_operators(void **state)
{
    const struct ds_event event = make_message();
    const struct record record = {.event = &event};
    static const char *const yes[] = {
        "frame != 13", "frame <= 12", "frame >= 12", "frame < 13", "frame > 11", "frame eq 12",
        "frame ne 13", "frame le 12", "frame ge 12", "frame lt 13", "frame gt 11",
        "op > \"spawn\"", "op < \"spawn_request_ttt\"", "op >= \"spawn_request_tt\"",
        "op <= \"t\"", "frame in {1, 12 ,3}", "op in {\"send\",\"spawn_request_tt\"}",
        "size in {1KB, 2KB}", "op contains \"\"", "term contains 'at,'", "not fault == \"cap\"",
        "!!fault", "not not fault", "((frame == 12))", "frame == 0xC", "frame > -1",
        "frame==12&&conn==7||step", "step||frame==12&&conn==7", "step && step || fault",
        "fault || step && step", "!step && fault", "!(step && fault)", "fault and not step or step",
        "\tfault\n", "op == \"spawn_\\x72equest_tt\"", "id != 6", "id > 4", "id in {4, 5}",
        "node != \"carol@h\"",
        "op matches \"^spawn_.*_tt$\"", "term matches \"T[ix]\\\\w+n\"",
        "to matches 'r.x' && node matches 'bob'", "!(op matches 'SPAWN') && op matches '(?i)SPAWN'",
        "id in {\"x\", 5}", NULL};
    static const char *const no[] = {
        "frame == 13", "frame != 12", "frame < 12", "frame > 12", "frame in {1,3}",
        "frame <= 11", "frame >= 13", "op <= \"spawn\"", "op >= \"t\"",
        "op contains \"x\"", "node != \"alice@h\"", "step || step && fault",
        "(fault || step) && step", "!fault || step", "!fault && fault", "fault && !fault",
        "!(fault || step)", "op matches \"^reg\"", "step matches \"\"",
        "op in {\"link\"}", "step != \"status\"", "id in {\"x\", 6}", NULL};
    (void)state;
    assert_all_hold(&record, yes);
    assert_none_hold(&record, no);
}

static void knows_units(void **state)
{
    const struct ds_event event = make_message();
    struct record record = {.event = &event, .note = {.has_latency = true}};
    static const struct {
        int64_t ns;
        const char *expression;
    } durations[] = {
        {5, "latency == 5ns"}, {5000, "latency == 5us"}, {1500, "latency == 1.5us"},
        {5000000, "latency == 5ms"}, {INT64_C(5000000000), "latency == 5s"},
        {INT64_C(90000000000), "latency == 1.5min"}, {INT64_C(3600000000000), "latency == 1h"},
        {-7, "latency == -7ns"}, {1500, "latency_us == 1.5"}, {7000, "latency_us == 7"},
        {7000000, "latency_us == 7ms"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        record.note.latency_ns = durations[i].ns;
        if (!holds(durations[i].expression, &record))
            fail_msg("does not hold: %s", durations[i].expression);
        record.note.latency_ns++;
        assert_false(holds(durations[i].expression, &record));
    }
    struct ds_event gap = make_event(DS_EVENT_GAP);
    const struct record bytes = {.event = &gap};
    static const struct {
        uint64_t bytes;
        const char *expression;
    } sizes[] = {
        {5, "bytes == 5"}, {5, "bytes == 5B"}, {5000, "bytes == 5KB"}, {5000, "bytes == 5kB"},
        {5000000, "bytes == 5MB"}, {2000000000, "bytes == 2GB"}, {1536, "bytes == 1.5KiB"},
        {1048576, "bytes == 1MiB"}, {1073741824, "bytes == 1GiB"},
        {INT64_MAX, "bytes == 0x7fffffffffffffff"},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        gap.gap.bytes = sizes[i].bytes;
        if (!holds(sizes[i].expression, &bytes))
            fail_msg("does not hold: %s", sizes[i].expression);
        gap.gap.bytes--;
        assert_false(holds(sizes[i].expression, &bytes));
    }
}

static void says_what_is_wrong_and_where(void **state)
{
    static const struct {
        const char *expression;
        size_t column;
        const char *what;
    } errors[] = {
        {"", 1, "expected a field, not the end"},
        {"  ", 3, "expected a field, not the end"},
        {"fault &&", 9, "expected a field, not the end"},
        {"fault && && step", 10, "expected a field, not '&& step'"},
        {"fault step", 7, "expected && or ||, not 'step'"},
        {"frm == \"x\"", 1, "there is no field 'frm': did you mean from?"},
        {"fault || latancy > 5ms", 10, "there is no field 'latancy': did you mean latency?"},
        {"src.nod", 1, "there is no field 'src.nod': did you mean src.node?"},
        {"xyzzyxyzzyq", 1, "there is no field 'xyzzyxyzzyq': see --fields"},
        {"op = \"x\"", 4, "expected ==, not ="},
        {"op == reg_send", 7, "op is text: quote it, \"reg_send\""},
        {"op == 5", 7, "op is text: quote it, \"5\""},
        {"op ==", 6, "expected a text in quotes, not the end"},
        {"op == \"x", 7, "this \" is not closed"},
        {"op == 'x", 7, "this ' is not closed"},
        {"op == \"a\\q\"", 9, "expected \\\\ \\\" \\' \\n \\r \\t or \\xHH"},
        {"op == \"a\\x1\"", 9, "expected \\\\ \\\" \\' \\n \\r \\t or \\xHH"},
        {"op == \"a\\", 9, "expected \\\\ \\\" \\' \\n \\r \\t or \\xHH"},
        {"size > \"x\"", 8, "size is a size: expected a number, not '\"x\"'"},
        {"frame >", 8, "expected a number, not the end"},
        {"frame > -", 10, "expected a digit, not the end"},
        {"frame > 0x", 11, "expected a digit, not the end"},
        {"frame > 5KB", 10, "expected a number without unit, not 'KB'"},
        {"frame > 1.5", 9, "expected a whole number"},
        {"size > 1.", 10, "expected a digit after the point, not the end"},
        {"size > 5ms", 9, "expected a unit of size, B KB MB GB KiB MiB GiB, not 'ms'"},
        {"latency > 5", 11, "expected a duration with its unit, ns us ms s min h: 5ms"},
        {"latency > 5KB", 12, "expected a unit of time, ns us ms s min h, not 'KB'"},
        {"frame > 9223372036854775808", 9, "this number is too large"},
        {"size > 9223372036854775807KB", 8, "this number is too large"},
        {"frame contains 5", 7, "frame is a number: contains needs a text"},
        {"term contains 5", 15, "term is text: quote it, \"5\""},
        {"cookie_ok < true", 11, "cookie_ok is true or false: expected == or !="},
        {"cookie_ok == maybe", 14, "expected true or false, not 'maybe'"},
        {"ts > 5", 6, "expected a time in UTC, \"2026-01-31T23:59:59.5Z\", not '5'"},
        {"ts > \"now\"", 6, "expected a time in UTC, \"2026-01-31T23:59:59.5Z\""},
        {"ts > \"2026-13-01T00:00:00Z\"", 6,
         "expected a time in UTC, \"2026-01-31T23:59:59.5Z\""},
        {"ts > \"2026-12-01T00:00:00+01\"", 6,
         "expected a time in UTC, \"2026-01-31T23:59:59.5Z\""},
        {"op in \"x\"", 7, "expected { and the values, with a comma between them, not '\"x\"'"},
        {"name in {\"x\" \"y\"}", 14, "expected , or }, not '\"y\"}'"},
        {"op in {}", 8, "expected a text in quotes, not '}'"},
        {"name in {\"x\",", 14, "expected a text in quotes, not the end"},
        {"op == \"x\"", 7, "there is no op 'x': see the values that -T json shows"},
        {"op == \"link\" || op != \"reg_sned\"", 23,
         "there is no op 'reg_sned': did you mean reg_send?"},
        {"op in {\"link\", \"op_\"}", 16, "there is no op 'op_': see the values that -T json shows"},
        {"outcome == \"time\"", 12, "there is no outcome 'time': did you mean timeout?"},
        {"frame matches \"x\"", 7, "frame is a number: matches needs a text"},
        {"term matches 5", 14, "term is text: quote it, \"5\""},
        {"op matches \"a(\"", 12,
         "character 3 of the regular expression: missing closing parenthesis"},
        {"op matches \"a\\x00\"", 12, "a regular expression cannot contain NUL"},
        {"(fault", 1, "this ( is not closed"},
        {"fault && (step || (op)", 10, "this ( is not closed"},
        {"fault)", 6, "this ) has no matching ("},
        {"()", 2, "expected a field, not ')'"},
        {"!", 2, "expected a field, not the end"},
        {"fault & step", 7, "expected && or ||, not '& step'"},
        {"5 == frame", 1, "expected a field, not '5 == frame'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct filter_error error = {0};
        if (filter_parse(errors[i].expression, NULL, &error) != NULL)
            fail_msg("accepted: %s", errors[i].expression);
        if (strcmp(error.what, errors[i].what) != 0 || error.column != errors[i].column)
            fail_msg("%s: column %zu: %s, expected column %zu: %s", errors[i].expression,
                     error.column, error.what, errors[i].column, errors[i].what);
    }
}

/* repeat returns a piece, repeated around a middle. The caller frees it. */
static char *repeat(const char *piece, size_t times, const char *middle, const char *end)
{
    char *text = calloc(1, (strlen(piece) + strlen(end)) * times + strlen(middle) + 1);
    char *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, piece);
    at = stpcpy(at, middle);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, end);
    return text;
}

static void assert_error(char *text, size_t column, const char *what)
{
    struct filter_error error = {0};
    assert_null(filter_parse(text, NULL, &error));
    assert_string_equal(error.what, what);
    assert_int_equal(error.column, column);
    free(text);
}

static void bounds_what_it_takes(void **state)
{
    const struct ds_event event = make_message();
    const struct record record = {.event = &event};
    char *text;
    (void)state;
    text = repeat("(", FILTER_MAX_NESTING, "fault", ")");
    assert_true(holds(text, &record));
    free(text);
    text = repeat("!", FILTER_MAX_NESTING, "fault", "");
    assert_true(holds(text, &record));
    free(text);
    assert_error(repeat("(", FILTER_MAX_NESTING + 1, "fault", ")"), FILTER_MAX_NESTING + 1,
                 "nested deeper than 64");
    assert_error(repeat("!", 4000, "fault", ""), FILTER_MAX_NESTING + 1, "nested deeper than 64");
    assert_error(repeat(" ", FILTER_MAX_LEN + 1, "", ""), FILTER_MAX_LEN + 1,
                 "longer than 4096 bytes");
    text = repeat("!op&&", (FILTER_MAX_LEN - 5) / 5, "fault", ""); /* as many steps as can be */
    assert_false(holds(text, &record));
    free(text);
    text = repeat("step||", (FILTER_MAX_LEN - 5) / 6, "fault", "");
    assert_true(holds(text, &record));
    free(text);
    text = repeat("0,", 2000, "12}", "");
    memcpy(text, "id in { ", 8);
    assert_false(holds(text, &record)); /* as many literals as can be */
    free(text);
}

static void gives_up_on_endless_matches(void **state)
{
    static char letters[5000];
    struct ds_event event = make_event(DS_EVENT_HANDSHAKE);
    const struct record record = {.event = &event};
    struct filter_error error;
    (void)state;
    memset(letters, 'a', sizeof letters);
    event.handshake.name = (struct ds_text){letters, sizeof letters};
    struct filter *filter = filter_parse("name matches '^(a+)+$|(a|aa)+b'", NULL, &error);
    assert_non_null(filter);
    assert_true(filter_run(filter, &record));
    assert_int_equal(filter_num_given_up(filter), 0);
    filter_free(filter);
    filter = filter_parse("name matches '^(a|aa)+(b|c)'", NULL, &error);
    assert_false(filter_run(filter, &record));
    assert_int_equal(filter_num_given_up(filter), 1);
    filter_free(filter);
    assert_int_equal(filter_num_given_up(NULL), 0);
}

static void combines_expressions(void **state)
{
    const struct ds_event event = make_message();
    const struct record record = {.event = &event};
    struct filter_error error;
    (void)state;
    struct filter *both = filter_and(NULL, filter_parse("fault", NULL, &error));
    both = filter_and(both, filter_parse("conn == 7 || step", NULL, &error));
    filter_set_depth(both, 5);
    assert_true(filter_run(both, &record));
    both = filter_and(both, filter_parse("step", NULL, &error));
    assert_false(filter_run(both, &record));
    filter_free(both);
    filter_free(NULL);
    assert_true(filter_run(NULL, &record));
    assert_int_equal(filter_no_memory(NULL), 0);
}

static void parse_and_run(void *context)
{
    const struct ds_event event = make_message();
    const struct record record = {
        .event = &event, .note = {.mod = TERM("w\5lists"), .fun = TERM("w\3seq")}};
    struct filter_error error = {0};
    unsigned *refused = context;
    struct filter *filter =
        filter_parse("term contains \"dog\" || mfa contains \"no:\" || from == \"nobody\" || "
                     "op matches \"^x\"", NULL, &error);
    if (filter == NULL) {
        assert_int_equal(error.column, 0);
        assert_string_equal(error.what, "out of memory");
        ++*refused;
        return;
    }
    bool wanted = filter_run(filter, &record);
    assert_int_equal(wanted, filter_no_memory(filter) != 0); /* if it cannot decide, it is shown */
    *refused += wanted;
    filter_free(filter);
}

static void lives_without_memory(void **state)
{
    unsigned refused = 0;
    (void)state;
    unsigned long num = failing_alloc_each(parse_and_run, &refused);
    assert_true(num >= 6);
    assert_true(refused >= num);
}

/* Whether a filter needs the detectors: each of their fields does. */
static void knows_what_asks_for_findings(void **test)
{
    static const struct {
        const char *expression;
        bool asks;
    } cases[] = {
        {"severity == \"warning\"", true},     {"certainty == \"likely\"", true},
        {"finding matches 'x'", true},             {"type == \"finding\"", true},
        {"type == \"call\"", false},           {"op == \"link\"", false},
        {"frame > 5 && type in {\"call\", \"finding\"}", true}, {"frame > 5", false},
    };
    (void)test;
    assert_false(filter_asks_findings(NULL));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct filter_error error;
        struct filter *filter = filter_parse(cases[i].expression, NULL, &error);
        if (filter == NULL)
            fail_msg("%s", cases[i].expression);
        assert_int_equal(filter_asks_findings(filter), cases[i].asks);
        filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_atoms_as_written_or_quoted),
        cmocka_unit_test(knows_the_operators),
        cmocka_unit_test(knows_units),
        cmocka_unit_test(says_what_is_wrong_and_where),
        cmocka_unit_test(bounds_what_it_takes),
        cmocka_unit_test(gives_up_on_endless_matches),
        cmocka_unit_test(knows_what_asks_for_findings),
        cmocka_unit_test(combines_expressions),
        cmocka_unit_test(lives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
