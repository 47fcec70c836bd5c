/*
 * rewrite_fun.c - see rewriter.h: tokens of several parts that contain other terms. term_token.h
 * has the layouts.
 */
#include "etf/rewriter.h"

enum { FUN_UNIQ_LEN = 16 };

static bool rewrite_next_numbered(struct rewrite *r, struct cursor *at)
{
    struct term_token token;
    if (term_read_token(at, r->env, &token, NULL) != TERM_OK)
        return false;
    rewrite_numbered(r, &token);
    return true;
}

/* read_small copies an integer inside a fun; the uniq of a module that may have been renamed is
 * replaced by a fingerprint. */
static void read_small(struct rewrite *r, struct cursor *at, bool is_uniq)
{
    struct term_token token;
    uint8_t bytes[4] = {0};
    if (term_read_token(at, r->env, &token, NULL) != TERM_OK)
        return;
    const size_t len = cursor_left(&token.body);
    if (!cursor_read_bytes(&token.body, bytes, len))
        return;
    if (is_uniq)
        r->to->fingerprint(r->to->context, bytes, len);
    encode_u8(r->out, token.tag);
    buffer_add_bytes(r->out, bytes, len);
}

static void rewrite_new_fun(struct rewrite *r, const struct term_token *token)
{
    struct cursor at = token->bytes;
    uint8_t uniq[FUN_UNIQ_LEN], head[1 + 4 + 1], counts[4 + 4];
    if (!cursor_read_bytes(&at, head, sizeof head) || !cursor_read_bytes(&at, uniq, sizeof uniq) ||
        !cursor_read_bytes(&at, counts, sizeof counts))
        return;
    const size_t size_at = r->out->len + 1;
    buffer_add_bytes(&r->funs, &size_at, sizeof size_at);
    buffer_add_bytes(r->out, head, sizeof head);
    const size_t uniq_at = r->out->len;
    buffer_add_bytes(r->out, uniq, sizeof uniq);
    buffer_add_bytes(r->out, counts, sizeof counts);
    const bool renamed = rewrite_next_atom(r, &at);
    if (renamed)
        r->to->fingerprint(r->to->context, uniq, sizeof uniq);
    if (!r->out->failed)
        memcpy(r->out->data + uniq_at, uniq, sizeof uniq);
    read_small(r, &at, false);
    read_small(r, &at, renamed);
    rewrite_next_numbered(r, &at);
}

void rewrite_fun(struct rewrite *r, const struct term_token *token)
{
    struct cursor at = token->bytes;
    uint8_t head[1 + 4];
    if (token->tag == TERM_TAG_NEW_FUN) {
        rewrite_new_fun(r, token);
        return;
    }
    if (!cursor_read_bytes(&at, head, sizeof head))
        return;
    buffer_add_bytes(r->out, head, sizeof head);
    rewrite_next_numbered(r, &at);
    const bool renamed = rewrite_next_atom(r, &at);
    read_small(r, &at, false);
    read_small(r, &at, renamed);
}

/* rewrite_end_fun fills in the size of the fun that ends here. */
void rewrite_end_fun(struct rewrite *r)
{
    size_t size_at;
    r->funs.len -= sizeof size_at;
    memcpy(&size_at, r->funs.data + r->funs.len, sizeof size_at);
    encode_set_u32(r->out, size_at, (uint32_t)(r->out->len - size_at));
}

void rewrite_record(struct rewrite *r, const struct term_token *token)
{
    const size_t head_len = 1 + 4 + 1;
    struct cursor at = token->record_names;
    buffer_add_bytes(r->out, token->bytes.at, head_len);
    while (cursor_left(&at) != 0) {
        const size_t left = cursor_left(&at);
        rewrite_next_atom(r, &at);
        if (cursor_left(&at) == left)
            return; /* cannot happen: the token has been checked */
    }
}
