/*
 * text_walk.h - the walk that writes a term as text, and the parts that all languages share. A
 * language is a table, struct text_syntax: Erlang's is in term_text.c, Elixir's in term_inspect.c.
 * It is a constant where the walk is used, so the compiler inlines its functions and removes what
 * it lacks.
 *
 * The open containers (a tuple, list, map or record with elements to come) are on an explicit
 * stack, which is small at first and on the heap when nesting is deep: a term nested a million
 * times prints like any other.
 */
#ifndef DISSECT_TEXT_WALK_H
#define DISSECT_TEXT_WALK_H

#include "etf/number_text.h"
#include "etf/term_keywords.h"
#include "etf/term_token.h"
#include "etf/value.h"
#include "util/escape.h"
#include "util/stack.h"

#include <stdlib.h>

enum {
    TEXT_FRAMES = 32,
    TEXT_ATOM_MAX = 255, /* longest atom, in bytes, that is written without asking for room */
    TEXT_ROOM = 1024,
#define LIMIT(id, name, value, what) TEXT_##id##_MAX = (value),
#include <distsniff/limits.def>
#undef LIMIT
};

_Static_assert(3 * (TEXT_ATOM_MAX + 8) <= TEXT_ROOM, "the name of a field, and two of an export");

/* What can be open: in every language, then in Elixir alone. */
enum text_open {
    OPEN_TUPLE,
    OPEN_LIST,
    OPEN_MAP,
    OPEN_RECORD,
    OPEN_OWN, /* the following belong to one language */
    OPEN_KEYWORDS = OPEN_OWN,
    OPEN_ATOM_MAP,
    OPEN_STRUCT,
    OPEN_ORDERED,
    OPEN_SET,
    OPEN_WRAP,
    OPEN_NUM
};

/* An open container. Elements that a limit leaves out are hidden. */
struct text_frame {
    uint64_t shown;  /* terms still to be shown */
    uint32_t hidden; /* elements after them that are not shown */
    uint8_t class;   /* one of enum text_open */
    uint8_t extra;   /* a language's own counter */
};

union text_entry {
    struct text_frame frame;
    struct cursor names; /* of a record's fields: in a separate entry below it */
};
_Static_assert(sizeof(union text_entry) <= 16, "half a million of them are 8 MB");

/* Short output goes to pen without asking for room: at least TEXT_ROOM bytes are reserved for each
 * term, with what precedes it or ends its container. Output that may be longer is written to out by
 * other functions, between text_lend and text_resume. */
struct text {
    struct ds_buffer *out; /* text_lend sets its len */
    char *pen, *pen_end;
    char *pen_mark; /* from here on there may be too little room, or the text may be long enough */
    const struct ds_term_print_options *options;
    struct term_env env;
    struct token_source source;
    struct cursor at;
    size_t start; /* of the text in out */
    bool first;   /* nothing was written yet in the open container */
    bool failed;  /* memory ran out: the output of the current step is lost */
    const uint8_t *part;          /* of options, until it is reached; NULL: none is wanted */
    size_t part_at, part_depth;   /* in out; number of open containers there */
    size_t depth; /* number of open containers; there may be more entries */
    int32_t until_ask; /* terms until the next call of is_stopped */
    union text_entry few[TEXT_FRAMES];
    union text_entry *entries;
    size_t num_entries, cap_entries;
    char lost[TEXT_ROOM];
    /* Only for a language that has a special form for keys, which sets these. */
    struct cursor term; /* all of it */
    size_t num_sets;    /* open sets */
    struct term_keywords keywords;
};

/* text_mark is a short word of a language; all its bytes are copied, and len of them count. */
struct text_mark {
    char text[15];
    uint8_t len;
};

#define TEXT_MARK(literal)                                                                         \
    {                                                                                              \
        .text = literal, .len = sizeof(literal) - 1                                                \
    }

/* text_syntax is a language. A function that opens or writes a leaf advances past what it reads. */
struct text_syntax {
    struct text_mark comma, bar, field; /* field: between the name of a record's field and its value */
    struct text_mark pid, reference;    /* the words these begin with */
    struct {
        struct text_mark open, close;
        uint8_t num_parts; /* terms per element */
    } forms[OPEN_NUM];
    void (*add_atom)(struct text *text, const struct term_token *token);
    void (*add_node)(struct text *text, const struct term_token *token); /* between other parts */
    bool (*add_big)(struct ds_buffer *out, const struct term_token *token, size_t max_len);
    void (*add_float)(struct ds_buffer *out, double value);
    void (*add_binary)(struct text *text, const struct term_token *token);
    void (*add_bits)(struct text *text, const struct term_token *token);
    void (*add_string)(struct text *text, const struct term_token *token); /* a list of bytes */
    void (*add_fun)(struct text *text, const struct term_token *token);
    void (*add_export)(struct text *text, const struct term_token *token);
    void (*add_record_name)(struct text *text, struct cursor *names);
    void (*open_list)(struct text *text, const struct term_token *token); /* with elements */
    void (*open_map)(struct text *text, const struct term_token *token);
    /* put_plain continues the open container from where text_next begins, as long as it is faster;
     * NULL: never. */
    void (*put_plain)(struct text *text);
    /* For a language's own containers: like text_separate, and instead of skipping the hidden
     * elements; NULL: none. */
    bool (*separate)(struct text *text, struct text_frame *frame);
    bool (*close)(struct text *text, const struct text_frame *frame);
};

TOKEN_INLINE void text_lend(struct text *text)
{
    if (!text->failed)
        text->out->len = (size_t)(text->pen - text->out->data);
}

static inline void text_resume(struct text *text)
{
    struct ds_buffer *out = text->out;
    text->failed = !ds_buffer_reserve(out, TEXT_ROOM) || text->failed;
    text->pen = text->failed ? text->lost : out->data + out->len;
    text->pen_end = text->failed ? text->lost + TEXT_ROOM : out->data + out->cap;
    text->pen_mark = text->pen_end - TEXT_ROOM;
    const size_t max_len = text->options->max_len;
    if (max_len != 0 && !text->failed &&
        max_len < (size_t)(text->pen_mark - out->data) - text->start)
        text->pen_mark = out->data + text->start + max_len;
}

/* text_make_room ensures that TEXT_ROOM bytes may be written. */
TOKEN_INLINE void text_make_room(struct text *text)
{
    if (text->pen <= text->pen_mark || text->pen_end - text->pen >= TEXT_ROOM)
        return;
    text_lend(text);
    text_resume(text);
}

TOKEN_INLINE void text_put(struct text *text, const void *bytes, size_t len)
{
    memcpy(text->pen, bytes, len);
    text->pen += len;
}

TOKEN_INLINE void text_put_mark(struct text *text, const struct text_mark *mark)
{
    memcpy(text->pen, mark->text, sizeof mark->text);
    text->pen += mark->len;
}

TOKEN_INLINE void text_put_text(struct text *text, const char *bytes)
{
    text_put(text, bytes, strlen(bytes));
}

TOKEN_INLINE void text_put_u64(struct text *text, uint64_t value)
{
    text->pen = ds_digits_put(text->pen, value);
}

TOKEN_INLINE void text_put_i64(struct text *text, int64_t value)
{
    if (value < 0)
        *text->pen++ = '-';
    text_put_u64(text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

#define TEXT_PUT(text, literal) text_put(text, "" literal, sizeof(literal) - 1)

TOKEN_INLINE union text_entry *text_push(struct text *text)
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

/* text_shown_len returns how many of len bytes the limit allows. */
static inline size_t text_shown_len(const struct text *text, size_t len)
{
    size_t max = text->options->max_bytes;
    return max != 0 && len > max ? max : len;
}

static inline void text_add_more(struct text *text, uint64_t num, const char *what)
{
    TEXT_PUT(text, "... ");
    text_put_u64(text, num);
    TEXT_PUT(text, " more");
    text_put_text(text, what);
}

static inline void text_mark_cut(struct text *text)
{
    if (text->options->cut != NULL)
        *text->options->cut = true;
}

/* text_add_more_bytes writes how many bytes max_bytes or max_len left out. */
static inline void text_add_more_bytes(struct text *text, uint64_t num)
{
    text_add_more(text, num, " bytes");
    text_mark_cut(text);
}

/* text_add_likely marks an atom that is only likely with a sign that no atom has. */
static inline void text_add_likely(struct text *text, const struct term_token *token)
{
    if (token->atom != NULL && token->atom->state == DS_ATOM_LIKELY && !text->options->unmarked)
        TEXT_PUT(text, "?");
}

/* text_may_be_string says whether a list of characters may be written as a string. */
static inline bool text_may_be_string(const struct text *text)
{
    return text->depth != 0 || !text->options->no_string;
}

/* text_read_atom writes the atom at at, which is part of a token already read. */
TOKEN_INLINE void text_read_atom(struct text *text, const struct text_syntax *syntax, struct cursor *at)
{
    struct term_token token;
    if (term_read_token(at, &text->env, &token, NULL) == TERM_OK)
        syntax->add_atom(text, &token);
}

/* text_open begins a tuple, list, map or record of num elements. */
TOKEN_INLINE void text_open(struct text *text, const struct text_syntax *syntax,
                            enum text_open class, uint64_t num)
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
    bool tail = (class == OPEN_LIST || class == OPEN_KEYWORDS) && shown == num;
    entry->frame = (struct text_frame){
        .class = class,
        .shown = shown * syntax->forms[class].num_parts + tail,
        .hidden = (uint32_t)(num - shown),
    };
    text->depth++;
    text->first = true;
    text_put_mark(text, &syntax->forms[class].open);
}

TOKEN_INLINE void text_open_record(struct text *text, const struct text_syntax *syntax,
                                   const struct term_token *token)
{
    struct cursor names = token->record_names;
    TEXT_PUT(text, "#");
    syntax->add_record_name(text, &names);
    union text_entry *entry = text_push(text);
    if (entry == NULL)
        return;
    entry->names = names;
    text_open(text, syntax, OPEN_RECORD, token->num_terms);
}

/* text_close ends the innermost open container; false if the hidden part of it is damaged. */
TOKEN_INLINE bool text_close(struct text *text, const struct text_syntax *syntax)
{
    struct text_frame frame = text->entries[--text->num_entries].frame;
    text->depth--;
    if (frame.class == OPEN_RECORD)
        text->num_entries--;
    if (syntax->close != NULL && frame.class >= OPEN_OWN) {
        if (!syntax->close(text, &frame))
            return false;
    } else if (frame.hidden != 0) {
        uint64_t num_terms = (uint64_t)frame.hidden * syntax->forms[frame.class].num_parts;
        if (!text->first)
            text_put_mark(text, &syntax->comma);
        text_add_more(text, frame.hidden, "");
        num_terms += frame.class == OPEN_LIST; /* its tail */
        if (term_skip(&text->at, &text->env, num_terms, NULL) != TERM_OK)
            return false;
    }
    text_put_mark(text, &syntax->forms[frame.class].close);
    text->first = false;
    return true;
}

/* text_skip_nil skips the end of a proper list; false if something else comes next. */
static inline bool text_skip_nil(struct text *text)
{
    uint8_t tag;
    return cursor_peek_u8(&text->at, &tag) && tag == TERM_TAG_NIL && cursor_skip(&text->at, 1);
}

/* text_separate writes what precedes the next term of the open container. False if there is none
 * because a proper list has ended. */
TOKEN_INLINE bool text_separate(struct text *text, const struct text_syntax *syntax)
{
    struct text_frame *frame = &text->entries[text->num_entries - 1].frame;
    frame->shown--;
    switch (frame->class) {
    case OPEN_LIST:
        if (frame->shown == 0 && frame->hidden == 0) {
            if (text_skip_nil(text))
                return false;
            text_put_mark(text, &syntax->bar);
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
            text_put_mark(text, &syntax->comma);
        text_read_atom(text, syntax, &text->entries[text->num_entries - 2].names);
        text_put_mark(text, &syntax->field);
        return true;
    case OPEN_TUPLE:
        break;
    default:
        if (syntax->separate != NULL)
            return syntax->separate(text, frame);
        break;
    }
    if (!text->first)
        text_put_mark(text, &syntax->comma);
    return true;
}

TOKEN_INLINE void text_add_pid(struct text *text, const struct text_syntax *syntax,
                               const struct term_token *token)
{
    struct value_pid pid;
    if (!value_get_pid(token, &pid))
        return;
    text_put_mark(text, &syntax->pid);
    syntax->add_node(text, token);
    TEXT_PUT(text, ".");
    text_put_u64(text, pid.id);
    TEXT_PUT(text, ".");
    text_put_u64(text, pid.serial);
    TEXT_PUT(text, ">");
}

TOKEN_INLINE void text_add_port(struct text *text, const struct text_syntax *syntax,
                                const struct term_token *token)
{
    struct value_port port;
    if (!value_get_port(token, &port))
        return;
    TEXT_PUT(text, "#Port<");
    syntax->add_node(text, token);
    TEXT_PUT(text, ".");
    text_put_u64(text, port.id);
    TEXT_PUT(text, ">");
}

TOKEN_INLINE void text_add_reference(struct text *text, const struct text_syntax *syntax,
                                     const struct term_token *token)
{
    struct value_reference reference;
    if (!value_get_reference(token, &reference))
        return;
    text_put_mark(text, &syntax->reference);
    syntax->add_node(text, token);
    for (unsigned i = reference.num_words; i > 0; i--) {
        TEXT_PUT(text, ".");
        text_put_u64(text, reference.words[i - 1]);
    }
    TEXT_PUT(text, ">");
}

TOKEN_INLINE void text_add_integer(struct text *text, const struct text_syntax *syntax,
                                   const struct term_token *token)
{
    int64_t value;
    if (value_get_i64(token, &value)) {
        text_put_i64(text, value);
        return;
    }
    text_lend(text);
    text->failed |= !syntax->add_big(text->out, token, text->options->max_bytes);
    text_resume(text);
    /* A complete integer ends in a digit, and hexadecimal digits are capitals. */
    if (!text->failed && text->pen[-1] == 's')
        text_mark_cut(text);
}

TOKEN_INLINE void text_add_float(struct text *text, const struct text_syntax *syntax,
                                 const struct term_token *token)
{
    double value;
    if (!value_get_float(token, &value))
        return;
    text_lend(text);
    syntax->add_float(text->out, value);
    text_resume(text);
}

/* text_add_token writes a leaf, or opens the container that the token begins. False: the bytes
 * after it are damaged. */
TOKEN_INLINE bool text_add_token(struct text *text, const struct text_syntax *syntax,
                                 const struct term_token *token)
{
    switch (token->class) {
    case TERM_INTEGER:
        text_add_integer(text, syntax, token);
        break;
    case TERM_FLOAT:
        text_add_float(text, syntax, token);
        break;
    case TERM_ATOM:
        syntax->add_atom(text, token);
        break;
    case TERM_BINARY:
        syntax->add_binary(text, token);
        break;
    case TERM_BIT_BINARY:
        syntax->add_bits(text, token);
        break;
    case TERM_STRING:
        syntax->add_string(text, token);
        break;
    case TERM_NIL:
        TEXT_PUT(text, "[]");
        break;
    case TERM_PID:
        text_add_pid(text, syntax, token);
        break;
    case TERM_PORT:
        text_add_port(text, syntax, token);
        break;
    case TERM_REFERENCE:
        text_add_reference(text, syntax, token);
        break;
    case TERM_EXPORT:
        syntax->add_export(text, token);
        break;
    case TERM_FUN:
        syntax->add_fun(text, token);
        text->first = false;
        return term_skip(&text->at, &text->env, token->num_terms, NULL) == TERM_OK;
    case TERM_LOCAL:
        TEXT_PUT(text, "#Local<");
        text_put_u64(text, cursor_left(&token->body));
        TEXT_PUT(text, " bytes>");
        break;
    case TERM_TUPLE:
        text_open(text, syntax, OPEN_TUPLE, token->num_terms);
        return true;
    case TERM_LIST:
        if (token->num_terms != 1) /* otherwise it has no elements, only its tail, which comes next */
            syntax->open_list(text, token);
        return true;
    case TERM_MAP:
        syntax->open_map(text, token);
        return true;
    case TERM_RECORD:
        text_open_record(text, syntax, token);
        return true;
    case TERM_NUM_CLASSES:
        break;
    }
    text->first = false;
    return true;
}

/* text_is_long_enough says whether a limit ends the text here, and writes how much is left out. */
static inline bool text_is_long_enough(struct text *text)
{
    if (text->options->max_len == 0 || text->failed ||
        (size_t)(text->pen - text->out->data) - text->start <= text->options->max_len)
        return false;
    text_add_more_bytes(text, cursor_left(&text->at));
    return true;
}

/* text_next goes to the next term of the open container, after closing those that end here. False:
 * all is done, or damaged. */
TOKEN_INLINE bool text_next(struct text *text, const struct text_syntax *syntax)
{
    while (text->num_entries != 0 && !text->failed) {
        if (syntax->put_plain != NULL) {
            syntax->put_plain(text);
            if (text->num_entries == 0)
                return false;
        }
        text_make_room(text);
        if (text->entries[text->num_entries - 1].frame.shown != 0 && text_separate(text, syntax))
            return true;
        if (!text_close(text, syntax)) {
            TEXT_PUT(text, "...");
            return false;
        }
    }
    return false;
}

/* text_begin_part records that the wanted part comes next. */
static inline void text_begin_part(struct text *text)
{
    text->part = NULL;
    text->part_at = (size_t)(text->pen - text->out->data);
    text->part_depth = text->depth;
}

/* text_end_part reports where the part is. The containers open at its beginning end after it, one
 * byte each. */
static inline void text_end_part(const struct text *text, struct ds_term_part *part)
{
    const bool has_come = part->data != NULL && text->part == NULL;
    const bool is_whole = has_come && text->num_entries == 0 && !text->failed && !text->out->failed;
    part->at = text->part_at;
    part->len = is_whole ? text->out->len - text->part_at - text->part_depth : 0;
}

/* text_is_stopped says whether to stop the walk; it asks only now and then. */
static inline bool text_is_stopped(struct text *text)
{
    if (--text->until_ask > 0)
        return false;
    text->until_ask = BUFFER_ASK_EVERY;
    return buffer_is_stopped(text->out, BUFFER_ASK_EVERY);
}

TOKEN_INLINE void text_run(struct text *text, const struct text_syntax *syntax)
{
    struct term_token token;
    const char *what;
    do {
        if ((text->pen > text->pen_mark && text_is_long_enough(text)) || text_is_stopped(text))
            return;
        do {
            if (text->at.at == text->part)
                text_begin_part(text);
            if (token_read(&text->at, &text->source, &token, &what) != TERM_OK ||
                !text_add_token(text, syntax, &token)) {
                TEXT_PUT(text, "...");
                return;
            }
        } while (token.class == TERM_LIST && token.num_terms == 1);
    } while (text_next(text, syntax));
}

/* text_print writes a term in that language; the language's own members of text must be set. False
 * if memory ran out. */
TOKEN_INLINE bool text_print(struct text *text, const struct text_syntax *syntax,
                             const struct ds_term *term,
                             const struct ds_term_print_options *options, struct ds_buffer *out)
{
    text->out = out;
    text->options = options;
    text->env = (struct term_env){term->atoms, term->num_atoms};
    text->source = (struct token_source){.env = &text->env};
    text->at = cursor_make(term->data, term->len);
    text->start = out->len;
    text->first = true;
    text->failed = false;
    text->depth = 0;
    text->until_ask = BUFFER_ASK_EVERY;
    text->entries = text->few;
    text->num_entries = 0;
    text->cap_entries = TEXT_FRAMES;
    text->part = options->part != NULL ? options->part->data : NULL;
    text->part_at = text->part_depth = 0;

    text_resume(text);
    text_run(text, syntax);
    text_lend(text);
    if (options->part != NULL)
        text_end_part(text, options->part);
    if (text->entries != text->few)
        free(text->entries);
    return !text->failed && !out->failed;
}

#endif
