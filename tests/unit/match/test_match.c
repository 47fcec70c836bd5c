/*
 * test_match.c - patterns of -m, beyond what tests/terms/match.escript compares with a node:
 * encodings of other implementations, binaries, calls, unknown atoms, and damaged terms.
 */
#include "match_runs.h"

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

/* Patterns that users write for the binaries of their protocols. */
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

/* Encodings of other implementations. */
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
    assert_match("{X, Y} when X == Y", /* a 28-bit port and a 64-bit port */
                 TERM(104, 2, 89, 119, 1, 'n', 0, 0, 0, 7, 0, 0, 0, 1, 120, 119, 1, 'n', 0, 0, 0,
                      0, 0, 0, 0, 7, 0, 0, 0, 1));
    /* A record of OTP 29 is not a tuple. */
    const struct ds_term record = TERM(67, 0, 0, 0, 1, 0, 119, 1, 'm', 119, 1, 'r', 119, 1, 'f',
                                       97, 1);
    assert_no_match("X when is_tuple(X)", record);
    assert_match("X when X == X, X >= X", record);
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
    assert_no_match("X when X =/= a", unknown); /* that is unknown */
    assert_no_match("X when is_boolean(X); not is_boolean(X)", unknown);
    assert_match("{X, X}", etf_tuple(2, unknown, unknown)); /* but this is certain */
    assert_no_match("{X, X}", etf_tuple(2, unknown, etf_cached(NULL)));
    assert_match("{_, b}", etf_tuple(2, unknown, etf_atom("b")));
    assert_match("{X, Y} when {X, b} == {X, Y}", etf_tuple(2, unknown, etf_atom("b")));
    assert_match("{X, Y} when [X | Y] =:= [X, c] orelse #{Y => X} == #{b => X}",
                 etf_tuple(2, unknown, etf_atom("b")));
    assert_no_match("{X, Y} when {X} == {Y}; {X} =/= {Y}", etf_tuple(2, unknown, etf_atom("b")));
    assert_no_match("{X, Y} when map_size(#{X => 1, Y => 2}) > 0",
                    etf_tuple(2, unknown, etf_atom("b"))); /* one key or two */
    const struct ds_term map = make_map(2, unknown, etf_int(1), etf_atom("k"), etf_int(2));
    assert_match("#{k := 2}", map);
    assert_no_match("#{j := 2}", map);
    assert_no_match("X when not is_map_key(j, X)", map);
    const struct ds_term bad = {.data = (const uint8_t *)"R\7", .len = 2};
    assert_match("_", bad);
    assert_no_match("a", bad);
    assert_no_match("X when X == a; not (X == a)", bad);
}

/* A term that the snap length cut matches if the pattern does not need the missing part. */
static void damaged(void **state)
{
    (void)state;
    assert_match("{a, _}", TERM(104, 2, 119, 1, 'a', 109, 0, 0, 1, 0, 'x'));
    assert_no_match("{a, _, b}", TERM(104, 3, 119, 1, 'a', 109, 0, 0, 1, 0, 'x'));
    assert_no_match("{a, X} when is_binary(X)", TERM(104, 2, 119, 1, 'a', 109, 0, 0, 1, 0, 'x'));
    assert_no_match("{a, <<\"x\", _/binary>>}", TERM(104, 2, 119, 1, 'a', 109, 0, 0, 1, 0, 'x'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms),
        cmocka_unit_test(binaries),
        cmocka_unit_test(forms),
        cmocka_unit_test(calls),
        cmocka_unit_test(unknown_atoms),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
