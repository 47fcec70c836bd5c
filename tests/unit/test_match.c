/*
 * test_match.c - patterns of -m: what they match beyond what tests/terms/match.escript asks a
 * node about (calls, unknown atoms, damaged terms, bounds), every error with its place, every
 * prefix, lack of memory, and terms that end at an unreadable page.
 */
#include "etf_maker.h"
#include "failing_alloc.h"
#include "guard_page.h"

#include <distsniff/match.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define TERM(...)                                                                                  \
    ((struct ds_term){.data = (const uint8_t[]){__VA_ARGS__},                                      \
                      .len = sizeof((const uint8_t[]){__VA_ARGS__})})

static struct ds_term make_map(unsigned num_pairs, ...)
{
    const char head[5] = {116, 0, 0, 0, (char)num_pairs};
    va_list args;
    va_start(args, num_pairs);
    const struct ds_term map = etf_put(head, sizeof head, 2 * num_pairs, args);
    va_end(args);
    return map;
}

static struct ds_match *compile(const char *text)
{
    struct ds_match_error error = {0};
    struct ds_match *match = ds_match_compile(text, &error);
    if (match == NULL)
        fail_msg("%s: column %zu: %s", text, error.column, error.what);
    return match;
}

static enum ds_match_result run(const char *text, struct ds_term term)
{
    struct ds_match *match = compile(text);
    const enum ds_match_result result = ds_match_run_term(match, &term);
    assert_int_equal(ds_match_run_term(match, &term), result); /* the same again */
    ds_match_free(match);
    return result;
}

#define assert_match(text, term) assert_int_equal(run((text), (term)), DS_MATCH_YES)
#define assert_no_match(text, term) assert_int_equal(run((text), (term)), DS_MATCH_NO)

static void terms(void **state)
{
    (void)state;
    etf_reset();
    struct ds_term cat = etf_tuple(3, etf_cached("leave"),
                                   etf_tuple(2, etf_cached("cat"), etf_binary("Tihon")),
                                   etf_tuple(2, etf_cached("town"), etf_binary("Minsk")));
    assert_match("{leave, {cat, Name}, Town}", cat);
    assert_match("{leave, '_', '_'}", cat); /* as in match specifications */
    assert_match("'_' when is_tuple({})", cat);
    assert_no_match("{leave, X, _} when X =:= '_'", cat);
    assert_match("{leave, {cat, <<\"Tihon\">>}, _}", cat);
    assert_match("{leave, {cat, <<\"Ti\", _/binary>>}, {_, _}}", cat);
    assert_match("{leave, {cat, Name}, Town} when Town =/= {town, <<\"Moskva\">>}", cat);
    assert_no_match("{leave, {cat, Name}, Town} when Town =/= {town, <<\"Minsk\">>}", cat);
    assert_no_match("{leave, {X, _}, {X, _}}", cat);
    assert_match("{leave, {C, _} = {cat, N}, _} = {_, _, {town, _} = {_, T}} = A "
                 "when A == {leave, {C, N}, {town, T}}, {N, T} == {<<\"Tihon\">>, <<\"Minsk\">>}",
                 cat);
    assert_match("{leave, {cat, X} = {_, X}, {_, <<Y:16, R/binary>> = <<Z:40>>}} "
                 "when Z bsr 24 == Y, byte_size(R) == 3", cat);
    assert_no_match("{leave, {cat, X} = {X, _}, _}", cat);
    assert_no_match("{leave, {_, _}, _} = {leave, {dog, _}, _}", cat);
    assert_match("{leave, {_, X}, {_, Y}} when X > Y, byte_size(X) =:= size(Y)", cat);
}

/* Forms that other implementations send. */
static void forms(void **state)
{
    (void)state;
    assert_match("[1, 2, 3]", TERM(107, 0, 3, 1, 2, 3));
    assert_match("[1, 2 | T] when T == [3]", TERM(107, 0, 3, 1, 2, 3));
    assert_match("[1, 2 | [3]]", TERM(108, 0, 0, 0, 2, 97, 1, 97, 2, 107, 0, 1, 3));
    assert_match("[1, 2, 3] = X when length(X) == 3, tl(tl(X)) =:= [3]",
                 TERM(108, 0, 0, 0, 1, 97, 1, 108, 0, 0, 0, 2, 97, 2, 97, 3, 106));
    assert_match("a", TERM(108, 0, 0, 0, 0, 119, 1, 'a')); /* no elements: its tail */
    assert_match("[]", TERM(107, 0, 0));
    assert_match("[]", TERM(108, 0, 0, 0, 0, 106));
    assert_match("X when X =:= 5", TERM(110, 3, 0, 5, 0, 0)); /* longer than it need be */
    assert_match("-9223372036854775808", TERM(110, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0x80));
    assert_match("X when X + 9223372036854775807 == -1",
                 TERM(110, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0x80));
    assert_match("'\xc3\xa9'", TERM(100, 0, 1, 0xe9)); /* latin-1 */
    assert_match("X when X == '\\x{e9}'", TERM(115, 1, 0xe9));
    assert_match("{}", TERM(105, 0, 0, 0, 0));
    assert_match("<<5:3>>", TERM(77, 0, 0, 0, 1, 3, 0xbf)); /* with bits set that do not count */
    assert_match("-0.0", TERM(70, 0, 0, 0, 0, 0, 0, 0, 0));
    assert_match("#{}", TERM(116, 0, 0, 0, 1, 97, 1, 97, 2));
    assert_match("#{1 => X} when X == 2", TERM(116, 0, 0, 0, 1, 97, 1, 97, 2));
    assert_no_match("#{1.0 := _}", TERM(116, 0, 0, 0, 1, 97, 1, 97, 2));
    assert_match("X when node(X) == a@h",
                 TERM(88, 119, 3, 'a', '@', 'h', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1));
    assert_match("{X, Y} when X == Y", /* a port of 28 bits and one of 64 */
                 TERM(104, 2, 89, 119, 1, 'n', 0, 0, 0, 7, 0, 0, 0, 1, 120, 119, 1, 'n', 0, 0, 0,
                      0, 0, 0, 0, 7, 0, 0, 0, 1));
    /* A record of OTP 29 is no tuple. */
    const struct ds_term record = TERM(67, 0, 0, 0, 1, 0, 119, 1, 'm', 119, 1, 'r', 119, 1, 'f',
                                       97, 1);
    assert_no_match("X when is_tuple(X)", record);
    assert_match("X when X == X, X >= X", record);
}

/* What users write for the binaries of their protocols. */
static void binaries(void **state)
{
    static const struct {
        const char *pattern, *bytes;
        size_t len;
        bool matches;
    } cases[] = {
#define CASE(pattern, bytes, matches) {pattern, bytes, sizeof(bytes) - 1, matches}
        CASE("<<\"GET \", Rest/binary>> when Rest == <<\"/index\">>", "GET /index", true),
        CASE("<<\"GET \", Rest/binary>>", "PUT /index", false),
        CASE("<<\"GET \", Rest/binary>>", "GET", false),
        CASE("<<N:16, R/binary>> when N == 258, R == <<3>>", "\1\2\3", true),
        CASE("<<Len:8, Body:Len/binary, _/binary>> when Body == <<\"ab\">>", "\2abc", true),
        CASE("<<Len:8, Body:Len/binary>>", "\2abc", false),
        CASE("<<Len, Body:(Len - 1)/binary, 0>> when byte_size(Body) == 2", "\3ab\0", true),
        CASE("<<X:4, Y:4>> when X == 10, Y =:= 5", "\xa5", true),
        CASE("<<X:4, X:4>>", "\xa5", false),
        CASE("<<X:4, X:4>>", "\xaa", true),
        CASE("<<1:4, R/bits>> when R == <<2:4, \"a\">>, bit_size(R) == 12", "\x12""a", true),
        CASE("<<_:4, B:8/bits, _:4>> when B == <<35>>, is_binary(B)", "\x12\x34", true),
        CASE("<<X:16/little, Y:16/signed-little>> when X == 513, Y == -2", "\1\2\xfe\xff", true),
        CASE("<<X/signed, _/binary>> when X < 0", "\x80", true),
        CASE("<<X/signed, _/binary>> when X < 0", "\x7f", false),
        CASE("<<X/utf8, R/binary>> when X == $\\x{20ac}, R == <<>>", "\xe2\x82\xac", true),
        CASE("<<X/utf8, _/binary>>", "\xe2\x82", false),
        CASE("<<X/utf16, _/binary>> when X == 16#1f600", "\xd8\x3d\xde\0", true),
        CASE("<<X/utf16, _/binary>>", "\xd8\x3d\xd8\0", false),
        CASE("<<X/utf16, _/binary>>", "\xdc\0", false),
        CASE("<<_:1, X/utf32, _/bits>> when X == $a", "\0\0\0\x30\x80", true),
        CASE("<<_:1, X/utf32, _/bits>>", "\x7f\x7f\x7f\xff\0", false),
        CASE("<<X/utf32>>", "\0\x11\0\0", false),
        CASE("<<X/utf32>>", "\0\0\xd8\0", false),
        CASE("<<X/utf32-little>> when X == 16#10ffff", "\xff\xff\x10\0", true),
        CASE("<<X/float>> when X == 1.5", "\x3f\xf8\0\0\0\0\0\0", true),
        CASE("<<X/float>>", "\x7f\xf0\0\0\0\0\0\0", false), /* infinity */
        CASE("<<X:64>> when X > 9223372036854775807, X band 1 == 0", "\x80\0\0\0\0\0\0\0", true),
        CASE("<<-1>>", "\xff", false),
        CASE("<<-1/signed>>", "\xff", true),
        CASE("<<-1:4/signed, _:4>>", "\xf0", true),
        CASE("<<300>>", "\x2c", false),
        CASE("<<R/binary-unit:16>>", "abc", false),
        CASE("<<A:2/binary, A:2/binary>>", "abab", true),
        CASE("<<N:32, X:N/binary-unit:256, _/bits>>", "\xff\xff\xff\xff", false),
        CASE("<<N:64, X:N/binary-unit:256>>", "\x7f\xff\xff\xff\xff\xff\xff\xff", false),
        CASE("<<N:64, X:N/binary>>", "\xff\xff\xff\xff\xff\xff\xff\xff", false),
        CASE("<<N/signed, X:N/binary, _/bits>>", "\xff""abc", false),
        CASE("<<N, X:(hd(N))/binary, _/bits>>", "\1""abc", false),
        CASE("<<N, X:(N + 0.0)/binary, _/bits>>", "\1""abc", false),
        CASE("W = <<A, B>> = V when A == B, {W, V} == {<<1, 1>>, <<1, 1>>}", "\1\1", true),
#undef CASE
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        etf_reset();
        uint8_t bytes[64] = {109, 0, 0, 0, (uint8_t)cases[i].len};
        memcpy(bytes + 5, cases[i].bytes, cases[i].len);
        const struct ds_term term = {.data = bytes, .len = 5 + cases[i].len};
        if (run(cases[i].pattern, term) != (cases[i].matches ? DS_MATCH_YES : DS_MATCH_NO))
            fail_msg("%s: %s", cases[i].matches ? "does not match" : "matches", cases[i].pattern);
    }
    assert_match("{L, <<A:L/binary, R/binary>>} when A == <<\"ab\">>",
                 TERM(104, 2, 97, 2, 109, 0, 0, 0, 3, 'a', 'b', 'c'));
    assert_match("#{a := <<X:3>>} when X == 5",
                 make_map(1, etf_atom("a"), TERM(77, 0, 0, 0, 1, 3, 0xbf)));
    assert_match("\"ab\" ++ [<<X:3, Y/bits>> | T] when Y == <<>>, X == T",
                 TERM(108, 0, 0, 0, 3, 97, 'a', 97, 'b', 77, 0, 0, 0, 1, 3, 0xbf, 97, 5));
    assert_no_match("<<X>>", TERM(97, 1));
    assert_no_match("<<X>>", TERM(109, 0, 0, 0, 2, 1)); /* cut off */
}

static void syntax(void **state)
{
    (void)state;
    const struct ds_term any = TERM(97, 1); /* 1 */
    const char *const holding[] = {
        "1 when 1 + 2 * 3 == 7 % a comment",
        "_ when 7 - 2 - 1 == 4, 2 * 3 div 4 == 1, 7 rem 4 == 3, -7 rem 4 == -3, -7 div 4 == -1",
        "_ when not false andalso true orelse false",
        "_ when true orelse hd(a)",
        "_ when hd(a); true",
        "_ when (hd(a) == 1) or true; 1 == 1.0",
        "_ when 1 /= 2, 1 =/= 1.0, 1 =< 1, 2 > 1, 2 >= 2, 1 < 2",
        "_ when 16#fF == 255, 2#101 == 5, 36#Zz == 1295, 1_000 == 1000, $a == 97, $\\n == 10, $  == 32",
        "_ when \"a\\x41\\x{20ac}\\101\\^a\\s\" == [97, 65, 8364, 65, 1, 32]",
        "_ when 'it\\'s' == 'it\\x{27}s', abc@d_E1 == 'abc@d_E1'",
        "_ when 1.5e3 == 1500, 1.0e-2 == 0.01",
        "_ when 1 bsl 100 bsr 99 == 2, -1 bsr 200 == -1, 5 band 3 == 1, 5 bor 3 == 7, 5 bxor 3 == 6",
        "_ when ((1 bsl 64) - 1) band 16#ffff == 65535, bnot 5 == -6, -(1 bsl 64) band 7 == 0",
        "_ when 7 / 2 == 3.5, 100000000000000000000 rem 7 == 2, 100000000000000000000 div -7 < 0",
        "_ when <<1, 2:16, 5:3, -1:5>> == <<1, 0, 2, 191>>, <<\"\xc3\xa5\"/utf8>> == <<195, 165>>",
        "_ when <<\"\xc3\xa5\">> == <<229>>, <<-2>> == <<254>>, <<-256:16>> == <<255, 0>>",
        "_ when #{a => 1, b => 2} == #{b => 2.0, a => 1}, #{a => 1} < #{a => 2}, #{a => 1} < #{b => 0}",
        "_ when {1, 2} < {1, 2, 0}, [1, 2] > [1], \"b\" > \"a\", a < b, 1 < a, a < {}, {} < #{}",
        "_ when #{} < [], [] < [0], [0] < <<>>, <<1:1>> > <<>>, <<128>> > <<1:1>>",
        "_ when map_get(k, #{k => v}) == v, is_map_key({1}, #{{1} => 1}), map_size(#{}) == 0",
        "_ when element(2, {a, b}) == b, tuple_size({}) == 0, length([1, 2]) == 2, hd([x]) == x",
        "_ when binary_part(<<\"abc\">>, 1, 2) == <<\"bc\">>, binary_part(<<\"abc\">>, {3, -1}) == <<\"c\">>",
        "_ when binary_part(<<1, 2, 3:2>>, 2, -1) == <<2>>, binary_part(<<5:3>>, 0, 0) == <<>>",
        "_ when abs(-5) == 5, abs(-0.5) == 0.5, trunc(-1.5) == -1, round(2.5) == 3, floor(-1.5) == -2",
        "_ when ceil(1.2) == 2, float(1) =:= 1.0, trunc(1.0e30) == 1000000000000000019884624838656",
        "_ when max(1, a) == a, min(1, a) == 1, erlang:is_atom(a), true xor false, is_boolean(true)",
        "_ when is_record({a, 1}, a), is_record({a, 1}, a, 2), is_bitstring(<<1:1>>), not is_binary(<<1:1>>)",
        "X when {X, a} == {1, a}, {X, {X}} =:= {1, {1}}, {X} == {1.0}, {X} =/= {1.0}, {} == {}",
        "X when [X, 2 | [3]] == [1, 2, 3], [0 | [X]] =:= [0, 1], [X] < [2]",
        "X when [X | a] > [0], [] < [X]",
        "X when [X + 1, X - 1] == [2, 0], {hd([X]), tl([0, X])} == {1, [1]}, [[], [X]] > [[]]",
        "X when #{a => X, b => 2} =:= #{b => 2, a => 1}, #{X => a} == #{1 => a}",
        "X when #{X => a} /= #{1.0 => a}, #{a => X, a => 2} == #{a => 2}",
        "X when #{X => a, 1 => b} == #{1 => b}",
        "X when #{X => 1, 1.0 => 2} =:= #{1.0 => 2, 1 => 1}",
        "X when map_size(#{X => 1, 1.0 => 2, 1 => 3}) == 2",
        "_ when #{a => 1, a => 2} == #{a => 2}, #{a => 1, b => 2, a => 3} =:= #{b => 2, a => 3}",
        "X when #{a => X}#{b => 2, a := 3} =:= #{a => 3, b => 2}, (#{})#{X => X} == #{1 => 1}",
        "X when #{}#{X => X}#{X := 2, a => 3} == #{1 => 2, a => 3}",
        "X when map_size(#{}#{X => 1, X => 2}) == 1",
        "X when map_get(X, #{1 => {X}}) == {X}, is_map_key(X, #{X => X}), element(X, {a, X}) == a",
        "X when length([X, X | [X]]) == 3, hd(tl([a, X])) == X, tuple_size({X, {X, X}}) == 2",
        "X when is_record({a, X}, a, 2), is_tuple({X}), is_list([X | X]), is_map(#{X => X})",
        "X when element(1, element(2, {a, {X, b}})) =:= 1, {a, element(1, {{X}})} == {a, {1}}",
        "X when not ({X} == {2}) andalso [X] == \"\\x01\", {X == 1, X < 1} == {true, false}",
        "X when is_function({X}, 1) == false, {X} < {1, 1}",
        "X when #{X => 1} < #{2 => 0}, {X} > a, #{X => 1} < []",
        "X when {{X}, 1} > {{0}, 2}, hd([X | hd(a)]) == 1; {X, hd([hd([X])])} == {1, 1}",
        "X when [X | [2 | [3 | []]]] == [1, 2, 3], [X|[]] == [1]",
        "X when {{{X}, {}}, []} < {{{2}, {}}, []}",
        "X when <<X>> == <<1>>, <<X:16, 2>> == <<0, 1, 2>>, <<X:4, X:4>> =:= <<17>>, <<>> == <<>>",
        "X when <<\"a\", X, \"\\x{e5}\"/utf8>> == <<97, 1, 195, 165>>, <<\"ab\":4, X:0>> == <<18>>",
        "X when <<\"ab\":16/little, X>> == <<97, 0, 98, 0, 1>>, <<X:12/little>> == <<1, 0:4>>",
        "X when <<(X + 1):(X * 8)>> == <<2>>, <<-X>> == <<255>>",
        "X when <<(-X):16/signed>> == <<255, 255>>",
        "X when <<X/float>> == <<1.0/float>>, <<X:32/float>> == <<63, 128, 0, 0>>",
        "X when <<X:16/float-little>> == <<0, 60>>, <<70000.0:16/float>> == <<124, 0>>",
        "X when <<6.0e-8:16/float, 2047.6:16/float>> == <<0, 1, 104, 0>>",
        "X when <<-1.5/float>> == <<191, 248, 0:48>>",
        "X when <<8364/utf8, X/utf16-little>> == <<226, 130, 172, 1, 0>>",
        "X when <<128512/utf16>> == <<216, 61, 222, 0>>",
        "X when <<(<<X, 2, 3>>):2/binary>> == <<1, 2>>, << <<X:1>>/bits, <<5:7>>/bits>> == <<133>>",
        "X when << <<X>>/binary, (<<2:4>>)/bits>> == <<1, 2:4>>, <<(1 bsl 70):72>> == <<64, 0:64>>",
        "X when {<<X>>, [<<X:2>>]} == {<<1>>, [<<1:2>>]}, byte_size(<<X:4, 2:8, 3:4>>) == 2",
        "X when <<X:1/unit:16>> == <<1:16>>, bit_size(<<1:5000>>) == 5000",
        "A = B = 1 when A == B",
        "A = 1 = B = C when A == B, B == C",
        "1 = 1 = A = 1 = 1 when A == 1",
    };
    for (size_t i = 0; i < sizeof holding / sizeof holding[0]; i++)
        if (run(holding[i], any) != DS_MATCH_YES)
            fail_msg("does not hold: %s", holding[i]);
    const char *const failing[] = {
        "_ when 5",
        "_ when a",
        "_ when hd([])",
        "_ when 1 div 0 == 1",
        "_ when 1 div 0 == 1 orelse true",
        "_ when 1 / 0.0 == 1",
        "_ when 1.0e308 * 10 == 1",
        "_ when 1.0 bsl 1 == 2",
        "_ when 1 bsl 10000000 > 1",
        "_ when not 1",
        "_ when 1 andalso true",
        "_ when true and 1",
        "_ when element(3, {a, b}) == b",
        "_ when length([1 | 2]) == 1",
        "_ when map_get(x, #{}) == 1",
        "_ when binary_part(<<\"abc\">>, 2, 2) == <<\"c\">>",
        "_ when binary_part(<<\"abc\">>, 1, -2) == <<\"c\">>",
        "_ when false; hd(1); 2 < 1",
        "_ when binary_part(<<1, 2:2>>, 0, 2) == a; binary_part(<<1:1>>, 1, 0) == <<>>",
        "X when {X, hd([])} == {1, a}",
        "X when element(3, {X, X}) == 1",
        "X when map_get(b, #{a => X}) == 1",
        "X when length([X | X]) == 1",
        "X when {X}",
        "X when [X]",
        "X when size([X]) == 1",
        "X when X#{a => 1} == a; #{}#{X := 1} == a; #{1.0 => X}#{X := 2} == a",
        "X when [X]#{a => 1} == a; map_size(#{a => X}#{b := 1}) > 0",
        "X when is_map_key(X, {X})",
        "X when {X} + 1 > 0",
        "X when <<a>> == X",
        "X when <<X/binary>> == X",
        "X when <<1.5>> == X",
        "X when <<X:(0 - 1)>> == X",
        "X when <<X:8/float>> == X",
        "X when <<(<<X>>):2/binary>> == X",
        "X when <<(<<X:1>>)/binary>> == X",
        "X when <<55296/utf8>> == X",
        "X when <<1114112/utf32>> == X",
        "X when <<-1/utf16>> == X",
        "X when byte_size(<<1:(1 bsl 62)/unit:8>>) > 1",
    };
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++)
        if (run(failing[i], any) != DS_MATCH_NO)
            fail_msg("holds: %s", failing[i]);
}

static bool call_matches(const char *text, const struct ds_term *mod, const struct ds_term *fun,
                         const struct ds_term *args)
{
    struct ds_match *match = compile(text);
    assert_true(ds_match_is_for_calls(match));
    const enum ds_match_result result = ds_match_run_call(match, mod, fun, args);
    ds_match_free(match);
    assert_true(result == DS_MATCH_YES || result == DS_MATCH_NO);
    return result == DS_MATCH_YES;
}

static void calls(void **state)
{
    (void)state;
    etf_reset();
    const struct ds_term mod = etf_cached("cat_traveler"), fun = etf_cached("enter"), none = {0};
    const struct ds_term cat = etf_tuple(2, etf_atom("cat"), etf_binary("Tihon"));
    const struct ds_term args = etf_list(2, cat, etf_atom("minsk"), etf_nil());
    const struct ds_term bytes = TERM(107, 0, 2, 1, 10); /* seq(1, 10) */
    const char *const matching[] = {
        "cat_traveler:enter({cat,<<\"Tihon\">>}, _)",
        "cat_traveler:enter({cat, Name}, Town) when Name == <<\"Tihon\">>, is_atom(Town)",
        "cat_traveler:enter/2", "cat_traveler:enter", "cat_traveler", "_:enter/2", "M:F(_, _)",
        "'cat_traveler' : 'enter' (_, T) when T == minsk", "M:enter(_, _) when M > a -> return",
    };
    for (size_t i = 0; i < sizeof matching / sizeof matching[0]; i++)
        if (!call_matches(matching[i], &mod, &fun, &args))
            fail_msg("does not match: %s", matching[i]);
    const char *const failing[] = {
        "cat_traveler:enter(_)", "cat_traveler:enter/1", "cat_traveler:enter/255",
        "cat_traveler:enter()", "cat_traveler:leave", "cat", "X:X/2",
        "cat_traveler:enter({cat, <<\"Tihon\">>}, vitebsk)",
    };
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++)
        if (call_matches(failing[i], &mod, &fun, &args))
            fail_msg("matches: %s", failing[i]);
    assert_true(call_matches("_:_(1, 10)", &mod, &fun, &bytes));
    assert_true(call_matches("_:_/2", &mod, &fun, &bytes));
    assert_true(call_matches("cat_traveler:enter", &mod, &fun, &none));
    assert_false(call_matches("cat_traveler:enter/2", &mod, &fun, &none));
    assert_false(call_matches("cat_traveler:enter(_, _)", &mod, &fun, &none));

    struct ds_match *match = compile("ok");
    assert_true(ds_match_is_for_calls(match) && ds_match_is_for_terms(match));
    assert_false(ds_match_wants_return(match));
    ds_match_free(match);
    match = compile("m:f -> return");
    assert_false(ds_match_is_for_terms(match));
    assert_true(ds_match_wants_return(match));
    ds_match_free(match);
    match = compile("{m, _} -> return, return");
    assert_false(ds_match_is_for_calls(match));
    ds_match_free(match);
}

static void unknown_atoms(void **state)
{
    (void)state;
    etf_reset();
    const struct ds_term unknown = etf_cached(NULL);
    assert_no_match("a", unknown);
    assert_match("_", unknown);
    assert_match("X when is_atom(X)", unknown);
    assert_no_match("X when X == a", unknown);
    assert_no_match("X when X =/= a", unknown); /* who knows */
    assert_no_match("X when is_boolean(X); not is_boolean(X)", unknown);
    assert_match("{X, X}", etf_tuple(2, unknown, unknown)); /* but this is certain */
    assert_no_match("{X, X}", etf_tuple(2, unknown, etf_cached(NULL)));
    assert_match("{_, b}", etf_tuple(2, unknown, etf_atom("b")));
    assert_match("{X, Y} when {X, b} == {X, Y}", etf_tuple(2, unknown, etf_atom("b")));
    assert_match("{X, Y} when [X | Y] =:= [X, c] orelse #{Y => X} == #{b => X}",
                 etf_tuple(2, unknown, etf_atom("b")));
    assert_no_match("{X, Y} when {X} == {Y}; {X} =/= {Y}", etf_tuple(2, unknown, etf_atom("b")));
    assert_no_match("{X, Y} when map_size(#{X => 1, Y => 2}) > 0",
                    etf_tuple(2, unknown, etf_atom("b"))); /* one key, or two */
    const struct ds_term map = make_map(2, unknown, etf_int(1), etf_atom("k"), etf_int(2));
    assert_match("#{k := 2}", map);
    assert_no_match("#{j := 2}", map);
    assert_no_match("X when not is_map_key(j, X)", map);
    const struct ds_term bad = {.data = (const uint8_t *)"R\7", .len = 2};
    assert_match("_", bad);
    assert_no_match("a", bad);
    assert_no_match("X when X == a; not (X == a)", bad);
}

/* What a snap length cut off matches as far as it is not looked at. */
static void damaged(void **state)
{
    (void)state;
    assert_match("{a, _}", TERM(104, 2, 119, 1, 'a', 109, 0, 0, 1, 0, 'x'));
    assert_no_match("{a, _, b}", TERM(104, 3, 119, 1, 'a', 109, 0, 0, 1, 0, 'x'));
    assert_no_match("{a, X} when is_binary(X)", TERM(104, 2, 119, 1, 'a', 109, 0, 0, 1, 0, 'x'));
    assert_no_match("{a, <<\"x\", _/binary>>}", TERM(104, 2, 119, 1, 'a', 109, 0, 0, 1, 0, 'x'));
}

static struct ds_term deep(uint8_t *bytes, size_t num)
{
    for (size_t i = 0; i < num; i++)
        memcpy(bytes + 2 * i, (const uint8_t[]){104, 1}, 2);
    bytes[2 * num] = 106;
    return (struct ds_term){.data = bytes, .len = 2 * num + 1};
}

static void bounds(void **state)
{
    static uint8_t area[3 * 100000 + 10];
    char text[DS_MATCH_MAX_LEN + 2];
    struct ds_match_error error;
    (void)state;
    /* Nested too deeply to compare. */
    const struct ds_term two = etf_tuple(2, deep(area, 1000), deep(area, 1000));
    assert_int_equal(run("{X, X}", two), DS_MATCH_GAVE_UP);
    assert_int_equal(run("{X, Y} when X /= Y; true", two), DS_MATCH_GAVE_UP);
    assert_match("{{{{_}}}, _}", two);
    /* A map whose keys come in the worst order, compared for order. */
    enum { NUM = 3000 };
    uint8_t *at = area;
    for (int i = 0; i < NUM; i++, at += 7)
        memcpy(at, (const uint8_t[]){98, 0, 0, (uint8_t)(i >> 8), (uint8_t)i, 97, 1}, 7);
    uint8_t *map = malloc(2 * (5 + NUM * 7) + 2);
    uint8_t *to = map;
    memcpy(to, (const uint8_t[]){104, 2}, 2);
    to += 2;
    for (int i = 0; i < 2; i++, to += 5 + NUM * 7) {
        memcpy(to, (const uint8_t[]){116, 0, 0, NUM >> 8, NUM & 255}, 5);
        memcpy(to + 5, area, NUM * 7);
    }
    const struct ds_term maps = {.data = map, .len = (size_t)(to - map)};
    assert_match("{X, X}", maps);
    assert_match("{X, Y} when X == Y", maps);
    assert_int_equal(run("{X, Y} when X > Y", maps), DS_MATCH_GAVE_UP);
    free(map);

    /* More bits than an integer may have; more bytes than may be copied because they begin within
     * one. */
    enum { MANY = 17 * 1024 * 1024, MAX_BYTES = 1 << 17 };
    uint8_t *large = calloc(1, 5 + MANY);
    memcpy(large, (const uint8_t[]){109, MANY >> 24, MANY >> 16 & 255, MANY >> 8 & 255, 0}, 5);
    const struct ds_term long_binary = {.data = large, .len = 5 + MANY};
    assert_match("<<X:1048576, Y:8, _/binary>> when X == 0", long_binary);
    assert_int_equal(run("<<X:1048577, _/bits>>", long_binary), DS_MATCH_GAVE_UP);
    assert_match("<<_:1048577, _/bits>>", long_binary);
    assert_match("<<_:8, R/binary>> when byte_size(R) > 17000000", long_binary);
    assert_match("<<_:1, R:8000/bits, _/bits>> when R == R", long_binary);
    assert_int_equal(run("<<_:1, R/bits>>", long_binary), DS_MATCH_GAVE_UP);
    free(large);

    /* A segment of a guard has its end, and so has all that is copied. */
    assert_int_equal(run("X when <<X:1048577>> == a; true", TERM(97, 1)), DS_MATCH_GAVE_UP);
    assert_match("X when <<X:1048576>> > <<0>>; true", TERM(97, 1));
    char *segments = text + sprintf(text, "X when <<X:1048576");
    while (segments < text + DS_MATCH_MAX_LEN - 20)
        segments += sprintf(segments, ",X:99");
    sprintf(segments, ">> == a; true");
    assert_int_equal(run(text, TERM(97, 1)), DS_MATCH_GAVE_UP);

    /* The longest pattern, the deepest, the one with most variables; and one more. */
    memset(text, ' ', sizeof text);
    text[0] = 'a';
    text[DS_MATCH_MAX_LEN] = '\0';
    ds_match_free(compile(text));
    text[DS_MATCH_MAX_LEN] = ' ';
    text[DS_MATCH_MAX_LEN + 1] = '\0';
    assert_null(ds_match_compile(text, &error));
    assert_int_equal(error.column, DS_MATCH_MAX_LEN + 1);
    for (int extra = 0; extra < 2; extra++) {
        const int num = DS_MATCH_MAX_NESTING + extra;
        memset(text, '{', sizeof text);
        memset(text + num, '}', (size_t)num);
        text[2 * num] = '\0';
        text[num - 1] = '[';
        text[num] = ']';
        struct ds_match *match = ds_match_compile(text, &error);
        assert_true(match != NULL); /* an empty one is not open */
        ds_match_free(match);
        text[num - 1] = '{';
        text[num] = '1';
        text[2 * num] = '}';
        text[2 * num + 1] = '\0';
        match = ds_match_compile(text, &error);
        assert_int_equal(match != NULL, extra == 0);
        ds_match_free(match);
        char *end = text + sprintf(text, "{");
        for (int i = 0; i < DS_MATCH_MAX_VARIABLES + extra; i++)
            end += sprintf(end, "V%d,", i);
        strcpy(end, "_}");
        match = ds_match_compile(text, &error);
        assert_int_equal(match != NULL, extra == 0);
        ds_match_free(match);
    }
    /* The same of terms that a guard makes, and the longest of them. */
    for (int extra = 0; extra < 2; extra++) {
        const int num = DS_MATCH_MAX_NESTING - 1 + extra; /* == waits as well */
        char *at_guard = text + sprintf(text, "X when true == ");
        memset(at_guard, '{', (size_t)num);
        strcpy(at_guard + num, "X");
        memset(at_guard + num + 1, '}', (size_t)num);
        at_guard[2 * num + 1] = '\0';
        struct ds_match *match = ds_match_compile(text, &error);
        assert_int_equal(match != NULL, extra == 0);
        if (match == NULL)
            assert_non_null(strstr(error.what, "64 levels"));
        ds_match_free(match);
    }
    char *row = text + sprintf(text, "X when tuple_size({X");
    while (row < text + DS_MATCH_MAX_LEN - 20)
        row += sprintf(row, ",X");
    sprintf(row, "}) > 2000");
    assert_match(text, TERM(106));
    char *again = text;
    for (int i = 0; i < DS_MATCH_MAX_NESTING + 2; i++)
        again += sprintf(again, "1 = ");
    strcpy(again, "X");
    assert_null(ds_match_compile(text, &error));
    assert_non_null(strstr(error.what, "64 levels"));
    strcpy(again - 8, "X");
    assert_match(text, TERM(97, 1));
    memset(text, '(', sizeof text);
    memcpy(text, "_ when ", 7);
    text[DS_MATCH_MAX_LEN] = '\0';
    assert_null(ds_match_compile(text, &error));
    assert_non_null(strstr(error.what, "64 levels"));
}

static void errors(void **state)
{
    static const struct {
        const char *text;
        size_t column;
        const char *what; /* part of it */
    } wrong[] = {
        {"", 1, "a term, not the end"},
        {"{a", 3, ", or }, not the end"},
        {"[a", 3, ", | or ]"},
        {"[a|b", 5, "]"},
        {"[a|b, c]", 5, "]"},
        {"[|b]", 2, "a term"},
        {"{a,}", 4, "a term"},
        {"#{a}", 4, ":= behind the key"},
        {"#{A := 1}", 3, "without variables"},
        {"#{#{a := 1} := 1}", 7, "=> behind the key"},
        {"#rec{}", 2, "write a record as the tuple"},
        {"a b", 3, "when, -> or the end"},
        {"(a)", 1, "a term"},
        {"when true", 1, "a term"},
        {"'abc", 1, "never closed"},
        {"\"abc", 1, "never closed"},
        {"\"a\\", 4, "a character"},
        {"'\\x{110000}'", 5, "hexadecimal"},
        {"\"\xff\"", 2, "UTF-8"},
        {"1#0", 1, "a base"},
        {"2#2", 3, "a digit of base 2"},
        {"1.0e", 4, "exponent"},
        {"1.0e999", 1, "a float"},
        {"-a", 2, "a number behind the sign"},
        {"<<a>>", 3, "a string, a number or a variable"},
        {"#{<<X>> := 1}", 5, "a string or a number"},
        {"<<X/foo>>", 5, "a type"},
        {"<<X/>>", 5, "a type"},
        {"<<X/integer-binary>>", 13, "no binary besides integer"},
        {"<<X/signed-unsigned>>", 12, "no unsigned besides signed"},
        {"<<X/little-big>>", 12, "no big besides little"},
        {"<<X:16/native>>", 8, "no packet tells"},
        {"<<X/unit>>", 9, ": and a number"},
        {"<<X:1/unit:0>>", 12, "a unit of 1 to 256"},
        {"<<X:1/unit:257>>", 12, "a unit of 1 to 256"},
        {"<<X:1/unit:2-unit:3>>", 14, "one unit only"},
        {"<<X/unit:8>>", 5, "a size where there is a unit"},
        {"<<X/bits-unit:8>>", 10, "no unit for bits"},
        {"<<X/utf8-unit:8>>", 10, "no unit for utf8"},
        {"<<X:8/utf16>>", 5, "no size for utf16"},
        {"<<X:a>>", 5, "a size: an integer"},
        {"<<X:-1>>", 5, "a size: an integer"},
        {"<<X:4294967296>>", 5, "a size: an integer"},
        {"<<X:X>>", 5, "a variable that stands before it"},
        {"<<X:Y, Y>>", 5, "a variable that stands before it"},
        {"<<X:_>>", 5, "a variable that stands before it"},
        {"<<X, Y:(X + Z)>>", 13, "a variable that stands before it"},
        {"<<X, Y:(X + 1>>", 14, "an operator or )"},
        {"<<X, Y:(X, 1)>>", 10, ")"},
        {"<<X, Y:()>>", 9, "a term"},
        {"<<X:8:8>>", 6, ", or >>"},
        {"<<X = 1>>", 5, ", or >>"},
        {"<<(1):8>>", 3, "a string, a number or a variable"},
        {"<<\"ab\":16>>", 7, "no size or type for a string"},
        {"<<\"ab\"/binary>>", 7, "no size or type for a string"},
        {"<<\"ab\"/float>>", 7, "no size or type for a string"},
        {"<<1/binary>>", 3, "an integer as a literal"},
        {"<<1.0>>", 3, "an integer as a literal"},
        {"<<1.0/utf8>>", 3, "an integer as a literal"},
        {"<<16#1000000000000/float>>", 3, "a float, or an integer"},
        {"#{<<1.0/float>> := 1}", 5, "an integer as a literal"},
        {"<<-X>>", 4, "a number behind the sign"},
        {"<<X/binary, 1>>", 11, ">> behind the rest"},
        {"<<X/bits, _/bits>>", 9, ">> behind the rest"},
        {"<<X>> = X", 9, "not in the term itself"},
        {"<<\"\xe2\x82\xac\">>", 3, "\"...\"/utf8"},
        {"<<1:5000>>", 3, "at most 4096"},
        {"<<1:2/unit:2049>>", 12, "a unit"},
        {"<<1,>>", 5, "a segment"},
        {"m:f(", 5, "a term"},
        {"m:f(a", 6, ", or )"},
        {"m:", 3, "a function"},
        {"m:1", 3, "a function"},
        {"m:f/256", 5, "an arity"},
        {"m:f/x", 5, "an arity"},
        {"1:f", 2, "when, -> or the end"},
        {"a when", 7, "a value"},
        {"a when X", 8, "a variable of the pattern"},
        {"X when _ == 1", 8, "a variable of the pattern"},
        {"X when {Y} == 1", 9, "a variable of the pattern"},
        {"X when {X] == 1", 10, "an operator, , or }"},
        {"X when {X", 10, "an operator, , or }"},
        {"X when {X}} == 1", 11, "an operator, -> or the end"},
        {"X when {X,} == 1", 11, "a term"},
        {"X when {X|X} == 1", 10, "an operator, , or }"},
        {"X when [X; X] == 1", 10, "an operator, , | or ]"},
        {"X when [X} == 1", 10, "an operator, , | or ]"},
        {"X when [X | X, X] == 1", 14, "]"},
        {"X when [X | X | X] == 1", 15, "]"},
        {"X when [| X] == 1", 9, "a term"},
        {"X when #{X} == 1", 11, "=> behind the key"},
        {"X when #{X, X} == 1", 11, "=> behind the key"},
        {"X when #{X := X} == 1", 12, "=> behind the key"},
        {"X when #{X => X => X} == 1", 17, "an operator, , or }"},
        {"X when #{X => X) == 1", 16, "an operator, , or }"},
        {"X when #rec{a = X} == X", 9, "write a record as the tuple"},
        {"X when X#rec{a = 1} == X", 10, "write a record as the tuple"},
        {"X when X#{} == X", 11, "a term"},
        {"X when X#{a => 1, a} == X", 20, "=> or := behind the key"},
        {"X when X#{a => 1] == X", 17, "an operator, , or }"},
        {"X when X#{a := 1 := 2} == X", 18, "an operator, , or }"},
        {"X when <<X#{a => 1}>> == X", 11, ", or >>"},
        {"X when {(X} == 1", 11, "an operator or )"},
        {"X when {hd(X} == 1", 13, ", or )"},
        {"X when {<<X} == 1", 12, ", or >>"},
        {"X when <<X", 11, ", or >>"},
        {"X when <<X + 1>> == X", 12, ", or >>"},
        {"X when <<X:8:8>> == X", 13, ", or >>"},
        {"X when <<X,>> == X", 12, "a term"},
        {"X when <<Y>> == X", 10, "a variable of the pattern"},
        {"X when <<X:Y>> == X", 12, "a variable of the pattern"},
        {"X when <<X:-1>> == X", 12, "a size: an integer"},
        {"X when <<X:a>> == X", 12, "a size: an integer"},
        {"X when <<X:(X>> == X", 14, "an operator or )"},
        {"X when <<X/foo>> == X", 12, "a type"},
        {"X when <<X/native>> == X", 12, "no packet tells"},
        {"X when <<X:8/utf8>> == X", 12, "no size for utf8"},
        {"X when <<X, \"ab\"/float>> == X", 17, "as the type of a string"},
        {"X when <<X, \"ab\":X>> == X", 18, "a number of bits"},
        {"X when <<<<<<X>>>>", 19, ", or >>"},
        {"X when {a, #{a := 1}} == X", 16, "=> behind the key"},
        {"X when foo(X)", 8, "a function that guards have"},
        {"X when is_atom(X, X)", 8, "another number of arguments"},
        {"X when is_atom()", 8, "another number of arguments"},
        {"X when self() == X", 8, "no packet tells"},
        {"X when node() == X", 8, "no packet tells"},
        {"X when node(X) ==", 18, "a value"},
        {"X when (X == 1", 15, "an operator or )"},
        {"X when X == 1)", 14, "( before it"},
        {"X when (X, X)", 10, ")"},
        {"X when {(X, X)}", 11, ")"},
        {"X when is_atom(X; X)", 17, ", or )"},
        {"X when 1 < X < 3", 14, "parentheses"},
        {"X when X <= 3", 10, "an operator, -> or the end"},
        {"X when X = 3", 10, "an operator, -> or the end"},
        {"X when X == 1 X", 15, "an operator, -> or the end"},
        {"{X} = X", 7, "not in the term itself"},
        {"{X} = {Y", 9, ", or }"},
        {"{X} = ", 7, "a term"},
        {"#{{a} = {a} := 1}", 7, ":= behind the key"},
        {"X ->", 5, "return"},
        {"X -> stack", 6, "no packet"},
        {"m:f -> return, stack", 16, "the stack of a process is in no packet"},
        {"m:f -> time", 8, "no packet"},
        {"m:f -> caller", 8, "no packet"},
        {"m:f -> count", 8, "--report calls"},
        {"m:f -> return x", 15, "the end"},
        {"?X", 1, "a word of Erlang"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct ds_match_error error = {0};
        struct ds_match *match = ds_match_compile(wrong[i].text, &error);
        if (match != NULL)
            fail_msg("no error: %s", wrong[i].text);
        if (error.column != wrong[i].column || strstr(error.what, wrong[i].what) == NULL ||
            strncmp(error.what, "expected", 8) != 0)
            if (strstr(error.what, "never closed") == NULL || error.column != wrong[i].column)
                fail_msg("%s: column %zu: %s", wrong[i].text, error.column, error.what);
    }
}

static const char *const samples[] = {
    "{leave, {cat, Name}, Town} when Town =/= {town, <<\"Minsk\">>}",
    "cat_traveler:enter({cat,<<\"Tihon\">>}, _) -> return",
    "#{a := [1, 2 | T], {k, \"s\"} := 'q\\x{e9}'} when length(T) > 1, hd(T) =< 16#ff; T == [] -> return",
    "<<\"abc\", 1:7, 1:1, R/bitstring>> when bit_size(R) rem 8 == 0 orelse not is_binary(R)",
    "\"abc\" ++ [$\\n | _] = X",
    "M = #{a := A} when M#{a := A} == M, M#{b => A, bin := M} > #{}#{a => M}",
    "#{a := [1 | X] = [_, Y | _] = Z} = #{bin := <<A, _/bits>>} when {A, X, Y} == Z",
    "#{a := [A | T], {k, \"s\"} := Q} when {A, [T | Q]} =:= {1, [a]}; [A | T] > #{A => {T}, T => 3}",
    "#{bin := <<N:3, X:(N + 60)/signed-little, \"ab\"/utf16, R:N/bits, F:32/float, _/bits>>} "
    "when X > 1; F == 1.0; {F, R} == X",
    "#{a := [A | T], bin := B} when <<A, A:(A + 2)/little, \"x\"/utf16, B/binary, 1.5:32/float>> "
    "== B; <<(<<B/bits, (1 bsl 70):80>>)/bits>> < B",
    "m:f/3 when -1.5e3 + 1_000 * (2 bsl 70) =/= abs(-7) andalso erlang:is_map_key(a, #{a => []})",
};
enum { NUM_SAMPLES = sizeof samples / sizeof samples[0] };

static struct ds_term sample_term(void)
{
    /* 3:3, 2:63/little, "ab"/utf16, 5:3, 1.0:32/float, 5, "A", and 5 bits */
    const struct ds_term bin =
        TERM(109, 0, 0, 0, 19, 0x60, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x18, 0x40, 0x18, 0xa9, 0xfc, 0, 0,
             0, 0x2a, 0x0d);
    return make_map(5, etf_atom("bin"), bin, etf_atom("a"), TERM(107, 0, 4, 1, 2, 3, 4),
                   etf_tuple(2, etf_atom("k"), TERM(107, 0, 1, 's')), TERM(100, 0, 2, 'q', 0xe9),
                   TERM(110, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), TERM(70, 64, 0, 0, 0, 0, 0, 0, 0),
                   etf_ref("a@h", 5), etf_pid("a@h", 6));
}

/* The text ends at the page: not a byte behind its NUL is read. */
static void prefixes(void **state)
{
    (void)state;
    etf_reset();
    const struct ds_term term = sample_term();
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        for (size_t len = 0; len <= strlen(samples[i]); len++) {
            char text[256];
            memcpy(text, samples[i], len);
            text[len] = '\0';
            struct guard_page page = guard_page_copy(text, len + 1);
            struct ds_match_error error = {0};
            struct ds_match *match = ds_match_compile((const char *)page.bytes, &error);
            if (match != NULL)
                ds_match_run_term(match, &term);
            else
                assert_true(error.column >= 1 && error.column <= len + 1 && error.what[0] != '\0');
            assert_true(len != strlen(samples[i]) || match != NULL);
            ds_match_free(match);
            guard_page_free(&page);
        }
    }
}

static const char of_segments[] =
    "#{bin := <<N:3, X:(N + 60)/signed-little, \"ab\"/utf16, R:N/bits, F:32/float, 5, U/utf8, "
    "_/bits>>} when X == 2, F == 1.0, {U, R} == {$A, <<5:3>>}";

/* Every prefix of a term, and the term with each byte changed, ending at the page. */
static void pages(void **state)
{
    static const char *const patterns[] = {
        "X when X == X, X >= {}, X =:= #{}; map_size(X) > 0",
        "#{a := [1, 2 | T], {k, \"s\"} := Q} when T > Q; is_atom(Q)",
        "#{a := [A, B, C, D], {k, \"s\"} := [S | _]} when A + B * C bsl D == S",
        "[A | _] when A < 5",
        "X when map_get(a, X) == [1,2,3,4], X < X; hd(X) == 1; node(X) == a; element(1, X) > X",
        "{_, {X, _}} when X == X",
        "X = #{a := A, {k, \"s\"} := Q} when {A, Q} > [Q | A]; #{A => Q, Q => A} == X; {A} < {A}",
        of_segments,
        "#{bin := <<N:3, X:(N * 20), R/bits>>, bin := <<_, A/utf8, B:1/binary, C/binary>>}",
        "#{a := [A | _], bin := B} when <<B/binary, A:(A * 3), B:(A + 1)/binary>> > B",
        "X when X#{a := 1, X => b} > X; X#{bin := X} == X#{bin => X}, X#{c => 1} < X",
        "X when {X, 1} == {X, 1}, #{X => a, [X] => b} =:= #{X => a, [X] => c}",
        "X when X + X > X; round(X) == 1; byte_size(X) > 1; length(X) > 1; is_function(X, 1)",
    };
    (void)state;
    etf_reset();
    const struct ds_term whole = sample_term();
    assert_match(of_segments, whole);
    uint32_t num_runs = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct ds_match *match = compile(patterns[i]);
        for (size_t len = 0; len <= whole.len; len++) {
            struct guard_page page = guard_page_copy(whole.data, len);
            struct ds_term term = {.data = page.bytes, .len = len};
            ds_match_run_term(match, &term);
            guard_page_free(&page);
            num_runs++;
        }
        struct guard_page page = guard_page_copy(whole.data, whole.len);
        for (size_t at = 0; at < whole.len; at++) {
            for (int byte = 67; byte < 122; byte++) { /* all tags */
                page.bytes[at] = (uint8_t)byte;
                const struct ds_term term = {.data = page.bytes, .len = page.len};
                ds_match_run_term(match, &term);
                num_runs++;
            }
            page.bytes[at] = whole.data[at];
        }
        guard_page_free(&page);
        ds_match_free(match);
    }
    assert_true(num_runs > 10000);
}

static void compile_and_run(void *context)
{
    const char *text = context;
    struct ds_match_error error;
    const struct ds_term term = sample_term();
    struct ds_match *match = ds_match_compile(text, &error);
    if (match == NULL) {
        assert_true(failing_alloc_failed());
        assert_int_equal(error.column, 0);
        assert_string_equal(error.what, "out of memory");
        return;
    }
    const enum ds_match_result result = ds_match_run_term(match, &term);
    assert_true(result != DS_MATCH_NO_MEMORY || failing_alloc_failed());
    assert_true(result != DS_MATCH_GAVE_UP);
    ds_match_free(match);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        etf_reset();
        assert_true(failing_alloc_each(compile_and_run, (void *)(uintptr_t)samples[i]) > 3);
    }
    etf_reset();
    failing_alloc_each(compile_and_run,
                       (void *)(uintptr_t)"X when 1 bsl 90 bxor -5 > 1.5 * 2, 3 / 2 == 1; X == a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms),    cmocka_unit_test(binaries),
        cmocka_unit_test(forms),  cmocka_unit_test(syntax),
        cmocka_unit_test(calls),    cmocka_unit_test(unknown_atoms),
        cmocka_unit_test(damaged),  cmocka_unit_test(bounds), cmocka_unit_test(errors),
        cmocka_unit_test(prefixes), cmocka_unit_test(pages),  cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
