/*
 * atom_roles.c - see atom_roles.h.
 */
#include "atoms/atom_roles.h"

#include "atoms/atom_tables.h"
#include "etf/value.h"

#include <stdio.h>

/* Limits: elements of a tuple or list whose shape is used, nesting, and tokens of a message. */
enum { MAX_SHAPE = 7, MAX_NESTING = 32, MAX_TOKENS = 4096, MAX_INNER = 4, INNER_LEN = 8 };

/* level is an open tuple, list or map. What follows has_shape is set when an atom in it is reported
 * (need_shape): most levels have none. */
struct level {
    enum term_class class;
    uint64_t num, done;         /* terms directly in it */
    struct cursor start;        /* of its terms */
    bool has_shape;
    char shape[MAX_SHAPE + 3];  /* letters of its elements; empty if there are too many */
    char inner[MAX_SHAPE][INNER_LEN]; /* elements with their contents: "{pr}" */
    struct ds_text atoms[MAX_SHAPE]; /* of its elements, if known */
};

struct role_walk {
    struct term_env env;
    atom_role_fn report;
    void *context;
    char where;   /* the first letter of a role */
    uint32_t num_tokens;
    int depth;
    struct level levels[MAX_NESTING];
    struct ds_text to; /* the name that the message goes to, if known */
    struct atom_role role;
};

static const char letters[TERM_NUM_CLASSES] = {
    [TERM_INTEGER] = 'i', [TERM_FLOAT] = 'f',      [TERM_ATOM] = 'a',   [TERM_BINARY] = 'b',
    [TERM_BIT_BINARY] = 'b', [TERM_STRING] = 's',  [TERM_NIL] = 'n',    [TERM_PID] = 'p',
    [TERM_PORT] = 'o',    [TERM_REFERENCE] = 'r',  [TERM_EXPORT] = 'e', [TERM_TUPLE] = 't',
    [TERM_LIST] = 'l',    [TERM_MAP] = 'm',        [TERM_FUN] = 'F',    [TERM_RECORD] = 'R',
    [TERM_LOCAL] = 'L',
};

/* role_text is a buffer for a role: printf would be a third of the cost of a message with
 * unknown atoms. Text that does not fit is dropped. */
struct role_text {
    char *out;
    size_t size, len;
};

static struct role_text text_at(char *out, size_t size)
{
    out[0] = '\0';
    return (struct role_text){out, size, 0};
}

static void put_char(struct role_text *text, char c)
{
    if (text->len + 1 < text->size) {
        text->out[text->len++] = c;
        text->out[text->len] = '\0';
    }
}

static void put(struct role_text *text, const char *more)
{
    for (; *more != '\0'; more++)
        put_char(text, *more);
}

static void put_number(struct role_text *text, unsigned number)
{
    unsigned power = 1;
    while (number / power >= 10)
        power *= 10;
    for (; power != 0; power /= 10)
        put_char(text, (char)('0' + number / power % 10));
}

/* put_place writes "{3.1", or the same with another opening character. */
static void put_place(struct role_text *text, char open, uint64_t num, uint64_t at)
{
    put_char(text, open);
    put_number(text, (unsigned)num);
    put_char(text, '.');
    put_number(text, (unsigned)at);
}

static uint64_t at_most_15(uint64_t number)
{
    return number > 15 ? 15 : number;
}

/* known_atom returns the text of an atom, from the cache or the term itself, certain or likely;
 * absent if unknown. */
static struct ds_text known_atom(const struct term_token *token)
{
    if (token->class != TERM_ATOM)
        return (struct ds_text){NULL, 0};
    if (token->atom == NULL)
        return (struct ds_text){(const char *)token->body.at, cursor_left(&token->body)};
    return (struct ds_text){(const char *)token->atom->text, token->atom->len};
}

/* set_inner writes an element as its letter, or as "{pr}" or "[a|r]" if it is a small tuple or
 * list; at is after its token. */
static void set_inner(struct role_walk *w, const struct term_token *token, struct cursor at, char *out)
{
    size_t len = 0;
    const bool is_tuple = token->class == TERM_TUPLE;
    if ((!is_tuple && token->class != TERM_LIST) || token->num_terms > MAX_INNER) {
        out[0] = letters[token->class];
        out[1] = '\0';
        return;
    }
    out[len++] = is_tuple ? '{' : '[';
    for (uint64_t i = 0; i < token->num_terms; i++) {
        struct cursor element = at;
        struct term_token inner;
        if (term_read_token(&element, &w->env, &inner, NULL) != TERM_OK ||
            term_skip(&at, &w->env, 1, NULL) != TERM_OK)
            break;
        if (!is_tuple && i + 1 == token->num_terms)
            out[len++] = '|';
        out[len++] = letters[inner.class];
    }
    out[len] = '\0';
}

/* need_shape stores the classes of the elements of a level, unless that is done. */
static void need_shape(struct role_walk *w, struct level *level)
{
    struct cursor at = level->start;
    if (level->has_shape)
        return;
    level->has_shape = true;
    level->shape[0] = '\0';
    if (level->class == TERM_MAP || level->num > MAX_SHAPE)
        return;
    for (uint64_t i = 0; i < level->num; i++) {
        struct cursor element = at;
        struct term_token token;
        if (term_read_token(&element, &w->env, &token, NULL) != TERM_OK ||
            term_skip(&at, &w->env, 1, NULL) != TERM_OK) {
            level->shape[0] = '\0';
            return;
        }
        level->shape[i] = letters[token.class];
        level->shape[i + 1] = '\0';
        set_inner(w, &token, element, level->inner[i]);
        level->atoms[i] = known_atom(&token);
    }
}

/* put_level writes a level with the place of the term in it, such as "{@ai" or "[@|r". */
static void put_level(struct role_text *text, const struct level *level)
{
    const uint64_t at = level->done;
    const bool is_list = level->class == TERM_LIST;
    if (level->class == TERM_MAP) {
        put(text, at % 2 == 0 ? "#k" : "#v");
        return;
    }
    const char open = level->class == TERM_TUPLE ? '{' : is_list ? '[' : '(';
    if (level->shape[0] == '\0') {
        if (is_list)
            put(text, at + 1 == level->num ? "[|@" : "[@");
        else
            put_place(text, open, level->num, at);
        return;
    }
    put_char(text, open);
    for (uint64_t i = 0; i < level->num; i++) {
        const char letter = i == at ? '@' : level->shape[i];
        const bool is_tail = is_list && i + 1 == level->num;
        if (is_tail && letter == 'n')
            break; /* the tail of a proper list is left out */
        if (is_tail)
            put_char(text, '|');
        put_char(text, letter);
    }
}

/* add_close adds a close form: the shape, and a known atom. */
static void add_close(struct atom_role *role, const char *shape, char sign, struct ds_text atom)
{
    enum { MOST = 40 };
    if (atom.data == NULL)
        return;
    struct role_text text = text_at(role->close[role->num_close++], ATOM_ROLE_CLOSE_LEN);
    put(&text, shape);
    put_char(&text, sign);
    for (size_t i = 0; i < atom.len && i < MOST && atom.data[i] != '\0'; i++) {
        const char c = atom.data[i];
        /* so that the table is readable */
        put_char(&text, c < ' ' || c > '~' || c == '"' || c == '\\' ? '.' : c);
    }
}

static char depth_of(int depth)
{
    return (char)('0' + (depth > 3 ? 3 : depth - 1));
}

/* set_close writes the close forms of the place in the innermost level. */
static void set_close(struct role_walk *w)
{
    const struct level *level = &w->levels[w->depth - 1];
    struct ds_text beside = {NULL, 0}, outer = {NULL, 0};
    char shape[MAX_SHAPE * INNER_LEN + 8];
    w->role.num_close = 0;
    if (level->shape[0] == '\0')
        return;
    bool is_closer = false; /* than the fine form */
    struct role_text text = text_at(shape, sizeof shape);
    put_char(&text, '*');
    put_char(&text, w->where);
    put_char(&text, depth_of(w->depth));
    put_char(&text, level->class == TERM_TUPLE ? '{' : level->class == TERM_LIST ? '[' : '(');
    for (uint64_t i = 0; i < level->num; i++) {
        put(&text, i == level->done ? "@" : level->inner[i]);
        is_closer = is_closer || (i != level->done && level->inner[i][1] != '\0');
        if (i != level->done && beside.data == NULL)
            beside = level->atoms[i];
    }
    if (w->depth > 1 && w->levels[w->depth - 2].shape[0] != '\0')
        outer = w->levels[w->depth - 2].atoms[0];
    add_close(&w->role, shape, '=', beside);
    add_close(&w->role, shape, '>', w->to);
    add_close(&w->role, shape, '<', outer);
    if (is_closer)
        memcpy(w->role.close[w->role.num_close++], shape, text.len + 1);
}

static void report(struct role_walk *w, const struct ds_atom *atom)
{
    const int depth = w->depth;
    struct atom_role *role = &w->role;
    role->num_close = 0;
    struct role_text fine = text_at(role->fine, sizeof role->fine);
    struct role_text coarse = text_at(role->coarse, sizeof role->coarse);
    put_char(&fine, w->where);
    put_char(&coarse, '~');
    if (depth == 0) {
        put_char(&fine, '=');
        put_char(&coarse, w->where);
        put_char(&coarse, '=');
        w->report(w->context, atom, role);
        return;
    }
    const struct level *level = &w->levels[depth - 1];
    need_shape(w, &w->levels[depth - 1]);
    if (depth > 1)
        need_shape(w, &w->levels[depth - 2]);
    set_close(w);
    put_char(&fine, depth_of(depth));
    if (depth > 1) {
        const struct level *outer = &w->levels[depth - 2];
        if (outer->class == TERM_TUPLE)
            put_place(&fine, '{', at_most_15(outer->num), at_most_15(outer->done));
        else
            put_char(&fine, outer->class == TERM_MAP ? '#' : '[');
    }
    put_level(&fine, level);
    put_char(&coarse, depth > 1 ? '+' : '0');
    if (level->class == TERM_TUPLE)
        put_place(&coarse, '{', at_most_15(level->num), at_most_15(level->done));
    else if (level->class == TERM_MAP)
        put(&coarse, level->done % 2 == 0 ? "#k" : "#v");
    else
        put_char(&coarse, level->class == TERM_LIST ? '[' : '(');
    w->report(w->context, atom, role);
}

/* on_export reports the atoms of an external fun: module, function. */
static void on_export(struct role_walk *w, const struct term_token *token)
{
    struct cursor at = token->bytes;
    w->role.num_close = 0;
    for (int i = 0; i < 2; i++) {
        struct term_token part;
        if (i == 0 && !cursor_skip(&at, 1))
            return;
        if (term_read_token(&at, &w->env, &part, NULL) != TERM_OK)
            return;
        snprintf(w->role.fine, sizeof w->role.fine, "e%d", i);
        snprintf(w->role.coarse, sizeof w->role.coarse, "~e%d", i);
        if (part.atom != NULL)
            w->report(w->context, part.atom, &w->role);
    }
}

/* on_node reports the node of a pid, port or reference. */
static void on_node(struct role_walk *w, const struct term_token *token)
{
    w->role.num_close = 0;
    if (!term_token_creation(token, &w->role.creation))
        w->role.creation = 0;
    snprintf(w->role.fine, sizeof w->role.fine, ATOM_ROLE_NODE);
    snprintf(w->role.coarse, sizeof w->role.coarse, "~@");
    w->report(w->context, token->atom, &w->role);
    w->role.creation = 0;
}

/* on_fun reports the module of a fun. */
static void on_fun(struct role_walk *w, const struct term_token *token)
{
    struct term_token module;
    struct value_fun fun;
    if (!value_get_fun(token, &w->env, &fun) ||
        term_read_token(&fun.module, &w->env, &module, NULL) != TERM_OK || module.atom == NULL)
        return;
    w->role.num_close = 0;
    snprintf(w->role.fine, sizeof w->role.fine, "F");
    snprintf(w->role.coarse, sizeof w->role.coarse, "~F");
    w->report(w->context, module.atom, &w->role);
}

/* walk_term goes through one term. */
static void walk_term(struct role_walk *w, const struct ds_term *term, char where)
{
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    w->env = (struct term_env){term->atoms, term->num_atoms};
    w->where = where;
    w->depth = 0;
    do {
        struct term_token token;
        if (++w->num_tokens > MAX_TOKENS ||
            term_read_token(&at, &w->env, &token, NULL) != TERM_OK)
            return;
        if (token.class == TERM_ATOM && token.atom != NULL)
            report(w, token.atom);
        else if (token.class == TERM_EXPORT)
            on_export(w, &token);
        else if (token.class == TERM_FUN)
            on_fun(w, &token);
        else if (token.atom != NULL)
            on_node(w, &token);
        if (token.num_terms != 0 && w->depth < MAX_NESTING) {
            struct level *level = &w->levels[w->depth++];
            level->class = token.class;
            level->num = token.num_terms;
            level->done = 0;
            level->start = at;
            level->has_shape = false;
            continue;
        }
        if (token.num_terms != 0 && term_skip(&at, &w->env, token.num_terms, NULL) != TERM_OK)
            return;
        while (w->depth != 0 && ++w->levels[w->depth - 1].done == w->levels[w->depth - 1].num)
            w->depth--;
    } while (w->depth != 0);
}

/* where_of returns the letter for the payload of a message. */
static char where_of(const struct ds_message *message)
{
    struct cursor to = cursor_make(message->role[DS_ROLE_TO].data, message->role[DS_ROLE_TO].len);
    const struct term_env env = {message->control.atoms, message->control.num_atoms};
    struct term_token token;
    if (message->role[DS_ROLE_MFA].data != NULL)
        return 'S';
    if (strstr(message->op->name, "exit") != NULL)
        return 'X';
    if (message->role[DS_ROLE_TO].data == NULL ||
        term_read_token(&to, &env, &token, NULL) != TERM_OK)
        return 'P';
    return token.class == TERM_ATOM ? 'N' : token.class == TERM_REFERENCE ? 'R' : 'P';
}

/* function_of returns the function that a spawn request names, if it is known. */
static struct ds_text function_of(const struct ds_message *message)
{
    const struct term_env env = {message->control.atoms, message->control.num_atoms};
    struct ds_term function;
    struct term_token token;
    if (!term_get_element(&message->role[DS_ROLE_MFA], 1, &function))
        return (struct ds_text){NULL, 0};
    struct cursor at = cursor_make(function.data, function.len);
    return term_read_token(&at, &env, &token, NULL) == TERM_OK ? known_atom(&token)
                                                               : (struct ds_text){NULL, 0};
}

struct seen_role atom_role_seen(const struct atom_role *role)
{
    struct seen_role seen = {atom_role_hash(role->fine), atom_role_hash(role->coarse), 0, 0,
                             strncmp(role->fine, "S0[", 3) == 0};
    for (unsigned i = 0; i < role->num_close && seen.rank == 0; i++) {
        const uint32_t close = atom_role_hash(role->close[i]);
        if (atom_table_count_all(close) != 0) {
            seen.close = close;
            seen.rank = (uint16_t)(ATOM_ROLE_CLOSE - i);
        }
    }
    return seen;
}

void atom_roles_walk(const struct ds_message *message, atom_role_fn fn, void *context)
{
    static const struct {
        enum ds_role role;
        char where;
    } parts[] = {{DS_ROLE_MFA, 'M'}, {DS_ROLE_REASON, 'X'}, {DS_ROLE_OPTS, 'O'},
                 {DS_ROLE_RESULT, 'Y'}};
    /* These are identities: only their node is reported. */
    static const enum ds_role identities[] = {DS_ROLE_FROM, DS_ROLE_TO, DS_ROLE_REF, DS_ROLE_LEADER};
    struct role_walk w; /* not initialized: its levels are large, and set when they are opened */
    if (message->op == NULL)
        return;
    w.report = fn;
    w.context = context;
    w.num_tokens = 0;
    w.depth = 0;
    w.to = (struct ds_text){NULL, 0};
    w.role.num_close = 0;
    w.role.creation = 0;
    const struct ds_term *to = &message->role[DS_ROLE_TO];
    struct cursor at = cursor_make(to->data, to->data != NULL ? to->len : 0);
    struct term_token token;
    w.env = (struct term_env){message->control.atoms, message->control.num_atoms};
    if (to->data != NULL && term_read_token(&at, &w.env, &token, NULL) == TERM_OK &&
        token.class == TERM_ATOM) {
        w.to = known_atom(&token);
        snprintf(w.role.fine, sizeof w.role.fine, "%s",
                 message->payload.data != NULL ? "to" : "watched");
        snprintf(w.role.coarse, sizeof w.role.coarse, "~to");
        if (token.atom != NULL)
            fn(context, token.atom, &w.role);
    }
    for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
        const struct ds_term *term = &message->role[identities[i]];
        at = cursor_make(term->data, term->data != NULL ? term->len : 0);
        if (term->data != NULL && term_read_token(&at, &w.env, &token, NULL) == TERM_OK &&
            token.class != TERM_ATOM && token.num_terms == 0 && token.atom != NULL)
            on_node(&w, &token);
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (message->role[parts[i].role].data != NULL)
            walk_term(&w, &message->role[parts[i].role], parts[i].where);
    }
    if (message->role[DS_ROLE_MFA].data != NULL)
        w.to = function_of(message);
    if (message->payload.data != NULL)
        walk_term(&w, &message->payload, where_of(message));
}
