/*
 * text_walk.h - the walk that writes a term as text, in a language that is a table (struct
 * text_syntax), made a constant where it is used, so that what it does not need is compiled away.
 * term_inspect.c is Elixir's; Erlang's, term_text.c, is the same walk with a pen of its own, for speed.
 *
 * What is open (a tuple, list, map or record of which elements are still to come) stands on a stack
 * of our own, small at first, on the heap when nesting is deep: a term nested a million times prints
 * like any other.
 */
#ifndef DISSECT_TEXT_WALK_H
#define DISSECT_TEXT_WALK_H

#include "escape.h"
#include "number_text.h"
#include "stack.h"
#include "term_keywords.h"
#include "term_token.h"
#include "value.h"

#include <stdlib.h>

enum {
    TEXT_FRAMES = 32,
#define LIMIT(id, name, value, what) TEXT_##id##_MAX = (value),
#include <distsniff/limits.def>
#undef LIMIT
};

/* Something open. Where a limit leaves elements out, they are hidden. */
struct text_frame {
    uint64_t shown;  /* terms still to be shown */
    uint32_t hidden; /* elements after them that are not shown */
    uint8_t class;   /* one of enum text_open */
    uint8_t extra;   /* what a language counts for itself */
};

/* What can be open: of every language, then of Elixir alone (term_inspect.c). */
enum text_open {
    OPEN_TUPLE,
    OPEN_LIST,
    OPEN_MAP,
    OPEN_RECORD,
    OPEN_OWN, /* those that follow are a language's own */
    OPEN_KEYWORDS = OPEN_OWN,
    OPEN_ATOM_MAP,
    OPEN_STRUCT,
    OPEN_ORDERED,
    OPEN_SET,
    OPEN_WRAP,
    OPEN_NUM
};

union text_entry {
    struct text_frame frame;
    struct cursor names; /* of a record's fields: in an entry of their own beneath it */
};
_Static_assert(sizeof(union text_entry) <= 16, "two million of them are 32 MB");

struct text {
    struct ds_buffer *out;
    const struct ds_term_print_options *options;
    struct term_env env;
    struct token_source source;
    struct cursor at;
    size_t start; /* of the text in out */
    bool first;   /* nothing was written yet in what is open */
    bool failed;  /* memory ran out */
    size_t depth; /* what is open; entries may be more */
    union text_entry few[TEXT_FRAMES];
    union text_entry *entries;
    size_t num_entries, cap_entries;
    struct cursor term;            /* all of it */
    size_t num_sets;               /* that are open */
    struct term_keywords keywords; /* of a language that has a form for keys */
};

/* text_mark is one of a language's marks. */
struct text_mark {
    char text[16];
    uint8_t len;
};

#define TEXT_MARK(literal)                                                                         \
    {                                                                                              \
        .text = literal, .len = sizeof(literal) - 1                                                \
    }

/* text_syntax is a language. */
struct text_syntax {
    struct text_mark comma, bar, field; /* field: between the name of a record's field and it */
    struct {
        struct text_mark open, close;
        uint8_t num_parts; /* terms an element is made of */
    } forms[OPEN_NUM];
    /* add_token writes a leaf, or opens what the token begins. False: bytes after it are damaged. */
    bool (*add_token)(struct text *text, const struct term_token *token);
    void (*add_atom)(struct text *text, const struct term_token *token);
    /* Of what is the language's own, as text_separate, and instead of passing what is hidden; NULL:
     * nothing is. */
    bool (*separate)(struct text *text, struct text_frame *frame);
    bool (*close)(struct text *text, const struct text_frame *frame);
};

static inline union text_entry *text_push(struct text *text)
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
static inline size_t text_shown_len(const struct text *text, size_t len)
{
    size_t max = text->options->max_bytes;
    return max != 0 && len > max ? max : len;
}

static inline void text_add_more(struct text *text, uint64_t num, const char *what)
{
    BUFFER_ADD(text->out, "... ");
    buffer_add_u64(text->out, num);
    BUFFER_ADD(text->out, " more");
    ds_buffer_add_text(text->out, what);
}

/* text_add_more_bytes says how many max_bytes or max_len left out. */
static inline void text_add_more_bytes(struct text *text, uint64_t num)
{
    text_add_more(text, num, " bytes");
    if (text->options->cut != NULL)
        *text->options->cut = true;
}

/* text_add_mark marks what is only likely, in a way that no atom is written. */
static inline void text_add_mark(struct text *text, const struct term_token *token)
{
    if (token->atom != NULL && token->atom->state == DS_ATOM_LIKELY && !text->options->unmarked)
        BUFFER_ADD(text->out, "?");
}

static inline void text_add_i64(struct text *text, int64_t value)
{
    if (value < 0)
        BUFFER_ADD(text->out, "-");
    buffer_add_u64(text->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

/* text_may_be_string says whether a list may be written as a string where its elements are
 * all characters. */
static inline bool text_may_be_string(const struct text *text)
{
    return text->depth != 0 || !text->options->no_string;
}

/* text_read_atom writes the atom at at, which is part of a token already read. */
TOKEN_INLINE void text_read_atom(struct text *text, const struct text_syntax *syntax,
                                 struct cursor *at)
{
    struct term_token token;
    if (term_read_token(at, &text->env, &token, NULL) == TERM_OK)
        syntax->add_atom(text, &token);
}

#define TEXT_ADD_MARK(text, mark) buffer_add_bytes((text)->out, (mark).text, (mark).len)

/* text_limit returns how many of num elements of something just opened may be shown. */
static inline uint64_t text_limit(const struct text *text, uint64_t num)
{
    const uint32_t max_items = text->options->max_items;
    const uint32_t max_depth = text->options->max_depth;
    if ((max_depth != 0 && text->depth >= max_depth) || text->depth >= TEXT_DEPTH_MAX)
        return 0;
    return max_items != 0 && num > max_items ? max_items : num;
}

/* text_open begins a tuple, list, map or record of num elements. */
TOKEN_INLINE void text_open(struct text *text, const struct text_syntax *syntax,
                            enum text_open class, uint64_t num)
{
    const uint64_t shown = text_limit(text, num);
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
    TEXT_ADD_MARK(text, syntax->forms[class].open);
}

/* text_close ends the innermost that is open; false when what is hidden in it is damaged. */
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
            TEXT_ADD_MARK(text, syntax->comma);
        text_add_more(text, frame.hidden, "");
        num_terms += frame.class == OPEN_LIST; /* its tail */
        if (term_skip(&text->at, &text->env, num_terms, NULL) != TERM_OK)
            return false;
    }
    TEXT_ADD_MARK(text, syntax->forms[frame.class].close);
    text->first = false;
    return true;
}

/* text_is_nil passes the end of a proper list. */
static inline bool text_is_nil(struct text *text)
{
    uint8_t tag;
    return cursor_peek_u8(&text->at, &tag) && tag == TERM_TAG_NIL && cursor_skip(&text->at, 1);
}

/* text_separate writes what stands before the next term of what is open. False: there is
 * none, for a proper list has ended. */
TOKEN_INLINE bool text_separate(struct text *text, const struct text_syntax *syntax)
{
    struct text_frame *frame = &text->entries[text->num_entries - 1].frame;
    frame->shown--;
    switch (frame->class) {
    case OPEN_LIST:
        if (frame->shown == 0 && frame->hidden == 0) {
            if (text_is_nil(text))
                return false;
            TEXT_ADD_MARK(text, syntax->bar);
            return true;
        }
        break;
    case OPEN_MAP:
        if (frame->shown % 2 == 0) {
            BUFFER_ADD(text->out, " => ");
            return true;
        }
        break;
    case OPEN_RECORD:
        if (!text->first)
            TEXT_ADD_MARK(text, syntax->comma);
        text_read_atom(text, syntax, &text->entries[text->num_entries - 2].names);
        TEXT_ADD_MARK(text, syntax->field);
        return true;
    case OPEN_TUPLE:
        break;
    default:
        return syntax->separate != NULL && syntax->separate(text, frame);
    }
    if (!text->first)
        TEXT_ADD_MARK(text, syntax->comma);
    return true;
}

/* text_next writes the next term of what is open, up to where another opens or all is done.
 * False: it is damaged, or long enough. */
TOKEN_INLINE bool text_next(struct text *text, const struct text_syntax *syntax)
{
    struct term_token token;
    const char *what;
    size_t max_len = text->options->max_len;
    if (max_len != 0 && text->out->len - text->start > max_len) {
        text_add_more_bytes(text, cursor_left(&text->at));
        return false;
    }
    do {
        if (token_read(&text->at, &text->source, &token, &what) != TERM_OK ||
            !syntax->add_token(text, &token)) {
            BUFFER_ADD(text->out, "...");
            return false;
        }
    } while (token.class == TERM_LIST && token.num_terms == 1);
    return true;
}

TOKEN_INLINE void text_run(struct text *text, const struct text_syntax *syntax)
{
    uint64_t num = 0;
    bool more = text_next(text, syntax);
    while (more && text->num_entries != 0 && !text->failed &&
           !buffer_is_stopped(text->out, ++num)) {
        if (text->entries[text->num_entries - 1].frame.shown != 0 && text_separate(text, syntax)) {
            more = text_next(text, syntax);
        } else if (!text_close(text, syntax)) {
            BUFFER_ADD(text->out, "...");
            more = false;
        }
    }
}

/* text_begin makes text that of the whole term; its keywords are not set. */
static inline void text_begin(struct text *text, const struct ds_term *term,
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
    text->entries = text->few;
    text->num_entries = 0;
    text->cap_entries = TEXT_FRAMES;
}

/* text_end returns whether there was memory for all. */
static inline bool text_end(struct text *text)
{
    if (text->entries != text->few)
        free(text->entries);
    return !text->failed && !text->out->failed;
}

#endif
