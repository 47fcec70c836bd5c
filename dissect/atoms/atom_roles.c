/*
 * atom_roles.c - see atom_roles.h.
 */
#include "atoms/atom_roles.h"

#include "atoms/atom_tables.h"
#include "etf/value.h"

#include <stdio.h>

/* What is looked at: tuples and lists beside of what stands in them up to so many elements; so
 * deep; and so many tokens of a message. */
enum { MAX_SHAPE = 7, MAX_NESTING = 32, MAX_TOKENS = 4096, MAX_INNER = 4, INNER_LEN = 8 };

/* level is what is open: a tuple, a list or a map. */
struct level {
    enum term_class class;
    uint64_t num, done;         /* terms beneath it */
    char shape[MAX_SHAPE + 3];  /* letters of its elements; empty where there are too many */
    char inner[MAX_SHAPE][INNER_LEN]; /* those with what is in them: "{pr}" */
    struct ds_text atoms[MAX_SHAPE]; /* which are known */
};

struct role_walk {
    struct term_env env;
    atom_role_fn tell;
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

/* known_atom returns the text of an atom, as the cache or the term itself has it, or as it is likely
 * so far; absent where that is not known. */
static struct ds_text known_atom(const struct term_token *token)
{
    if (token->class != TERM_ATOM)
        return (struct ds_text){NULL, 0};
    if (token->atom == NULL)
        return (struct ds_text){(const char *)token->body.at, cursor_left(&token->body)};
    return (struct ds_text){(const char *)token->atom->text, token->atom->len};
}

/* set_inner writes an element as its letter, or as "{pr}" and "[a|r]" where it is a small tuple or
 * list; at stands behind its token. */
static void set_inner(struct role_walk *w, const struct term_token *token, struct cursor at,
                      char *out)
{
    size_t len = 0;
    const bool is_tuple = token->class == TERM_TUPLE;
    if ((!is_tuple && token->class != TERM_LIST) || token->num_terms > MAX_INNER) {
        snprintf(out, INNER_LEN, "%c", letters[token->class]);
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

/* set_shape notes of what kind the elements of a level are, which stand at at. */
static void set_shape(struct role_walk *w, struct level *level, struct cursor at)
{
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

/* add_level writes a level with the place of the term in it, as "{@ai" or "[@|r". */
static int add_level(const struct level *level, char *out, size_t size)
{
    const uint64_t at = level->done;
    char shape[MAX_SHAPE + 3];
    if (level->class == TERM_MAP)
        return snprintf(out, size, "#%c", at % 2 == 0 ? 'k' : 'v');
    const char open = level->class == TERM_TUPLE ? '{' : level->class == TERM_LIST ? '[' : '(';
    if (level->shape[0] == '\0')
        return level->class == TERM_LIST
                   ? snprintf(out, size, "[%s", at + 1 == level->num ? "|@" : "@")
                   : snprintf(out, size, "%c%u.%u", open, (unsigned)level->num, (unsigned)at);
    snprintf(shape, sizeof shape, "%s", level->shape);
    shape[at] = '@';
    if (level->class != TERM_LIST)
        return snprintf(out, size, "%c%s", open, shape);
    /* The tail of a proper list says nothing more. */
    const char tail = shape[level->num - 1];
    shape[level->num - 1] = '\0';
    return tail == 'n' ? snprintf(out, size, "[%s", shape)
                       : snprintf(out, size, "[%s|%c", shape, tail);
}

/* add_close adds a close form: the shape, and an atom that is known. */
static void add_close(struct atom_role *role, const char *shape, char sign, struct ds_text text)
{
    if (text.data == NULL)
        return;
    char *out = role->close[role->num_close++];
    snprintf(out, ATOM_ROLE_CLOSE_LEN, "%s%c%.*s", shape, sign, (int)(text.len < 40 ? text.len : 40),
             text.data);
    for (; *out != '\0'; out++) {
        if (*out < ' ' || *out > '~' || *out == '"' || *out == '\\')
            *out = '.'; /* so that the table of them can be read */
    }
}

/* set_close writes the close forms of what stands in the innermost level. */
static void set_close(struct role_walk *w)
{
    const struct level *level = &w->levels[w->depth - 1];
    struct ds_text beside = {NULL, 0}, outer = {NULL, 0};
    char shape[MAX_SHAPE * INNER_LEN + 8];
    w->role.num_close = 0;
    if (level->shape[0] == '\0')
        return;
    bool is_closer = false; /* than the fine form */
    int len = snprintf(shape, sizeof shape, "*%c%d%c", w->where, w->depth > 3 ? 3 : w->depth - 1,
                       level->class == TERM_TUPLE ? '{' : level->class == TERM_LIST ? '[' : '(');
    for (uint64_t i = 0; i < level->num; i++) {
        len += snprintf(shape + len, sizeof shape - (size_t)len, "%s",
                        i == level->done ? "@" : level->inner[i]);
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
        snprintf(w->role.close[w->role.num_close++], ATOM_ROLE_CLOSE_LEN, "%s", shape);
}

static void tell(struct role_walk *w, const struct ds_atom *atom)
{
    const int depth = w->depth;
    struct atom_role *role = &w->role;
    role->num_close = 0;
    if (depth == 0) {
        snprintf(role->fine, sizeof role->fine, "%c=", w->where);
        snprintf(role->coarse, sizeof role->coarse, "~%c=", w->where);
        w->tell(w->context, atom, role);
        return;
    }
    const struct level *level = &w->levels[depth - 1];
    set_close(w);
    int len = snprintf(role->fine, sizeof role->fine, "%c%d", w->where, depth > 3 ? 3 : depth - 1);
    if (depth > 1) {
        const struct level *outer = &w->levels[depth - 2];
        len += outer->class == TERM_TUPLE
                   ? snprintf(role->fine + len, sizeof role->fine - (size_t)len, "{%u.%u",
                              outer->num > 15 ? 15 : (unsigned)outer->num,
                              outer->done > 15 ? 15 : (unsigned)outer->done)
                   : snprintf(role->fine + len, sizeof role->fine - (size_t)len, "%c",
                              outer->class == TERM_MAP ? '#' : '[');
    }
    add_level(level, role->fine + len, sizeof role->fine - (size_t)len);
    const char nested = depth > 1 ? '+' : '0';
    if (level->class == TERM_TUPLE)
        snprintf(role->coarse, sizeof role->coarse, "~%c{%u.%u", nested,
                 level->num > 15 ? 15 : (unsigned)level->num,
                 level->done > 15 ? 15 : (unsigned)level->done);
    else if (level->class == TERM_MAP)
        snprintf(role->coarse, sizeof role->coarse, "~%c#%c", nested,
                 level->done % 2 == 0 ? 'k' : 'v');
    else
        snprintf(role->coarse, sizeof role->coarse, "~%c%c", nested,
                 level->class == TERM_LIST ? '[' : '(');
    w->tell(w->context, atom, role);
}

/* tell_export tells of the atoms of an external fun: module, function. */
static void tell_export(struct role_walk *w, const struct term_token *token)
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
            w->tell(w->context, part.atom, &w->role);
    }
}

/* tell_node tells of the node of a pid, port or reference. */
static void tell_node(struct role_walk *w, const struct term_token *token)
{
    w->role.num_close = 0;
    if (!term_token_creation(token, &w->role.creation))
        w->role.creation = 0;
    snprintf(w->role.fine, sizeof w->role.fine, ATOM_ROLE_NODE);
    snprintf(w->role.coarse, sizeof w->role.coarse, "~@");
    w->tell(w->context, token->atom, &w->role);
    w->role.creation = 0;
}

/* tell_fun tells of the module of a fun. */
static void tell_fun(struct role_walk *w, const struct term_token *token)
{
    struct term_token module;
    struct value_fun fun;
    if (!value_get_fun(token, &w->env, &fun) ||
        term_read_token(&fun.module, &w->env, &module, NULL) != TERM_OK || module.atom == NULL)
        return;
    w->role.num_close = 0;
    snprintf(w->role.fine, sizeof w->role.fine, "F");
    snprintf(w->role.coarse, sizeof w->role.coarse, "~F");
    w->tell(w->context, module.atom, &w->role);
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
            tell(w, token.atom);
        else if (token.class == TERM_EXPORT)
            tell_export(w, &token);
        else if (token.class == TERM_FUN)
            tell_fun(w, &token);
        else if (token.atom != NULL)
            tell_node(w, &token);
        if (token.num_terms != 0 && w->depth < MAX_NESTING) {
            struct level *level = &w->levels[w->depth++];
            *level = (struct level){.class = token.class, .num = token.num_terms};
            set_shape(w, level, at);
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
    /* These are identities: all that is told of them is their node. */
    static const enum ds_role identities[] = {DS_ROLE_FROM, DS_ROLE_TO, DS_ROLE_REF, DS_ROLE_LEADER};
    struct role_walk w = {.tell = fn, .context = context};
    if (message->op == NULL)
        return;
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
            tell_node(&w, &token);
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
