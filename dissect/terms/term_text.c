/*
 * term_text.c - a term in Erlang syntax. What is open (a tuple, list, map or record of which
 * elements are still to come) stands on a stack of our own, small at first, on the heap when
 * nesting is deep: a term nested a million times prints like any other.
 */
#include "escape.h"
#include "number_text.h"
#include "stack.h"
#include "term_inspect.h"
#include "term_token.h"
#include "value.h"

#include <stdlib.h>

enum {
    TEXT_FRAMES = 32,
    TEXT_ATOM_MAX = 255, /* bytes of one that is written without asking for room */
    TEXT_ROOM = 1024,
#define LIMIT(id, name, value, what) TEXT_##id##_MAX = (value),
#include <distsniff/limits.def>
#undef LIMIT
};

/* Something open. Where a limit leaves elements out, they are hidden. */
struct text_frame {
    uint64_t shown;  /* terms still to be shown */
    uint32_t hidden; /* elements after them that are not shown */
    uint8_t class;   /* one of enum text_open */
};

enum text_open { OPEN_TUPLE, OPEN_LIST, OPEN_MAP, OPEN_RECORD, OPEN_NUM };

/* How each is written. A record's field names lie in an entry of their own beneath it. */
static const struct {
    char open, close;
    uint8_t num_parts; /* terms an element is made of */
} text_forms[OPEN_NUM] = {
    [OPEN_TUPLE] = {'{', '}', 1},
    [OPEN_LIST] = {'[', ']', 1},
    [OPEN_MAP] = {'{', '}', 2}, /* "#" before it */
    [OPEN_RECORD] = {'{', '}', 1},
};

union text_entry {
    struct text_frame frame;
    struct cursor names;
};
_Static_assert(sizeof(union text_entry) <= 16, "half a million of them are 8 MB");

_Static_assert(3 * (TEXT_ATOM_MAX + 8) <= TEXT_ROOM, "the name of a field, and two of an export");

/* What is written goes to pen without asking for room where little is written: at least TEXT_ROOM
 * bytes are asked for before each term and whatever stands in front of it or ends what it is in. What
 * may be longer is written by others, to out, between text_lend and text_resume. */
struct text {
    struct ds_buffer *out; /* its len is set by text_lend */
    char *pen, *pen_end;
    const struct ds_term_print_options *options;
    struct term_env env;
    struct token_source source;
    struct cursor at;
    size_t start; /* of the text in out */
    bool first;   /* nothing was written yet in what is open */
    bool failed;  /* memory ran out: what is written is lost, to the end of the step at hand */
    size_t depth; /* what is open; entries may be more */
    union text_entry few[TEXT_FRAMES];
    union text_entry *entries;
    size_t num_entries, cap_entries;
    char lost[TEXT_ROOM];
};

static inline void text_lend(struct text *text)
{
    if (!text->failed)
        text->out->len = (size_t)(text->pen - text->out->data);
}

static void text_resume(struct text *text)
{
    struct ds_buffer *out = text->out;
    text->failed = !ds_buffer_reserve(out, TEXT_ROOM) || text->failed;
    text->pen = text->failed ? text->lost : out->data + out->len;
    text->pen_end = text->failed ? text->lost + TEXT_ROOM : out->data + out->cap;
}

/* text_make_room sees to it that TEXT_ROOM bytes may be written. */
static inline void text_make_room(struct text *text)
{
    if (text->pen_end - text->pen >= TEXT_ROOM)
        return;
    text_lend(text);
    text_resume(text);
}

static inline void text_put(struct text *text, const void *bytes, size_t len)
{
    memcpy(text->pen, bytes, len);
    text->pen += len;
}

static inline void text_put_char(struct text *text, char c)
{
    *text->pen++ = c;
}

static inline void text_put_u64(struct text *text, uint64_t value)
{
    text->pen = digits_put(text->pen, value);
}

#define TEXT_PUT(text, literal) text_put(text, "" literal, sizeof(literal) - 1)

static union text_entry *text_push(struct text *text)
{
    if (text->num_entries == text->cap_entries) {
        union text_entry *entries =
            stack_grow(text->entries, text->few, &text->cap_entries, sizeof *entries);
        if (entries == NULL) {
            text->failed = true;
            return NULL;
        }
        text->entries = entries;
    }
    return &text->entries[text->num_entries++];
}

/* text_shown_len says how many of len bytes a limit lets through. */
static size_t text_shown_len(const struct text *text, size_t len)
{
    size_t max = text->options->max_bytes;
    return max != 0 && len > max ? max : len;
}

static void text_add_more(struct text *text, uint64_t num, const char *what)
{
    TEXT_PUT(text, "... ");
    text_put_u64(text, num);
    TEXT_PUT(text, " more");
    text_put(text, what, strlen(what));
}

/* text_add_more_bytes says how many max_bytes or max_len left out. */
static void text_add_more_bytes(struct text *text, uint64_t num)
{
    text_add_more(text, num, " bytes");
    if (text->options->cut != NULL)
        *text->options->cut = true;
}

/* text_add_unknown writes a cached atom that was never seen. */
static void text_add_unknown(struct text *text, const struct ds_atom *atom)
{
    TEXT_PUT(text, "'?atom:");
    text_put_u64(text, atom->slot);
    TEXT_PUT(text, "'");
}

/* text_add_inline_atom writes an atom that nobody has looked at before; ei makes latin-1 UTF-8. */
static void text_add_inline_atom(struct text *text, const struct cursor *body, bool latin1)
{
    char utf8[VALUE_ATOM_LEN];
    struct cursor atom = *body;
    size_t len;
    if (latin1) {
        if (!value_get_latin1(body, utf8, &len))
            return;
        atom = cursor_make(utf8, len);
    }
    text_lend(text);
    escape_add_atom_in(text->out, atom, text->options->in_string);
    text_resume(text);
}

/* text_add_mark marks what is only likely, in a way that no atom is written. */
static void text_add_mark(struct text *text, const struct term_token *token)
{
    if (token->atom != NULL && token->atom->state == DS_ATOM_LIKELY && !text->options->unmarked)
        TEXT_PUT(text, "?");
}

static void text_add_atom(struct text *text, const struct term_token *token)
{
    const struct ds_atom *atom = token->atom;
    text_add_mark(text, token);
    if (atom != NULL && (atom->looks & DS_ATOM_SHOWN) != 0 && atom->len <= TEXT_ATOM_MAX) {
        const bool is_bare = (atom->looks & DS_ATOM_BARE) != 0;
        if (!is_bare)
            TEXT_PUT(text, "'");
        text_put(text, atom->text, atom->len);
        if (!is_bare)
            TEXT_PUT(text, "'");
    } else if (atom != NULL && atom->state == DS_ATOM_UNKNOWN) {
        text_add_unknown(text, atom);
    } else {
        text_add_inline_atom(text, &token->body, token->latin1);
    }
}

/* text_read_atom writes the atom at at, which is part of a token already read. */
static void text_read_atom(struct text *text, struct cursor *at)
{
    struct term_token token;
    if (term_read_token(at, &text->env, &token, NULL) == TERM_OK)
        text_add_atom(text, &token);
}

/* text_add_node writes a node without quotes: it stands between others. */
static void text_add_node(struct text *text, const struct term_token *token)
{
    const struct escape_style style = {0, text->options->in_string};
    const struct ds_atom *atom = token->atom;
    text_add_mark(text, token);
    if (atom != NULL && (atom->looks & DS_ATOM_SHOWN) != 0 && atom->len <= TEXT_ATOM_MAX) {
        text_put(text, atom->text, atom->len);
    } else if (atom != NULL && atom->state == DS_ATOM_UNKNOWN) {
        text_add_unknown(text, atom);
    } else {
        text_lend(text);
        if (token->latin1)
            escape_add_latin1(text->out, token->node, style);
        else
            escape_add_utf8(text->out, token->node, style);
        text_resume(text);
    }
}

static void text_add_pid(struct text *text, const struct term_token *token)
{
    struct value_pid pid;
    if (!value_get_pid(token, &pid))
        return;
    TEXT_PUT(text, "<");
    text_add_node(text, token);
    TEXT_PUT(text, ".");
    text_put_u64(text, pid.id);
    TEXT_PUT(text, ".");
    text_put_u64(text, pid.serial);
    TEXT_PUT(text, ">");
}

static void text_add_port(struct text *text, const struct term_token *token)
{
    struct value_port port;
    if (!value_get_port(token, &port))
        return;
    TEXT_PUT(text, "#Port<");
    text_add_node(text, token);
    TEXT_PUT(text, ".");
    text_put_u64(text, port.id);
    TEXT_PUT(text, ">");
}

static void text_add_reference(struct text *text, const struct term_token *token)
{
    struct value_reference reference;
    if (!value_get_reference(token, &reference))
        return;
    TEXT_PUT(text, "#Ref<");
    text_add_node(text, token);
    for (unsigned i = reference.num_words; i > 0; i--) {
        TEXT_PUT(text, ".");
        text_put_u64(text, reference.words[i - 1]);
    }
    TEXT_PUT(text, ">");
}

static void text_add_i64(struct text *text, int64_t value)
{
    if (value < 0)
        TEXT_PUT(text, "-");
    text_put_u64(text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void text_add_fun(struct text *text, const struct term_token *token)
{
    struct value_fun fun;
    if (!value_get_fun(token, &text->env, &fun))
        return;
    TEXT_PUT(text, "#Fun<");
    text_read_atom(text, &fun.module);
    TEXT_PUT(text, ".");
    text_add_i64(text, fun.index);
    TEXT_PUT(text, ".");
    text_add_i64(text, fun.uniq);
    TEXT_PUT(text, ">");
}

static void text_add_export(struct text *text, const struct term_token *token)
{
    struct cursor parts = token->bytes;
    struct term_token arity;
    if (!cursor_skip(&parts, 1))
        return;
    TEXT_PUT(text, "fun ");
    text_read_atom(text, &parts);
    TEXT_PUT(text, ":");
    text_read_atom(text, &parts);
    TEXT_PUT(text, "/");
    int64_t value;
    if (term_read_token(&parts, &text->env, &arity, NULL) == TERM_OK &&
        value_get_i64(&arity, &value))
        text_add_i64(text, value);
}

/* text_add_bytes writes num bytes as numbers. */
static void text_add_bytes(struct text *text, struct cursor *bytes, size_t num)
{
    struct cursor these;
    if (!cursor_child(bytes, num, &these))
        return;
    text_lend(text);
    buffer_add_numbers(text->out, &these);
    text_resume(text);
}

/* text_add_quote begins or ends a string, whose characters are written in text_in_quotes' style. */
static void text_add_quote(struct text *text)
{
    if (text->options->in_string)
        TEXT_PUT(text, "\\\"");
    else
        TEXT_PUT(text, "\"");
}

static struct escape_style text_in_quotes(const struct text *text)
{
    return (struct escape_style){'"', text->options->in_string};
}

/* text_may_be_string says whether a list may be written as a string where its elements are
 * all characters. */
static bool text_may_be_string(const struct text *text)
{
    return text->depth != 0 || !text->options->no_string;
}

/* text_is_plain says whether bytes are a short text of which nothing is escaped, as mostly. */
static bool text_is_plain(const struct text *text, struct cursor body)
{
    const size_t len = cursor_left(&body);
    const size_t max = text->options->max_bytes;
    return len != 0 && len <= TEXT_ATOM_MAX && (max == 0 || len <= max) && escape_all_shown(body);
}

static void text_add_plain(struct text *text, struct cursor body)
{
    text_add_quote(text);
    text_put(text, body.at, cursor_left(&body));
    text_add_quote(text);
}

/* text_add_string writes a list of bytes: as a string when all of them print. */
static void text_add_string(struct text *text, const struct term_token *token)
{
    struct cursor body = token->body;
    size_t len = cursor_left(&body);
    if (text_may_be_string(text) && text_is_plain(text, body)) {
        text_add_plain(text, body);
        return;
    }
    if (len != 0 && text_may_be_string(text) && escape_is_latin1(body)) {
        size_t shown = text_shown_len(text, len);
        struct cursor prefix;
        if (!cursor_child(&body, shown, &prefix))
            return;
        text_add_quote(text);
        text_lend(text);
        escape_add_latin1(text->out, prefix, text_in_quotes(text));
        text_resume(text);
        text_add_quote(text);
        if (shown < len)
            text_add_more_bytes(text, len - shown);
        return;
    }
    size_t max = text->options->max_items;
    size_t shown = max != 0 && len > max ? max : len;
    TEXT_PUT(text, "[");
    text_add_bytes(text, &body, shown);
    if (shown < len) {
        TEXT_PUT(text, ",");
        text_add_more(text, len - shown, "");
    }
    TEXT_PUT(text, "]");
}

/* text_add_base64 writes bytes as an expression that makes them. */
static void text_add_base64(struct text *text, const struct cursor *bytes, size_t num_hidden)
{
    TEXT_PUT(text, "base64:decode(");
    text_add_quote(text);
    text_lend(text);
    ds_buffer_add_base64(text->out, bytes->at, cursor_left(bytes));
    text_resume(text);
    text_add_quote(text);
    TEXT_PUT(text, ")");
    if (num_hidden != 0)
        text_add_more_bytes(text, num_hidden);
}

static void text_add_binary(struct text *text, const struct term_token *token)
{
    size_t len = cursor_left(&token->body);
    size_t shown = text_shown_len(text, len);
    struct cursor bytes = token->body;
    struct cursor prefix;
    if (text_is_plain(text, bytes)) {
        TEXT_PUT(text, "<<");
        text_add_plain(text, bytes);
        TEXT_PUT(text, ">>");
        return;
    }
    if (!cursor_child(&bytes, shown, &prefix))
        return;
    enum escape_kind kind = len != 0 ? escape_guess(&prefix, shown < len) : ESCAPE_BYTES;
    const uint32_t base64_min = text->options->base64_min;
    if (kind == ESCAPE_BYTES && base64_min != 0 && len >= base64_min) {
        text_add_base64(text, &prefix, len - shown);
        return;
    }
    TEXT_PUT(text, "<<");
    if (kind == ESCAPE_BYTES) {
        text_add_bytes(text, &prefix, shown);
        if (shown < len)
            TEXT_PUT(text, ",");
    } else {
        shown = cursor_left(&prefix); /* less, where the limit fell into a character */
        text_add_quote(text);
        text_lend(text);
        escape_add_utf8(text->out, prefix, text_in_quotes(text));
        text_resume(text);
        text_add_quote(text);
        if (kind == ESCAPE_UTF8)
            TEXT_PUT(text, "/utf8");
    }
    if (shown < len)
        text_add_more_bytes(text, len - shown);
    TEXT_PUT(text, ">>");
}

/* text_add_bits writes a bit string; its last byte counts from the top. */
static void text_add_bits(struct text *text, const struct term_token *token)
{
    struct cursor bytes;
    unsigned last_bits;
    uint8_t last;
    if (!value_get_bits(token, &bytes, &last_bits))
        return;
    size_t len = cursor_left(&bytes);
    size_t shown = text_shown_len(text, len);
    TEXT_PUT(text, "<<");
    if (shown < len || len == 0) {
        text_add_bytes(text, &bytes, shown);
        if (shown < len) {
            TEXT_PUT(text, ",");
            text_add_more_bytes(text, len - shown);
        }
    } else {
        text_add_bytes(text, &bytes, len - 1);
        if (len > 1)
            TEXT_PUT(text, ",");
        if (cursor_read_u8(&bytes, &last))
            text_put_u64(text, last >> (8 - last_bits));
        if (last_bits != 8) {
            TEXT_PUT(text, ":");
            text_put_u64(text, last_bits);
        }
    }
    TEXT_PUT(text, ">>");
}

/* text_add_char_list writes a list whose elements are all printable characters as a string,
 * and passes it; false, and nothing moves, when it is another list. */
static bool text_add_char_list(struct text *text, uint64_t num)
{
    struct cursor c = text->at;
    uint32_t code;
    uint8_t tag;
    for (uint64_t i = 0; i < num; i++) {
        if (!term_read_char(&c, &code) ||
            !(text->options->unicode ? escape_is_printable(code) : escape_is_listed(code)))
            return false;
    }
    if (!cursor_read_u8(&c, &tag) || tag != TERM_TAG_NIL)
        return false;
    uint64_t shown = text_shown_len(text, num);
    text_add_quote(text);
    text_lend(text);
    for (uint64_t i = 0; i < shown && term_read_char(&text->at, &code); i++)
        escape_add_char(text->out, code, text_in_quotes(text));
    text_resume(text);
    text_add_quote(text);
    if (shown < num)
        text_add_more(text, num - shown, "");
    text->at = c;
    return true;
}

/* text_open begins a tuple, list, map or record of num elements. */
static void text_open(struct text *text, enum text_open class, uint64_t num)
{
    uint64_t shown = num;
    uint32_t max_items = text->options->max_items;
    uint32_t max_depth = text->options->max_depth;
    if (max_items != 0 && shown > max_items)
        shown = max_items;
    if ((max_depth != 0 && text->depth >= max_depth) || text->num_entries >= TEXT_DEPTH_MAX)
        shown = 0;
    union text_entry *entry = text_push(text);
    if (entry == NULL)
        return;
    bool tail = class == OPEN_LIST && shown == num;
    entry->frame = (struct text_frame){
        .class = class,
        .shown = shown * text_forms[class].num_parts + tail,
        .hidden = (uint32_t)(num - shown),
    };
    text->depth++;
    text->first = true;
    text_put_char(text, text_forms[class].open);
}

static void text_open_record(struct text *text, const struct term_token *token)
{
    struct cursor names = token->record_names;
    TEXT_PUT(text, "#");
    text_read_atom(text, &names);
    TEXT_PUT(text, ":");
    text_read_atom(text, &names);
    union text_entry *entry = text_push(text);
    if (entry == NULL)
        return;
    entry->names = names;
    text_open(text, OPEN_RECORD, token->num_terms);
}

/* text_close ends the innermost that is open; false when what is hidden in it is damaged. */
static bool text_close(struct text *text)
{
    struct text_frame frame = text->entries[--text->num_entries].frame;
    text->depth--;
    if (frame.class == OPEN_RECORD)
        text->num_entries--;
    if (frame.hidden != 0) {
        uint64_t num_terms = (uint64_t)frame.hidden * text_forms[frame.class].num_parts;
        if (!text->first)
            TEXT_PUT(text, ",");
        text_add_more(text, frame.hidden, "");
        num_terms += frame.class == OPEN_LIST; /* its tail */
        if (term_skip(&text->at, &text->env, num_terms, NULL) != TERM_OK)
            return false;
    }
    text_put_char(text, text_forms[frame.class].close);
    text->first = false;
    return true;
}

/* text_separate writes what stands before the next term of what is open. False: there is
 * none, for a proper list has ended. */
TOKEN_INLINE bool text_separate(struct text *text)
{
    struct text_frame *frame = &text->entries[text->num_entries - 1].frame;
    uint8_t tag;
    frame->shown--;
    switch (frame->class) {
    case OPEN_LIST:
        if (frame->shown == 0 && frame->hidden == 0) {
            if (cursor_peek_u8(&text->at, &tag) && tag == TERM_TAG_NIL)
                return !cursor_skip(&text->at, 1);
            TEXT_PUT(text, "|");
            return true;
        }
        break;
    case OPEN_MAP:
        if (frame->shown % 2 == 0) {
            TEXT_PUT(text, " => ");
            return true;
        }
        break;
    case OPEN_RECORD:
        if (!text->first)
            TEXT_PUT(text, ",");
        text_read_atom(text, &text->entries[text->num_entries - 2].names);
        TEXT_PUT(text, " = ");
        return true;
    default:
        break;
    }
    if (!text->first)
        TEXT_PUT(text, ",");
    return true;
}

static void text_add_integer(struct text *text, const struct term_token *token)
{
    int64_t value;
    if (value_get_i64(token, &value)) {
        text_add_i64(text, value);
        return;
    }
    text_lend(text);
    text->failed |= !number_add_integer(text->out, token, text->options->max_bytes);
    text_resume(text);
    /* One that is whole ends in a digit, hexadecimal ones' being capitals. */
    if (text->options->cut != NULL && !text->failed && text->pen[-1] == 's')
        *text->options->cut = true;
}

static void text_add_float(struct text *text, const struct term_token *token)
{
    double value;
    if (!value_get_float(token, &value))
        return;
    text_lend(text);
    number_add_float(text->out, value);
    text_resume(text);
}

/* text_add_token writes a leaf, or opens what the token begins. False: bytes after it are
 * damaged. */
TOKEN_INLINE bool text_add_token(struct text *text, const struct term_token *token)
{
    switch (token->class) {
    case TERM_INTEGER:
        text_add_integer(text, token);
        break;
    case TERM_FLOAT:
        text_add_float(text, token);
        break;
    case TERM_ATOM:
        text_add_atom(text, token);
        break;
    case TERM_BINARY:
        text_add_binary(text, token);
        break;
    case TERM_BIT_BINARY:
        text_add_bits(text, token);
        break;
    case TERM_STRING:
        text_add_string(text, token);
        break;
    case TERM_NIL:
        TEXT_PUT(text, "[]");
        break;
    case TERM_PID:
        text_add_pid(text, token);
        break;
    case TERM_PORT:
        text_add_port(text, token);
        break;
    case TERM_REFERENCE:
        text_add_reference(text, token);
        break;
    case TERM_EXPORT:
        text_add_export(text, token);
        break;
    case TERM_FUN:
        text_add_fun(text, token);
        text->first = false;
        return term_skip(&text->at, &text->env, token->num_terms, NULL) == TERM_OK;
    case TERM_LOCAL:
        TEXT_PUT(text, "#Local<");
        text_put_u64(text, cursor_left(&token->body));
        TEXT_PUT(text, " bytes>");
        break;
    case TERM_TUPLE:
        text_open(text, OPEN_TUPLE, token->num_terms);
        return true;
    case TERM_LIST:
        if (token->num_terms == 1) /* no elements: it is its tail, which comes next */
            return true;
        if (!text_may_be_string(text) || !text_add_char_list(text, token->num_terms - 1)) {
            text_open(text, OPEN_LIST, token->num_terms - 1);
            return true;
        }
        break;
    case TERM_MAP:
        TEXT_PUT(text, "#");
        text_open(text, OPEN_MAP, token->num_terms / 2);
        return true;
    case TERM_RECORD:
        text_open_record(text, token);
        return true;
    case TERM_NUM_CLASSES:
        break;
    }
    text->first = false;
    return true;
}

/* text_is_long_enough says whether a limit ends the text here, and writes that. */
static bool text_is_long_enough(struct text *text)
{
    if (text->failed || (size_t)(text->pen - text->out->data) - text->start <= text->options->max_len)
        return false;
    text_add_more_bytes(text, cursor_left(&text->at));
    return true;
}

/* text_next stands before the next term of what is open, having closed what ends here. False: all is
 * done, or damaged. */
TOKEN_INLINE bool text_next(struct text *text)
{
    while (text->num_entries != 0 && !text->failed) {
        text_make_room(text);
        if (text->entries[text->num_entries - 1].frame.shown != 0 && text_separate(text))
            return true;
        if (!text_close(text)) {
            TEXT_PUT(text, "...");
            return false;
        }
    }
    return false;
}

static void text_run(struct text *text)
{
    struct term_token token;
    const char *what;
    uint64_t num = 0;
    do {
        if ((text->options->max_len != 0 && text_is_long_enough(text)) ||
            buffer_is_stopped(text->out, ++num))
            return;
        do {
            if (token_read(&text->at, &text->source, &token, &what) != TERM_OK ||
                !text_add_token(text, &token)) {
                TEXT_PUT(text, "...");
                return;
            }
        } while (token.class == TERM_LIST && token.num_terms == 1);
    } while (text_next(text));
}

bool ds_term_print(const struct ds_term *term, const struct ds_term_print_options *options,
                   struct ds_buffer *out)
{
    static const struct ds_term_print_options no_limits = {0};
    struct text text;
    if (term->data == NULL)
        return !out->failed;
    if (options != NULL && options->syntax == DS_SYNTAX_ELIXIR)
        return term_inspect(term, options, out);
    text.out = out;
    text.options = options != NULL ? options : &no_limits;
    text.env = (struct term_env){term->atoms, term->num_atoms};
    text.source = (struct token_source){.env = &text.env};
    text.at = cursor_make(term->data, term->len);
    text.start = out->len;
    text.first = true;
    text.failed = false;
    text.depth = 0;
    text.entries = text.few;
    text.num_entries = 0;
    text.cap_entries = TEXT_FRAMES;

    text_resume(&text);
    text_run(&text);
    text_lend(&text);
    if (text.entries != text.few)
        free(text.entries);
    return !text.failed && !out->failed;
}
