/*
 * term_check.c - walks whole terms with token_walk of term_token.h: checks them, counts their
 * references to the atom cache, or only skips them.
 */
#include "etf/term_token.h"

static inline void check_cache_ref(void *context, const struct cursor *after,
                                   const struct ds_atom *atom)
{
    struct term_counts *counts = context;
    (void)after;
    counts->atom_bytes += atom->len;
    if (__builtin_expect(atom->state == DS_ATOM_KNOWN, 1))
        return;
    if (atom->state == DS_ATOM_INFERRED)
        counts->inferred++;
    else if (atom->state == DS_ATOM_LIKELY)
        counts->likely++;
    else if (atom->state == DS_ATOM_ADDRESS)
        counts->address++;
    else
        counts->unknown++;
}

enum term_status term_check_counted(struct cursor *at, const struct term_env *env,
                                    struct term_counts *counts, const char **what)
{
    const struct token_source source = {.env = env, .cache_ref = check_cache_ref, .context = counts};
    const char *ignored;
    return token_walk(at, &source, 1, what != NULL ? what : &ignored);
}

enum term_status term_check(struct cursor *at, const struct term_env *env, uint32_t *unknown,
                            uint32_t *inferred, const char **what)
{
    struct term_counts counts = {0};
    const enum term_status status = term_check_counted(at, env, &counts, what);
    *unknown += counts.unknown + counts.likely + counts.address;
    *inferred += counts.inferred;
    return status;
}

static __attribute__((noinline)) enum term_status skip_any(struct cursor *at,
                                                           const struct term_env *env,
                                                           uint64_t num, const char **what)
{
    const struct token_source source = {.env = env};
    const char *ignored;
    return token_walk(at, &source, num, what != NULL ? what : &ignored);
}

/* skip_plain_head skips the head of a short list or tuple, and adds the number of its terms to
 * num. */
static inline bool skip_plain_head(struct cursor *at, uint64_t *num)
{
    struct cursor next = *at;
    uint8_t tag, arity;
    uint32_t len;
    if (!cursor_read_u8(&next, &tag))
        return false;
    if (tag == TERM_TAG_LIST && cursor_read_u32(&next, &len))
        *num += len; /* plus one for the tail, minus one for the list itself */
    else if (tag == TERM_TAG_SMALL_TUPLE && cursor_read_u8(&next, &arity))
        *num += (uint64_t)arity - 1;
    else
        return false;
    *at = next;
    return true;
}

enum term_status term_skip(struct cursor *at, const struct term_env *env, uint64_t num,
                           const char **what)
{
    const struct ds_atom *atom;
    while (num != 0) {
        if (token_skip_plain(at, env, &atom))
            num--;
        else if (!skip_plain_head(at, &num))
            break;
    }
    return num == 0 ? TERM_OK : skip_any(at, env, num, what);
}
