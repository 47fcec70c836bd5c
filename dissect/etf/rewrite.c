/*
 * rewrite.c - see rewrite.h. The walk keeps the number of terms to come for each open container.
 */
#include "etf/rewriter.h"

#include <stdlib.h>

/* Deeper than text is printed by default: 16 MB. */
enum { MAX_LEVELS = 2 * 1024 * 1024 };

/* rewrite_level is an open container. */
struct rewrite_level {
    uint64_t left : 62; /* terms to come */
    uint64_t in_list : 1;
    uint64_t is_fun : 1;
};

static bool push(struct rewrite *r, struct rewrite_level level)
{
    if (r->num_levels == MAX_LEVELS) {
        r->too_deep = true;
        return false;
    }
    if (r->num_levels == r->cap_levels) {
        const size_t cap = r->cap_levels != 0 ? r->cap_levels * 2 : 64;
        struct rewrite_level *levels = realloc(r->levels, cap * sizeof *levels);
        if (levels == NULL) {
            r->no_memory = true;
            return false;
        }
        r->levels = levels;
        r->cap_levels = cap;
    }
    r->levels[r->num_levels++] = level;
    return true;
}

/* pop_ended ends the containers that have no more terms to come. */
static void pop_ended(struct rewrite *r)
{
    while (r->num_levels != 0 && r->levels[r->num_levels - 1].left == 0) {
        if (r->levels[--r->num_levels].is_fun)
            rewrite_end_fun(r);
    }
}

/* open_container writes the head of a token that contains others. If it is the last term of its
 * parent, the parent needs no memory any more: lists and tuples nest for free there. */
static bool open_container(struct rewrite *r, struct cursor *at, const struct term_token *token)
{
    if (token->class == TERM_TUPLE && rewrite_address(r, at, token))
        return true;
    const bool is_new_fun = token->tag == TERM_TAG_NEW_FUN;
    if (token->class == TERM_FUN)
        rewrite_fun(r, token);
    else if (token->class == TERM_RECORD)
        rewrite_record(r, token);
    else
        buffer_add_cursor(r->out, &token->bytes);
    if (r->num_levels != 0 && r->levels[r->num_levels - 1].left == 0 &&
        !r->levels[r->num_levels - 1].is_fun)
        r->num_levels--;
    const uint64_t most = ((uint64_t)1 << 62) - 1; /* far more than any message contains */
    return push(r, (struct rewrite_level){.left = token->num_terms & most,
                                          .in_list = token->class == TERM_LIST,
                                          .is_fun = is_new_fun});
}

static bool is_container(enum term_class class)
{
    return class == TERM_TUPLE || class == TERM_LIST || class == TERM_MAP || class == TERM_FUN ||
           class == TERM_RECORD;
}

static bool out_of_memory(const struct rewrite *r)
{
    return r->no_memory || r->out->failed || r->scratch.failed || r->funs.failed;
}

static enum ds_rewrite_status walk(struct rewrite *r, struct cursor *at)
{
    const size_t growth = r->to->max_growth;
    const size_t max_len = growth != 0 ? r->out->len + cursor_left(at) + growth : SIZE_MAX;
    if (!push(r, (struct rewrite_level){.left = 1}))
        return DS_REWRITE_NO_MEMORY;
    uint64_t num_steps = 0;
    bool first = false; /* at is before the first element of a list */
    for (pop_ended(r); r->num_levels != 0; pop_ended(r)) {
        struct rewrite_level *level = &r->levels[r->num_levels - 1];
        const uint64_t num = level->in_list ? rewrite_run(r, at, level->left, first) : 0;
        level->left -= num;
        first = false;
        if (num == 0) {
            struct term_token token;
            if (term_read_token(at, r->env, &token, NULL) != TERM_OK)
                return out_of_memory(r) ? DS_REWRITE_NO_MEMORY : DS_REWRITE_DAMAGED;
            level->left--;
            if (!is_container(token.class))
                rewrite_leaf(r, &token);
            else if (open_container(r, at, &token))
                first = token.class == TERM_LIST;
        }
        if (buffer_is_stopped(r->out, ++num_steps) || out_of_memory(r))
            return DS_REWRITE_NO_MEMORY;
        if (r->too_deep || r->out->len > max_len)
            return DS_REWRITE_DAMAGED;
    }
    return DS_REWRITE_OK;
}

enum ds_rewrite_status ds_term_rewrite(const struct ds_term *term,
                                       const struct ds_rewriter *rewriter, struct ds_buffer *out)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    struct rewrite r = {.to = rewriter, .env = &env, .out = out};
    struct cursor at = cursor_make(term->data, term->len);
    const enum ds_rewrite_status status = walk(&r, &at);
    free(r.levels);
    ds_buffer_free(&r.funs);
    ds_buffer_free(&r.scratch);
    return status;
}
