/*
 * term_copy.c - a term as standard external format, complete in itself. Bytes go over in runs
 * as they are; a run ends where a cache reference stands, for which the atom goes in, and
 * where a fun ends whose size field has to be computed anew.
 *
 *     131 term
 *     NEW_FUN: 112 size:4 ...      size counts itself and all after it
 *
 * A portable copy has tuples in the place of what not all nodes read:
 *
 *     RECORD   {'$record', module, name, [{field, value} ...]}
 *     LOCAL    {'$local', <<hash, term>>}
 */
#include "buffer.h"
#include "term_token.h"

#include <stdio.h>
#include <stdlib.h>

enum { COPY_OPEN = 8, COPY_VERSION = 131 };

/* A fun or, in a portable copy, a record, in which others may stand. */
struct copy_open {
    uint64_t due_at;     /* so many terms are still to come when it ends, or its next value */
    size_t size_at;      /* of a fun's size field, in the output */
    uint64_t left;       /* values of a record still to come */
    struct cursor names; /* of their fields; all zero for a fun */
};

struct copy {
    struct ds_buffer *out;
    struct cursor run; /* read, but not yet written, from here */
    const struct term_env *env;
    bool portable;
    struct copy_open few[COPY_OPEN];
    struct copy_open *open;
    size_t num_open, cap_open;
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

static void copy_cached(struct copy *copy, const struct ds_atom *atom)
{
    static const char no_atom[] = "?atom";
    const struct ds_text known = {(const char *)atom->text, atom->len};
    if (atom->state == DS_ATOM_UNKNOWN) {
        char text[16];
        int len = snprintf(text, sizeof text, "?atom:%u", (unsigned)atom->slot);
        copy_atom(copy->out, text, (size_t)len);
    } else if (copy->portable && !ds_atom_ok(known)) {
        copy_atom(copy->out, no_atom, sizeof no_atom - 1);
    } else {
        copy_atom(copy->out, known.data, known.len);
    }
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
    copy_cached(copy, atom);
}

static bool copy_push(struct copy *copy, struct copy_open open)
{
    if (copy->num_open == copy->cap_open) {
        size_t cap = copy->cap_open * 2;
        struct copy_open *old = copy->open != copy->few ? copy->open : NULL;
        struct copy_open *grown = realloc(old, cap * sizeof *grown);
        if (grown == NULL) {
            copy->out->failed = true;
            return false;
        }
        if (old == NULL)
            memcpy(grown, copy->few, sizeof copy->few);
        copy->open = grown;
        copy->cap_open = cap;
    }
    copy->open[copy->num_open++] = open;
    return true;
}

static void copy_u32(char *to, size_t value)
{
    uint32_t wire = __builtin_bswap32((uint32_t)value);
    memcpy(to, &wire, sizeof wire);
}

/* copy_name copies the next of a record's names. */
static void copy_name(struct copy *copy, struct cursor *names)
{
    struct term_token name;
    if (term_read_token(names, copy->env, &name, NULL) != TERM_OK)
        return;
    if (name.atom != NULL)
        copy_cached(copy, name.atom);
    else
        buffer_add_cursor(copy->out, &name.bytes);
}

/* copy_due does what is to be done at at, where so many terms are still to come: the size of a
 * fun that ends, the name of a record's next value, or its end. */
static void copy_due(struct copy *copy, const struct cursor *at, uint64_t num_terms)
{
    static const uint8_t pair[] = {TERM_TAG_SMALL_TUPLE, 2}, nil[] = {TERM_TAG_NIL};
    while (copy->num_open != 0 && copy->open[copy->num_open - 1].due_at == num_terms) {
        struct copy_open *open = &copy->open[copy->num_open - 1];
        copy_flush(copy, at);
        if (copy->out->failed)
            return;
        if (open->left != 0) {
            buffer_add_bytes(copy->out, pair, sizeof pair);
            copy_name(copy, &open->names);
            open->left--;
            open->due_at--;
            return;
        }
        if (open->names.at == NULL)
            copy_u32(&copy->out->data[open->size_at], copy->out->len - open->size_at);
        else
            buffer_add_bytes(copy->out, nil, sizeof nil);
        copy->num_open--;
    }
}

/* copy_back takes back what was written of a token whose place in the output is token_at. */
static void copy_back(struct copy *copy, const struct term_token *token, size_t token_at)
{
    if (copy->out->len < token_at)
        copy_flush(copy, &token->bytes);
    if (copy->out->len > token_at && !copy->out->failed)
        copy->out->len = token_at;
    copy->run = cursor_make(token->bytes.end, 0);
}

/* copy_record writes the head of a tuple, and opens the list of its fields. */
static bool copy_record(struct copy *copy, const struct term_token *token, size_t token_at,
                        uint64_t num_terms)
{
    static const uint8_t head[] = {TERM_TAG_SMALL_TUPLE, 4};
    static const char tag[] = "$record";
    char list[1 + 4] = {TERM_TAG_LIST};
    struct cursor names = token->record_names;
    copy_back(copy, token, token_at);
    buffer_add_bytes(copy->out, head, sizeof head);
    copy_atom(copy->out, tag, sizeof tag - 1);
    copy_name(copy, &names);
    copy_name(copy, &names);
    copy_u32(&list[1], token->num_terms);
    if (token->num_terms != 0) /* a list of none is written by its end */
        buffer_add_bytes(copy->out, list, sizeof list);
    return copy_push(copy, (struct copy_open){.due_at = num_terms + token->num_terms,
                                              .left = token->num_terms,
                                              .names = names});
}

/* copy_local puts what makes it a tuple in front of a LOCAL that has been read to at. */
static void copy_local(struct copy *copy, const struct cursor *at, size_t token_at)
{
    static const char tag[] = "$local";
    const char tuple[] = {TERM_TAG_SMALL_TUPLE, 2, TERM_TAG_SMALL_ATOM_UTF8, sizeof tag - 1};
    char binary[1 + 4] = {TERM_TAG_BINARY};
    const size_t tag_len = 1, more_len = sizeof tuple + sizeof tag - 1 + sizeof binary - tag_len;
    struct ds_buffer *out = copy->out;
    copy_flush(copy, at);
    if (out->failed || !ds_buffer_reserve(out, more_len))
        return;
    char *to = out->data + token_at;
    size_t body_len = out->len - token_at - tag_len;
    copy_u32(&binary[1], body_len);
    memmove(to + tag_len + more_len, to + tag_len, body_len);
    memcpy(to, tuple, sizeof tuple);
    memcpy(to + sizeof tuple, tag, sizeof tag - 1);
    memcpy(to + sizeof tuple + sizeof tag - 1, binary, sizeof binary);
    out->len += more_len;
}

/* copy_special sees to a token that does not go over as it is: num_terms follow it and what it
 * announces. */
static bool copy_special(struct copy *copy, const struct cursor *at, const struct term_token *token,
                         size_t token_at, uint64_t num_terms)
{
    if (token->class == TERM_FUN)
        return copy_push(copy, (struct copy_open){.due_at = num_terms, .size_at = token_at + 1});
    if (token->class == TERM_RECORD)
        return copy_record(copy, token, token_at, num_terms);
    copy_local(copy, at, token_at);
    return true;
}

TOKEN_INLINE bool copy_is_special(const struct term_token *token, bool portable)
{
    return token->tag == TERM_TAG_NEW_FUN ||
           (portable && (token->tag == TERM_TAG_RECORD || token->tag == TERM_TAG_LOCAL));
}

TOKEN_INLINE bool copy_terms(struct copy *copy, struct cursor *at,
                             const struct token_source *source, bool portable)
{
    uint64_t num_terms = 1;
    while (num_terms != 0) {
        struct term_token token;
        const char *what;
        size_t token_at = copy->out->len + cursor_offset(at, &copy->run);
        if (token_read(at, source, &token, &what) != TERM_OK)
            return false;
        num_terms--;
        if (__builtin_expect(copy_is_special(&token, portable), 0)) {
            const struct cursor end = *at;
            if (!copy_special(copy, &end, &token, token_at, num_terms))
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

static bool copy_term(const struct ds_term *term, struct ds_buffer *out, bool portable)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    size_t start = out->len;
    struct copy copy = {.out = out, .env = &env, .portable = portable, .cap_open = COPY_OPEN};
    if (term->data == NULL || term->damaged)
        return false;
    const struct token_source source = {.env = &env, .cache_ref = copy_cache_ref, .context = &copy};
    struct cursor at = cursor_make(term->data, term->len);
    const uint8_t version = COPY_VERSION;

    copy.open = copy.few;
    copy.run = at;
    buffer_add_bytes(out, &version, sizeof version);
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
    return copy_term(term, out, false);
}

bool ds_term_copy_portable(const struct ds_term *term, struct ds_buffer *out)
{
    return copy_term(term, out, true);
}
