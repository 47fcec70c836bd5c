/*
 * term_copy.c - a term as standard external format, complete in itself. Bytes are copied unchanged
 * in runs; a run ends at a cache reference, which is replaced by the atom, and at the end of a fun,
 * whose size field is recomputed.
 *
 *     131 term
 *     NEW_FUN: 112 size:4 ...      size counts itself and all after it
 *
 * A portable copy has tuples in place of terms that some nodes cannot read, and newer tags for
 * older ones, with which nodes reject large numbers:
 *
 *     RECORD      {'$record', module, name, [{field, value} ...]}
 *     LOCAL       {'$local', <<hash, term>>}
 *     FUN         {'$fun', module, index, uniq, undefined, [free ...]}
 *     LARGE_BIG   {'$integer', sign, <<magnitude>>}     of more bytes than nodes have room for
 *   MAP         {'$map', [{key, value} ...]}          with a duplicate key
 *     PID, PORT, REFERENCE, NEW_REFERENCE               NEW_PID, NEW_PORT, NEWER_REFERENCE
 */
#include "etf/copy_portable.h"
#include "etf/term_copy.h"
#include "etf/term_encode.h"
#include "etf/term_token.h"
#include "util/buffer.h"
#include "util/stack.h"

#include <distsniff/encode.h>
#include <stdio.h>
#include <stdlib.h>

/* Nodes nest funs a few levels deep, and nothing else needs an entry. */
enum { COPY_OPEN = 8, COPY_OPEN_MAX = 65536 };

/* A replacement that all nodes read is longer than the original. This limits the growth: terms that
 * nodes send to each other need no replacement. */
enum { COPY_GROWTH_MAX = 8 * 1024 * 1024, COPY_TAG_LEN = 16, COPY_PART_LEN = 2 };

enum copy_kind { COPY_FUN, COPY_LIST, COPY_RECORD, COPY_PAIRS };

/* An open fun; in a portable copy also an added list: of values, fields or pairs. */
struct copy_open {
    enum copy_kind kind;
    uint64_t due_at;     /* it ends, or its next pair begins, when so many terms are to come */
    uint64_t left;       /* pairs to come */
    size_t size_at;      /* of a fun's size field, in the output */
    struct cursor names; /* of a record's fields */
};

struct copy {
    struct ds_buffer *out;
    struct cursor run; /* from here: read, but not yet written */
    const struct term_env *env;
    const uint8_t *start; /* of the term */
    bool portable;
    const struct duplicate_keys *twice; /* for a portable copy */
    struct copy_open few[COPY_OPEN];
    struct copy_open *open;
    size_t num_open, cap_open;
    uint64_t grown; /* number of bytes added, roughly */
};

/* copy_flush writes the run up to at. */
static void copy_flush(struct copy *copy, const struct cursor *at)
{
    struct cursor run = {copy->run.at, at->at};
    buffer_add_cursor(copy->out, &run);
    copy->run = *at;
}

/* copy_cache_ref replaces the two bytes before after by the atom. */
static inline void copy_cache_ref(void *context, const struct cursor *after, const struct ds_atom *atom)
{
    const size_t reference_len = 2;
    struct copy *copy = context;
    struct cursor run = {copy->run.at, after->at};
    buffer_add_bytes(copy->out, run.at, cursor_left(&run) - reference_len);
    copy->run = *after;
    portable_cached(copy->out, atom, copy->portable);
}

static bool copy_push(struct copy *copy, struct copy_open open)
{
    if (copy->num_open == COPY_OPEN_MAX)
        return false;
    if (copy->num_open == copy->cap_open) {
        struct copy_open *grown =
            stack_grow(copy->open, copy->few, &copy->cap_open, sizeof *grown);
        if (grown == NULL) {
            copy->out->failed = true;
            return false;
        }
        copy->open = grown;
    }
    copy->open[copy->num_open++] = open;
    return true;
}

/* copy_due does what is due at at, when num_terms terms are to come: it fills in the size of a fun
 * that ends, writes the name of a record's next value, or ends a list. */
static void copy_due(struct copy *copy, const struct cursor *at, uint64_t num_terms)
{
    while (copy->num_open != 0 && copy->open[copy->num_open - 1].due_at == num_terms) {
        struct copy_open *open = &copy->open[copy->num_open - 1];
        copy_flush(copy, at);
        if (copy->out->failed)
            return;
        if (open->left != 0) {
            ds_encode_tuple(copy->out, 2);
            if (open->kind == COPY_RECORD)
                portable_name(copy->out, &open->names, copy->env, true);
            open->left--;
            open->due_at -= open->kind == COPY_PAIRS ? 2 : 1;
            return;
        }
        if (open->kind == COPY_FUN)
            encode_set_u32(copy->out, open->size_at, (uint32_t)(copy->out->len - open->size_at));
        else
            ds_encode_nil(copy->out);
        copy->num_open--;
    }
}

/* copy_back removes the output for a token, which begins at token_at. */
static void copy_back(struct copy *copy, const struct term_token *token, size_t token_at)
{
    if (copy->out->len < token_at)
        copy_flush(copy, &token->bytes);
    if (copy->out->len > token_at && !copy->out->failed)
        copy->out->len = token_at;
    copy->run = cursor_make(token->bytes.end, 0);
    copy->grown += COPY_TAG_LEN + COPY_PART_LEN * token->num_terms;
}

/* A copy_fn handles a token that is not copied unchanged: the token was read up to at, its output
 * begins at token_at, and num_terms follow it and its own terms. False if memory ran out. */
typedef bool copy_fn(struct copy *copy, const struct cursor *at, const struct term_token *token,
                     size_t token_at, uint64_t num_terms);

static bool copy_fun(struct copy *copy, const struct cursor *at, const struct term_token *token,
                     size_t token_at, uint64_t num_terms)
{
    (void)at;
    if (!copy->portable || !portable_is_odd_fun(token, copy->env))
        return copy_push(copy, (struct copy_open){
                                   .kind = COPY_FUN, .due_at = num_terms, .size_at = token_at + 1});
    copy_back(copy, token, token_at);
    portable_fun(copy->out, token, copy->env);
    return copy_push(copy, (struct copy_open){.kind = COPY_LIST, .due_at = num_terms});
}

static bool copy_record(struct copy *copy, const struct cursor *at, const struct term_token *token,
                        size_t token_at, uint64_t num_terms)
{
    struct cursor names = token->record_names;
    (void)at;
    copy_back(copy, token, token_at);
    portable_tag(copy->out, "$record", 4);
    portable_name(copy->out, &names, copy->env, true);
    portable_name(copy->out, &names, copy->env, true);
    portable_list(copy->out, token->num_terms); /* the end of an empty list is written when it is due */
    return copy_push(copy, (struct copy_open){.kind = COPY_RECORD,
                                              .due_at = num_terms + token->num_terms,
                                              .left = token->num_terms,
                                              .names = names});
}

static bool copy_map(struct copy *copy, const struct cursor *at, const struct term_token *token,
                     size_t token_at, uint64_t num_terms)
{
    (void)at;
    if (!duplicate_keys_has(copy->twice, (size_t)(token->bytes.at - copy->start)))
        return true;
    copy_back(copy, token, token_at);
    portable_tag(copy->out, "$map", 2);
    portable_list(copy->out, token->num_terms / 2);
    return copy_push(copy, (struct copy_open){.kind = COPY_PAIRS,
                                              .due_at = num_terms + token->num_terms,
                                              .left = token->num_terms / 2});
}

static bool copy_large(struct copy *copy, const struct cursor *at, const struct term_token *token,
                       size_t token_at, uint64_t num_terms)
{
    (void)at;
    (void)num_terms;
    if (portable_is_large(token)) {
        copy_back(copy, token, token_at);
        portable_large(copy->out, token);
    }
    return true;
}

static bool copy_identity(struct copy *copy, const struct cursor *at,
                          const struct term_token *token, size_t token_at, uint64_t num_terms)
{
    (void)at;
    (void)num_terms;
    if (portable_is_odd(token)) {
        copy_back(copy, token, token_at);
        portable_identity(copy->out, token, copy->env);
    }
    return true;
}

/* copy_local inserts the head of a tuple before a LOCAL that was read up to at. */
static bool copy_local(struct copy *copy, const struct cursor *at, const struct term_token *token,
                       size_t token_at, uint64_t num_terms)
{
    const size_t tag_len = 1, body_at = token_at + tag_len;
    struct ds_buffer *out = copy->out;
    struct ds_buffer head = {0};
    (void)token;
    (void)num_terms;
    copy_flush(copy, at);
    const size_t body_len = out->len - body_at;
    portable_tag(&head, "$local", 2);
    encode_count(&head, TERM_TAG_BINARY, (uint32_t)body_len);
    const size_t more_len = head.len - tag_len; /* its own tag is dropped */
    out->failed |= head.failed;
    if (!out->failed && ds_buffer_reserve(out, more_len)) {
        memmove(out->data + token_at + head.len, out->data + body_at, body_len);
        memcpy(out->data + token_at, head.data, head.len);
        out->len += more_len;
    }
    ds_buffer_free(&head);
    return !out->failed;
}

static copy_fn *const copy_specials[256] = {
    [TERM_TAG_NEW_FUN] = copy_fun,           [TERM_TAG_FUN] = copy_fun,
    [TERM_TAG_RECORD] = copy_record,         [TERM_TAG_LOCAL] = copy_local,
    [TERM_TAG_MAP] = copy_map,               [TERM_TAG_LARGE_BIG] = copy_large,
    [TERM_TAG_PID] = copy_identity,          [TERM_TAG_NEW_PID] = copy_identity,
    [TERM_TAG_PORT] = copy_identity,         [TERM_TAG_NEW_PORT] = copy_identity,
    [TERM_TAG_V4_PORT] = copy_identity,      [TERM_TAG_REFERENCE] = copy_identity,
    [TERM_TAG_NEW_REFERENCE] = copy_identity, [TERM_TAG_NEWER_REFERENCE] = copy_identity,
};

TOKEN_INLINE bool copy_is_special(const struct term_token *token, bool portable)
{
    return token->tag == TERM_TAG_NEW_FUN || (portable && copy_specials[token->tag] != NULL);
}

TOKEN_INLINE bool copy_terms(struct copy *copy, struct cursor *at,
                             const struct token_source *source, bool portable)
{
    uint64_t num_terms = 1, num_steps = 0;
    while (num_terms != 0) {
        struct term_token token;
        if (portable && buffer_is_stopped(copy->out, ++num_steps))
            return false;
        const char *what;
        size_t token_at = copy->out->len + cursor_offset(at, &copy->run);
        if (token_read(at, source, &token, &what) != TERM_OK)
            return false;
        num_terms--;
        if (__builtin_expect(copy_is_special(&token, portable), 0)) {
            const struct cursor end = *at;
            if (!copy_specials[token.tag](copy, &end, &token, token_at, num_terms) ||
                copy->grown > COPY_GROWTH_MAX)
                return false;
        }
        num_terms += token.num_terms;
        if (__builtin_expect(copy->num_open != 0, 0)) {
            const struct cursor end = *at;
            copy_due(copy, &end, num_terms);
        }
    }
    copy_flush(copy, at);
    return !copy->out->failed;
}

bool term_copy(const struct ds_term *term, const struct duplicate_keys *twice, struct ds_buffer *out)
{
    const bool portable = twice != NULL;
    const struct term_env env = {term->atoms, term->num_atoms};
    size_t start = out->len;
    struct copy copy = {.out = out,
                        .env = &env,
                        .start = term->data,
                        .portable = portable,
                        .twice = twice,
                        .cap_open = COPY_OPEN};
    if (term->data == NULL || term->damaged)
        return false;
    const struct token_source source = {.env = &env, .cache_ref = copy_cache_ref, .context = &copy};
    struct cursor at = cursor_make(term->data, term->len);

    copy.open = copy.few;
    copy.run = at;
    ds_encode_version(out);
    bool ok =
        portable ? copy_terms(&copy, &at, &source, true) : copy_terms(&copy, &at, &source, false);
    if (copy.open != copy.few)
        free(copy.open);
    if (!ok && !out->failed)
        out->len = start;
    return ok;
}

bool ds_term_copy_etf(const struct ds_term *term, struct ds_buffer *out)
{
    return term_copy(term, NULL, out);
}
