/* test_reader.c - a reader remembers the first item that is missing, and stays at its place. */
#include "util/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const uint8_t bytes[] = {1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 'a', 'b', 'c'};

static void reads_what_is_there(void **state)
{
    struct reader r = {.at = cursor_make(bytes, sizeof bytes)};
    char two[2] = "";
    (void)state;
    assert_int_equal(reader_u8(&r, "u8"), 1);
    assert_int_equal(reader_u16(&r, "u16"), 2);
    assert_int_equal(reader_u32(&r, "u32"), 3);
    assert_int_equal(reader_u64(&r, "u64"), 4);
    reader_bytes(&r, two, sizeof two, "bytes");
    assert_memory_equal(two, "ab", sizeof two);
    reader_end(&r, "more");
    assert_string_equal(r.wrong, "more");
    r.wrong = NULL;
    const struct cursor rest = reader_rest(&r);
    assert_int_equal(cursor_left(&rest), 1);
    reader_end(&r, "more");
    assert_true(reader_is_ok(&r));
}

/* Each prefix of the bytes lacks one item, which is reported. */
static void names_the_first_that_lacks(void **state)
{
    static const struct {
        size_t from;
        const char *what;
    } fields[] = {{0, "u8"}, {1, "u16"}, {3, "u32"}, {7, "u64"}, {15, "child"}};
    size_t field = 0;
    (void)state;
    for (size_t len = 0; len < sizeof bytes; len++) {
        struct reader r = {.at = cursor_make(bytes, len)};
        char none[1] = "x";
        while (field + 1 < sizeof fields / sizeof fields[0] && fields[field + 1].from <= len)
            field++;
        (void)reader_u8(&r, "u8");
        (void)reader_u16(&r, "u16");
        (void)reader_u32(&r, "u32");
        (void)reader_u64(&r, "u64");
        const struct cursor child = reader_child(&r, 3, "child");
        assert_string_equal(r.wrong, fields[field].what);
        assert_int_equal(cursor_left(&child), 0);
        assert_ptr_equal(r.at.at, bytes + fields[field].from);
        assert_int_equal(reader_u8(&r, "late"), 0);
        reader_bytes(&r, none, 1, "late");
        assert_int_equal(none[0], 'x');
        const struct cursor rest = reader_rest(&r);
        assert_int_equal(cursor_left(&rest), 0);
        reader_fail(&r, "late");
        assert_string_equal(r.wrong, fields[field].what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_there),
        cmocka_unit_test(names_the_first_that_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
