/*
 * test_columns.c - columns that fit what stands in them, up to a bound.
 */
#include "columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void is_printed(const struct columns *columns, const char *line, const char *wanted)
{
    struct ds_buffer out = {0};
    columns_print(columns, line, &out);
    ds_buffer_add(&out, "", 1);
    assert_string_equal(out.data, wanted);
    ds_buffer_free(&out);
}

static void fits(void **state)
{
    struct columns c = {.align = "lr", .width = {4, 2}};
    (void)state;
    is_printed(&c, "a\tb\tc\td\n", "a     b c\td\n"); /* the last cell goes on */
    columns_fit(&c, "abcde\t1\tx\n");
    columns_fit(&c, "a\t1234\tx\n");
    is_printed(&c, "a\tb\tc\n", "a        b c\n");
    columns_fit(&c, "r\xc3\xa4ksm\tb\tc\n"); /* by characters, not by bytes */
    assert_int_equal(c.width[0], 5);
    is_printed(&c, "\xc3\xa4\tb\t\n", "\xc3\xa4        b \n");
    is_printed(&c, "no cells\n", "no cells\n");
    columns_fit(&c, "too long a text without cells");
    assert_int_equal(c.width[0], 5);
    is_printed(&c, "", "");
}

/* One cell that is wider than all bounds pushes its own line, and no other. */
static void bounds(void **state)
{
    char line[64];
    struct columns c = {.align = "l"};
    (void)state;
    snprintf(line, sizeof line, "%0*d\t|", COLUMNS_WIDEST, 0);
    columns_fit(&c, line);
    assert_int_equal(c.width[0], COLUMNS_WIDEST);
    snprintf(line, sizeof line, "%0*d\t|", COLUMNS_WIDEST + 1, 0);
    columns_fit(&c, line);
    assert_int_equal(c.width[0], COLUMNS_WIDEST);
    struct ds_buffer out = {0};
    columns_print(&c, line, &out);
    assert_int_equal(out.len, COLUMNS_WIDEST + 1 + 2);
    columns_print(&c, "a\t|", &out);
    assert_int_equal(out.len, 2 * COLUMNS_WIDEST + 1 + 2 + 2);
    ds_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits), cmocka_unit_test(bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
