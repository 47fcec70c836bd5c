/*
 * test_term_text_cache.c - text that was written for a message is used for the record of its call.
 */
#include "failing_alloc.h"
#include "output/term_text_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FAR = 1 << 20 }; /* calls that far apart have the same place */

static const uint8_t bytes[4096] = {104, 1, 97, 7};
static const struct ds_term term = {.data = bytes, .len = 4};
static const struct ds_text text = {"{7}", 3};

static void assert_said(const struct term_text_cache *said, uint64_t call, enum cached_what what,
                        const struct ds_term *of, bool is_said)
{
    const struct ds_text found = term_text_cache_find(said, call, what, of);
    assert_int_equal(found.data != NULL, is_said);
    if (is_said)
        assert_memory_equal(found.data, text.data, text.len);
}

static void test_of_the_same_call_and_term(void **state)
{
    const uint8_t others[] = {104, 1, 97, 8};
    const struct ds_term other = {.data = others, .len = sizeof others};
    const struct ds_term shorter = {.data = bytes, .len = 3};
    struct term_text_cache *said = term_text_cache_new();
    (void)state;
    assert_non_null(said);
    assert_said(said, 0, CACHED_REQUEST, &(struct ds_term){0}, false);
    term_text_cache_keep(said, 17, CACHED_REQUEST, &term, text);
    assert_said(said, 17, CACHED_REQUEST, &term, true);
    assert_said(said, 17, CACHED_ANSWER, &term, false);
    assert_said(said, 18, CACHED_REQUEST, &term, false);
    assert_said(said, 17 + FAR, CACHED_REQUEST, &term, false);
    assert_said(said, 17, CACHED_REQUEST, &other, false);
    assert_said(said, 17, CACHED_REQUEST, &shorter, false);
    term_text_cache_keep(said, 17 + FAR, CACHED_REQUEST, &term, text);
    assert_said(said, 17, CACHED_REQUEST, &term, false);
    assert_said(said, 17 + FAR, CACHED_REQUEST, &term, true);
    term_text_cache_free(said);
    term_text_cache_free(NULL);
}

static void test_only_what_is_short(void **state)
{
    static char many[1 << 16];
    const struct ds_term longer = {.data = bytes, .len = sizeof bytes};
    struct ds_term damaged = term;
    struct term_text_cache *said = term_text_cache_new();
    (void)state;
    assert_non_null(said);
    damaged.damaged = true;
    term_text_cache_keep(said, 1, CACHED_ANSWER, &longer, text);
    assert_said(said, 1, CACHED_ANSWER, &longer, false);
    term_text_cache_keep(said, 2, CACHED_ANSWER, &term, (struct ds_text){many, sizeof many});
    assert_said(said, 2, CACHED_ANSWER, &term, false);
    assert_false(term_text_cache_wants(&damaged));
    assert_false(term_text_cache_wants(&(struct ds_term){0}));
    term_text_cache_free(said);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) {
        failing_alloc_at(i);
        struct term_text_cache *said = term_text_cache_new();
        if (said != NULL)
            term_text_cache_keep(said, 1, CACHED_REQUEST, &term, text);
        failing_alloc_at(0);
        assert_int_equal(said == NULL, i == 1);
        if (said == NULL)
            continue;
        assert_said(said, 1, CACHED_REQUEST, &term, false);
        term_text_cache_keep(said, 1, CACHED_REQUEST, &term, text);
        assert_said(said, 1, CACHED_REQUEST, &term, true);
        term_text_cache_free(said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_the_same_call_and_term),
        cmocka_unit_test(test_only_what_is_short),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
