/*
 * test_term_encode.c - encoded terms are equal to those of a node, byte for byte, and decode to
 * what was meant.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "failing_alloc.h"

#include <distsniff/encode.h>
#include <distsniff/identity.h>
#include <stdio.h>
#include <string.h>

static struct ds_text text(const char *s)
{
    return (struct ds_text){s, strlen(s)};
}

/* is checks the bytes and the text of out, and empties it. */
static void is(struct ds_buffer *out, const char *hex, const char *printed)
{
    char found[512] = "";
    for (size_t i = 0; i < out->len; i++)
        snprintf(found + 2 * i, 3, "%02x", (unsigned char)out->data[i]);
    assert_string_equal(found, hex);
    struct ds_buffer shown = {0};
    const struct ds_term term = {.data = (const uint8_t *)out->data, .len = out->len};
    assert_true(ds_term_print(&term, NULL, &shown));
    ds_buffer_add(&shown, "", 1);
    assert_string_equal(shown.data, printed);
    ds_buffer_free(&shown);
    out->len = 0;
}

static void integer(struct ds_buffer *out, int64_t value)
{
    const uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(magnitude >> 8 * i);
    ds_encode_integer(out, value < 0, bytes, sizeof bytes);
}

/* As term_to_binary/1 of OTP 25 writes them. */
static void writes_integers_as_a_node_does(void **state)
{
    static const struct {
        int64_t value;
        const char *hex, *printed;
    } cases[] = {
        {0, "6100", "0"},
        {255, "61ff", "255"},
        {256, "6200000100", "256"},
        {-1, "62ffffffff", "-1"},
        {INT32_MAX, "627fffffff", "2147483647"},
        {INT32_MIN, "6280000000", "-2147483648"},
        {(int64_t)INT32_MAX + 1, "6e040000000080", "2147483648"},
        {(int64_t)INT32_MIN - 1, "6e040101000080", "-2147483649"},
        {(int64_t)1 << 32, "6e05000000000001", "4294967296"},
        {INT64_MIN, "6e08010000000000000080", "-9223372036854775808"},
    };
    struct ds_buffer out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        integer(&out, cases[i].value);
        is(&out, cases[i].hex, cases[i].printed);
    }
    ds_buffer_free(&out);
}

static void writes_integers_of_256_bytes(void **state)
{
    static uint8_t bytes[256];
    struct ds_buffer out = {0};
    (void)state;
    bytes[254] = 1;
    ds_encode_integer(&out, false, bytes, sizeof bytes);
    assert_memory_equal(out.data, "n\xff\0", 3);
    assert_int_equal(out.len, 3 + 255);
    out.len = 0;
    bytes[255] = 1;
    ds_encode_integer(&out, true, bytes, sizeof bytes);
    assert_memory_equal(out.data, "o\0\0\1\0\1", 6);
    assert_int_equal(out.len, 6 + 256);
    ds_buffer_free(&out);
}

static void writes_numbers_of_one_width(void **state)
{
    struct ds_buffer out = {0};
    (void)state;
    ds_encode_number(&out, false, 1);
    is(&out, "6200000001", "1");
    ds_encode_number(&out, true, (uint64_t)INT32_MAX + 1);
    is(&out, "6280000000", "-2147483648");
    ds_encode_number(&out, false, (uint64_t)INT32_MAX + 1);
    is(&out, "6e08000000008000000000", "2147483648");
    ds_encode_number(&out, true, UINT64_MAX);
    is(&out, "6e0801ffffffffffffffff", "-18446744073709551615");
    ds_buffer_free(&out);
}

static void writes_atoms_up_to_their_longest(void **state)
{
    char name[256 * 2];
    struct ds_buffer out = {0};
    (void)state;
    ds_encode_atom(&out, text("ok"));
    is(&out, "77026f6b", "ok");
    ds_encode_atom(&out, text(""));
    is(&out, "7700", "''");
    memset(name, 'a', sizeof name);
    ds_encode_atom(&out, (struct ds_text){name, 255});
    assert_memory_equal(out.data, "w\xff" "a", 3);
    out.len = 0;
    ds_encode_atom(&out, (struct ds_text){name, 256});
    assert_memory_equal(out.data, "v\1\0a", 4);
    assert_int_equal(out.len, 3 + 256);
    ds_buffer_free(&out);
}

static void writes_what_holds_others(void **state)
{
    struct ds_buffer out = {0};
    (void)state;
    ds_encode_tuple(&out, 2);
    ds_encode_nil(&out);
    ds_encode_map(&out, 1);
    ds_encode_atom(&out, text("k"));
    ds_encode_list(&out, 1);
    ds_encode_string(&out, text("hi"));
    ds_encode_atom(&out, text("tail"));
    is(&out, "68026a74000000017701"
             "6b6c000000016b000268697704"
             "7461696c",
       "{[],#{k => [\"hi\"|tail]}}");

    const size_t list = ds_encode_open_list(&out), first = out.len;
    integer(&out, 300);
    integer(&out, 2);
    ds_encode_nil(&out);
    assert_int_equal(first, 5);
    ds_encode_close(&out, list, 2);
    is(&out, "6c00000002620000012c61026a", "[300,2]");
    const size_t map = ds_encode_open_map(&out);
    ds_encode_close(&out, map, 0);
    is(&out, "7400000000", "#{}");

    ds_encode_tuple(&out, 255);
    assert_memory_equal(out.data, "h\xff", 2);
    out.len = 0;
    ds_encode_tuple(&out, 256);
    assert_memory_equal(out.data, "i\0\0\1\0", 5);
    ds_buffer_free(&out);
}

static void writes_bits_and_floats(void **state)
{
    struct ds_buffer out = {0};
    (void)state;
    ds_encode_float(&out, 2.5);
    is(&out, "464004000000000000", "2.5");
    ds_encode_binary(&out, text("ab"));
    is(&out, "6d000000026162", "<<\"ab\">>");
    ds_encode_bits(&out, "ab", 16);
    is(&out, "6d000000026162", "<<\"ab\">>");
    ds_encode_bits(&out, "a\xa0", 11);
    is(&out, "4d000000020361a0", "<<97,5:3>>");
    ds_encode_bits(&out, NULL, 0);
    is(&out, "6d00000000", "<<>>");
    ds_buffer_free(&out);
}

static void writes_pids_and_references(void **state)
{
    static const uint32_t words[] = {1, 2, 0xfffffffe};
    struct ds_buffer out = {0};
    struct ds_identity identity;
    (void)state;
    ds_encode_pid(&out, text("a@h"), 85, 1, 0x12345678);
    is(&out, "58770361406800000055000000" "0112345678",
       "<a@h.85.1>");
    ds_encode_reference(&out, text("a@h"), words, 3, 7);
    const struct ds_term term = {.data = (const uint8_t *)out.data, .len = out.len};
    assert_true(ds_term_get_identity(&term, &identity));
    assert_int_equal(identity.kind, DS_IDENTITY_REFERENCE);
    assert_int_equal(identity.creation, 7);
    assert_int_equal(identity.num_words, 3);
    assert_memory_equal(identity.word, words, sizeof words);
    ds_buffer_free(&out);
}

static void says_when_memory_runs_out(void **state)
{
    (void)state;
    struct ds_buffer out = {0};
    failing_alloc_from(1);
    const size_t opened = ds_encode_open_map(&out);
    ds_encode_pid(&out, text("a@h"), 1, 2, 3);
    ds_encode_close(&out, opened, 1);
    failing_alloc_at(0);
    assert_true(out.failed);
    ds_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_integers_as_a_node_does),
        cmocka_unit_test(writes_integers_of_256_bytes),
        cmocka_unit_test(writes_numbers_of_one_width),
        cmocka_unit_test(writes_atoms_up_to_their_longest),
        cmocka_unit_test(writes_what_holds_others),
        cmocka_unit_test(writes_bits_and_floats),
        cmocka_unit_test(writes_pids_and_references),
        cmocka_unit_test(says_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
