/*
 * fuzz_term.c - any bytes as a term: first a byte that chooses limits for the text, then the
 * term. Whatever the check lets through must be read, printed and copied whole; whatever it
 * refuses must still be printed, in part, and not copied. As source text both are complete.
 */
#include "term_samples.h"
#include "etf/term.h"
#include "util/utf8.h"

#include <distsniff/code.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct term_env env = {samples_atoms, SAMPLES_NUM_ATOMS};

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* The text of a term is UTF-8, safe for a terminal, and ends in dots if the term is damaged. */
static void fuzz_print(const struct ds_term *term, const struct ds_term_print_options *options)
{
    struct ds_buffer text = {0};
    must(ds_term_print(term, options, &text));
    struct cursor at = cursor_make(text.data, text.len);
    uint32_t code;
    while (cursor_left(&at) != 0)
        must(utf8_read(&at, &code) && code >= 0x20 && (code < 0x7f || code > 0x9f));
    const bool is_all = options == NULL || (options->max_len == 0 && options->max_depth == 0 &&
                                            options->max_items == 0 && options->max_bytes == 0);
    if (term->damaged && is_all)
        must(text.len >= 3 && memcmp(text.data + text.len - 3, "...", 3) == 0);
    ds_buffer_free(&text);
}

/* A copy is read without the cache, and a copy of the copy is equal to it. */
static void fuzz_copy(const struct ds_term *term)
{
    const struct term_env no_atoms = {0};
    struct ds_buffer copy = {0}, again = {0};
    uint32_t unknown = 0, inferred = 0;
    must(ds_term_copy_etf(term, &copy));
    struct ds_term copied = {.data = (const uint8_t *)copy.data + 1, .len = copy.len - 1};
    struct cursor at = cursor_make(copied.data, copied.len);
    must(term_check(&at, &no_atoms, &unknown, &inferred, NULL) == TERM_OK);
    must(cursor_left(&at) == 0 && unknown == 0 && inferred == 0);
    must(ds_term_copy_etf(&copied, &again));
    must(again.len == copy.len && memcmp(again.data, copy.data, copy.len) == 0);
    ds_buffer_free(&copy);
    ds_buffer_free(&again);
}

/* Each bracket is closed, no bracket closes what was not opened, each quote ends, and Elixir finds
 * nothing to interpolate in a string. So no byte of a peer gets outside of its place. */
static void fuzz_balance(struct cursor text, enum ds_code_language language)
{
    char open[4096];
    size_t num_open = 0;
    uint8_t c, quote = 0, before = 0;
    for (; cursor_read_u8(&text, &c); before = c) {
        must(c >= 0x20 || c == '\n');
        if (quote != 0) {
            if (c == '\\') {
                must(cursor_read_u8(&text, &c));
                c = '\\'; /* an escaped character begins nothing */
                continue;
            }
            if (c == quote)
                quote = 0;
            must(!(language == DS_CODE_ELIXIR && before == '#' && c == '{'));
        } else if (c == '"' || (c == '\'' && language == DS_CODE_ERLANG)) {
            quote = c;
        } else if (strchr("([{", c) != NULL) {
            if (num_open == sizeof open)
                return; /* deep enough */
            open[num_open++] = c == '(' ? ')' : c == '[' ? ']' : '}';
        } else if (strchr(")]}", c) != NULL) {
            must(num_open != 0 && open[--num_open] == (char)c);
        }
    }
    must(quote == 0 && num_open == 0);
}

/* A copy of a portable copy is equal to it, and text in any language ends. */
static void fuzz_code(const struct ds_term *term, uint8_t choice)
{
    struct ds_buffer copy = {0}, again = {0}, text = {0};
    const struct ds_code_options options = {
        .language = choice & 1,
        .exact = choice >> 1 & 1,
        .width = choice >> 2 & 31,
        .max_depth = choice >> 7,
    };
    if (ds_term_copy_portable(term, &copy)) {
        struct ds_term copied = {.data = (const uint8_t *)copy.data + 1, .len = copy.len - 1};
        must(ds_term_copy_portable(&copied, &again));
        must(again.len == copy.len && memcmp(again.data, copy.data, copy.len) == 0);
    } else {
        must(term->damaged);
    }
    must(ds_code_term(term, &options, &text) && text.len != 0);
    fuzz_balance(cursor_make(text.data, text.len), options.language);
    ds_buffer_free(&copy);
    ds_buffer_free(&again);
    ds_buffer_free(&text);
}

static void fuzz_get(const struct ds_term *term)
{
    struct ds_term element;
    struct ds_text text;
    const struct ds_atom *atom;
    int64_t integer;
    uint32_t creation;
    (void)term_get_integer(term, &integer);
    (void)term_get_atom(term, &text);
    (void)term_get_node(term, &text, &atom, &creation);
    for (uint32_t i = 0; i < 8 && term_get_element(term, i, &element); i++) {
        (void)term_get_integer(&element, &integer);
        (void)term_get_atom(&element, &text);
        (void)term_get_node(&element, &text, &atom, &creation);
    }
}

static void fuzz_tokens(struct cursor at, size_t len)
{
    struct cursor start = at;
    uint64_t num_terms = 1;
    struct term_token token;
    while (num_terms != 0) {
        must(term_read_token(&at, &env, &token, NULL) == TERM_OK);
        num_terms += token.num_terms - 1;
    }
    must(cursor_offset(&at, &start) == len);
}

static void fuzz_one(struct cursor bytes, const struct ds_term_print_options *options, uint8_t choice)
{
    struct cursor at = bytes;
    uint32_t unknown = 0, inferred = 0;
    const char *what = NULL;
    bool ok = term_check(&at, &env, &unknown, &inferred, &what) == TERM_OK;
    struct ds_term term = samples_term(bytes.at, cursor_left(&bytes));
    must(ok || what != NULL);
    if (ok) {
        term.len = cursor_offset(&at, &bytes);
        fuzz_tokens(bytes, term.len);
        fuzz_copy(&term);
    } else {
        term.damaged = true;
    }
    const struct ds_term_print_options elixir = {.syntax = DS_SYNTAX_ELIXIR};
    struct ds_term_print_options short_elixir = *options;
    short_elixir.syntax = DS_SYNTAX_ELIXIR;
    fuzz_print(&term, NULL);
    fuzz_print(&term, options);
    fuzz_print(&term, &elixir);
    fuzz_print(&term, &short_elixir);
    fuzz_code(&term, choice);
    fuzz_get(&term);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct cursor bytes = cursor_make(data, len);
    struct cursor at, inflated;
    struct arena arena = {0};
    bool capped;
    uint8_t choice;
    if (!cursor_read_u8(&bytes, &choice))
        return 0;
    const struct ds_term_print_options options = {
        .max_bytes = choice & 3,
        .max_items = choice >> 2 & 3,
        .max_depth = choice >> 4 & 3,
        .max_len = (choice >> 6) * 20u,
    };
    at = bytes;
    if (term_inflate(&at, &arena, 1 << 20, &inflated, &capped, NULL) == TERM_OK)
        fuzz_one(inflated, &options, choice);
    arena_free(&arena);
    fuzz_one(bytes, &options, choice);
    return 0;
}
