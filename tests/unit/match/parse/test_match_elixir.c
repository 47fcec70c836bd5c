/*
 * test_match_elixir.c - patterns of -m in Elixir's syntax: their Erlang translation, which language
 * a pattern is in, every error with its place, every prefix, failing memory. tests/terms/match.exs
 * compares them with Elixir's own clauses.
 */
#include "failing_alloc.h"
#include "match/parse/match_elixir.h"
#include "match/parse/match_language.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct {
    const char *elixir, *erlang;
} patterns[] = {
    {"Shop.Cart.add(id, %{name: _}) when is_integer(id) :: return",
     "'Elixir.Shop.Cart':'add'(V_id, #{'name':= _}) when is_integer(V_id) -> return"},
    {"{:leave, %Cat{name: name}, \"Minsk\" <> _}",
     "{'leave', #{'__struct__':='Elixir.Cat','name':= V_name}, <<\"Minsk\",_/binary>>}"},
    {"{:a, \"x\" <> rest}", "{'a', <<\"x\", V_rest/binary>>}"},
    {"Enum.map(_, _)", "'Elixir.Enum':'map'(_, _)"},
    {"Elixir.Enum.map/2", "'Elixir.Enum':'map'/2"},
    {":ets.insert(_, _)", "'ets':'insert'(_, _)"},
    {":ets", "'ets'"},
    {"Shop.Cart", "'Elixir.Shop.Cart'"},
    {"Shop.Cart.add/_", "'Elixir.Shop.Cart':'add'"},
    {"Shop.Cart._", "'Elixir.Shop.Cart':_"},
    {"Shop.Cart.\"a b\"(1)", "'Elixir.Shop.Cart':'a b'(1)"},
    {"Shop.Cart.empty?(_)", "'Elixir.Shop.Cart':'empty?'(_)"},
    {"[a: 1, b: x]", "[{'a', 1}, {'b', V_x}]"},
    {"[a: {1, 2} | t]", "[{'a', {1, 2} }| V_t]"},
    {"[{:a, 1}]", "[{'a', 1}]"},
    {"%{a: %{b: [c: 1]}}", "#{'a':= #{'b':= [{'c', 1}]}}"},
    {"%{\"k\" => v, :a => ^v}", "#{<<\"k\">> := V_v, 'a' := V_v}"},
    {"%{\"a b\": 1}", "#{'a b':= 1}"},
    {"%_{a: nil}", "#{'__struct__':=_,'a':= nil}"},
    {"%mod{}", "#{'__struct__':=V_mod}"},
    {"<<a::8, rest::binary>>", "<<V_a:8, V_rest/binary>>"},
    {"<<n::16-little, b::binary-size(n), _::bitstring>>", "<<V_n:16/little, V_b:V_n/binary, _/bits>>"},
    {"<<\"ab\", x::size(3)>>", "<<\"ab\", V_x:3>>"},
    {"{:a, 'abc', ~c\"d\"}", "{'a', \"abc\", \"d\"}"},
    {"{:x, ?a, 0xFF, 0b1, 1_000, 1.5, -2}", "{'x', $a, 16#FF, 2#1, 1000, 1.5, -2}"},
    {"{:a, \"\\u00e9\\n\\\"\"}", "{'a', <<\"\\x{00e9}\\n\\\"\"/utf8>>}"},
    {"{:\"it's\", :+, :a@b, :ok?}", "{'it\\'s', '+', 'a@b', 'ok?'}"},
    {"{:a, x} = y", "{'a', V_x} = V_y"},
    {"{:a, b} when b != 1 and b !== 2 or b === 3 and b <= 4",
     "{'a', V_b} when V_b /= 1 andalso V_b =/= 2 orelse V_b =:= 3 andalso V_b =< 4"},
    {"x when is_nil(x)", "V_x when (nil =:= (V_x))"},
    {"x when elem(x, 1) == :b", "V_x when element(( 1)+1,V_x) == 'b'"},
    {"x when elem(elem(x, 0), 1) == :b", "V_x when element(( 1)+1,element(( 0)+1,V_x)) == 'b'"},
    {"x when rem(x, 2) == 0 and div(x, 3) > 1",
     "V_x when ((V_x) rem ( 2)) == 0 andalso ((V_x) div ( 3)) > 1"},
    {"x when is_struct(x)", "V_x when is_map_key('__struct__',V_x)"},
    {"x when x in 1..10", "V_x when  ((is_integer(V_x) andalso V_x >= 1 andalso V_x =< 10))"},
    {"x when x not in [:a, 2]", "V_x when  (not (V_x =:= 'a' orelse V_x =:=  2))"},
    {"{a, b} :: return", "{V_a, V_b} -> return"},
};

static void test_translations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct match_elixir erlang;
        struct ds_match_error error = {0};
        assert_true(match_is_elixir(patterns[i].elixir));
        if (!match_elixir_write(patterns[i].elixir, &erlang, &error))
            fail_msg("%s: column %zu: %s", patterns[i].elixir, error.column, error.what);
        assert_string_equal(erlang.text.data, patterns[i].erlang);
        match_elixir_free(&erlang);
        struct ds_match *match = ds_match_compile(patterns[i].elixir, &error);
        if (match == NULL)
            fail_msg("%s: column %zu: %s", patterns[i].elixir, error.column, error.what);
        ds_match_free(match);
    }
}

/* Erlang patterns stay as they are. */
static void test_erlang_is_none(void **state)
{
    static const char *const erlang[] = {
        "{leave, {cat, Name}, Town} when Town =/= {town, <<\"Minsk\">>}",
        "cat_traveler:enter({cat, <<\"Tihon\">>}, _) -> return",
        "{_, <<Len:16, Body:Len/binary, _/binary>>} when Len > 100",
        "#{weight := Kg} when is_float(Kg), Kg * 2 < 9.5",
        "{a, \"Foo.bar: :x %{}\", 'b: %'}",
        "lists:seq(1, N) when N div 2 > 9; N rem 2 =:= 0",
        "Mod:Fun(_)",
        "{ok, 1.5}",
        "<<\"ab\":16>>",
        "'a b':c(_)",
        "undefined when not (is_bitstring([255 | \"b\"]))",
        "in when true",
        "{a, true} when true",
        "{'when', not_} when not true",
    };
    (void)state;
    for (size_t i = 0; i < sizeof erlang / sizeof erlang[0]; i++)
        assert_false(match_is_elixir(erlang[i]));
}

static void assert_error(const char *text, size_t column, const char *what)
{
    struct ds_match_error error = {0};
    assert_null(ds_match_compile(text, &error));
    assert_string_equal(error.what, what);
    assert_int_equal(error.column, column);
}

static void test_errors(void **state)
{
    (void)state;
    assert_error("{:leave, Name", 14, "expected }, not the end");
    assert_error("{:a, \"\\u12\", x}", 7, "expected \\u and four digits, or \\u{...}");
    assert_error("{:a, \"\\u{12\"", 7, "expected \\u and four digits, or \\u{...}");
    assert_error("{:a, \"\\u{1234567}\"}", 7, "expected \\u and four digits, or \\u{...}");
    assert_error("\"\\u", 1, "this \" is not closed");
    assert_error("{:a, ]", 6, "this ] closes nothing");
    assert_error("{:a, x.b}", 7, "'.' has no meaning here");
    assert_error("~D[2020-01-01]", 1,
                 "sigils cannot stand in a pattern: write %Date{year: 2026}, for one");
    assert_error("Lab.Store:handle(x)", 10, "in Elixir a dot stands before a function: .handle");
    assert_error("{:a, foo(x)}", 6, "expected a function with its module: Mod.foo(...)");
    assert_error("{:a, \"x", 6, "this \" is not closed");
    assert_error("{:a, \"x#{y}\"}", 8,
                 "nothing is put into a string here: write \\#{ for the characters");
    assert_error("{a: 1}", 2, "a key stands in a map or a list: %{a: ...}");
    assert_error("%Foo", 1, "expected %{...} or %Name{...}");
    assert_error(":a, :b", 3, "expected when, :: or the end, not ','");
    assert_error("{:a, b} when b && 1", 16, "&& cannot stand in a pattern");
    assert_error("{:a, b} when b in c", 19, "expected [...] or a range like 1..10 behind in");
    assert_error("{:a, b} when b =:= 1", 16,
                 "expected an operator, -> or the end, not '=': =:= is Erlang's, Elixir writes ===");
    assert_error("{A, B} when A != B", 15,
                 "expected a word of Erlang, not '!': != is Elixir's, Erlang writes /=");
    assert_error("rex:call(_) :: return", 5,
                 "expected when, -> or the end, not 'call'; Elixir writes :rex.call");
    assert_error("shop.cart(_)", 5,
                 "expected when, -> or the end, not '.'; Erlang writes shop:cart, Elixir :shop.cart");
    assert_error("{:a, #{b => 1}}", 6, "'#' has no meaning here: #{ is Erlang's, Elixir writes %{");
    assert_error("{:a, b} when c == 1", 14, "expected a variable of the pattern, not 'c'");
}

static void compile_or_fail(void *context)
{
    struct ds_match_error error = {0};
    struct ds_match *match = ds_match_compile(context, &error);
    assert_true(match != NULL || failing_alloc_failed());
    ds_match_free(match);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        assert_true(failing_alloc_each(compile_or_fail, (void *)(uintptr_t)patterns[i].elixir) > 2);
}

/* Each prefix of a pattern is a pattern, or has an error within it. */
static void test_every_prefix(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        const size_t len = strlen(patterns[i].elixir);
        for (size_t n = 0; n < len; n++) {
            struct ds_match_error error = {0};
            char *text = strndup(patterns[i].elixir, n); /* as long as it is, for the sanitizer */
            struct ds_match *match = ds_match_compile(text, &error);
            assert_true(match != NULL || (error.column >= 1 && error.column <= n + 1));
            ds_match_free(match);
            free(text);
        }
    }
}

static void test_caps(void **state)
{
    struct ds_match_error error;
    char text[DS_MATCH_MAX_LEN + 2];
    (void)state;
    memset(text, '[', sizeof text);
    text[0] = '%';
    text[1] = '{';
    text[sizeof text - 1] = '\0';
    assert_null(ds_match_compile(text, &error));
    text[DS_MATCH_MAX_LEN] = '\0';
    assert_null(ds_match_compile(text, &error));
    assert_int_not_equal(error.column, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_translations), cmocka_unit_test(test_erlang_is_none),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_every_prefix), cmocka_unit_test(test_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
