/*
 * term_printing.h - checks of terms as text. assert_prints compares the text of a term with the
 * expected one. print_or_fail and inspect_or_fail, for failing_alloc_each, check that it is written
 * in Erlang's or Elixir's syntax, or that the lack of memory is reported.
 */
#ifndef TESTS_TERM_PRINTING_H
#define TESTS_TERM_PRINTING_H

#include "etf/term.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_text(const struct ds_buffer *text, const char *expected)
{
    if (text->len != strlen(expected) ||
        (text->len != 0 && memcmp(text->data, expected, text->len) != 0))
        fail_msg("expected %s\n     got %.*s", expected, (int)text->len, text->data);
}

static inline void assert_prints(const struct ds_term *term, const struct ds_term_print_options *options,
                          const char *expected)
{
    struct ds_buffer text = {0};
    assert_true(ds_term_print(term, options, &text));
    assert_text(&text, expected);
    ds_buffer_free(&text);
}

static inline void print_or_fail_as(const struct ds_term *term, enum ds_syntax syntax)
{
    const struct ds_term_print_options options = {.syntax = syntax};
    struct ds_buffer text = {0};
    bool ok = ds_term_print(term, &options, &text);
    if (!failing_alloc_failed()) {
        assert_true(ok);
        assert_false(text.failed);
    } else {
        assert_false(ok);
    }
    ds_buffer_free(&text);
}

static inline void print_or_fail(void *context)
{
    print_or_fail_as(context, DS_SYNTAX_ERLANG);
}

static inline void inspect_or_fail(void *context)
{
    print_or_fail_as(context, DS_SYNTAX_ELIXIR);
}

#endif
