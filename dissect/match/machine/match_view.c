/*
 * match_view.c - reads views; see match_view.h.
 */
#include "match/machine/match_view.h"

#include "etf/term_token.h"

bool run_fail(struct run *run, enum run_trouble trouble)
{
    if (run->trouble == RUN_NO_TROUBLE)
        run->trouble = trouble;
    return false;
}

static const uint8_t nil_bytes[] = {TERM_TAG_NIL};
static const uint8_t true_bytes[] = {TERM_TAG_SMALL_ATOM_UTF8, 4, 't', 'r', 'u', 'e'};
static const uint8_t false_bytes[] = {TERM_TAG_SMALL_ATOM_UTF8, 5, 'f', 'a', 'l', 's', 'e'};

struct view view_of_bool(bool value)
{
    return (struct view){.kind = VIEW_TERM,
                         .at = value ? cursor_make(true_bytes, sizeof true_bytes)
                                     : cursor_make(false_bytes, sizeof false_bytes)};
}

static const enum order orders[TERM_NUM_CLASSES] = {
    [TERM_INTEGER] = ORDER_NUMBER,      [TERM_FLOAT] = ORDER_NUMBER,
    [TERM_ATOM] = ORDER_ATOM,           [TERM_BINARY] = ORDER_BITS,
    [TERM_BIT_BINARY] = ORDER_BITS,     [TERM_STRING] = ORDER_LIST,
    [TERM_NIL] = ORDER_NIL,             [TERM_PID] = ORDER_PID,
    [TERM_PORT] = ORDER_PORT,           [TERM_REFERENCE] = ORDER_REFERENCE,
    [TERM_EXPORT] = ORDER_EXPORT,       [TERM_TUPLE] = ORDER_TUPLE,
    [TERM_LIST] = ORDER_LIST,           [TERM_MAP] = ORDER_MAP,
    [TERM_FUN] = ORDER_FUN,             [TERM_RECORD] = ORDER_RECORD,
    [TERM_LOCAL] = ORDER_LOCAL,
};

static const struct view *resolve(const struct view *view)
{
    while (view->kind == VIEW_ROW)
        view = view->row;
    return view;
}

/* read_steps returns the extra cost of reading a token, besides one step: a record contains its
 * fields' names, and a LOCAL_EXT is walked to its end. */
static uint64_t read_steps(const struct cursor *at, size_t len)
{
    uint8_t tag;
    return cursor_peek_u8(at, &tag) && (tag == TERM_TAG_RECORD || tag == TERM_TAG_LOCAL)
               ? len / RUN_BYTES_A_STEP
               : 0;
}

/* read_token reads the token at out->view.at. A failed read counts as if it had come to the end. */
static bool read_token(struct run *run, struct head *out)
{
    const struct cursor start = out->view.at;
    out->rest = start;
    if (term_read_token(&out->rest, &out->view.env, &out->token, NULL) == TERM_OK)
        return run_step(run, 1 + read_steps(&start, cursor_offset(&out->rest, &start)));
    return run_step(run, 1 + read_steps(&start, cursor_left(&start))) && run_fail(run, RUN_BAD);
}

/* read_term reads the head of a term, a VIEW_TERM. */
static bool read_term(struct run *run, const struct view *view, struct head *out)
{
    out->view = *view;
    for (;;) {
        if (!read_token(run, out))
            return false;
        /* A LIST_EXT without elements is only its tail. */
        if (out->token.class != TERM_LIST || out->token.num_terms != 1)
            break;
        out->view.at = out->rest;
    }
    out->order = orders[out->token.class];
    out->num_parts = out->token.num_terms;
    if (out->token.class == TERM_STRING && cursor_left(&out->token.body) == 0)
        out->order = ORDER_NIL;
    return true;
}

bool view_read(struct run *run, const struct view *view, struct head *out)
{
    static const enum order others[] = {
        [VIEW_LIST] = ORDER_LIST,      [VIEW_STRING] = ORDER_LIST, [VIEW_BITS] = ORDER_BITS,
        [VIEW_INTEGER] = ORDER_NUMBER, [VIEW_TUPLE] = ORDER_TUPLE, [VIEW_CONS] = ORDER_LIST,
        [VIEW_MAP] = ORDER_MAP,
    };
    view = resolve(view);
    if (view->kind == VIEW_TERM)
        return read_term(run, view, out);
    out->view = *view;
    out->order = others[view->kind];
    out->num_parts = view->kind == VIEW_MAP ? 2 * view->num : view->num;
    return run_step(run, 1);
}

bool view_skip(struct run *run, struct view *part, uint64_t num)
{
    if (part->kind == VIEW_ROW) {
        part->row += num;
        return true;
    }
    const struct cursor start = part->at;
    const bool ok = term_skip(&part->at, &part->env, num, NULL) == TERM_OK;
    uint64_t steps = cursor_offset(&part->at, &start) / RUN_BYTES_A_STEP;
    if (!ok) /* it may be repeated */
        steps += read_steps(&part->at, cursor_left(&part->at));
    return run_step(run, steps) && (ok || run_fail(run, RUN_BAD));
}

static struct view rest_of_string(struct cursor bytes)
{
    if (cursor_left(&bytes) == 0)
        return (struct view){.kind = VIEW_TERM, .at = cursor_make(nil_bytes, sizeof nil_bytes)};
    return (struct view){.kind = VIEW_STRING, .at = bytes};
}

bool view_split(struct run *run, const struct head *list, struct view *first, struct view *tail)
{
    struct cursor at = list->view.at;
    uint64_t num = list->view.num;
    uint8_t byte;
    if (list->view.kind == VIEW_CONS) {
        *first = list->view.row[0];
        *tail = (struct view){.kind = num > 1 ? VIEW_CONS : VIEW_ROW,
                              .num = num - 1,
                              .row = list->view.row + 1};
        return true;
    }
    if (list->view.kind == VIEW_TERM) {
        at = list->token.class == TERM_STRING ? list->token.body : list->rest;
        num = list->token.num_terms - 1;
    }
    if (list->view.kind == VIEW_STRING ||
        (list->view.kind == VIEW_TERM && list->token.class == TERM_STRING)) {
        if (!cursor_read_u8(&at, &byte))
            return run_fail(run, RUN_BAD);
        *first = view_of_integer(byte);
        *tail = rest_of_string(at);
        return true;
    }
    *first = view_at(at, &list->view.env);
    *tail = *first;
    if (!view_skip(run, tail, 1))
        return false;
    tail->kind = num > 1 ? VIEW_LIST : VIEW_TERM;
    tail->num = num - 1;
    return true;
}

bool token_get_text(const struct term_token *token, struct atom_text *out)
{
    if (token->class != TERM_ATOM || (token->atom != NULL && !ds_atom_has_name(token->atom->state)))
        return false;
    out->data = token->body.at;
    out->len = cursor_left(&token->body);
    if (!token->latin1)
        return true;
    out->data = (const uint8_t *)out->converted;
    return value_get_latin1(&token->body, out->converted, &out->len);
}

bool view_is_atom(struct run *run, const struct view *view, struct ds_text text)
{
    view = resolve(view);
    struct cursor at = view->at;
    uint8_t tag = 0, number;
    if (view->kind != VIEW_TERM)
        return false;
    /* Nearly all atoms have this form. */
    if (cursor_read_u8(&at, &tag) && tag == TERM_TAG_ATOM_CACHE_REF) {
        if (!cursor_read_u8(&at, &number) || number >= view->env.num_atoms)
            return false;
        const struct ds_atom *atom = &view->env.atoms[number];
        return atom->text != NULL && atom->len == text.len &&
               memcmp(atom->text, text.data, text.len) == 0;
    }
    struct head head;
    struct atom_text is;
    const bool may_be = token_classes[tag] == TERM_ATOM || tag == TERM_TAG_LIST;
    return may_be && read_term(run, view, &head) &&
           token_get_text(&head.token, &is) && is.len == text.len &&
           (is.len == 0 || memcmp(is.data, text.data, is.len) == 0);
}

bool head_get_bits(const struct head *head, struct cursor *bytes, uint64_t *num_bits)
{
    if (head->order != ORDER_BITS)
        return false;
    if (head->view.kind == VIEW_BITS) {
        *bytes = head->view.at;
        *num_bits = head->view.num;
        return true;
    }
    *bytes = head->token.body;
    *num_bits = (uint64_t)cursor_left(bytes) * 8;
    if (head->token.class == TERM_BIT_BINARY && *num_bits != 0)
        *num_bits -= 8u - head->token.last_bits;
    return true;
}
