/*
 * test_columns.c - columns that fit what stands in them, up to a bound, and lines that fit a terminal.
 */
#include "columns.h"
#include "line_fit.h"

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

/* Where a line has its bounds. */
static void in_bounded_lines(void **state)
{
    struct columns c = {.align = "rlr", .width = {4, 6, 6}, .line_width = 24};
    (void)state;
    is_printed(&c, "1\tb\t22\t text\n", "   1 b          22  text\n");
    c.text_width = 12;
    is_printed(&c, "1\tb\t22\t longer text\n", "   1 b          22\n    longer text\n");
    is_printed(&c, "1\tb\t22\t text\n", "   1 b          22\n    text\n"); /* as in the others */
    is_printed(&c, "1\tb\t22\t\n", "   1 b          22 \n");
    is_printed(&c, "1\tb\t22\t a text that goes on\n",
               "   1 b          22\n    a text that goes on\n");
    is_printed(&c, "1\tb\t22\t a text that goes on below\n",
               "   1 b          22\n    a text that goes on\n    below\n");
    c.shortens = true;
    is_printed(&c, "1\tb\t22\t a text that goes on below\n",
               "   1 b          22\n    a text that goes ...\n");
    c.line_width = 15; /* columns, too, go on below */
    is_printed(&c, "1\tb\t22\t text\n", "   1 b\n        22\n    text\n");
    c.line_width = 3; /* whatever happens, each cell is there */
    is_printed(&c, "1\tb\t22\ttext\n", "   1\n    b\n        22\n    \n");
    c.line_width = 0;
    is_printed(&c, "1\tb\t22\t text\n", "   1 b          22  text\n");
}

static void is_made(const struct ds_buffer *out, const char *wanted)
{
    assert_int_equal(out->len, strlen(wanted));
    assert_memory_equal(out->data, wanted, out->len);
}

static void is_shortened(const char *text, unsigned columns, const char *wanted)
{
    struct ds_buffer out = {0};
    line_shorten((struct ds_text){text, strlen(text)}, columns, &out);
    is_made(&out, wanted);
    ds_buffer_free(&out);
}

/* What is short says so, and has no number of which digits are gone. */
static void short_texts(void **state)
{
    (void)state;
    is_shortened("all of it", 9, "all of it");
    is_shortened("all of it", 8, "all o...");
    is_shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4, "\xc3\xa4...");
    is_shortened("in 12345 ms", 8, "in ...");
    is_shortened("in 12.45 ms", 9, "in ...");
    is_shortened("in 12.45 ms", 10, "in ...");
    is_shortened("in 1245 ms.", 10, "in 1245...");
    is_shortened("12345", 4, "...");
    is_shortened("12345", 2, "..");
    is_shortened("", 0, "");
}

static void are_wrapped(const char *text, unsigned columns, const char *wanted)
{
    struct ds_buffer out = {0};
    lines_wrap((struct ds_text){text, strlen(text)}, columns, &out);
    is_made(&out, wanted);
    ds_buffer_free(&out);
}

static void long_lines(void **state)
{
    (void)state;
    are_wrapped("one two\n\n  three\n", 7, "one two\n\n  three\n");
    are_wrapped("one two three\nfour", 12, "one two\n    three\nfour");
    are_wrapped("  one two  three\n", 10, "  one two\n     three\n");
    are_wrapped("one two three four five", 13, "one two three\n    four five");
    are_wrapped("{one,two,three}", 12, "{one,two,\n    three}"); /* no blank: behind a comma */
    are_wrapped("{a,threefour}", 9, "{a,threef\n    our}");      /* not where that is far away */
    are_wrapped("threefour1234", 12, "threefour\n    1234");      /* before a number */
    are_wrapped("12345678", 6, "123456\n   78");                 /* which is wider than all there is */
    are_wrapped("one two ", 7, "one two");                       /* no line of blanks */
    are_wrapped("                one", 8, "\n    one");
    are_wrapped("abc", 1, "a\nb\nc");
    are_wrapped("", 5, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits), cmocka_unit_test(bounds),
                                       cmocka_unit_test(in_bounded_lines),
                                       cmocka_unit_test(short_texts), cmocka_unit_test(long_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
