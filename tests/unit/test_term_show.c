/* test_term_show.c - how long the text of a term may become in this run, and why something failed. */
#include "etf_maker.h"
#include "term_show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX = 64 * 1024, HEAD = 5 };

/* binary makes a term of len bytes that are no text, each four characters. */
static struct ds_term binary(uint8_t *room, size_t len)
{
    room[0] = 109;
    for (int i = 0; i < 4; i++)
        room[1 + i] = (uint8_t)(len >> (24 - 8 * i));
    memset(room + HEAD, 200, len);
    return (struct ds_term){.data = room, .len = HEAD + len};
}

static size_t shown(const struct ds_term *term, const struct ds_term_print_options *options,
                    bool *is_cut)
{
    struct ds_buffer out = {0};
    assert_true(term_show(term, options, &out));
    ds_buffer_add(&out, "", 1);
    *is_cut = strstr(out.data, "... ") != NULL && strstr(out.data, " more") != NULL;
    const size_t len = out.len - 1;
    ds_buffer_free(&out);
    return len;
}

/* noted returns how often something was cut since it was asked last. */
static uint64_t noted(void)
{
    static uint64_t before;
    const uint64_t now = term_show_num_cut(), since = now - before;
    before = now;
    return since;
}

static void what_fits_is_whole(void **state)
{
    static uint8_t room[MAX];
    const struct ds_term term = binary(room, MAX / 4 - HEAD);
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    assert_false(term_show_is_large(term.len));
    assert_in_range(shown(&term, NULL, &is_cut), MAX - 100, MAX);
    assert_false(is_cut);
    assert_int_equal(noted(), 0);
}

static void what_may_not_is_cut(void **state)
{
    static uint8_t room[MAX];
    const struct ds_term term = binary(room, MAX / 4 - HEAD + 1);
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    assert_true(term_show_is_large(term.len));
    assert_in_range(shown(&term, NULL, &is_cut), MAX / 8, MAX / 2);
    assert_true(is_cut);
    assert_int_equal(noted(), 1);
    term_show_limit(0);
    assert_false(term_show_is_large(term.len));
    assert_in_range(shown(&term, NULL, &is_cut), MAX - 100, MAX + 100);
    assert_false(is_cut);
    assert_int_equal(noted(), 0);
}

/* References to a long atom of the cache: 2 bytes each. */
static void what_grows_is_cut(void **state)
{
    enum { NUM = 2000 };
    static uint8_t room[HEAD + 2 * NUM + 1] = {108, 0, 0, NUM >> 8, NUM & 255};
    static uint8_t text[255];
    memset(text, 'a', sizeof text);
    const struct ds_atom atom = {.text = text, .len = sizeof text, .state = DS_ATOM_KNOWN};
    for (int i = 0; i < NUM; i++)
        room[HEAD + 2 * i] = 82;
    room[HEAD + 2 * NUM] = 106;
    const struct ds_term term = {.data = room, .len = sizeof room, .atoms = &atom, .num_atoms = 1};
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    assert_in_range(shown(&term, NULL, &is_cut), MAX, MAX + 1000);
    assert_true(is_cut);
    assert_int_equal(noted(), 1);
}

static void narrower_options_stay(void **state)
{
    static uint8_t room[MAX];
    const struct ds_term term = binary(room, MAX - HEAD);
    const struct ds_term_print_options few = {.max_bytes = 10, .max_len = 100};
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    assert_in_range(shown(&term, &few, &is_cut), 30, 100);
    assert_true(is_cut);
    assert_int_equal(noted(), 0);
}

/* A number is cut as bytes are; what the cap leaves whole is not counted, however large. */
static void numbers_are_counted_too(void **state)
{
    enum { BIG = MAX / 2, NUM = MAX / 8 + 10 };
    static uint8_t room[MAX] = {111, BIG >> 24, BIG >> 16 & 255, BIG >> 8 & 255, BIG & 255, 0};
    static uint8_t list[HEAD + 2 * NUM + 1];
    memset(room + 6, 255, BIG);
    const struct ds_term number = {.data = room, .len = 6 + BIG};
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    shown(&number, NULL, &is_cut);
    assert_true(is_cut);
    assert_int_equal(noted(), 1);
    /* small numbers: large as sent, but the text is no longer than that */
    list[0] = 108;
    list[3] = NUM >> 8;
    list[4] = NUM & 255;
    for (int i = 0; i < NUM; i++) {
        list[HEAD + 2 * i] = 97;
        list[HEAD + 2 * i + 1] = 5;
    }
    list[HEAD + 2 * NUM] = 106;
    const struct ds_term text = {.data = list, .len = sizeof list};
    assert_true(term_show_is_large(text.len));
    shown(&text, NULL, &is_cut);
    assert_false(is_cut);
    assert_int_equal(noted(), 0);
}

static struct ds_term exception(struct ds_term module, const char *is_one, struct ds_term message)
{
    return etf_map(3, etf_atom("__struct__"), module, etf_atom("__exception__"), etf_atom(is_one),
                   etf_atom("message"), message);
}

static void reason_is(struct ds_term reason, const char *expected)
{
    const struct ds_term_print_options few = {.max_bytes = 8};
    struct ds_buffer out = {0};
    assert_true(term_show_reason(&reason, &few, &out));
    ds_buffer_add(&out, "", 1);
    assert_string_equal(out.data, expected);
    ds_buffer_free(&out);
}

static void exceptions_are_told_as_elixir_does(void **state)
{
    const struct ds_term module = etf_atom("Elixir.Shop.Refused");
    (void)state;
    term_show_use(DS_SYNTAX_ELIXIR);
    reason_is(exception(module, "true", etf_binary("no \x1b[3m")), "** (Shop.Refused) no \\x1B[3m");
    reason_is(etf_tuple(2, exception(module, "true", etf_binary("no")), etf_list(1, etf_atom("a"), etf_nil())),
              "** (Shop.Refused) no [:a]");
    reason_is(exception(module, "true", etf_binary("1234567\xc3\xa9")),
              "** (Shop.Refused) 1234567... 2 more bytes");
    reason_is(exception(module, "true", etf_binary("123456\xc3\xa9")),
              "** (Shop.Refused) 123456\xc3\xa9");
    reason_is(exception(module, "false", etf_binary("no")),
              "%Shop.Refused{__exception__: false, message: \"no\"}");
    reason_is(exception(module, "true", etf_atom("no")), "%Shop.Refused{message: :no}");
    reason_is(exception(etf_binary("a"), "true", etf_binary("no")),
              "%{__struct__: \"a\", __exception__: true, message: \"no\"}");
    reason_is(etf_atom("normal"), ":normal");
    term_show_use(DS_SYNTAX_ERLANG);
    reason_is(etf_tuple(2, exception(module, "true", etf_binary("no")), etf_atom("a")),
              "{#{'__struct__' => 'Elixir.Shop.Refused','__exception__' => true,message => <<\"no\">>},a}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_whole),
        cmocka_unit_test(what_may_not_is_cut),
        cmocka_unit_test(what_grows_is_cut),
        cmocka_unit_test(narrower_options_stay),
        cmocka_unit_test(numbers_are_counted_too),
        cmocka_unit_test(exceptions_are_told_as_elixir_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
