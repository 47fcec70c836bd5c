/*
 * test_match_bounds.c - patterns of -m at their bounds: the longest and the deepest, terms that are
 * given up, every prefix of patterns and terms before an unreadable page, and failing memory.
 */
#include "failing_alloc.h"
#include "guard_page.h"
#include "match_runs.h"

#include <stdio.h>
#include <stdlib.h>

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
    /* A map whose keys have the worst order for sorting. */
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

    /* More bits than an integer may have; more bytes than may be copied because they begin within a
     * byte. */
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

    /* The length of a segment in a guard is bounded, and so is the number of copied bytes. */
    assert_int_equal(run("X when <<X:1048577>> == a; true", TERM(97, 1)), DS_MATCH_GAVE_UP);
    assert_match("X when <<X:1048576>> > <<0>>; true", TERM(97, 1));
    char *segments = text + sprintf(text, "X when <<X:1048576");
    while (segments < text + DS_MATCH_MAX_LEN - 20)
        segments += sprintf(segments, ",X:99");
    sprintf(segments, ">> == a; true");
    assert_int_equal(run(text, TERM(97, 1)), DS_MATCH_GAVE_UP);

    /* The longest pattern, the deepest, the one with most variables; and one more of each. */
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
        assert_true(match != NULL); /* an empty list opens no level */
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
    /* The same for terms that a guard makes, and the longest of them. */
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

/* The text ends at the page: no byte behind its NUL is read. */
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

/* Every prefix of a term, and the term with each byte changed, before an unreadable page. */
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
        cmocka_unit_test(bounds),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(pages),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
