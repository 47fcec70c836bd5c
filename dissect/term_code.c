/*
 * term_code.c - a term as source text: code.h says in which form. What is open stands on a
 * stack of our own, as in term_text.c.
 */
#include "code_write.h"
#include "escape.h"
#include "number_text.h"
#include "term_keywords.h"
#include "term_token.h"
#include "value.h"

#include <stdio.h>
#include <stdlib.h>

enum { CODE_FRAMES = 32 };

enum code_open {
    OPEN_TUPLE,
    OPEN_LIST,
    OPEN_KEYWORDS, /* a list of pairs whose first is an atom */
    OPEN_MAP,
    OPEN_ATOM_MAP, /* a map whose keys are all atoms */
    OPEN_FIELDS,   /* of a record, as pairs */
    OPEN_KEYS,     /* of a record, as keys and values */
    OPEN_FREE,     /* free variables of a fun */
    OPEN_NUM,
};

static const struct {
    const char *close;
    uint8_t depth; /* how many are closed */
} code_forms[OPEN_NUM] = {
    [OPEN_TUPLE] = {"}", 1}, [OPEN_LIST] = {"]", 1},     [OPEN_KEYWORDS] = {"]", 1},
    [OPEN_MAP] = {"}", 1},   [OPEN_ATOM_MAP] = {"}", 1}, [OPEN_FIELDS] = {"]}", 2},
    [OPEN_KEYS] = {"]}", 2}, [OPEN_FREE] = {"]}", 2},
};

/* Something open. */
struct code_frame {
    const uint8_t *names; /* of a record: the next field's */
    uint64_t left : 56;   /* terms still to come */
    uint64_t class : 8;   /* one of enum code_open */
};
_Static_assert(sizeof(struct code_frame) == 16, "two million of them are 32 MB");

struct code {
    struct code_writer w;
    const struct ds_code_options *options;
    struct ds_term term;
    struct term_env env;
    struct token_source source;
    struct cursor at;
    struct term_keywords keywords;
    bool first;  /* nothing was written yet in what is open */
    bool failed; /* memory ran out */
    struct code_frame few[CODE_FRAMES];
    struct code_frame *frames;
    size_t num, cap;
};

static struct code_frame *code_push(struct code *code)
{
    if (code->num == code->cap) {
        size_t cap = code->cap * 2;
        struct code_frame *old = code->frames != code->few ? code->frames : NULL;
        struct code_frame *frames = realloc(old, cap * sizeof *frames);
        if (frames == NULL) {
            code->failed = true;
            return NULL;
        }
        if (old == NULL)
            memcpy(frames, code->few, sizeof code->few);
        code->frames = frames;
        code->cap = cap;
    }
    return &code->frames[code->num++];
}

/* code_open begins something of num_terms terms; what stands before them has been written. */
static void code_open(struct code *code, enum code_open class, uint64_t num_terms,
                      const uint8_t *names)
{
    struct code_frame *frame = code_push(code);
    if (frame == NULL)
        return;
    *frame = (struct code_frame){
        .names = names, .left = num_terms & (UINT64_MAX >> 8), .class = (uint8_t) class};
    code->first = true;
    code->w.depth++;
}

/* The text of an atom or node that a token holds; latin-1 becomes UTF-8 in room. */
struct code_atom_room {
    char bytes[VALUE_ATOM_LEN];
};

static struct cursor code_atom_text(const struct term_token *token, struct cursor text,
                                    struct code_atom_room *room)
{
    size_t len = 0;
    if (token->atom != NULL && token->atom->state == DS_ATOM_UNKNOWN) {
        int n = snprintf(room->bytes, sizeof room->bytes, "?atom:%u", (unsigned)token->atom->slot);
        return cursor_make(room->bytes, (size_t)n);
    }
    if (!token->latin1)
        return text;
    if (!value_get_latin1(&text, room->bytes, &len))
        len = 0;
    return cursor_make(room->bytes, len);
}

static void code_atom(struct code *code, const struct term_token *token, struct cursor text)
{
    struct code_atom_room room;
    code_add_atom(&code->w, code_atom_text(token, text, &room));
}

/* code_read_atom writes the atom at at, which is part of a token already read. */
static void code_read_atom(struct code *code, struct cursor *at)
{
    struct term_token token;
    if (term_read_token(at, &code->env, &token, NULL) == TERM_OK)
        code_atom(code, &token, token.body);
}

static void code_read_key(struct code *code, struct cursor *at)
{
    struct term_token token;
    struct code_atom_room room;
    if (term_read_token(at, &code->env, &token, NULL) == TERM_OK)
        code_add_key(&code->w, code_atom_text(&token, token.body, &room));
}

static void code_word(struct code *code, const char *word)
{
    code_add_atom(&code->w, cursor_make(word, strlen(word)));
}

static const char code_damage[] = "$damaged";

/* code_tag begins a tuple that says what it is. */
static void code_tag(struct code *code, const char *tag)
{
    code_add(&code->w, "{");
    code->w.depth++;
    code_word(code, tag);
    code_add_comma(&code->w);
}

static void code_tag_node(struct code *code, const char *tag, const struct term_token *token)
{
    code_tag(code, tag);
    code_atom(code, token, token->node);
    code_add_comma(&code->w);
}

static void code_end_tag(struct code *code)
{
    code_add(&code->w, "}");
    code->w.depth--;
}

static void code_end_number(struct code *code, uint64_t number)
{
    code_add_comma(&code->w);
    code_add_number(&code->w, number);
    code_end_tag(code);
}

static void code_pid(struct code *code, const struct term_token *token)
{
    struct value_pid pid;
    if (!value_get_pid(token, &pid))
        return;
    code_tag_node(code, "$pid", token);
    code_add_number(&code->w, pid.id);
    code_add_comma(&code->w);
    code_add_number(&code->w, pid.serial);
    code_end_number(code, pid.creation);
}

static void code_port(struct code *code, const struct term_token *token)
{
    struct value_port port;
    if (!value_get_port(token, &port))
        return;
    code_tag_node(code, "$port", token);
    code_add_number(&code->w, port.id);
    code_end_number(code, port.creation);
}

static void code_reference(struct code *code, const struct term_token *token)
{
    struct value_reference reference;
    if (!value_get_reference(token, &reference))
        return;
    code_tag_node(code, "$ref", token);
    code_add(&code->w, "[");
    for (unsigned i = reference.num_words; i > 0; i--) {
        code_add_number(&code->w, reference.words[i - 1]);
        if (i > 1)
            code_add_comma(&code->w);
    }
    code_add(&code->w, "]");
    code_end_number(code, reference.creation);
}

static void code_export(struct code *code, const struct term_token *token)
{
    const struct code_syntax *syntax = code->w.syntax;
    struct cursor parts = token->bytes;
    struct term_token arity;
    if (!cursor_skip(&parts, 1))
        return;
    code_add(&code->w, syntax->fun_open);
    code_read_atom(code, &parts);
    code_add(&code->w, syntax->fun_colon);
    code_read_atom(code, &parts);
    code_add(&code->w, syntax->fun_slash);
    if (term_read_token(&parts, &code->env, &arity, NULL) == TERM_OK)
        number_add_integer(code->w.out, &arity, 0);
    code_add(&code->w, syntax->fun_close);
}

/* code_fun writes what is known of a fun, and opens the list of its free variables. */
static void code_fun(struct code *code, const struct term_token *token)
{
    const size_t before_arity = 1 + 4;
    struct cursor c = token->bytes;
    struct value_fun fun;
    uint8_t arity;
    if (!value_get_fun(token, &code->env, &fun))
        return;
    code_tag(code, "$fun");
    code_read_atom(code, &fun.module);
    code_add_comma(&code->w);
    code_add_signed(&code->w, fun.index);
    code_add_comma(&code->w);
    code_add_signed(&code->w, fun.uniq);
    code_add_comma(&code->w);
    if (token->tag == TERM_TAG_NEW_FUN && cursor_skip(&c, before_arity) &&
        cursor_read_u8(&c, &arity))
        code_add_number(&code->w, arity);
    else
        code_add(&code->w, code->w.syntax->nothing);
    code_add_comma(&code->w);
    code_add(&code->w, "[");
    code_open(code, OPEN_FREE, token->num_terms, NULL);
}

/* code_keys says whether the names of a record's fields can all be written as keys. */
static bool code_keys(const struct code *code, struct cursor names)
{
    struct term_token token;
    while (cursor_left(&names) != 0) {
        if (term_read_token(&names, &code->env, &token, NULL) != TERM_OK ||
            !term_keywords_is_key(&token))
            return false;
    }
    return code->w.syntax->keywords;
}

static void code_record(struct code *code, const struct term_token *token)
{
    struct cursor names = token->record_names;
    code_tag(code, "$record");
    code_read_atom(code, &names);
    code_add_comma(&code->w);
    code_read_atom(code, &names);
    code_add_comma(&code->w);
    code_add(&code->w, "[");
    code_open(code, code_keys(code, names) ? OPEN_KEYS : OPEN_FIELDS, token->num_terms, names.at);
}

/* code_copy copies the term from token on to where code->at stands, as standard format. */
static bool code_copy(struct code *code, const struct term_token *token, struct ds_buffer *bytes,
                      bool (*copy)(const struct ds_term *, struct ds_buffer *))
{
    struct ds_term term = code->term;
    term.data = token->bytes.at;
    term.len = (size_t)(code->at.at - token->bytes.at);
    term.damaged = false;
    if (copy(&term, bytes))
        return true;
    code->failed = true;
    return false;
}

static void code_local(struct code *code, const struct term_token *token)
{
    const size_t version_and_tag = 1 + 1;
    struct ds_buffer copy = {0};
    code_tag(code, "$local");
    if (code_copy(code, token, &copy, ds_term_copy_etf))
        code_add_binary(&code->w,
                        cursor_make(copy.data + version_and_tag, copy.len - version_and_tag));
    code_end_tag(code);
    ds_buffer_free(&copy);
}

/* code_exact writes the term whose token was just read as its bytes. False: they are damaged. */
static bool code_exact(struct code *code, const struct term_token *token)
{
    struct ds_buffer copy = {0};
    code->first = false;
    if (term_skip(&code->at, &code->env, token->num_terms, NULL) != TERM_OK) {
        code_word(code, code_damage);
        return false;
    }
    if (code_copy(code, token, &copy, ds_term_copy_portable)) {
        code_add(&code->w, code->w.syntax->exact_open);
        code_add_mixed(&code->w, cursor_make(copy.data, copy.len));
        code_add(&code->w, code->w.syntax->exact_close);
    }
    ds_buffer_free(&copy);
    return true;
}

static void code_bits(struct code *code, const struct term_token *token)
{
    struct cursor bytes, head;
    unsigned last_bits;
    uint8_t last;
    if (!value_get_bits(token, &bytes, &last_bits))
        return;
    code_add(&code->w, "<<");
    if (cursor_left(&bytes) != 0 && cursor_child(&bytes, cursor_left(&bytes) - 1, &head) &&
        cursor_read_u8(&bytes, &last)) {
        code_add_bytes(&code->w, head);
        if (cursor_left(&token->body) > 1)
            code_add_comma(&code->w);
        code_add_number(&code->w, last >> (8 - last_bits));
        if (last_bits != 8) {
            code_add(&code->w, code->w.syntax->bits_open);
            code_add_number(&code->w, last_bits);
            code_add(&code->w, code->w.syntax->bits_close);
        }
    }
    code_add(&code->w, ">>");
}

/* code_string writes a list of bytes: as a string when all of them print. */
static void code_string(struct code *code, const struct term_token *token)
{
    struct cursor body = token->body;
    uint8_t byte;
    if (cursor_left(&body) != 0 && escape_is_latin1(body)) {
        code_add(&code->w, code->w.syntax->string_open);
        while (cursor_read_u8(&body, &byte))
            code_add_char(&code->w, byte);
        code_add(&code->w, "\"");
    } else {
        code_add(&code->w, "[");
        code_add_bytes(&code->w, body);
        code_add(&code->w, "]");
    }
}

/* code_read_char reads one element of a list that may be a string. */
static bool code_read_char(struct cursor *at, uint32_t *code)
{
    uint8_t tag, small;
    if (!cursor_read_u8(at, &tag))
        return false;
    if (tag == TERM_TAG_INTEGER)
        return cursor_read_u32(at, code);
    if (tag != TERM_TAG_SMALL_INTEGER || !cursor_read_u8(at, &small))
        return false;
    *code = small;
    return true;
}

/* code_char_list writes a list whose elements are all printable characters as a string, and
 * passes it; false, and nothing moves, when it is another list. */
static bool code_char_list(struct code *code, uint64_t num)
{
    struct cursor end = code->at, c = end;
    uint32_t character;
    uint8_t tag;
    for (uint64_t i = 0; i < num; i++) {
        if (!code_read_char(&end, &character) || !escape_is_printable(character))
            return false;
    }
    if (!cursor_read_u8(&end, &tag) || tag != TERM_TAG_NIL)
        return false;
    code_add(&code->w, code->w.syntax->string_open);
    for (uint64_t i = 0; i < num && code_read_char(&c, &character); i++)
        code_add_char(&code->w, character);
    code_add(&code->w, "\"");
    code->at = end;
    return true;
}

static void code_list(struct code *code, const struct term_token *token, bool keywords)
{
    if (!keywords && code_char_list(code, token->num_terms - 1)) {
        code->first = false;
    } else {
        code_add(&code->w, "[");
        code_open(code, keywords ? OPEN_KEYWORDS : OPEN_LIST, token->num_terms, NULL);
    }
}

/* code_leaf writes a token that is a term, of those written in one piece. */
static void code_leaf(struct code *code, const struct term_token *token)
{
    double value;
    switch (token->class) {
    case TERM_INTEGER:
        code->failed |= code->options->language == DS_CODE_ELIXIR
                            ? !number_add_elixir(code->w.out, token)
                            : !number_add_integer(code->w.out, token, 0);
        break;
    case TERM_FLOAT:
        if (value_get_float(token, &value))
            number_add_float(code->w.out, value);
        break;
    case TERM_ATOM:
        code_atom(code, token, token->body);
        break;
    case TERM_BINARY:
        code_add_binary(&code->w, token->body);
        break;
    case TERM_BIT_BINARY:
        code_bits(code, token);
        break;
    case TERM_STRING:
        code_string(code, token);
        break;
    case TERM_PID:
        code_pid(code, token);
        break;
    case TERM_PORT:
        code_port(code, token);
        break;
    case TERM_REFERENCE:
        code_reference(code, token);
        break;
    case TERM_EXPORT:
        code_export(code, token);
        break;
    case TERM_LOCAL:
        code_local(code, token);
        break;
    default: /* NIL */
        code_add(&code->w, "[]");
        break;
    }
    code->first = false;
}

static bool code_is_exact(const struct code *code, enum term_class class)
{
    return code->options->exact && (class == TERM_PID || class == TERM_PORT ||
                                    class == TERM_REFERENCE || class == TERM_FUN);
}

/* code_deep passes what a token begins, which is nested too deeply to be shown. */
static bool code_deep(struct code *code, const struct term_token *token)
{
    bool ok = term_skip(&code->at, &code->env, token->num_terms, NULL) == TERM_OK;
    code_tag(code, "$deep");
    code_add_number(&code->w, (uint64_t)(code->at.at - token->bytes.at));
    code_end_tag(code);
    code->first = false;
    return ok;
}

/* code_token writes a leaf, or opens what the token begins. False: bytes after it are
 * damaged. */
static bool code_token(struct code *code, const struct term_token *token)
{
    bool keywords = term_keywords_has(&code->keywords, (size_t)(token->bytes.at - code->term.data));
    uint32_t max_depth = code->options->max_depth;
    if (code_is_exact(code, token->class))
        return code_exact(code, token);
    if (token->num_terms != 0 && max_depth != 0 && code->num >= max_depth)
        return code_deep(code, token);
    switch (token->class) {
    case TERM_TUPLE:
        code_add(&code->w, "{");
        code_open(code, OPEN_TUPLE, token->num_terms, NULL);
        break;
    case TERM_LIST:
        code_list(code, token, keywords);
        break;
    case TERM_MAP:
        code_add(&code->w, code->w.syntax->map_open);
        code_open(code, keywords ? OPEN_ATOM_MAP : OPEN_MAP, token->num_terms, NULL);
        break;
    case TERM_FUN:
        code_fun(code, token);
        break;
    case TERM_RECORD:
        code_record(code, token);
        break;
    default:
        code_leaf(code, token);
        break;
    }
    return true;
}

/* code_close ends the innermost that is open. */
static void code_close(struct code *code)
{
    const struct code_frame *frame = &code->frames[--code->num];
    if (frame->class == OPEN_FIELDS && !code->first)
        code_end_tag(code);
    code_add(&code->w, code_forms[frame->class].close);
    code->first = false;
    code->w.depth -= code_forms[frame->class].depth;
}

/* code_damaged closes all that is open, where the term goes on no further. */
static void code_damaged(struct code *code)
{
    code->first = false;
    while (code->num != 0) {
        const struct code_frame *frame = &code->frames[code->num - 1];
        if (frame->class == OPEN_MAP && frame->left % 2 != 0) { /* a key without its value */
            code_add(&code->w, code->w.syntax->arrow);
            code_word(code, code_damage);
        }
        code_close(code);
    }
}

/* code_next writes the next term of what is open, up to where another opens or all is done.
 * False: it is damaged. */
static bool code_next(struct code *code)
{
    struct term_token token;
    const char *what;
    do { /* a list without elements is its tail, which comes next */
        if (token_read(&code->at, &code->source, &token, &what) != TERM_OK) {
            code_word(code, code_damage);
            code_damaged(code);
            return false;
        }
    } while (token.class == TERM_LIST && token.num_terms == 1);
    if (!code_token(code, &token)) {
        code_damaged(code);
        return false;
    }
    return true;
}

static void code_comma(struct code *code)
{
    if (!code->first)
        code_add_comma(&code->w);
}

/* code_field writes what stands before the value of a record's field. */
static void code_field(struct code *code, struct code_frame *frame)
{
    struct cursor names = {frame->names, code->at.at}; /* they stand before their values */
    if (frame->class == OPEN_KEYS) {
        code_comma(code);
        code_read_key(code, &names);
    } else {
        if (!code->first)
            code_end_tag(code);
        code_comma(code);
        code_add(&code->w, "{");
        code->w.depth++;
        code_read_atom(code, &names);
        code_add_comma(&code->w);
    }
    frame->names = names.at;
}

/* code_pair passes the head of a pair and writes its key. */
static void code_pair(struct code *code)
{
    struct term_token pair;
    const char *what;
    if (token_read(&code->at, &code->source, &pair, &what) == TERM_OK)
        code_read_key(code, &code->at);
}

/* code_separate writes what stands before the next term of what is open. False: there is
 * none, for a proper list has ended. */
static bool code_separate(struct code *code)
{
    struct code_frame *frame = &code->frames[code->num - 1];
    uint8_t tag;
    frame->left--;
    switch (frame->class) {
    case OPEN_LIST:
    case OPEN_KEYWORDS:
        if (frame->left == 0) {
            if (cursor_peek_u8(&code->at, &tag) && tag == TERM_TAG_NIL)
                return !cursor_skip(&code->at, 1);
            code_add(&code->w, code->w.syntax->bar);
            return true;
        }
        code_comma(code);
        if (frame->class == OPEN_KEYWORDS)
            code_pair(code);
        return true;
    case OPEN_MAP:
        if (frame->left % 2 == 0)
            code_add(&code->w, code->w.syntax->arrow);
        else
            code_comma(code);
        return true;
    case OPEN_ATOM_MAP:
        code_comma(code);
        code_read_key(code, &code->at);
        frame->left--;
        return true;
    case OPEN_FIELDS:
    case OPEN_KEYS:
        code_field(code, frame);
        return true;
    default:
        code_comma(code);
        return true;
    }
}

static void code_run(struct code *code)
{
    bool more = code_next(code);
    while (more && code->num != 0 && !code->failed && !code->w.out->failed) {
        if (code->frames[code->num - 1].left != 0 && code_separate(code))
            more = code_next(code);
        else
            code_close(code);
    }
    code_fold(&code->w);
}

bool ds_code_term(const struct ds_term *term, const struct ds_code_options *options,
                  struct ds_buffer *out)
{
    struct code code = {.options = options, .term = *term, .cap = CODE_FRAMES};
    if (term->data == NULL || out->failed)
        return !out->failed;
    code.w = code_writer_make(options, out);
    code.env = (struct term_env){term->atoms, term->num_atoms};
    code.source = (struct token_source){.env = &code.env};
    code.at = cursor_make(term->data, term->len);
    code.first = true;
    code.frames = code.few;
    if (code.w.syntax->keywords && !term_keywords_find(&code.keywords, term, options->max_depth))
        return false;
    code_run(&code);
    term_keywords_free(&code.keywords);
    if (code.frames != code.few)
        free(code.frames);
    return !code.failed && !out->failed;
}

void ds_code_atom(struct ds_text text, enum ds_code_language language, struct ds_buffer *out)
{
    struct code_writer w = code_writer_make(&(struct ds_code_options){.language = language}, out);
    code_add_atom(&w, cursor_make(text.data, text.len));
}

void ds_code_key(struct ds_text text, enum ds_code_language language, struct ds_buffer *out)
{
    struct code_writer w = code_writer_make(&(struct ds_code_options){.language = language}, out);
    code_add_key(&w, cursor_make(text.data, text.len));
}

void ds_code_binary(struct ds_text bytes, enum ds_code_language language, struct ds_buffer *out)
{
    struct code_writer w = code_writer_make(&(struct ds_code_options){.language = language}, out);
    code_add_binary(&w, cursor_make(bytes.data, bytes.len));
}
