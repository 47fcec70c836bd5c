/* test_term_show.c - how long the text of a term may become in this run, and the text of reasons. */
#include "core/term_show.h"
#include "etf_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX = 64 * 1024, HEAD = 5 };

/* binary makes a term of len bytes that are not text, four characters each. */
static struct ds_term binary(uint8_t *room, size_t len)
{
    room[0] = 109;
    for (int i = 0; i < 4; i++)
        room[1 + i] = (uint8_t)(len >> (24 - 8 * i));
    memset(room + HEAD, 200, len);
    return (struct ds_term){.data = room, .len = HEAD + len};
}

static size_t shown(const struct ds_term *term, const struct ds_term_print_options *options,
                    bool *is_cut)
{
    struct ds_buffer out = {0};
    assert_true(term_show(term, options, &out));
    ds_buffer_add(&out, "", 1);
    *is_cut = strstr(out.data, "... ") != NULL && strstr(out.data, " more") != NULL;
    const size_t len = out.len - 1;
    ds_buffer_free(&out);
    return len;
}

/* noted returns how many texts were cut since the last call. */
static uint64_t noted(void)
{
    static uint64_t before;
    const uint64_t now = term_show_num_cut(), since = now - before;
    before = now;
    return since;
}

static void what_fits_is_whole(void **state)
{
    static uint8_t room[MAX];
    const struct ds_term term = binary(room, MAX / 4 - HEAD);
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    assert_false(term_show_is_large(term.len));
    assert_in_range(shown(&term, NULL, &is_cut), MAX - 100, MAX);
    assert_false(is_cut);
    assert_int_equal(noted(), 0);
}

static void what_may_not_is_cut(void **state)
{
    static uint8_t room[MAX];
    const struct ds_term term = binary(room, MAX / 4 - HEAD + 1);
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    assert_true(term_show_is_large(term.len));
    assert_in_range(shown(&term, NULL, &is_cut), MAX / 8, MAX / 2);
    assert_true(is_cut);
    assert_int_equal(noted(), 1);
    term_show_limit(0);
    assert_false(term_show_is_large(term.len));
    assert_in_range(shown(&term, NULL, &is_cut), MAX - 100, MAX + 100);
    assert_false(is_cut);
    assert_int_equal(noted(), 0);
}

/* References to a long atom of the cache: 2 bytes each. */
static void what_grows_is_cut(void **state)
{
    enum { NUM = 2000 };
    static uint8_t room[HEAD + 2 * NUM + 1] = {108, 0, 0, NUM >> 8, NUM & 255};
    static uint8_t text[255];
    memset(text, 'a', sizeof text);
    const struct ds_atom atom = {.text = text, .len = sizeof text, .state = DS_ATOM_KNOWN};
    for (int i = 0; i < NUM; i++)
        room[HEAD + 2 * i] = 82;
    room[HEAD + 2 * NUM] = 106;
    const struct ds_term term = {.data = room, .len = sizeof room, .atoms = &atom, .num_atoms = 1};
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    assert_in_range(shown(&term, NULL, &is_cut), MAX, MAX + 1000);
    assert_true(is_cut);
    assert_int_equal(noted(), 1);
}

static void narrower_options_stay(void **state)
{
    static uint8_t room[MAX];
    const struct ds_term term = binary(room, MAX - HEAD);
    const struct ds_term_print_options few = {.max_bytes = 10, .max_len = 100};
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    assert_in_range(shown(&term, &few, &is_cut), 30, 100);
    assert_true(is_cut);
    assert_int_equal(noted(), 0);
}

/* A number is cut as bytes are. A text within the cap is not counted, however large. */
static void numbers_are_counted_too(void **state)
{
    enum { BIG = MAX / 2, NUM = MAX / 8 + 10 };
    static uint8_t room[MAX] = {111, BIG >> 24, BIG >> 16 & 255, BIG >> 8 & 255, BIG & 255, 0};
    static uint8_t list[HEAD + 2 * NUM + 1];
    memset(room + 6, 255, BIG);
    const struct ds_term number = {.data = room, .len = 6 + BIG};
    bool is_cut;
    (void)state;
    term_show_limit(MAX);
    shown(&number, NULL, &is_cut);
    assert_true(is_cut);
    assert_int_equal(noted(), 1);
    /* small numbers: the term is large, but its text is no longer than that */
    list[0] = 108;
    list[3] = NUM >> 8;
    list[4] = NUM & 255;
    for (int i = 0; i < NUM; i++) {
        list[HEAD + 2 * i] = 97;
        list[HEAD + 2 * i + 1] = 5;
    }
    list[HEAD + 2 * NUM] = 106;
    const struct ds_term text = {.data = list, .len = sizeof list};
    assert_true(term_show_is_large(text.len));
    shown(&text, NULL, &is_cut);
    assert_false(is_cut);
    assert_int_equal(noted(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_whole),
        cmocka_unit_test(what_may_not_is_cut),
        cmocka_unit_test(what_grows_is_cut),
        cmocka_unit_test(narrower_options_stay),
        cmocka_unit_test(numbers_are_counted_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
