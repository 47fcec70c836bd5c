/*
 * test_columns.c - columns that fit their cells, up to a bound, and lines that fit a terminal.
 */
#include "core/column_width.h"
#include "core/columns.h"
#include "core/line_fit.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
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
    is_printed(&c, "a\tb\tc\td\n", "a     b c\td\n"); /* the last cell is not cut */
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

/* A cell that is wider than all bounds shifts its own line, and no other. */
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
    is_printed(&c, "1\tb\t22\t text\n", "   1 b          22  text\n"); /* it fits, even if others do not */
    is_printed(&c, "1\tb\t22\t text!\n", "   1 b          22\n    text!\n");
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
    c.line_width = 3; /* each cell is printed in any case */
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

/* A shortened text shows that it is, and has no number with missing digits. */
static void short_texts(void **state)
{
    (void)state;
    is_shortened("all of it", 9, "all of it");
    is_shortened("all of it", 8, "all o...");
    is_shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4, "\xc3\xa4...");
    is_shortened("\033[1mbold\033[0m", 4, "\033[1mbold\033[0m"); /* colours use no columns */
    is_shortened("\033[0;2mbold\033[0m and more", 7, "\033[0;2mbold\033[0m...");
    is_shortened("\033[0;2bold", 7, "\033[0;..."); /* no colour: it does not end in m */
    is_shortened("\033[12", 5, "\033[12");
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
    are_wrapped("12345678", 6, "123456\n   78");                 /* which is wider than the line */
    are_wrapped("one two ", 7, "one two");                       /* no blank line */
    are_wrapped("                one", 8, "\n    one");
    are_wrapped("abc", 1, "a\nb\nc");
    are_wrapped("", 5, "");
}

/* Where ranges begin and end. */
static void widths(void **state)
{
    static const struct {
        uint32_t character;
        unsigned columns;
    } some[] = {
        {0, 1},       {'a', 1},     {0x7f, 1},    {0xe4, 1},    {0x2ff, 1},   {0x300, 0},   {0x36f, 0},
        {0x370, 1},   {0x10ff, 1},  {0x1100, 2},  {0x115f, 2},  {0x1160, 0},  {0x11ff, 0},  {0x1200, 1},
        {0x231a, 2},  {0x231c, 1},  {0x3000, 2},  {0x3029, 2},  {0x302a, 0},  {0x302d, 0},  {0x302e, 2},
        {0x303e, 2},  {0x303f, 1},  {0x3041, 2},  {0x4dbf, 2},  {0x4dc0, 2},  {0x9fff, 2},  {0xa4c6, 2},
        {0xa4d0, 1},  {0xabff, 1},  {0xac00, 2},  {0xd7a3, 2},  {0xd7b0, 0},  {0xf900, 2},  {0xfaff, 2},
        {0xfe0f, 0},  {0xfe10, 2},  {0xff00, 1},  {0xff01, 2},  {0xff60, 2},  {0xff61, 1},  {0xffe6, 2},
        {0x1f1e6, 1}, {0x1f300, 2}, {0x1f5a5, 1}, {0x1f600, 2}, {0x1f64f, 2}, {0x1f650, 1}, {0x20000, 2},
        {0x3fffd, 2}, {0x40000, 1}, {0xe0100, 0}, {0xe01ef, 0}, {0xe01f0, 1}, {0x10ffff, 1},
        {UINT32_MAX, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        if (column_width(some[i].character) != some[i].columns)
            fail_msg("%x: %u columns", some[i].character, column_width(some[i].character));
    }
}

/* The C library knows widths, too, of another version of Unicode; but it counts some formatting
 * characters as one column. */
static void widths_as_of_the_library(void **state)
{
    unsigned num = 0, different = 0;
    (void)state;
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        skip();
    for (uint32_t c = 0xa0; c < 0xe000; c++) {
        const int columns = ds_char_is_shown(c) ? wcwidth((wchar_t)c) : -1;
        num += columns >= 0;
        different += columns >= 0 && column_width(c) != (unsigned)columns;
    }
    assert_true(num > 50000);
    assert_in_range(different, 0, 200);
    setlocale(LC_CTYPE, "C");
}

#define WIDE "\xe5\xad\x97"         /* a Chinese character */
#define MARK "\xcc\x81"             /* an accent on the preceding character */
#define FLAG "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa" /* two regional indicators: a flag */
#define THUMB "\xf0\x9f\x91\x8d"
#define SKIN "\xf0\x9f\x8f\xbd"
#define CAT "\xf0\x9f\x90\x88"     /* a cat */

enum { JOINER = 0x200d };

static unsigned width_of(const char *text)
{
    return line_columns((struct ds_text){text, strlen(text)});
}

static void wide_characters(void **state)
{
    struct columns c = {.align = "lr", .width = {4, 2}};
    (void)state;
    assert_int_equal(width_of("a" WIDE "e" MARK CAT), 1 + 2 + 1 + 2);
    assert_int_equal(width_of(FLAG THUMB SKIN), 2 + 2 + 2); /* each by itself, in any terminal */
    assert_false(ds_char_is_shown(JOINER));
    assert_int_equal(width_of("\xff\xe5\xad"), 3); /* no characters: as the bytes that they are */
    columns_fit(&c, WIDE WIDE "a\tb\tc\n");
    columns_fit(&c, "e" MARK MARK MARK MARK MARK "\tb\tc\n");
    assert_int_equal(c.width[0], 5);
    is_printed(&c, WIDE "\t1\tx\n", WIDE "     1 x\n");
    is_printed(&c, "e" MARK "\t1\tx\n", "e" MARK "      1 x\n");

    is_shortened(WIDE WIDE WIDE, 6, WIDE WIDE WIDE);
    is_shortened(WIDE WIDE WIDE, 5, WIDE "...");
    is_shortened(WIDE WIDE WIDE, 4, "..."); /* only half of it would fit */
    is_shortened("e" MARK MARK WIDE WIDE, 4, "e" MARK MARK "...");

    are_wrapped(WIDE WIDE WIDE WIDE WIDE "\n", 9, WIDE WIDE WIDE WIDE "\n    " WIDE "\n");
    are_wrapped("a" WIDE WIDE, 4, "a" WIDE "\n  " WIDE);
    are_wrapped("ee" MARK MARK "a", 2, "ee" MARK MARK "\n a");
    are_wrapped(WIDE WIDE, 1, WIDE "\n" WIDE); /* wider than the line: it is printed all the same */
    struct ds_buffer out = {0};
    line_wrap((struct ds_text){CAT CAT, 8}, 9, 2, 10, &out); /* it does not fit into the rest of a line */
    is_made(&out, "\n  " CAT CAT);
    ds_buffer_free(&out);
}

/* For any bytes, no line is wider than allowed, and no byte is lost. */
static void wide_anywhere(void **state)
{
    static const char *const pieces[] = {WIDE, MARK, CAT, "a", " ", ",", "12", "\xff", "\xe5"};
    uint32_t seed = 1;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        char text[256] = "";
        size_t lost = 0;
        for (int i = 0; i < 40; i++) {
            seed = seed * 1664525 + 1013904223;
            strcat(text, pieces[(seed >> 16) % (sizeof pieces / sizeof pieces[0])]);
        }
        for (unsigned columns = 4; columns < 50; columns += 7) {
            struct ds_buffer out = {0};
            lines_wrap((struct ds_text){text, strlen(text)}, columns, &out);
            ds_buffer_add(&out, "", 1);
            for (char *line = strtok(out.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
                if (width_of(line) > columns)
                    fail_msg("wider than %u: '%s' of '%s'", columns, line, text);
                for (const char *c = line; *c != '\0'; c++)
                    lost -= *c != ' ';
            }
            for (const char *c = text; *c != '\0'; c++)
                lost += *c != ' ';
            assert_int_equal(lost, 0);
            ds_buffer_free(&out);
            line_shorten((struct ds_text){text, strlen(text)}, columns, &out);
            assert_true(line_columns((struct ds_text){out.data, out.len}) <= columns);
            ds_buffer_free(&out);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits), cmocka_unit_test(bounds),
                                       cmocka_unit_test(in_bounded_lines),
                                       cmocka_unit_test(short_texts), cmocka_unit_test(long_lines),
                                       cmocka_unit_test(widths),
                                       cmocka_unit_test(widths_as_of_the_library),
                                       cmocka_unit_test(wide_characters),
                                       cmocka_unit_test(wide_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
