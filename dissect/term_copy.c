/*
 * term_copy.c - a term as standard external format, complete in itself. Bytes go over in runs
 * as they are; a run ends where a cache reference stands, for which the atom goes in, and
 * where a fun ends whose size field has to be computed anew.
 *
 *     131 term
 *     NEW_FUN: 112 size:4 ...      size counts itself and all after it
 */
#include "buffer.h"
#include "term_token.h"

#include <stdio.h>
#include <stdlib.h>

enum { COPY_FUNS = 8, COPY_VERSION = 131 };

/* A fun that is being copied: its free variables may hold others. */
struct copy_fun {
    size_t size_at;   /* of the size field, in the output */
    uint64_t ends_at; /* terms still to come when its last free variable has been copied */
};

struct copy {
    struct ds_buffer *out;
    struct cursor run; /* read, but not yet written, from here */
    struct copy_fun few[COPY_FUNS];
    struct copy_fun *funs;
    size_t num_funs, cap_funs;
};

/* copy_flush writes the run up to at. */
static void copy_flush(struct copy *copy, const struct cursor *at)
{
    struct cursor run = {copy->run.at, at->at};
    buffer_add_cursor(copy->out, &run);
    copy->run = *at;
}

static void copy_atom(struct ds_buffer *out, const char *text, size_t len)
{
    if (len <= UINT8_MAX) {
        const uint8_t head[] = {TERM_TAG_SMALL_ATOM_UTF8, (uint8_t)len};
        buffer_add_bytes(out, head, sizeof head);
    } else {
        const uint8_t head[] = {TERM_TAG_ATOM_UTF8, (uint8_t)(len >> 8), (uint8_t)len};
        buffer_add_bytes(out, head, sizeof head);
    }
    buffer_add_bytes(out, text, len);
}

/* copy_cache_ref replaces the two bytes before after. */
static inline void copy_cache_ref(void *context, const struct cursor *after,
                                  const struct ds_atom *atom)
{
    const size_t reference_len = 2;
    struct copy *copy = context;
    struct cursor run = {copy->run.at, after->at};
    buffer_add_bytes(copy->out, run.at, cursor_left(&run) - reference_len);
    copy->run = *after;
    if (atom->state == DS_ATOM_UNKNOWN) {
        char text[16];
        int len = snprintf(text, sizeof text, "?atom:%u", (unsigned)atom->slot);
        copy_atom(copy->out, text, (size_t)len);
    } else {
        copy_atom(copy->out, (const char *)atom->text, atom->len);
    }
}

static bool copy_push_fun(struct copy *copy, size_t size_at, uint64_t ends_at)
{
    if (copy->num_funs == copy->cap_funs) {
        size_t cap = copy->cap_funs * 2;
        struct copy_fun *old = copy->funs != copy->few ? copy->funs : NULL;
        struct copy_fun *funs = realloc(old, cap * sizeof *funs);
        if (funs == NULL)
            return false;
        if (old == NULL)
            memcpy(funs, copy->few, sizeof copy->few);
        copy->funs = funs;
        copy->cap_funs = cap;
    }
    copy->funs[copy->num_funs++] = (struct copy_fun){size_at, ends_at};
    return true;
}

/* copy_end_funs fills in the sizes of the funs that end at at. */
static void copy_end_funs(struct copy *copy, const struct cursor *at, uint64_t num_terms)
{
    while (copy->num_funs != 0 && copy->funs[copy->num_funs - 1].ends_at == num_terms) {
        size_t size_at = copy->funs[--copy->num_funs].size_at;
        copy_flush(copy, at);
        if (copy->out->failed)
            return;
        uint32_t size = __builtin_bswap32((uint32_t)(copy->out->len - size_at));
        memcpy(&copy->out->data[size_at], &size, sizeof size);
    }
}

static bool copy_terms(struct copy *copy, struct cursor *at, const struct token_source *source)
{
    uint64_t num_terms = 1;
    while (num_terms != 0) {
        struct term_token token;
        const char *what;
        size_t token_at = copy->out->len + cursor_offset(at, &copy->run);
        if (token_read(at, source, &token, &what) != TERM_OK)
            return false;
        num_terms--;
        if (__builtin_expect(token.tag == TERM_TAG_NEW_FUN, 0) &&
            !copy_push_fun(copy, token_at + 1, num_terms))
            return false;
        num_terms += token.num_terms;
        if (__builtin_expect(copy->num_funs != 0, 0))
            copy_end_funs(copy, at, num_terms);
    }
    copy_flush(copy, at);
    return !copy->out->failed;
}

bool ds_term_copy_etf(const struct ds_term *term, struct ds_buffer *out)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    size_t start = out->len;
    struct copy copy = {.out = out, .cap_funs = COPY_FUNS};
    if (term->data == NULL || term->damaged)
        return false;
    const struct token_source source = {.env = &env, .cache_ref = copy_cache_ref, .context = &copy};
    struct cursor at = cursor_make(term->data, term->len);
    const uint8_t version = COPY_VERSION;

    copy.funs = copy.few;
    copy.run = at;
    buffer_add_bytes(out, &version, sizeof version);
    bool ok = copy_terms(&copy, &at, &source);
    if (copy.funs != copy.few)
        free(copy.funs);
    if (!ok && !out->failed)
        out->len = start;
    return ok;
}
