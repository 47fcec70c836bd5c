/*
 * test_map_value.c - the value of an atom in a map: cached or inline, in small maps, which are
 * searched for the text first, and in large ones, which are walked at once.
 */
#include "etf_maker.h"
#include "guard_page.h"

#include <distsniff/identity.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { SEARCHED = 4096 }; /* length of a map that is searched for the text */

/* get returns the integer that the map has for "wanted", or -1. Nothing behind it is read. */
static int64_t get(struct ds_term map)
{
    struct guard_page page = guard_page_copy(map.data, map.len);
    struct ds_term value;
    int64_t number = -1;
    map.data = page.bytes;
    if (ds_term_get_value(&map, "wanted", &value))
        assert_true(ds_term_get_integer(&value, &number));
    guard_page_free(&page);
    return number;
}

static void a_key_is_found(void **state)
{
    (void)state;
    etf_reset();
    assert_int_equal(get(etf_map(0)), -1);
    assert_int_equal(get(etf_map(1, etf_atom("other"), etf_int(1))), -1);
    assert_int_equal(get(etf_map(1, etf_atom("wanted"), etf_int(2))), 2);
    assert_int_equal(get(etf_map(2, etf_atom("waned"), etf_int(1), etf_atom("wanted"), etf_int(3))), 3);
    assert_int_equal(get(etf_int(7)), -1);
    /* the text alone is no key */
    assert_int_equal(get(etf_map(1, etf_binary("wanted"), etf_int(1))), -1);
    assert_int_equal(get(etf_map(1, etf_int(1), etf_atom("wanted"))), -1);
    assert_int_equal(get(etf_map(1, etf_atom("unwanted"), etf_int(1))), -1);
    assert_int_equal(get(etf_map(1, etf_atom("wanted_"), etf_int(1))), -1);
}

static void a_cached_key_is_found(void **state)
{
    (void)state;
    etf_reset();
    const struct ds_term unknown = etf_map(1, etf_cached(NULL), etf_int(1));
    assert_int_equal(get(unknown), -1);
    assert_int_equal(get(etf_map(1, etf_cached("wante"), etf_int(1))), -1);
    assert_int_equal(get(etf_map(2, etf_cached("other"), etf_int(1), etf_cached("wanted"), etf_int(2))), 2);
    /* the message refers to the atom; this map does not */
    assert_int_equal(get(etf_map(1, etf_cached("other"), etf_int(1))), -1);
}

/* map_of_len makes a map of that many bytes whose last key is the wanted one. */
static struct ds_term map_of_len(size_t len)
{
    static const uint8_t binary_head[] = {109, 0, 0};
    uint8_t binary[2 * SEARCHED] = {0};
    const struct ds_term pair = etf_map(1, etf_atom("wanted"), etf_int(5)), key = etf_atom("other");
    const size_t binary_len = len - pair.len - key.len, text_len = binary_len - 5;
    memcpy(binary, binary_head, sizeof binary_head);
    binary[3] = (uint8_t)(text_len >> 8);
    binary[4] = (uint8_t)text_len;
    return etf_map(2, key, etf_raw(binary, binary_len), etf_atom("wanted"), etf_int(5));
}

static void a_key_of_a_large_map_is_found(void **state)
{
    (void)state;
    for (size_t len = SEARCHED - 1; len <= SEARCHED + 1; len++) {
        etf_reset();
        const struct ds_term map = map_of_len(len);
        assert_int_equal(map.len, len);
        assert_int_equal(get(map), 5);
    }
}

/* A map that is cut has the keys before the cut. */
static void a_map_that_is_cut_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    etf_reset();
    const struct ds_term first = etf_map(1, etf_atom("wanted"), etf_int(5));
    const struct ds_term both =
        etf_map(2, etf_atom("wanted"), etf_int(5), etf_atom("other"), etf_int(6));
    for (size_t len = 0; len < both.len; len++) {
        struct ds_term cut = both;
        cut.len = len;
        assert_int_equal(get(cut), len < first.len ? -1 : 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_found),
        cmocka_unit_test(a_cached_key_is_found),
        cmocka_unit_test(a_key_of_a_large_map_is_found),
        cmocka_unit_test(a_map_that_is_cut_is_read_as_far_as_it_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
