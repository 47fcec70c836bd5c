/*
 * test_buffer.c - growing output memory.
 */
#include "failing_alloc.h"
#include "util/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_holds(const struct ds_buffer *buffer, const char *text)
{
    assert_int_equal(buffer->len, strlen(text));
    assert_memory_equal(buffer->data, text, buffer->len);
}

static void test_add(void **state)
{
    (void)state;
    struct ds_buffer buffer = {0};
    ds_buffer_add(&buffer, NULL, 0);
    assert_int_equal(buffer.len, 0);
    ds_buffer_add(&buffer, "abc", 3);
    ds_buffer_add_text(&buffer, "def");
    ds_buffer_add_text(&buffer, "");
    buffer_add_char(&buffer, 'g');
    BUFFER_ADD(&buffer, "hi");
    ds_buffer_printf(&buffer, "%d%s", 12, "j");
    assert_holds(&buffer, "abcdefghi12j");
    ds_buffer_free(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.len, 0);
    assert_int_equal(buffer.cap, 0);
}

static void test_growth_is_by_doubling(void **state)
{
    (void)state;
    struct ds_buffer buffer = {0};
    failing_alloc_at(0);
    for (int i = 0; i < 1000000; i++)
        buffer_add_char(&buffer, (char)('a' + i % 26));
    assert_true(failing_alloc_count() < 20);
    assert_int_equal(buffer.len, 1000000);
    for (int i = 0; i < 1000000; i++)
        assert_int_equal(buffer.data[i], 'a' + i % 26);
    ds_buffer_free(&buffer);
}

static void test_reserve(void **state)
{
    (void)state;
    struct ds_buffer buffer = {0};
    assert_true(ds_buffer_reserve(&buffer, 5000));
    assert_true(buffer.cap >= 5000);
    failing_alloc_at(1);
    assert_true(ds_buffer_reserve(&buffer, 5000));
    assert_false(ds_buffer_reserve(&buffer, buffer.cap + 1));
    failing_alloc_at(0);
    assert_true(buffer.failed);
    ds_buffer_free(&buffer);

    assert_false(ds_buffer_reserve(&buffer, SIZE_MAX));
    assert_true(buffer.failed);
    ds_buffer_free(&buffer);
}

/* printf with a text that just fits, that just does not, and that is far too long. */
static void test_printf(void **state)
{
    (void)state;
    char text[3000];
    for (size_t len = 0; len < sizeof text; len += len < 10 || len > 240 ? 1 : 10) {
        struct ds_buffer buffer = {0};
        memset(text, 'x', len);
        text[len] = 0;
        ds_buffer_printf(&buffer, "%s", text);
        ds_buffer_printf(&buffer, "%s", "y");
        assert_int_equal(buffer.len, len + 1);
        assert_memory_equal(buffer.data, text, len);
        assert_int_equal(buffer.data[len], 'y');
        ds_buffer_free(&buffer);
    }
}

/* After a failure nothing is added, not even what would fit: a text has no gaps. */
static void test_failed(void **state)
{
    (void)state;
    struct ds_buffer buffer = {0};
    ds_buffer_add_text(&buffer, "abc");
    failing_alloc_at(1);
    char large[1000] = {0};
    ds_buffer_add(&buffer, large, sizeof large);
    failing_alloc_at(0);
    assert_true(buffer.failed);
    ds_buffer_add_text(&buffer, "d");
    buffer_add_char(&buffer, 'e');
    buffer_add_u64(&buffer, 1);
    ds_buffer_printf(&buffer, "f");
    assert_false(ds_buffer_reserve(&buffer, 1));
    assert_holds(&buffer, "abc");
    ds_buffer_free(&buffer);
}

static void test_numbers(void **state)
{
    (void)state;
    uint64_t value = 0;
    for (int i = 0; i < 64; i++) {
        for (uint64_t near = value - 1; near != value + 2; near++) {
            struct ds_buffer buffer = {0};
            char text[64], room[DS_DIGITS_MAX + 1];
            room[DS_DIGITS_MAX] = '#';
            ds_digits_put(room, near);
            assert_int_equal(room[DS_DIGITS_MAX], '#');
            buffer_add_u64(&buffer, near);
            BUFFER_ADD(&buffer, " ");
            buffer_add_hex(&buffer, near);
            snprintf(text, sizeof text, "%llu %llX", (unsigned long long)near,
                     (unsigned long long)near);
            assert_holds(&buffer, text);
            ds_buffer_free(&buffer);
        }
        value = i < 20 ? (i == 0 ? 1 : value * 10) : (uint64_t)1 << i;
    }
}

/* All bytes, and more of them than are written at once. */
static void test_lists_of_bytes(void **state)
{
    (void)state;
    static const size_t lens[] = {0, 1, 2, 256, 1024, 1025, 1026, 5000};
    uint8_t bytes[5000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        struct ds_buffer buffer = {0}, expected = {0};
        struct cursor cursor = cursor_make(bytes, lens[i]);
        buffer_add_numbers(&buffer, &cursor);
        for (size_t j = 0; j < lens[i]; j++)
            ds_buffer_printf(&expected, j == 0 ? "%d" : ",%d", bytes[j]);
        assert_int_equal(buffer.len, expected.len);
        assert_memory_equal(buffer.data, expected.data, expected.len);
        assert_int_equal(cursor_left(&cursor), 0);
        ds_buffer_free(&buffer);
        ds_buffer_free(&expected);
    }
    struct ds_buffer full = {0};
    struct cursor cursor = cursor_make(bytes, sizeof bytes);
    failing_alloc_at(2);
    buffer_add_numbers(&full, &cursor);
    failing_alloc_at(0);
    assert_true(full.failed);
    ds_buffer_free(&full);
}

/* buffer_put_short writes exactly the given number of bytes. */
static void puts_short_bytes(void **state)
{
    enum { LEN_MAX = 40, ROOM = LEN_MAX + 1 };
    char from[LEN_MAX], to[ROOM];
    (void)state;
    for (int i = 0; i < LEN_MAX; i++)
        from[i] = (char)('a' + i);
    for (size_t len = 0; len <= LEN_MAX; len++) {
        memset(to, '.', sizeof to);
        assert_ptr_equal(buffer_put_short(to, from, len), to + len);
        assert_memory_equal(to, from, len);
        for (size_t i = len; i < sizeof to; i++)
            assert_int_equal(to[i], '.');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_short_bytes),
        cmocka_unit_test(test_add),     cmocka_unit_test(test_growth_is_by_doubling),
        cmocka_unit_test(test_reserve), cmocka_unit_test(test_printf),
        cmocka_unit_test(test_failed),  cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_lists_of_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
