/*
 * test_elixir_word.c - the words that Elixir writes without quotes, and those that are modules.
 */
#include "etf/elixir_word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct cursor word(const char *text)
{
    return cursor_make(text, strlen(text));
}

static void knows_identifiers(void **state)
{
    static const struct {
        const char *text;
        bool ascii, latin1, function;
    } words[] = {
        {"foo", true, true, true},          {"Foo", true, true, false},
        {"_", true, true, true},            {"foo@bar", true, true, false},
        {"@foo", false, false, false},      {"foo?", true, true, true},
        {"foo!", true, true, true},         {"foo?!", false, false, false},
        {"foo?x", false, false, false},     {"?", false, false, false},
        {"", false, false, false},          {"9a", false, false, false},
        {"a9", true, true, true},           {"foo bar", false, false, false},
        {"Foo.Bar", false, false, false},   {"\xc3\xa9t\xc3\xa9", false, true, true},
        {"\xc3\x89t\xc3\xa9", false, true, false}, {"a\xc3\x97", false, false, false},
        {"a\xc3\xb7", false, false, false}, {"\xce\xb1", false, false, false},
        {"a\xff", false, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const struct cursor text = word(words[i].text);
        assert_int_equal(elixir_is_identifier(text, ELIXIR_ASCII, false), words[i].ascii);
        assert_int_equal(elixir_is_identifier(text, ELIXIR_LATIN1, false), words[i].latin1);
        assert_int_equal(elixir_is_identifier(text, ELIXIR_LATIN1, true), words[i].function);
    }
}

static void knows_modules(void **state)
{
    static const char *const modules[] = {"Foo", "Foo.Bar", "F_1.B9", "Elixir"};
    static const char *const others[] = {"", ".", "foo", "Foo.", "Foo..Bar", "Foo.bar", "Foo@Bar",
                                         "Foo?", "_Foo", "Foo.\xc3\x89t", "F\xc3\xa9", "Foo Bar"};
    (void)state;
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        assert_true(elixir_is_module(word(modules[i])));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(elixir_is_module(word(others[i])));
}

static void skips_the_prefix(void **state)
{
    struct cursor with = word("Elixir.Foo"), without = word("Elixir");
    (void)state;
    assert_true(elixir_skip_prefix(&with));
    assert_true(elixir_is_word(with, "Foo"));
    assert_false(elixir_is_word(with, "Fo"));
    assert_false(elixir_skip_prefix(&without));
    assert_true(elixir_is_word(without, "Elixir"));
    assert_true(elixir_is_constant(word("nil")) && elixir_is_constant(word("false")));
    assert_false(elixir_is_constant(word("nill")) || elixir_is_constant(word("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_identifiers),
        cmocka_unit_test(knows_modules),
        cmocka_unit_test(skips_the_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
