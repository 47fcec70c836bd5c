/*
 * test_wording_say.c - sentences with parameters in braces: texts, numbers, and neither; names of
 * several parts; more numbers than there is room for; and the parameters after texts were replaced.
 */
#include "analyse/findings/wording_say.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TEXT(literal) ((struct ds_text){literal, sizeof(literal) - 1})

static void assert_text(const struct wording *w, const char *wanted)
{
    struct ds_buffer out = {0};
    wording_print(w, &out);
    assert_int_equal(out.len, strlen(wanted));
    assert_memory_equal(out.data, wanted, out.len);
    ds_buffer_free(&out);
}

/* find returns the part that begins the n-th occurrence of a parameter, from 0. */
static int find(const struct wording *w, enum finding_param param, int n)
{
    for (int i = 0; i < w->num; i++) {
        if (w->part[i].param == param && w->part[i].begins && n-- == 0)
            return i;
    }
    return -1;
}

static void assert_param(const struct wording *w, enum finding_param param, int n, const char *wanted)
{
    struct ds_buffer out = {0};
    const int at = find(w, param, n);
    assert_true(at >= 0);
    wording_print_param(w, (size_t)at, &out);
    assert_int_equal(out.len, strlen(wanted));
    assert_memory_equal(out.data, wanted, out.len);
    ds_buffer_free(&out);
}

static int64_t number_of(const struct wording *w, enum finding_param param)
{
    const int at = find(w, param, 0);
    assert_true(at >= 0 && w->part[at].number != 0);
    return w->number[w->part[at].number - 1];
}

static void names_and_numbers(void **state)
{
    struct wording w = {0};
    const struct party party = {.name = TEXT("box"), .node = TEXT("b@h")};
    const struct ds_endpoint end = {.addr = {6, {0}}, .port = 9};
    (void)state;
    wording_say(&w, "{node} asked {process} {times} times in {within}{}: {message_bytes}", an_end(&end),
                a_party(&party), a_number(-3), a_span(1500000), a_word(" or so"), a_size(20000));
    assert_text(&w, "[::]:9 asked box of b@h -3 times in 1.50 ms or so: 20 kB");
    assert_param(&w, PARAM_node, 0, "[::]:9");
    assert_param(&w, PARAM_process, 0, "box of b@h");
    assert_int_equal(number_of(&w, PARAM_times), -3);
    assert_int_equal(number_of(&w, PARAM_within), 1500000);
    assert_int_equal(number_of(&w, PARAM_message_bytes), 20000);
    assert_int_equal(find(&w, PARAM_peer, 0), -1);
}

static void lists(void **state)
{
    struct wording w = {0};
    (void)state;
    wording_say(&w, "{examples}{examples} {examples}", an_atom(TEXT("a")), an_atom(TEXT("b")), an_atom(TEXT("c")));
    assert_text(&w, "ab c");
    assert_param(&w, PARAM_examples, 0, "a");
    assert_param(&w, PARAM_examples, 1, "b");
    assert_param(&w, PARAM_examples, 2, "c");
    assert_int_equal(find(&w, PARAM_examples, 3), -1);
}

/* Without a row, with a text in the place of a number, or empty, it is no parameter. */
static void none(void **state)
{
    struct wording w = {0};
    (void)state;
    wording_say(&w, "{no_such}{}{times}{node}{reason}", a_word("a"), a_word("b"), a_word("c"), a_node(TEXT("")),
                a_word(NULL));
    assert_text(&w, "abc");
    for (int i = 0; i < w.num; i++)
        assert_int_equal(w.part[i].param, PARAM_NONE);
    w = (struct wording){0};
    wording_say(&w, "{node} and {peer} {", a_node(TEXT("n")));
    assert_text(&w, "n and {peer} {");
    assert_int_equal(find(&w, PARAM_peer, 0), -1);
}

static void too_many_numbers(void **state)
{
    struct wording w = {0};
    (void)state;
    for (int i = 0; i <= WORDING_NUMBERS; i++)
        wording_say(&w, "{times}", a_number(i));
    assert_text(&w, "012345678");
    assert_int_equal(w.num_numbers, WORDING_NUMBERS);
    assert_int_equal(find(&w, PARAM_times, WORDING_NUMBERS - 1), WORDING_NUMBERS - 1);
    assert_int_equal(find(&w, PARAM_times, WORDING_NUMBERS), -1);
}

/* The replacement of a text is the same parameter. */
static void replaced(void **state)
{
    struct wording w = {0}, new = {0};
    const struct party party = {.name = TEXT("box"), .node = TEXT("b@h")};
    (void)state;
    wording_say(&w, "{process}: {times}", a_party(&party), a_number(7));
    for (size_t i = 0; i < w.num; i++) {
        const struct ds_text text = {w.bytes + w.part[i].at, w.part[i].len};
        wording_append(&new, &w, i, w.part[i].kind == WORD_PLAIN ? text : TEXT("x"));
    }
    wording_append(&new, &w, 0, TEXT(""));
    assert_text(&new, "x of x: 7");
    assert_param(&new, PARAM_process, 0, "x of x");
    assert_int_equal(number_of(&new, PARAM_times), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_numbers), cmocka_unit_test(lists),    cmocka_unit_test(none),
        cmocka_unit_test(too_many_numbers),  cmocka_unit_test(replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
