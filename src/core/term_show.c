/*
 * term_show.c - see term_show.h.
 */
#include "core/term_show.h"

#include <stdatomic.h>

enum {
    MOST_GROWTH = 512,  /* a cached atom of up to 1020 bytes needs two bytes */
    BYTE_TEXT_LEN = 4,  /* such as "255," */
    CUT_LEN_PART = 2,   /* if a term is shortened, this fraction of max_text is for all of it */
    CUT_BYTES_PART = 16 /* and this fraction for the bytes of one binary */
};

static bool unicode;
static size_t max_text;
static size_t unbounded_len = SIZE_MAX; /* terms up to this length never have more text than max_text */
static enum ds_syntax other_syntax; /* set before there are threads */
static _Atomic int shown_syntax; /* enum ds_syntax: it may become known while other threads show terms */
static _Atomic uint64_t num_cut; /* several threads show terms */

void term_show_unicode(void)
{
    unicode = true;
}

void term_show_limit(uint64_t max_len)
{
    max_text = max_len < SIZE_MAX ? (size_t)max_len : SIZE_MAX;
    unbounded_len = max_text != 0 ? max_text / MOST_GROWTH : SIZE_MAX;
}

bool term_show_is_large(size_t len)
{
    return max_text != 0 && len > max_text / BYTE_TEXT_LEN;
}

bool term_show_bounds(const struct ds_term *term)
{
    return term->len > unbounded_len;
}

void term_show_mark_cut(void)
{
    num_cut++;
}

uint64_t term_show_num_cut(void)
{
    return num_cut;
}

void term_show_use(enum ds_syntax syntax)
{
    atomic_store_explicit(&shown_syntax, (int)syntax, memory_order_relaxed);
}

enum ds_syntax term_show_syntax(void)
{
    return (enum ds_syntax)atomic_load_explicit(&shown_syntax, memory_order_relaxed);
}

void term_show_use_also(enum ds_syntax syntax)
{
    other_syntax = syntax;
}

bool term_show_uses(enum ds_syntax syntax)
{
    return other_syntax == syntax || term_show_syntax() == syntax;
}

void term_show_name(struct ds_text name, struct ds_buffer *out)
{
    ds_term_print_atom_as(name, term_show_syntax(), out);
}

void term_show_call(struct ds_text module, struct ds_text function, struct ds_buffer *out)
{
    ds_term_print_call(module, function, term_show_syntax(), out);
}

bool term_show(const struct ds_term *term, const struct ds_term_print_options *options,
               struct ds_buffer *out)
{
    return term_show_as(term_show_syntax(), term, options, out);
}

/* show_so is the uncommon part of term_show_as. Not inline: otherwise all calls would need its stack
 * space. */
static __attribute__((noinline)) bool show_so(enum ds_syntax syntax, const struct ds_term *term,
                                              const struct ds_term_print_options *options,
                                              struct ds_buffer *out)
{
    bool cut = false;
    struct ds_term_print_options all = {0};
    if (options != NULL)
        all = *options;
    all.unicode = unicode;
    all.syntax = syntax;
    if (term_show_bounds(term) && all.max_len == 0) {
        const size_t start = out->len;
        const bool is_cut = all.max_bytes == 0 && term_show_is_large(term->len);
        all.max_len = is_cut ? max_text / CUT_LEN_PART : max_text;
        if (is_cut)
            all.max_bytes = max_text / CUT_BYTES_PART < UINT32_MAX
                                ? (uint32_t)(max_text / CUT_BYTES_PART) + 1
                                : UINT32_MAX;
        if (is_cut)
            all.cut = &cut;
        const bool ok = ds_term_print(term, &all, out);
        /* Bytes left out by the caller's own limits do not count. */
        if (cut || out->len - start > all.max_len)
            term_show_mark_cut();
        return ok;
    }
    return ds_term_print(term, &all, out);
}

bool term_show_as(enum ds_syntax syntax, const struct ds_term *term,
                  const struct ds_term_print_options *options, struct ds_buffer *out)
{
    const bool is_simple = !unicode && syntax == DS_SYNTAX_ERLANG && !term_show_bounds(term);
    return is_simple ? ds_term_print(term, options, out) : show_so(syntax, term, options, out);
}
