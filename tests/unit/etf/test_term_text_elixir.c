/*
 * test_term_text_elixir.c - terms as Elixir's inspect shows them: limits, failing memory, and maps
 * that are almost structs. tests/terms compares with inspect itself.
 */
#include "guard_page.h"
#include "term_printing.h"
#include "term_samples.h"

/* Parts of terms. */
#define MAP(num) "\x74\0\0\0" num
#define WORD(len, string) "\x77" len string

static void assert_inspects(const char *bytes, size_t len,
                            const struct ds_term_print_options *limits, const char *expected)
{
    struct ds_term_print_options options = *limits;
    struct guard_page page = guard_page_copy((const uint8_t *)bytes, len);
    struct ds_term term = samples_term(page.bytes, page.len);
    options.syntax = DS_SYNTAX_ELIXIR;
    assert_prints(&term, &options, expected);
    assert_true(failing_alloc_each(inspect_or_fail, &term) > 0);
    guard_page_free(&page);
}

#define INSPECTS(term, limits, expected)                                                           \
    assert_inspects(term, sizeof(term) - 1, &(const struct ds_term_print_options)limits, expected)
#define LIMITS(...) {__VA_ARGS__}
#define VERSION                                                                                    \
    MAP("\6") WORD("\12", "__struct__") WORD("\16", "Elixir.Version") WORD("\5", "build") WORD(    \
        "\3", "nil") WORD("\5", "major") "a\1" WORD("\5", "minor") "a\2" WORD("\5", "patch") "a\3"   \
        WORD("\3", "pre") "j"
#define ORDER                                                                                      \
    MAP("\4") WORD("\12", "__struct__") WORD("\14", "Elixir.Order") WORD("\1", "a") "a\1" WORD(      \
        "\1", "b") "a\2" WORD("\1", "c") "a\3"
#define SET                                                                                        \
    MAP("\2") WORD("\12", "__struct__") WORD("\15", "Elixir.MapSet") WORD("\3", "map") MAP(          \
        "\3") "a\1ja\2ja\3j"

/* Limits and failing memory. */
static void test_inspect_limits(void **state)
{
    (void)state;
    INSPECTS(VERSION, LIMITS(0), "%Version{major: 1, minor: 2, patch: 3}");
    INSPECTS(VERSION, LIMITS(.max_items = 2), "%Version{major: 1, minor: 2, ... 1 more}");
    INSPECTS(VERSION, LIMITS(.max_items = 3), "%Version{major: 1, minor: 2, patch: 3}");
    INSPECTS(ORDER, LIMITS(0), "%Order{a: 1, b: 2, c: 3}");
    INSPECTS(ORDER, LIMITS(.max_items = 3), "%Order{a: 1, b: 2, ... 1 more}");
    INSPECTS(ORDER, LIMITS(.max_items = 1), "%Order{... 3 more}");
    INSPECTS(SET, LIMITS(0), "MapSet.new([1, 2, 3])");
    INSPECTS(SET, LIMITS(.max_items = 2), "MapSet.new([1, 2, ... 1 more])");
    INSPECTS("h\2" SET SET, LIMITS(0), "{MapSet.new([1, 2, 3]), MapSet.new([1, 2, 3])}");
    INSPECTS("h\2" SET "k\0\2ab", LIMITS(.max_depth = 1), "{MapSet.new([... 3 more]), ~c\"ab\"}");
    INSPECTS("h\2" VERSION ORDER, LIMITS(.max_depth = 1), "{%Version{... 3 more}, %Order{... 3 more}}");
    INSPECTS("l\0\0\0\2" "h\2" WORD("\1", "a") "a\1" "h\2" WORD("\1", "b") "a\2j", LIMITS(.max_items = 1),
             "[a: 1, ... 1 more]");
    INSPECTS("m\0\0\0\5abcde", LIMITS(.max_bytes = 2), "\"ab\" <> ... 3 more bytes");
    INSPECTS("m\0\0\0\3\1\2\3", LIMITS(.max_bytes = 2), "<<1, 2, ... 1 more bytes>>");
    INSPECTS("k\0\5abcde", LIMITS(.max_bytes = 2), "~c\"ab\" ++ ... 3 more bytes");
    INSPECTS("k\0\3\1\2\3", LIMITS(.max_items = 2), "[1, 2, ... 1 more]");
    INSPECTS("h\2m\0\0\0\2\303\251a\1", LIMITS(.max_bytes = 3), "{\"\303\251\", 1}");
    INSPECTS("m\0\0\0\3\1\2\3", LIMITS(.base64_min = 3), "Base.decode64!(\"AQID\")");
    INSPECTS("k\0\2ab", LIMITS(.no_string = true), "[97, 98]");
    INSPECTS("m\0\0\0\4\330\200\"}", LIMITS(0), "\"\\u0600\\\"}\"");
}

/* Two names, a name that is not an atom, and invalid sets do not hide anything. */
static void test_inspect_hides_nothing(void **state)
{
    (void)state;
    INSPECTS(MAP("\2") WORD("\12", "__struct__") WORD("\1", "a") WORD("\12", "__struct__") WORD("\1", "b"),
             LIMITS(0), "%{__struct__: :a, __struct__: :b}");
    INSPECTS(MAP("\1") WORD("\12", "__struct__") "a\1", LIMITS(0), "%{__struct__: 1}");
    INSPECTS(MAP("\2") WORD("\12", "__struct__") WORD("\15", "Elixir.MapSet") WORD("\3", "map") MAP("\1") "a\1a\2",
             LIMITS(0), "%MapSet{map: %{1 => 2}}");
    INSPECTS(MAP("\3") WORD("\12", "__struct__") WORD("\15", "Elixir.MapSet") WORD("\3", "map") MAP("\1") "a\1j" WORD("\1", "x") "a\7",
             LIMITS(0), "%MapSet{map: %{1 => []}, x: 7}");
    INSPECTS(MAP("\2") WORD("\12", "__struct__") WORD("\1", "a") WORD("\15", "__exception__") "a\7", LIMITS(0),
             "%:a{__exception__: 7}");
    INSPECTS(MAP("\2") WORD("\12", "__struct__") WORD("\1", "a") WORD("\15", "__exception__") WORD("\4", "true"), LIMITS(0),
             "%:a{}");
}

/* The number of structs in a term is capped; the rest are shown as maps. */
static void test_most_structs(void **state)
{
    enum { MOST = 1 << 16 };
    static const char one[] = MAP("\1") WORD("\12", "__struct__") WORD("\10", "Elixir.S");
    const struct ds_term_print_options options = {.syntax = DS_SYNTAX_ELIXIR};
    (void)state;
    struct ds_buffer bytes = {0}, text = {0};
    ds_buffer_add(&bytes, "l\0\1\0\1", 5);
    for (int i = 0; i <= MOST; i++)
        ds_buffer_add(&bytes, one, sizeof one - 1);
    ds_buffer_add(&bytes, "j", 1);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_true(ds_term_print(&term, &options, &text));
    static const char end[] = "%S{}, %S{}, %{__struct__: S}]";
    assert_memory_equal(text.data + text.len - (sizeof end - 1), end, sizeof end - 1);
    ds_buffer_free(&text);
    ds_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspect_limits),
        cmocka_unit_test(test_inspect_hides_nothing),
        cmocka_unit_test(test_most_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
