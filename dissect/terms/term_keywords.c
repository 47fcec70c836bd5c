/*
 * term_keywords.c - see term_keywords.h. A walk with a stack: of each container that is open,
 * how many terms are still to come and whether its keys were atoms so far.
 *
 *     list of pairs    LIST n, then n times SMALL_TUPLE 2, atom, any term; then NIL
 *     map              MAP n, then n times atom, any term
 */
#include "term_keywords.h"
#include "escape.h"
#include "stack.h"
#include "term_token.h"

#include <stdlib.h>

enum { KEYWORDS_FRAMES = 32 };

enum keywords_kind { KEYWORDS_OTHER, KEYWORDS_LIST, KEYWORDS_PAIR, KEYWORDS_MAP };

struct keywords_frame {
    uint64_t left; /* terms still to come */
    size_t offset;
    uint8_t kind; /* KEYWORDS_OTHER as soon as it is not what it began as */
};

struct keywords_walk {
    struct term_keywords *found;
    struct keywords_frame few[KEYWORDS_FRAMES];
    struct keywords_frame *frames;
    size_t num, cap;
};

static bool keywords_push(struct keywords_walk *walk, struct keywords_frame frame)
{
    if (walk->num == walk->cap) {
        struct keywords_frame *frames =
            stack_grow(walk->frames, walk->few, &walk->cap, sizeof *frames);
        if (frames == NULL)
            return false;
        walk->frames = frames;
    }
    walk->frames[walk->num++] = frame;
    return true;
}

bool term_keywords_is_key(const struct term_token *token)
{
    size_t len = cursor_left(&token->body);
    return token->class == TERM_ATOM && (token->latin1 ? 2 * len : len) <= CODE_KEY_LEN_MAX &&
           (token->latin1 || escape_reads_back(token->body));
}

static enum keywords_kind keywords_kind(const struct term_token *token)
{
    if (token->class == TERM_LIST)
        return token->num_terms > 1 ? KEYWORDS_LIST : KEYWORDS_OTHER;
    return token->class == TERM_MAP ? KEYWORDS_MAP : KEYWORDS_OTHER;
}

/* keywords_note looks at the next term of what is open. True: it is the pair of a list. */
static bool keywords_note(struct keywords_walk *walk, const struct term_token *token)
{
    struct keywords_frame *frame = &walk->frames[walk->num - 1];
    bool key = term_keywords_is_key(token), ok = true, pair = false;
    switch (frame->kind) {
    case KEYWORDS_LIST:
        pair = frame->left > 1 && token->class == TERM_TUPLE && token->num_terms == 2;
        ok = pair || (frame->left == 1 && token->class == TERM_NIL);
        break;
    case KEYWORDS_PAIR:
        if (frame->left == 2 && !key)
            frame[-1].kind = KEYWORDS_OTHER; /* the list it stands in */
        break;
    case KEYWORDS_MAP:
        ok = frame->left % 2 != 0 || key;
        break;
    default:
        break;
    }
    if (!ok)
        frame->kind = KEYWORDS_OTHER;
    frame->left--;
    return pair;
}

static void keywords_pop(struct keywords_walk *walk)
{
    while (walk->num != 0 && walk->frames[walk->num - 1].left == 0) {
        const struct keywords_frame *frame = &walk->frames[--walk->num];
        if (frame->kind == KEYWORDS_LIST || frame->kind == KEYWORDS_MAP)
            walk->found->bits[frame->offset / 8] |= (uint8_t)(1u << frame->offset % 8);
    }
}

/* keywords_run: a damaged term is looked at as far as it goes. */
static bool keywords_run(struct keywords_walk *walk, const struct ds_term *term, uint64_t max_depth)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    const struct token_source source = {.env = &env};
    struct cursor start = cursor_make(term->data, term->len), at = start;
    struct term_token token;
    const char *what;
    do {
        size_t offset = cursor_offset(&at, &start);
        if (token_read(&at, &source, &token, &what) != TERM_OK)
            return true;
        enum keywords_kind kind = keywords_kind(&token);
        if (walk->num != 0 && keywords_note(walk, &token))
            kind = KEYWORDS_PAIR;
        if (token.num_terms != 0 && max_depth != 0 && walk->num >= max_depth) {
            if (kind == KEYWORDS_PAIR) /* whose first is not looked at */
                walk->frames[walk->num - 1].kind = KEYWORDS_OTHER;
            if (term_skip(&at, &env, token.num_terms, NULL) != TERM_OK)
                return true;
        } else if (token.num_terms != 0 &&
                   !keywords_push(
                       walk, (struct keywords_frame){token.num_terms, offset, (uint8_t)kind})) {
            return false;
        }
        keywords_pop(walk);
    } while (walk->num != 0);
    return true;
}

bool term_keywords_find(struct term_keywords *keywords, const struct ds_term *term,
                        uint64_t max_depth)
{
    struct keywords_walk walk = {.found = keywords, .cap = KEYWORDS_FRAMES};
    keywords->bits = calloc(term->len / 8 + 1, 1);
    if (keywords->bits == NULL)
        return false;
    walk.frames = walk.few;
    bool ok = keywords_run(&walk, term, max_depth);
    if (walk.frames != walk.few)
        free(walk.frames);
    if (!ok)
        term_keywords_free(keywords);
    return ok;
}

void term_keywords_free(struct term_keywords *keywords)
{
    free(keywords->bits);
    keywords->bits = NULL;
}
