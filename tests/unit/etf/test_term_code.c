/*
 * test_term_code.c - terms as source text: forms, lines, damage, depth and failing memory.
 * tests/terms lets a node read the text back.
 */
#include "etf/term.h"
#include "failing_alloc.h"
#include "guard_page.h"
#include "term_samples.h"

#include <distsniff/code.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct ds_code_options all_options[] = {
    {.language = DS_CODE_ERLANG},
    {.language = DS_CODE_ELIXIR},
    {.language = DS_CODE_ERLANG, .width = 30, .indent = 4, .exact = true},
    {.language = DS_CODE_ELIXIR, .width = 30, .indent = 4, .exact = true},
    {.language = DS_CODE_ERLANG, .width = 1},
    {.language = DS_CODE_ELIXIR, .width = 1, .indent = 40},
    {.language = DS_CODE_ERLANG, .max_depth = 1},
    {.language = DS_CODE_ELIXIR, .max_depth = 1},
};
enum { NUM_OPTIONS = sizeof all_options / sizeof all_options[0] };

static void assert_code(const struct ds_term *term, const struct ds_code_options *options,
                        const char *expected)
{
    struct ds_buffer text = {0};
    assert_true(ds_code_term(term, options, &text));
    if (text.len != strlen(expected) || memcmp(text.data, expected, text.len) != 0)
        fail_msg("expected %s\n     got %.*s", expected, (int)text.len, text.data);
    ds_buffer_free(&text);
}

struct code_case {
    const uint8_t *bytes;
    size_t len;
    const char *erlang, *elixir;
};

static void assert_cases(const struct code_case *cases, size_t num, bool damaged)
{
    for (size_t i = 0; i < num; i++) {
        struct ds_term term = samples_term(cases[i].bytes, cases[i].len);
        term.damaged = damaged;
        assert_code(&term, &all_options[DS_CODE_ERLANG], cases[i].erlang);
        assert_code(&term, &all_options[DS_CODE_ELIXIR], cases[i].elixir);
    }
}

static void test_what_has_no_syntax(void **state)
{
    (void)state;
    const struct code_case cases[] = {
        {BYTES(PID), "{'$pid',a@h,90,1,2}", "{:\"$pid\", :a@h, 90, 1, 2}"},
        {BYTES(88, 82, 1, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9), "{'$pid','?atom:1027',5,6,9}",
         "{:\"$pid\", :\"?atom:1027\", 5, 6, 9}"},
        {BYTES(102, NODE, 255, 255, 255, 255, 3), "{'$port',a@h,4294967295,3}",
         "{:\"$port\", :a@h, 4294967295, 3}"},
        {BYTES(114, 0, 3, NODE, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3), "{'$ref',a@h,[3,2,1],3}",
         "{:\"$ref\", :a@h, [3, 2, 1], 3}"},
        {BYTES(90, 0, 0, NODE, 0, 0, 0, 9), "{'$ref',a@h,[],9}", "{:\"$ref\", :a@h, [], 9}"},
        {BYTES(117, 0, 0, 0, 2, PID, 119, 1, 'm', 97, 3, 98, 0, 0, 48, 57, 97, 1, 104, 1, 106),
         "{'$fun',m,3,12345,undefined,[1,{[]}]}", "{:\"$fun\", :m, 3, 12345, nil, [1, {[]}]}"},
        {BYTES(112, 0, 0, 0, 54, 2, TEN(7), 7, 7, 7, 7, 7, 7, 0, 0, 0, 3, 0, 0, 0, 0, 119, 1, 'm',
               97, 3, 98, 255, 255, 255, 255, PID),
         "{'$fun',m,3,-1,2,[]}", "{:\"$fun\", :m, 3, -1, 2, []}"},
        {BYTES(119, 4, 0xd8, 0x80, '"', 'x'), "'\xd8\x80\"x'", ":\"\\u{600}\\\"x\""},
        {BYTES(113, 119, 1, 'm', 119, 1, 'F', 97, 255), "fun m:'F'/255",
         "Function.capture(:m, :F, 255)"},
        {BYTES(113, 119, 3, 0xef, 0xbf, 0xbf, 119, 1, 'f', 97, 1),
         "{'$export',{'$atom',<<239,191,191>>},f,1}",
         "{:\"$export\", {:\"$atom\", <<239, 191, 191>>}, :f, 1}"},
        {BYTES(116, 0, 0, 0, 1, 119, 3, 0xef, 0xbf, 0xbe, 106),
         "#{{'$atom',<<239,191,190>>} => []}", "%{{:\"$atom\", <<239, 191, 190>>} => []}"},
        {BYTES(116, 0, 0, 0, 2, 119, 1, 'a', 97, 1, 115, 1, 'a', 97, 2),
         "{'$map',[{a,1},{a,2}]}", "{:\"$map\", [{:a, 1}, {:a, 2}]}"},
        {BYTES(67, 0, 0, 0, 2, 1, 82, 3, 119, 1, 'r', 119, 1, 'a', 82, 3, 97, 1, 67, 0, 0, 0, 1, 0,
               119, 1, 'm', 119, 1, 'r', 119, 1, 'f', 106),
         "{'$record','\xc3\xa9',r,[{a,1},{'\xc3\xa9',{'$record',m,r,[{f,[]}]}}]}",
         "{:\"$record\", :\"\xc3\xa9\", :r, [a: 1, \"\xc3\xa9\": {:\"$record\", :m, :r, [f: "
         "[]]}]}"},
        {BYTES(121, 1, 2, 3, 4, 106), "{'$local',<<1,2,3,4,106>>}",
         "{:\"$local\", <<1, 2, 3, 4, 106>>}"},
    };
    assert_cases(cases, sizeof cases / sizeof cases[0], false);
}

static void test_keys(void **state)
{
    (void)state;
    const struct code_case cases[] = {
        {BYTES(108, 0, 0, 0, 2, 104, 2, 119, 1, 'a', 106, 105, 0, 0, 0, 2, 119, 1, '-', 97, 1, 106),
         "[{a,[]},{'-',1}]", "[a: [], \"-\": 1]"},
        {BYTES(108, 0, 0, 0, 2, 104, 2, 119, 1, 'a', 106, 104, 2, 97, 1, 97, 2, 106),
         "[{a,[]},{1,2}]", "[{:a, []}, {1, 2}]"},
        {BYTES(108, 0, 0, 0, 1, 104, 2, 119, 1, 'a', 106, 97, 1), "[{a,[]}|1]", "[{:a, []} | 1]"},
        {BYTES(108, 0, 0, 0, 1, 104, 2, 108, 0, 0, 0, 0, 119, 1, 'a', 106, 106), "[{a,[]}]",
         "[{:a, []}]"},
        {BYTES(116, 0, 0, 0, 1, 119, 1, 'a', 104, 0), "#{a => {}}", "%{a: {}}"},
        {BYTES(116, 0, 0, 0, 2, 119, 1, 'a', 104, 0, 97, 1, 106), "#{a => {},1 => []}",
         "%{:a => {}, 1 => []}"},
        {BYTES(116, 0, 0, 0, 1, 116, 0, 0, 0, 1, 119, 1, 'a', 97, 1, 119, 1, 'b'),
         "#{#{a => 1} => b}", "%{%{a: 1} => :b}"},
        {BYTES(116, 0, 0, 0, 1, 119, 10, '_', '_', 's', 't', 'r', 'u', 'c', 't', '_', '_', 119, 9,
               'E', 'l', 'i', 'x', 'i', 'r', '.', 'N', 'o'),
         "#{'__struct__' => 'Elixir.No'}", "%{__struct__: No}"},
    };
    assert_cases(cases, sizeof cases / sizeof cases[0], false);
}

/* A cached atom may be invalid for a node. */
static void test_no_atom(void **state)
{
    (void)state;
    static const char bytes[] = "a\xc3", *const shown[] = {"'?atom'", ":\"?atom\""};
    char many[300];
    memset(many, 'x', sizeof many);
    for (int language = 0; language < DS_CODE_NUM_LANGUAGES; language++) {
        const struct ds_text texts[] = {{bytes, 2}, {many, 256}};
        for (size_t i = 0; i < 2; i++) {
            struct ds_buffer text = {0};
            ds_code_atom(texts[i], (enum ds_code_language)language, &text);
            assert_int_equal(text.len, strlen(shown[language]));
            assert_memory_equal(text.data, shown[language], text.len);
            ds_buffer_free(&text);
        }
    }
}

static void test_damaged_is_complete(void **state)
{
    (void)state;
    const struct code_case cases[] = {
        {BYTES(104, 3, 97, 1, 104, 2, 97, 2), "{1,{2,'$damaged'}}", "{1, {2, :\"$damaged\"}}"},
        {BYTES(108, 0, 0, 0, 1, 97, 1), "[1|'$damaged']", "[1 | :\"$damaged\"]"},
        {BYTES(105, 255, 255, 255, 255, 106), "{[],'$damaged'}", "{[], :\"$damaged\"}"},
        {BYTES(116, 0, 0, 0, 2, 119, 1, 'a'), "#{a => '$damaged'}", "%{:a => :\"$damaged\"}"},
        {BYTES(116, 0, 0, 0, 2, 97, 1, 106), "#{1 => [],'$damaged' => '$damaged'}",
         "%{1 => [], :\"$damaged\" => :\"$damaged\"}"},
        {BYTES(116, 0, 0, 0, 3, 97, 1, 106, 97, 1, 97, 2),
         "{'$map',[{1,[]},{1,2},{'$damaged','$damaged'}]}",
         "{:\"$map\", [{1, []}, {1, 2}, {:\"$damaged\", :\"$damaged\"}]}"},
        {BYTES(116, 0, 0, 0, 2, 119, 8, '$', 'd', 'a', 'm', 'a', 'g', 'e', 'd', 106),
         "{'$map',[{'$damaged',[]},{'$damaged','$damaged'}]}",
         "{:\"$map\", [{:\"$damaged\", []}, {:\"$damaged\", :\"$damaged\"}]}"},
        {BYTES(116, 0, 0, 0, 1, 116, 0, 0, 0, 1, 104, 1),
         "#{#{{'$damaged'} => '$damaged'} => '$damaged'}",
         "%{%{{:\"$damaged\"} => :\"$damaged\"} => :\"$damaged\"}"},
        {BYTES(67, 0, 0, 0, 2, 1, 119, 1, 'm', 119, 1, 'r', 119, 1, 'a', 119, 1, 'b', 97, 1),
         "{'$record',m,r,[{a,1},{b,'$damaged'}]}",
         "{:\"$record\", :m, :r, [a: 1, b: :\"$damaged\"]}"},
        {BYTES(117, 0, 0, 0, 2, PID, 119, 1, 'm', 97, 3, 97, 4, 97, 1),
         "{'$fun',m,3,4,undefined,[1,'$damaged']}",
         "{:\"$fun\", :m, 3, 4, nil, [1, :\"$damaged\"]}"},
        {BYTES(), "'$damaged'", ":\"$damaged\""},
    };
    assert_cases(cases, sizeof cases / sizeof cases[0], true);
}

/* Cut anywhere, it ends, and nothing behind the bytes is read. */
static void test_every_prefix(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES * NUM_OPTIONS; i++) {
        const struct term_sample *sample = &samples[i / NUM_OPTIONS];
        for (size_t len = 0; len <= sample->len; len++) {
            struct guard_page page = guard_page_copy(sample->bytes, len);
            struct ds_term term = samples_term(page.bytes, len);
            struct ds_buffer text = {0};
            term.damaged = len < sample->len;
            assert_true(ds_code_term(&term, &all_options[i % NUM_OPTIONS], &text));
            if (text.len == 0)
                fail_msg("sample %zu, %zu bytes, options %zu: nothing", i / NUM_OPTIONS, len,
                         i % NUM_OPTIONS);
            ds_buffer_free(&text);
            guard_page_free(&page);
        }
    }
}

static void test_lines(void **state)
{
    (void)state;
    const struct {
        const uint8_t *bytes;
        size_t len;
        struct ds_code_options options;
        const char *text;
    } cases[] = {
        /* What belongs together stays together. */
        {BYTES(104, 2, 104, 3, 97, 1, 97, 2, 97, 3, 104, 4, 97, 4, 97, 5, 97, 6, 97, 7),
         {.width = 12},
         "{{1,2,3},\n  {4,5,6,7}}"},
        {BYTES(104, 2, 104, 3, 97, 1, 97, 2, 97, 3, 104, 4, 97, 4, 97, 5, 97, 6, 97, 7),
         {.width = 14, .indent = 2, .language = DS_CODE_ELIXIR},
         "{{1, 2, 3},\n    {4, 5, 6,\n      7}}"},
        {BYTES(104, 1, 109, 0, 0, 0, 12, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k',
               '"'),
         {.width = 10},
         "{<<\"abcde\"\n  \"fghijk\"\n  \"\\\"\">>}"},
        {BYTES(104, 1, 109, 0, 0, 0, 12, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k',
               '#'),
         {.width = 10, .language = DS_CODE_ELIXIR},
         "{\"abcdefg\\\nhijk\\#\"}"},
        {BYTES(107, 0, 6, 1, 2, 3, 4, 5, 6), {.width = 8}, "[1,2,3,\n  4,5,6]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_term term = samples_term(cases[i].bytes, cases[i].len);
        assert_code(&term, &cases[i].options, cases[i].text);
    }
}

/* Columns count from the newline before. */
static void test_appends(void **state)
{
    (void)state;
    struct ds_term term = samples_term(BYTES(104, 2, 97, 1, 97, 2));
    const struct ds_code_options options = {.width = 8, .indent = 1};
    struct ds_buffer text = {0};
    ds_buffer_add_text(&text, "a long line\nx = ");
    assert_true(ds_code_term(&term, &options, &text));
    assert_string_equal((ds_buffer_add(&text, "", 1), text.data), "a long line\nx = {1,\n   2}");
    ds_buffer_free(&text);
}

static void test_too_deep(void **state)
{
    (void)state;
    struct ds_term term = samples_term(BYTES(104, 2, 104, 1, 104, 2, 97, 1, 97, 2, 108, 0, 0, 0, 1,
                                             104, 2, 119, 1, 'a', 97, 1, 106));
    assert_code(&term, &(struct ds_code_options){.max_depth = 2}, "{{{'$deep',6}},[{'$deep',7}]}");
    assert_code(&term, &(struct ds_code_options){.max_depth = 2, .language = DS_CODE_ELIXIR},
                "{{{:\"$deep\", 6}}, [{:\"$deep\", 7}]}");
}

/* deep_term nests depth times: lists of pairs, maps, tuples, records. */
static struct ds_buffer deep_term(size_t depth)
{
    const struct {
        const uint8_t *bytes;
        size_t len;
    } layers[] = {
        {BYTES(104, 1)},
        {BYTES(116, 0, 0, 0, 1, 119, 1, 'a')},
        {BYTES(108, 0, 0, 0, 1, 106)},
        {BYTES(67, 0, 0, 0, 1, 1, 119, 1, 'm', 119, 1, 'r', 119, 1, 'f')},
        {BYTES(104, 2, 106)},
    };
    struct ds_buffer bytes = {0};
    for (size_t i = 0; i < depth; i++)
        ds_buffer_add(&bytes, layers[i % 5].bytes, layers[i % 5].len);
    ds_buffer_add(&bytes, (const uint8_t[]){106}, 1);
    assert_false(bytes.failed);
    return bytes;
}

static void test_deep(void **state)
{
    (void)state;
    struct ds_buffer bytes = deep_term(1000000);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    for (size_t i = 0; i < 4; i++) {
        struct ds_buffer text = {0};
        assert_true(ds_code_term(&term, &all_options[i], &text));
        assert_in_range(text.len, bytes.len, 20 * bytes.len);
        ds_buffer_free(&text);
    }
    ds_buffer_free(&bytes);
}

static const struct ds_code_options *failing_options;

static void code_or_fail(void *context)
{
    struct ds_buffer text = {0};
    bool ok = ds_code_term(context, failing_options, &text);
    assert_int_equal(ok, !failing_alloc_failed());
    ds_buffer_free(&text);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct ds_buffer bytes = deep_term(500);
    /* Also a pid and a large integer, and terms behind them. */
    struct ds_buffer more = {0};
    ds_buffer_add(&more, (const uint8_t[]){104, 3, PID, 110, 9, 0, TEN(1)}, 2 + 15 + 12);
    static const uint8_t map[] = {104, 2, 116, 0, 0, 0, 2, 97, 1, 106, 97, 1, 106};
    ds_buffer_add(&more, map, sizeof map);
    ds_buffer_add(&more, bytes.data, bytes.len);
    struct ds_term term = samples_term((const uint8_t *)more.data, more.len);
    for (size_t i = 0; i < 4; i++) {
        failing_options = &all_options[i];
        assert_true(failing_alloc_each(code_or_fail, &term) > 4);
    }
    ds_buffer_free(&bytes);
    ds_buffer_free(&more);
}

static unsigned num_asked;

static bool is_stopped(void)
{
    return ++num_asked == 3;
}

/* It checks from time to time whether to stop, and omits the rest. */
static void test_code_stops(void **state)
{
    (void)state;
    struct ds_buffer bytes = deep_term(10000), text = {.is_stopped = is_stopped};
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_false(ds_code_term(&term, &all_options[0], &text));
    assert_true(text.failed && num_asked == 3);
    assert_in_range(text.len, 0, 200000);
    ds_buffer_free(&text);
    assert_ptr_equal(text.is_stopped, is_stopped);
    ds_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_has_no_syntax),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_no_atom),
        cmocka_unit_test(test_damaged_is_complete),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_appends),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_code_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
