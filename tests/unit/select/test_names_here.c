/*
 * test_names_here.c - the most frequent names that occur, and more than fit.
 */
#include "select/names_here.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct names_here names;

static void add(const char *name, uint64_t weight)
{
    names_here_add(&names, (struct ds_text){name, strlen(name)}, weight);
}

static void assert_printed(bool has_any, const char *expected)
{
    struct ds_buffer text = {0};
    assert_int_equal(names_here_print(&names, &text), has_any);
    ds_buffer_add(&text, "", 1);
    assert_false(text.failed);
    assert_string_equal(text.data, expected);
    ds_buffer_free(&text);
}

static void the_heaviest_come_first(void **state)
{
    (void)state;
    names = (struct names_here){0};
    assert_printed(false, "");
    names_here_add(&names, (struct ds_text){NULL, 0}, 1);
    add("", 1);
    assert_printed(false, "");
    add("rex", 1);
    add("cart", 2);
    add("shop", 2);
    assert_printed(true, "cart, shop, rex");
    add("rex", 2);
    assert_printed(true, "rex, cart, shop");
}

static void what_has_no_room_is_said(void **state)
{
    char name[SUGGESTION_MAX + 2];
    (void)state;
    names = (struct names_here){0};
    memset(name, 'a', sizeof name);
    names_here_add(&names, (struct ds_text){name, SUGGESTION_MAX + 1}, 1);
    assert_printed(false, "");
    names_here_add(&names, (struct ds_text){name, SUGGESTION_MAX}, 1);
    assert_int_equal(names.num, 1);
    names = (struct names_here){0};
    for (int i = 0; i < NAMES_HERE_SHOWN; i++) {
        snprintf(name, sizeof name, "n%d", i);
        add(name, 1);
    }
    assert_printed(true, "n0, n1, n2, n3, n4, n5, n6, n7");
    add("n8", 1);
    assert_printed(true, "n0, n1, n2, n3, n4, n5, n6, n7 and more");
    for (int i = 9; i < NAMES_HERE_MAX; i++) {
        snprintf(name, sizeof name, "n%d", i);
        add(name, i == 20 ? 1 : 5);
    }
    assert_false(names.has_more);
    add("late", 9); /* replaces the first of the lightest */
    assert_true(names.has_more);
    assert_int_equal(names.num, NAMES_HERE_MAX);
    assert_printed(true, "late, n9, n10, n11, n12, n13, n14, n15 and more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heaviest_come_first),
        cmocka_unit_test(what_has_no_room_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
