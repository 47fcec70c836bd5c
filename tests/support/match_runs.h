/*
 * match_runs.h - patterns of -m run on terms: assert_match("{a, X} when X > 1", term). TERM makes a
 * term of its bytes, make_map one of num_pairs keys and values; other terms are those of etf_maker.h.
 */
#ifndef TESTS_MATCH_RUNS_H
#define TESTS_MATCH_RUNS_H

#include "etf_maker.h"

#include <distsniff/match.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TERM(...)                                                                                  \
    ((struct ds_term){.data = (const uint8_t[]){__VA_ARGS__},                                      \
                      .len = sizeof((const uint8_t[]){__VA_ARGS__})})

static inline struct ds_term make_map(unsigned num_pairs, ...)
{
    const char head[5] = {116, 0, 0, 0, (char)num_pairs};
    va_list args;
    va_start(args, num_pairs);
    const struct ds_term map = etf_put(head, sizeof head, 2 * num_pairs, args);
    va_end(args);
    return map;
}

/* compile fails the test if the pattern is invalid. */
static inline struct ds_match *compile(const char *text)
{
    struct ds_match_error error = {0};
    struct ds_match *match = ds_match_compile(text, &error);
    if (match == NULL)
        fail_msg("%s: column %zu: %s", text, error.column, error.what);
    return match;
}

static inline enum ds_match_result run(const char *text, struct ds_term term)
{
    struct ds_match *match = compile(text);
    const enum ds_match_result result = ds_match_run_term(match, &term);
    assert_int_equal(ds_match_run_term(match, &term), result); /* a second run gives the same */
    ds_match_free(match);
    return result;
}

#define assert_match(text, term) assert_int_equal(run((text), (term)), DS_MATCH_YES)
#define assert_no_match(text, term) assert_int_equal(run((text), (term)), DS_MATCH_NO)

#endif
