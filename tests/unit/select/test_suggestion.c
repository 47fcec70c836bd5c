/*
 * test_suggestion.c - a name that may be misspelt: which existing name is suggested for it.
 */
#include "select/suggestion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static void assert_nearest(const char *word, const char *const *names, const char *expected)
{
    struct suggestion near = {0};
    for (; *names != NULL; names++)
        suggestion_add(&near, text(word), text(*names));
    if (near.len != strlen(expected) || memcmp(near.nearest, expected, near.len) != 0)
        fail_msg("of %s came %.*s", word, (int)near.len, near.nearest);
}

static void the_nearest_is_kept(void **state)
{
    const char *const names[] = {"", "rex", "shop_store", "Elixir.Shop.Cart", "shop_stop", "cart", NULL};
    (void)state;
    assert_nearest("Shop.Crat", names, "Shop.Cart");
    assert_nearest("Elixir.Shop.Crat", names, "Shop.Cart");
    assert_nearest(":crat", names, "cart");
    assert_nearest("shop_stor", names, "shop_store");
    assert_nearest("rexx", names, "rex");
    assert_nearest("stor", names, "shop_store"); /* a part of the name */
    assert_nearest("st", names, "");
    assert_nearest("nothing_like_it", names, "");
    assert_nearest("", names, "");
    assert_nearest("<a@b.1.2>", (const char *const[]){"<a@b.1.3>", NULL}, ""); /* a pid is no name */
    /* Of two equally near names, the first. */
    assert_nearest("cat", (const char *const[]){"cart", "cast", NULL}, "cart");
    assert_nearest("cat", (const char *const[]){"cast", "cart", NULL}, "cast");
}

static void long_ones_are_left_out(void **state)
{
    char word[SUGGESTION_MAX + 2], name[SUGGESTION_MAX + 2];
    struct suggestion near = {0};
    (void)state;
    memset(word, 'a', sizeof word);
    memset(name, 'a', sizeof name);
    name[3] = 'b';
    suggestion_add(&near, (struct ds_text){word, SUGGESTION_MAX},
                   (struct ds_text){name, SUGGESTION_MAX + 1});
    suggestion_add(&near, (struct ds_text){word, SUGGESTION_MAX + 1},
                   (struct ds_text){name, SUGGESTION_MAX});
    suggestion_add(&near, (struct ds_text){word, SUGGESTION_MAX}, (struct ds_text){NULL, 0});
    assert_int_equal(near.len, 0);
    near = (struct suggestion){0};
    suggestion_add(&near, (struct ds_text){word, SUGGESTION_MAX},
                   (struct ds_text){name, SUGGESTION_MAX});
    assert_int_equal(near.len, SUGGESTION_MAX);
    near = (struct suggestion){.occurs = true};
    suggestion_add(&near, text("cat"), text("cart"));
    assert_int_equal(near.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_kept),
        cmocka_unit_test(long_ones_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
