/*
 * term_code.c - a term as source text, in the form described in code.h. The open containers are on
 * an explicit stack, as in text_walk.h.
 */
#include "etf/code_leaf.h"
#include "util/stack.h"
#include "etf/term_keywords.h"
#include "etf/duplicate_keys.h"
#include "etf/term_token.h"

#include <stdlib.h>

enum { CODE_FRAMES = 32 };

enum code_open {
    OPEN_TUPLE,
    OPEN_LIST,
    OPEN_KEYWORDS, /* a list of pairs whose first is an atom */
    OPEN_MAP,
    OPEN_ATOM_MAP, /* a map whose keys are all atoms */
    OPEN_PAIRS,    /* a map with a duplicate key, as pairs */
    OPEN_FIELDS,   /* of a record, as pairs */
    OPEN_KEYS,     /* of a record, as keys and values */
    OPEN_FREE,     /* free variables of a fun */
    OPEN_NUM,
};

static const struct {
    const char *close;
    uint8_t depth; /* number of brackets closed */
} code_forms[OPEN_NUM] = {
    [OPEN_TUPLE] = {"}", 1}, [OPEN_LIST] = {"]", 1},     [OPEN_KEYWORDS] = {"]", 1},
    [OPEN_MAP] = {"}", 1},   [OPEN_ATOM_MAP] = {"}", 1}, [OPEN_FIELDS] = {"]}", 2},
    [OPEN_KEYS] = {"]}", 2}, [OPEN_FREE] = {"]}", 2},    [OPEN_PAIRS] = {"]}", 2},
};

/* An open container. */
struct code_frame {
    const uint8_t *names; /* for a record: position of the next field's name */
    uint64_t left : 56;   /* terms to come */
    uint64_t class : 8;   /* one of enum code_open */
};
_Static_assert(sizeof(struct code_frame) <= 16, "half a million of them are 8 MB");

struct code {
    struct leaf leaf;
    struct token_source source;
    struct cursor at;
    struct term_keywords keywords;
    struct duplicate_keys twice;
    bool first; /* nothing was written yet in the open container */
    struct code_frame few[CODE_FRAMES];
    struct code_frame *frames;
    size_t num, cap;
};

static struct code_frame *code_push(struct code *code)
{
    if (code->num == code->cap) {
        struct code_frame *frames = stack_grow(code->frames, code->few, &code->cap, sizeof *frames);
        if (frames == NULL) {
            code->leaf.failed = true;
            return NULL;
        }
        code->frames = frames;
    }
    return &code->frames[code->num++];
}

/* code_open opens a container of num_terms terms; what precedes them has been written. */
static void code_open(struct code *code, enum code_open class, uint64_t num_terms, const uint8_t *names)
{
    struct code_frame *frame = code_push(code);
    if (frame == NULL)
        return;
    *frame = (struct code_frame){
        .names = names, .left = num_terms & (UINT64_MAX >> 8), .class = (uint8_t) class};
    code->first = true;
    code->leaf.w.depth++;
}

/* code_keys says whether the names of a record's fields can all be written as keys. */
static bool code_keys(const struct code *code, struct cursor names)
{
    struct term_token token;
    while (cursor_left(&names) != 0) {
        if (term_read_token(&names, &code->leaf.env, &token, NULL) != TERM_OK ||
            !term_keywords_is_key(&token))
            return false;
    }
    return code->leaf.w.syntax->keywords;
}

static void code_record(struct code *code, const struct term_token *token)
{
    struct cursor names = token->record_names;
    leaf_tag(&code->leaf, "$record");
    leaf_read_atom(&code->leaf, &names);
    code_add_comma(&code->leaf.w);
    leaf_read_atom(&code->leaf, &names);
    code_add_comma(&code->leaf.w);
    code_add(&code->leaf.w, "[");
    code_open(code, code_keys(code, names) ? OPEN_KEYS : OPEN_FIELDS, token->num_terms, names.at);
}

/* code_map opens a map. A node would read a map with a duplicate key back with one of them, if at
 * all. */
static void code_map(struct code *code, const struct term_token *token, bool keywords)
{
    if (duplicate_keys_has(&code->twice, (size_t)(token->bytes.at - code->leaf.term.data))) {
        leaf_tag(&code->leaf, "$map");
        code_add(&code->leaf.w, "[");
        code_open(code, OPEN_PAIRS, token->num_terms, NULL);
    } else {
        code_add(&code->leaf.w, code->leaf.w.syntax->map_open);
        code_open(code, keywords ? OPEN_ATOM_MAP : OPEN_MAP, token->num_terms, NULL);
    }
}

static void code_list(struct code *code, const struct term_token *token, bool keywords)
{
    if (!keywords && leaf_char_list(&code->leaf, &code->at, token->num_terms - 1)) {
        code->first = false;
    } else {
        code_add(&code->leaf.w, "[");
        code_open(code, keywords ? OPEN_KEYWORDS : OPEN_LIST, token->num_terms, NULL);
    }
}

/* code_as_bytes says whether a term is to be written as its bytes. */
static bool code_as_bytes(const struct code *code, const struct term_token *token)
{
    const enum term_class class = token->class;
    return code->leaf.options->exact &&
           (class == TERM_PID || class == TERM_PORT || class == TERM_REFERENCE ||
            class == TERM_FUN || !leaf_is_exact(&code->leaf, token));
}

/* code_bytes writes a term as binary_to_term(<<...>>). */
static void code_bytes(struct leaf *leaf, const struct ds_term *term)
{
    struct ds_buffer copy = {0};
    if (ds_term_copy_portable(term, &copy)) {
        code_add(&leaf->w, leaf->w.syntax->exact_open);
        code_add_mixed(&leaf->w, cursor_make(copy.data, copy.len));
        code_add(&leaf->w, leaf->w.syntax->exact_close);
    } else {
        leaf->failed = true;
    }
    ds_buffer_free(&copy);
}

/* code_exact writes the whole term that begins with token as its bytes. */
static bool code_exact(struct code *code, const struct term_token *token)
{
    bool ok = term_skip(&code->at, &code->leaf.env, token->num_terms, NULL) == TERM_OK;
    const struct ds_term term = leaf_term(&code->leaf, token, code->at.at);
    if (ok)
        code_bytes(&code->leaf, &term);
    else
        leaf_word(&code->leaf, LEAF_DAMAGED);
    code->first = false;
    return ok;
}

/* code_deep skips the container that a token begins, which is nested too deeply to be shown. */
static bool code_deep(struct code *code, const struct term_token *token)
{
    bool ok = term_skip(&code->at, &code->leaf.env, token->num_terms, NULL) == TERM_OK;
    leaf_tag(&code->leaf, "$deep");
    code_add_number(&code->leaf.w, (uint64_t)(code->at.at - token->bytes.at));
    leaf_end_tag(&code->leaf);
    code->first = false;
    return ok;
}

/* code_token writes a leaf, or opens the container that the token begins. False: the bytes after it
 * are damaged. */
static bool code_token(struct code *code, const struct term_token *token)
{
    bool keywords =
        term_keywords_has(&code->keywords, (size_t)(token->bytes.at - code->leaf.term.data));
    uint32_t max_depth = code->leaf.options->max_depth;
    if (code_as_bytes(code, token))
        return code_exact(code, token);
    if (token->num_terms != 0 && max_depth != 0 && code->num >= max_depth)
        return code_deep(code, token);
    switch (token->class) {
    case TERM_TUPLE:
        code_add(&code->leaf.w, "{");
        code_open(code, OPEN_TUPLE, token->num_terms, NULL);
        break;
    case TERM_LIST:
        code_list(code, token, keywords);
        break;
    case TERM_MAP:
        code_map(code, token, keywords);
        break;
    case TERM_FUN:
        if (!leaf_fun(&code->leaf, token)) {
            leaf_word(&code->leaf, LEAF_DAMAGED);
            return false;
        }
        code_open(code, OPEN_FREE, token->num_terms, NULL);
        break;
    case TERM_RECORD:
        code_record(code, token);
        break;
    default:
        leaf_add(&code->leaf, token);
        code->first = false;
        break;
    }
    return true;
}

/* code_close ends the innermost open container. */
static void code_close(struct code *code)
{
    const struct code_frame *frame = &code->frames[--code->num];
    if ((frame->class == OPEN_FIELDS || frame->class == OPEN_PAIRS) && !code->first)
        leaf_end_tag(&code->leaf);
    code_add(&code->leaf.w, code_forms[frame->class].close);
    code->first = false;
    code->leaf.w.depth -= code_forms[frame->class].depth;
}

/* code_damaged closes all open containers because the rest of the term is missing. */
static void code_damaged(struct code *code)
{
    code->first = false;
    while (code->num != 0) {
        const struct code_frame *frame = &code->frames[code->num - 1];
        const struct code_syntax *syntax = code->leaf.w.syntax;
        const bool pairs = frame->class == OPEN_PAIRS;
        if ((pairs || frame->class == OPEN_MAP) && frame->left % 2 != 0) { /* a key without a value */
            code_add(&code->leaf.w, pairs ? syntax->comma : syntax->arrow);
            leaf_word(&code->leaf, LEAF_DAMAGED);
        }
        code_close(code);
    }
}

/* code_next writes the next term of the open container, until another one opens or all is done.
 * False: it is damaged. */
static bool code_next(struct code *code)
{
    struct term_token token;
    const char *what;
    do { /* a list without elements is only its tail, which comes next */
        if (token_read(&code->at, &code->source, &token, &what) != TERM_OK) {
            leaf_word(&code->leaf, LEAF_DAMAGED);
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
        code_add_comma(&code->leaf.w);
}

/* code_next_pair ends the previous pair, if any, and begins another. */
static void code_next_pair(struct code *code)
{
    if (!code->first)
        leaf_end_tag(&code->leaf);
    code_comma(code);
    code_add(&code->leaf.w, "{");
    code->leaf.w.depth++;
}

/* code_field writes what precedes the value of a record's field. */
static void code_field(struct code *code, struct code_frame *frame)
{
    struct cursor names = {frame->names, code->at.at}; /* names come before values */
    if (frame->class == OPEN_KEYS) {
        code_comma(code);
        leaf_read_key(&code->leaf, &names);
    } else {
        code_next_pair(code);
        leaf_read_atom(&code->leaf, &names);
        code_add_comma(&code->leaf.w);
    }
    frame->names = names.at;
}

/* code_pair skips the head of a pair and writes its key. */
static void code_pair(struct code *code)
{
    struct term_token pair;
    const char *what;
    if (token_read(&code->at, &code->source, &pair, &what) == TERM_OK)
        leaf_read_key(&code->leaf, &code->at);
}

/* code_separate writes what precedes the next term of the open container. False if there is none
 * because a proper list has ended. */
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
            code_add(&code->leaf.w, code->leaf.w.syntax->bar);
            return true;
        }
        code_comma(code);
        if (frame->class == OPEN_KEYWORDS)
            code_pair(code);
        return true;
    case OPEN_MAP:
        if (frame->left % 2 == 0)
            code_add(&code->leaf.w, code->leaf.w.syntax->arrow);
        else
            code_comma(code);
        return true;
    case OPEN_PAIRS:
        if (frame->left % 2 == 0) {
            code_add_comma(&code->leaf.w);
        } else {
            code_next_pair(code);
        }
        return true;
    case OPEN_ATOM_MAP:
        code_comma(code);
        leaf_read_key(&code->leaf, &code->at);
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
    uint64_t num = 0;
    bool more = code_next(code);
    while (more && code->num != 0 && !code->leaf.failed &&
           !buffer_is_stopped(code->leaf.w.out, ++num)) {
        if (code->frames[code->num - 1].left != 0 && code_separate(code))
            more = code_next(code);
        else
            code_close(code);
    }
    code_fold(&code->leaf.w);
}

/* code_look_ahead finds out what must be known of the whole term before writing. A term nested too
 * deeply for that is shown less deeply. */
static bool code_look_ahead(struct code *code, const struct ds_term *term,
                            struct ds_code_options *options)
{
    bool (*const is_stopped)(void) = code->leaf.w.out->is_stopped;
    enum duplicate_keys_status status =
        duplicate_keys_find(&code->twice, term, options->max_depth, TERM_ZEROS_EQUAL, is_stopped);
    if (status == DUPLICATE_KEYS_TOO_DEEP) {
        options->max_depth = DUPLICATE_KEYS_DEPTH;
        status = duplicate_keys_find(&code->twice, term, options->max_depth, TERM_ZEROS_EQUAL,
                                     is_stopped);
    }
    return status == DUPLICATE_KEYS_OK &&
           (!code->leaf.w.syntax->keywords ||
            term_keywords_find(&code->keywords, term, options->max_depth, is_stopped));
}

bool ds_code_term(const struct ds_term *term, const struct ds_code_options *options,
                  struct ds_buffer *out)
{
    struct ds_code_options limited = *options;
    struct code code = {.leaf = {.options = &limited, .term = *term}, .cap = CODE_FRAMES};
    struct leaf *leaf = &code.leaf;
    if (term->data == NULL || out->failed)
        return !out->failed;
    leaf->w = code_writer_make(&limited, out);
    leaf->env = (struct term_env){term->atoms, term->num_atoms};
    code.source = (struct token_source){.env = &leaf->env};
    code.at = cursor_make(term->data, term->len);
    code.first = true;
    code.frames = code.few;
    if (!code_look_ahead(&code, term, &limited))
        leaf->failed = true;
    else
        code_run(&code);
    term_keywords_free(&code.keywords);
    duplicate_keys_free(&code.twice);
    if (code.frames != code.few)
        free(code.frames);
    return !leaf->failed && !out->failed;
}
