/*
 * code_leaf.c - see code_leaf.h.
 */
#include "etf/code_leaf.h"
#include "etf/copy_portable.h"
#include "etf/number_text.h"
#include "etf/term_keywords.h"
#include "etf/term_token.h"
#include "etf/value.h"
#include "util/escape.h"

#include <math.h>
#include <stdio.h>

/* leaf_text returns the text of a token's atom or node, converted from latin-1 to UTF-8 in room. */
struct leaf_room {
    char bytes[VALUE_ATOM_LEN];
};

static struct cursor leaf_text(const struct term_token *token, struct cursor text,
                               struct leaf_room *room)
{
    size_t len = 0;
    if (token->atom != NULL && !ds_atom_is_certain(token->atom->state)) {
        int n = snprintf(room->bytes, sizeof room->bytes, "?atom:%u", (unsigned)token->atom->slot);
        return cursor_make(room->bytes, (size_t)n);
    }
    if (!token->latin1)
        return text;
    if (!value_get_latin1(&text, room->bytes, &len))
        len = 0;
    return cursor_make(room->bytes, len);
}

static void leaf_atom(struct leaf *leaf, const struct term_token *token, struct cursor text)
{
    struct leaf_room room;
    text = leaf_text(token, text, &room);
    if (leaf->options->exact)
        code_add_exact_atom(&leaf->w, text);
    else
        code_add_atom(&leaf->w, text);
}

void leaf_read_atom(struct leaf *leaf, struct cursor *at)
{
    struct term_token token;
    if (term_read_token(at, &leaf->env, &token, NULL) == TERM_OK)
        leaf_atom(leaf, &token, token.body);
}

void leaf_read_key(struct leaf *leaf, struct cursor *at)
{
    struct term_token token;
    struct leaf_room room;
    if (term_read_token(at, &leaf->env, &token, NULL) == TERM_OK)
        code_add_key(&leaf->w, leaf_text(&token, token.body, &room));
}

void leaf_word(struct leaf *leaf, const char *word)
{
    code_add_atom(&leaf->w, cursor_make(word, strlen(word)));
}

void leaf_tag(struct leaf *leaf, const char *tag)
{
    code_add(&leaf->w, "{");
    leaf->w.depth++;
    leaf_word(leaf, tag);
    code_add_comma(&leaf->w);
}

static void leaf_tag_node(struct leaf *leaf, const char *tag, const struct term_token *token)
{
    leaf_tag(leaf, tag);
    leaf_atom(leaf, token, token->node);
    code_add_comma(&leaf->w);
}

void leaf_end_tag(struct leaf *leaf)
{
    code_add(&leaf->w, "}");
    leaf->w.depth--;
}

static void leaf_end_number(struct leaf *leaf, uint64_t number)
{
    code_add_comma(&leaf->w);
    code_add_number(&leaf->w, number);
    leaf_end_tag(leaf);
}

static void leaf_pid(struct leaf *leaf, const struct term_token *token)
{
    struct value_pid pid;
    if (!value_get_pid(token, &pid))
        return;
    leaf_tag_node(leaf, "$pid", token);
    code_add_number(&leaf->w, pid.id);
    code_add_comma(&leaf->w);
    code_add_number(&leaf->w, pid.serial);
    leaf_end_number(leaf, pid.creation);
}

static void leaf_port(struct leaf *leaf, const struct term_token *token)
{
    struct value_port port;
    if (!value_get_port(token, &port))
        return;
    leaf_tag_node(leaf, "$port", token);
    code_add_number(&leaf->w, port.id);
    leaf_end_number(leaf, port.creation);
}

static void leaf_reference(struct leaf *leaf, const struct term_token *token)
{
    struct value_reference reference;
    if (!value_get_reference(token, &reference))
        return;
    leaf_tag_node(leaf, "$ref", token);
    code_add(&leaf->w, "[");
    for (unsigned i = reference.num_words; i > 0; i--) {
        code_add_number(&leaf->w, reference.words[i - 1]);
        if (i > 1)
            code_add_comma(&leaf->w);
    }
    code_add(&leaf->w, "]");
    leaf_end_number(leaf, reference.creation);
}

bool leaf_fun(struct leaf *leaf, const struct term_token *token)
{
    const size_t before_arity = 1 + 4;
    struct cursor c = token->bytes;
    struct value_fun fun;
    uint8_t arity;
    if (!value_get_fun(token, &leaf->env, &fun))
        return false;
    leaf_tag(leaf, "$fun");
    leaf_read_atom(leaf, &fun.module);
    code_add_comma(&leaf->w);
    code_add_signed(&leaf->w, fun.index);
    code_add_comma(&leaf->w);
    code_add_signed(&leaf->w, fun.uniq);
    code_add_comma(&leaf->w);
    if (token->tag == TERM_TAG_NEW_FUN && cursor_skip(&c, before_arity) &&
        cursor_read_u8(&c, &arity))
        code_add_number(&leaf->w, arity);
    else
        code_add(&leaf->w, leaf->w.syntax->nothing);
    code_add_comma(&leaf->w);
    code_add(&leaf->w, "[");
    return true;
}

struct ds_term leaf_term(const struct leaf *leaf, const struct term_token *token, const uint8_t *end)
{
    struct ds_term term = leaf->term;
    term.data = token->bytes.at;
    term.len = (size_t)(end - token->bytes.at);
    term.damaged = false;
    return term;
}

static void leaf_local(struct leaf *leaf, const struct term_token *token)
{
    const size_t version_and_tag = 1 + 1;
    const struct ds_term term = leaf_term(leaf, token, token->bytes.end);
    struct ds_buffer copy = {0};
    leaf_tag(leaf, "$local");
    if (ds_term_copy_etf(&term, &copy))
        code_add_binary(&leaf->w,
                        cursor_make(copy.data + version_and_tag, copy.len - version_and_tag));
    else
        leaf->failed = true;
    leaf_end_tag(leaf);
    ds_buffer_free(&copy);
}

/* leaf_is_short says whether module and function need no quotes. */
static bool leaf_is_short(const struct leaf *leaf, struct cursor parts)
{
    struct term_token token;
    for (int i = 0; i < 2; i++) {
        if (term_read_token(&parts, &leaf->env, &token, NULL) != TERM_OK ||
            !term_keywords_is_key(&token))
            return false;
    }
    return true;
}

/* leaf_reads_back says whether a fun with that module and name can be written as one. */
static bool leaf_reads_back(const struct leaf *leaf, struct cursor parts)
{
    struct term_token token;
    for (int i = 0; i < 2; i++) {
        if (term_read_token(&parts, &leaf->env, &token, NULL) != TERM_OK ||
            !(token.latin1 || escape_reads_back(token.body)))
            return false;
    }
    return true;
}

bool leaf_is_exact(const struct leaf *leaf, const struct term_token *token)
{
    struct cursor parts = token->bytes;
    double value;
    if (token->class == TERM_EXPORT)
        return cursor_skip(&parts, 1) && leaf_is_short(leaf, parts);
    /* The compiler of OTP 25 treats 0.0 and -0.0 as equal. */
    return token->class != TERM_FLOAT || !value_get_float(token, &value) || value != 0 ||
           !signbit(value);
}

static void leaf_export(struct leaf *leaf, const struct term_token *token)
{
    const struct code_syntax *syntax = leaf->w.syntax;
    struct cursor parts = token->bytes;
    struct term_token arity;
    if (!cursor_skip(&parts, 1))
        return;
    const bool is_fun = leaf_reads_back(leaf, parts);
    if (is_fun)
        code_add(&leaf->w, syntax->fun_open);
    else
        leaf_tag(leaf, "$export");
    leaf_read_atom(leaf, &parts);
    code_add(&leaf->w, is_fun ? syntax->fun_colon : syntax->comma);
    leaf_read_atom(leaf, &parts);
    code_add(&leaf->w, is_fun ? syntax->fun_slash : syntax->comma);
    if (term_read_token(&parts, &leaf->env, &arity, NULL) == TERM_OK)
        number_add_integer(leaf->w.out, &arity, 0);
    if (is_fun)
        code_add(&leaf->w, syntax->fun_close);
    else
        leaf_end_tag(leaf);
}

static void leaf_bits(struct leaf *leaf, const struct term_token *token)
{
    struct cursor bytes, head;
    unsigned last_bits;
    uint8_t last;
    if (!value_get_bits(token, &bytes, &last_bits))
        return;
    if (last_bits == 0 || last_bits == 8) { /* whole bytes: a binary */
        code_add_binary(&leaf->w, bytes);
        return;
    }
    code_add(&leaf->w, "<<");
    if (cursor_child(&bytes, cursor_left(&bytes) - 1, &head) &&
        cursor_read_u8(&bytes, &last)) {
        code_add_bytes(&leaf->w, head);
        if (cursor_left(&token->body) > 1)
            code_add_comma(&leaf->w);
        code_add_number(&leaf->w, last >> (8 - last_bits));
        code_add(&leaf->w, leaf->w.syntax->bits_open);
        code_add_number(&leaf->w, last_bits);
        code_add(&leaf->w, leaf->w.syntax->bits_close);
    }
    code_add(&leaf->w, ">>");
}

/* leaf_string writes a list of bytes: as a string if all of them are printable. */
static void leaf_string(struct leaf *leaf, const struct term_token *token)
{
    struct cursor body = token->body;
    uint8_t byte;
    if (cursor_left(&body) != 0 && escape_is_latin1(body)) {
        code_add(&leaf->w, leaf->w.syntax->string_open);
        while (cursor_read_u8(&body, &byte))
            code_add_char(&leaf->w, byte);
        code_add(&leaf->w, "\"");
    } else {
        code_add(&leaf->w, "[");
        code_add_bytes(&leaf->w, body);
        code_add(&leaf->w, "]");
    }
}

bool leaf_char_list(struct leaf *leaf, struct cursor *at, uint64_t num)
{
    struct cursor end = *at, c = end;
    uint32_t character;
    uint8_t tag;
    for (uint64_t i = 0; i < num; i++) {
        if (!term_read_char(&end, &character) || !escape_is_listed(character))
            return false;
    }
    if (!cursor_read_u8(&end, &tag) || tag != TERM_TAG_NIL)
        return false;
    code_add(&leaf->w, leaf->w.syntax->string_open);
    for (uint64_t i = 0; i < num && term_read_char(&c, &character); i++)
        code_add_char(&leaf->w, character);
    code_add(&leaf->w, "\"");
    *at = end;
    return true;
}

/* leaf_large writes an integer too large for some nodes. */
static void leaf_large(struct leaf *leaf, const struct term_token *token)
{
    const size_t before_sign = 1 + 4;
    struct cursor c = token->bytes;
    uint8_t sign;
    if (!cursor_skip(&c, before_sign) || !cursor_read_u8(&c, &sign))
        return;
    leaf_tag(leaf, "$integer");
    code_add_number(&leaf->w, sign);
    code_add_comma(&leaf->w);
    code_add_binary(&leaf->w, c);
    leaf_end_tag(leaf);
}

static void leaf_integer(struct leaf *leaf, const struct term_token *token)
{
    if (portable_is_large(token)) {
        leaf_large(leaf, token);
        return;
    }
    leaf->failed |= leaf->options->language == DS_CODE_ELIXIR
                        ? !number_add_elixir(leaf->w.out, token, 0)
                        : !number_add_integer(leaf->w.out, token, 0);
}

static void leaf_float(struct leaf *leaf, const struct term_token *token)
{
    double value;
    if (value_get_float(token, &value))
        number_add_float(leaf->w.out, value);
}

static void leaf_whole_atom(struct leaf *leaf, const struct term_token *token)
{
    leaf_atom(leaf, token, token->body);
}

static void leaf_binary(struct leaf *leaf, const struct term_token *token)
{
    code_add_binary(&leaf->w, token->body);
}

static void leaf_nil(struct leaf *leaf, const struct term_token *token)
{
    (void)token;
    code_add(&leaf->w, "[]");
}

/* leaf_add: a token that cannot be decoded must not leave a hole in the text. */
void leaf_add(struct leaf *leaf, const struct term_token *token)
{
    static void (*const writers[TERM_NUM_CLASSES])(struct leaf *, const struct term_token *) = {
        [TERM_INTEGER] = leaf_integer, [TERM_FLOAT] = leaf_float,
        [TERM_ATOM] = leaf_whole_atom, [TERM_BINARY] = leaf_binary,
        [TERM_BIT_BINARY] = leaf_bits, [TERM_STRING] = leaf_string,
        [TERM_NIL] = leaf_nil,         [TERM_PID] = leaf_pid,
        [TERM_PORT] = leaf_port,       [TERM_REFERENCE] = leaf_reference,
        [TERM_EXPORT] = leaf_export,   [TERM_LOCAL] = leaf_local,
    };
    size_t len = leaf->w.out->len;
    if (writers[token->class] != NULL)
        writers[token->class](leaf, token);
    if (leaf->w.out->len == len)
        leaf_word(leaf, LEAF_DAMAGED);
}
