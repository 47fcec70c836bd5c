/*
 * term_inspect.c - a term as Elixir's inspect writes it, by the walk of text_walk.h: %{:a => 1, "b"
 * => nil}, [key: 1], %Shop.Order{id: 7}, ~c"abc", #PID<bob@h.85.0>.
 *
 * Before the first element is written, it must be known whether a list or map has keys of the form
 * "a: ", and whether a map is a struct: term_keywords.h finds that out in advance.
 */
#include "etf/inspect_struct.h"
#include "etf/inspect_word.h"
#include "etf/term_inspect.h"

#include <stdio.h>

static void add_name(struct text *text, const struct term_token *token);
static void add_node(struct text *text, const struct term_token *token);
static void add_binary(struct text *text, const struct term_token *token);
static void add_bits(struct text *text, const struct term_token *token);
static void add_string(struct text *text, const struct term_token *token);
static void add_fun(struct text *text, const struct term_token *token);
static void add_export(struct text *text, const struct term_token *token);
static void add_record_name(struct text *text, struct cursor *names);
static void open_list(struct text *text, const struct term_token *token);
static void open_map(struct text *text, const struct term_token *token);
static bool separate(struct text *text, struct text_frame *frame);
static bool close_own(struct text *text, const struct text_frame *frame);

static const struct text_syntax elixir = {
    .comma = TEXT_MARK(", "),
    .bar = TEXT_MARK(" | "),
    .field = TEXT_MARK(" = "),
    .pid = TEXT_MARK("#PID<"),
    .reference = TEXT_MARK("#Reference<"),
    .forms =
        {
            [OPEN_TUPLE] = {TEXT_MARK("{"), TEXT_MARK("}"), 1},
            [OPEN_LIST] = {TEXT_MARK("["), TEXT_MARK("]"), 1},
            [OPEN_MAP] = {TEXT_MARK("%{"), TEXT_MARK("}"), 2},
            [OPEN_RECORD] = {TEXT_MARK("{"), TEXT_MARK("}"), 1},
            [OPEN_KEYWORDS] = {TEXT_MARK("["), TEXT_MARK("]"), 1},
            [OPEN_ATOM_MAP] = {TEXT_MARK("%{"), TEXT_MARK("}"), 2},
            [OPEN_STRUCT] = {TEXT_MARK("{"), TEXT_MARK("}"), 2},
            [OPEN_ORDERED] = {TEXT_MARK("{"), TEXT_MARK("}"), 1},
            [OPEN_SET] = {TEXT_MARK("MapSet.new(["), TEXT_MARK("])"), 2},
            [OPEN_WRAP] = {TEXT_MARK(""), TEXT_MARK(""), 1},
        },
    .add_atom = add_name,
    .add_node = add_node,
    .add_big = number_add_elixir,
    .add_float = number_add_elixir_float,
    .add_binary = add_binary,
    .add_bits = add_bits,
    .add_string = add_string,
    .add_fun = add_fun,
    .add_export = add_export,
    .add_record_name = add_record_name,
    .open_list = open_list,
    .open_map = open_map,
    .separate = separate,
    .close = close_own,
};

static void open_own(struct text *text, enum text_open class, uint64_t num)
{
    text_open(text, &elixir, class, num);
}

/* name_room has room for a converted name. */
struct name_room {
    char bytes[VALUE_ATOM_LEN];
};

/* name_of returns an atom's text in UTF-8, in room if it is latin-1; a placeholder if the atom is
 * unknown. */
static struct cursor name_of(const struct term_token *token, struct name_room *room)
{
    struct cursor name = token->body;
    size_t len = 0;
    if (token->atom != NULL && token->atom->state == DS_ATOM_UNKNOWN) {
        const int num =
            snprintf(room->bytes, sizeof room->bytes, "?atom:%u", (unsigned)token->atom->slot);
        return cursor_make(room->bytes, (size_t)num);
    }
    if (!token->latin1)
        return name;
    if (!value_get_latin1(&name, room->bytes, &len))
        len = 0;
    return cursor_make(room->bytes, len);
}

/* add_name and add_field write an atom, or a key, marked if it is only likely. */
static void add_name(struct text *text, const struct term_token *token)
{
    struct name_room room;
    text_add_likely(text, token);
    text_lend(text);
    inspect_add_atom(text->out, name_of(token, &room));
    text_resume(text);
}

static void add_field(struct text *text, const struct term_token *token)
{
    struct name_room room;
    text_add_likely(text, token);
    text_lend(text);
    inspect_add_key(text->out, name_of(token, &room));
    text_resume(text);
}

static bool read_atom(const struct text *text, struct cursor *at, struct term_token *token)
{
    return term_read_token(at, &text->env, token, NULL) == TERM_OK && token->class == TERM_ATOM;
}

/* add_node writes a node without colon and quotes, between other parts. */
static void add_node(struct text *text, const struct term_token *token)
{
    struct term_token name = *token;
    struct name_room room;
    name.body = token->node;
    text_add_likely(text, token);
    text_lend(text);
    inspect_add_text(text->out, name_of(&name, &room), 0);
    text_resume(text);
}

/* add_fun writes #Function<3.51910575/1 in Shop.Cart>: inspect shows the newer index. */
static void add_fun(struct text *text, const struct term_token *token)
{
    const size_t size = 1 + 4, uniq = 16;
    struct cursor c = token->bytes;
    struct value_fun fun;
    struct term_token module;
    uint8_t arity;
    uint32_t index;
    if (!value_get_fun(token, &text->env, &fun))
        return;
    TEXT_PUT(text, "#Function<");
    if (token->tag == TERM_TAG_NEW_FUN && cursor_skip(&c, size) && cursor_read_u8(&c, &arity) &&
        cursor_skip(&c, uniq) && cursor_read_u32(&c, &index)) {
        text_put_u64(text, index);
        TEXT_PUT(text, ".");
        text_put_i64(text, fun.uniq);
        TEXT_PUT(text, "/");
        text_put_u64(text, arity);
    } else {
        text_put_i64(text, fun.index);
        TEXT_PUT(text, ".");
        text_put_i64(text, fun.uniq);
    }
    TEXT_PUT(text, " in ");
    if (read_atom(text, &fun.module, &module))
        add_name(text, &module);
    TEXT_PUT(text, ">");
}

/* add_function writes the atom at at as a function after a dot. */
static void add_function(struct text *text, struct cursor *at)
{
    struct term_token name;
    struct name_room room;
    if (!read_atom(text, at, &name))
        return;
    text_add_likely(text, &name);
    text_lend(text);
    inspect_add_function(text->out, name_of(&name, &room));
    text_resume(text);
}

/* add_export writes &Enum.map/2. */
static void add_export(struct text *text, const struct term_token *token)
{
    struct cursor parts = token->bytes;
    struct term_token name, arity;
    int64_t value;
    if (!cursor_skip(&parts, 1) || !read_atom(text, &parts, &name))
        return;
    TEXT_PUT(text, "&");
    add_name(text, &name);
    TEXT_PUT(text, ".");
    add_function(text, &parts);
    TEXT_PUT(text, "/");
    if (term_read_token(&parts, &text->env, &arity, NULL) == TERM_OK &&
        value_get_i64(&arity, &value))
        text_put_i64(text, value);
}

/* add_bytes writes num bytes as numbers. */
static void add_bytes(struct text *text, struct cursor *bytes, size_t num)
{
    uint8_t byte;
    for (size_t i = 0; i < num && cursor_read_u8(bytes, &byte); i++) {
        text_make_room(text);
        if (i != 0)
            TEXT_PUT(text, ", ");
        text_put_u64(text, byte);
    }
    text_make_room(text);
}

static void add_whole(struct text *text, struct cursor bytes)
{
    const size_t len = cursor_left(&bytes);
    size_t shown = text_shown_len(text, len);
    const uint32_t base64_min = text->options->base64_min;
    struct cursor prefix;
    if (!cursor_child(&bytes, shown, &prefix))
        return;
    if (inspect_is_text(&prefix, shown < len)) {
        text_lend(text);
        inspect_add_string(text->out, prefix);
        text_resume(text);
        shown = cursor_left(&prefix); /* fewer, if the limit is inside a character */
        if (shown < len) {
            TEXT_PUT(text, " <> ");
            text_add_more_bytes(text, len - shown);
        }
    } else if (base64_min != 0 && len >= base64_min) {
        TEXT_PUT(text, "Base.decode64!(\"");
        text_lend(text);
        ds_buffer_add_base64(text->out, prefix.at, cursor_left(&prefix));
        text_resume(text);
        TEXT_PUT(text, "\")");
        if (shown < len)
            text_add_more_bytes(text, len - shown);
    } else {
        TEXT_PUT(text, "<<");
        add_bytes(text, &prefix, shown);
        if (shown < len) {
            TEXT_PUT(text, ", ");
            text_add_more_bytes(text, len - shown);
        }
        TEXT_PUT(text, ">>");
    }
}

static void add_binary(struct text *text, const struct term_token *token)
{
    add_whole(text, token->body);
}

/* add_bits writes a bit string; its last byte counts from the highest bit. */
static void add_bits(struct text *text, const struct term_token *token)
{
    struct cursor bytes;
    unsigned last_bits;
    uint8_t last;
    if (!value_get_bits(token, &bytes, &last_bits))
        return;
    const size_t len = cursor_left(&bytes);
    const size_t shown = text_shown_len(text, len);
    if (len == 0 || last_bits == 0 || last_bits == 8) {
        add_whole(text, bytes);
        return;
    }
    TEXT_PUT(text, "<<");
    add_bytes(text, &bytes, shown < len ? shown : len - 1);
    if (len > 1)
        TEXT_PUT(text, ", ");
    if (shown < len) {
        text_add_more_bytes(text, len - shown);
    } else if (cursor_read_u8(&bytes, &last)) {
        text_put_u64(text, last >> (8 - last_bits));
        TEXT_PUT(text, "::size(");
        text_put_u64(text, last_bits);
        TEXT_PUT(text, ")");
    }
    TEXT_PUT(text, ">>");
}

/* may_be_string: inside a set, inspect writes no list as a string, however deeply nested. */
static bool may_be_string(const struct text *text)
{
    return text->num_sets == 0 && text_may_be_string(text);
}

static bool is_listed(const struct text *text, uint32_t code)
{
    return text->options->unicode ? inspect_is_printable(code) : inspect_is_listed(code);
}

/* next_char reads a character of a list, which is bytes or integers; false at its end. */
static bool next_char(struct cursor *at, bool is_bytes, uint32_t *code)
{
    uint8_t byte;
    if (!is_bytes)
        return term_read_char(at, code);
    if (!cursor_read_u8(at, &byte))
        return false;
    *code = byte;
    return true;
}

/* add_chars writes num characters of a list as a string, up to the limit. */
static void add_chars(struct text *text, struct cursor at, bool is_bytes, uint64_t num)
{
    const uint64_t shown = text_shown_len(text, num);
    uint32_t code = 0, next;
    TEXT_PUT(text, "~c\"");
    text_lend(text);
    bool has_next = next_char(&at, is_bytes, &code);
    for (uint64_t i = 0; i < shown && has_next; i++) {
        has_next = i + 1 < num && next_char(&at, is_bytes, &next);
        inspect_add_char(text->out, code, has_next && i + 1 < shown ? next : 0, '"');
        code = has_next ? next : 0;
    }
    text_resume(text);
    TEXT_PUT(text, "\"");
    if (shown < num) {
        TEXT_PUT(text, " ++ ");
        if (is_bytes)
            text_add_more_bytes(text, num - shown);
        else
            text_add_more(text, num - shown, "");
    }
}

/* add_string writes a list of bytes: as a string if all of them are printable. */
static void add_string(struct text *text, const struct term_token *token)
{
    struct cursor body = token->body;
    const size_t len = cursor_left(&body);
    const uint32_t max = text->options->max_items;
    const size_t shown = max != 0 && len > max ? max : len;
    uint8_t byte;
    bool is_chars = len != 0 && may_be_string(text);
    while (is_chars && cursor_read_u8(&body, &byte))
        is_chars = is_listed(text, byte);
    if (is_chars) {
        add_chars(text, token->body, true, len);
        return;
    }
    body = token->body;
    TEXT_PUT(text, "[");
    add_bytes(text, &body, shown);
    if (shown < len) {
        TEXT_PUT(text, ", ");
        text_add_more(text, len - shown, "");
    }
    TEXT_PUT(text, "]");
}

/* add_char_list writes a list whose elements are all printable characters as a string, and advances
 * past it; false for any other list, and nothing moves. */
static bool add_char_list(struct text *text, uint64_t num)
{
    struct cursor c = text->at;
    uint32_t code;
    uint8_t tag;
    if (!may_be_string(text))
        return false;
    for (uint64_t i = 0; i < num; i++) {
        if (!term_read_char(&c, &code) || !is_listed(text, code))
            return false;
    }
    if (!cursor_read_u8(&c, &tag) || tag != TERM_TAG_NIL)
        return false;
    add_chars(text, text->at, false, num);
    text->at = c;
    return true;
}

static size_t offset_of(const struct text *text, const struct term_token *token)
{
    return (size_t)(token->bytes.at - text->term.at);
}

static void open_list(struct text *text, const struct term_token *token)
{
    const uint64_t num = token->num_terms - 1;
    if (term_keywords_has(&text->keywords, offset_of(text, token)))
        open_own(text, OPEN_KEYWORDS, num);
    else if (!add_char_list(text, num))
        open_own(text, OPEN_LIST, num);
    else
        text->first = false;
}

/* open_set opens a MapSet at the map inside it. False if it has another form, and nothing moves. */
static bool open_set(struct text *text, uint64_t num_pairs)
{
    struct cursor c = text->at;
    struct term_token token;
    for (uint64_t i = 0; i < num_pairs; i++) {
        if (!read_atom(text, &c, &token))
            return false;
        const bool is_map = cursor_left(&token.body) == 3 && memcmp(token.body.at, "map", 3) == 0;
        if (term_read_token(&c, &text->env, &token, NULL) != TERM_OK)
            return false;
        if (is_map && token.class == TERM_MAP &&
            (token.num_terms == 0 ||
             term_keywords_is(&text->keywords, offset_of(text, &token), KEYWORDS_IS_SET))) {
            union text_entry *entry = text_push(text);
            if (entry == NULL)
                return true;
            entry->frame = (struct text_frame){
                .class = OPEN_WRAP, .hidden = (uint32_t)(2 * (num_pairs - 1 - i))};
            text->depth++;
            text->num_sets++;
            text->at = c;
            open_own(text, OPEN_SET, token.num_terms / 2);
            if (!text->failed)
                text->entries[text->num_entries - 1].frame.extra =
                    term_keywords_is(&text->keywords, offset_of(text, &token), KEYWORDS_IS_PAIRS);
            return true;
        }
        if (token.num_terms != 0) /* in the place of a version */
            return false;
    }
    return false;
}

/* open_ordered opens a struct whose fields have an order: below its frame are the positions of
 * the fields and of the end. */
static void open_ordered(struct text *text, struct cursor name, const struct inspect_order *order)
{
    for (unsigned i = 0; i <= order->num; i++) {
        union text_entry *entry = text_push(text);
        if (entry == NULL)
            return;
        entry->names = i == 0 ? order->end : order->fields[i - 1];
    }
    TEXT_PUT(text, "%");
    text_lend(text);
    inspect_add_atom(text->out, name);
    text_resume(text);
    open_own(text, OPEN_ORDERED, order->num);
    if (!text->failed)
        text->entries[text->num_entries - 1].frame.extra = (uint8_t)order->num;
}

/* open_known opens or writes a struct with a special form. False if it is written like any other. */
static bool open_known(struct text *text, struct cursor name, uint64_t num_pairs)
{
    struct inspect_order order;
    const enum inspect_how how = inspect_struct(text, name, num_pairs, &order);
    if (how == INSPECT_IN_ORDER)
        open_ordered(text, name, &order);
    return how != INSPECT_AS_OTHERS;
}

static void open_map(struct text *text, const struct term_token *token)
{
    const size_t offset = offset_of(text, token);
    const uint64_t num_pairs = token->num_terms / 2;
    struct term_token name;
    struct name_room room;
    size_t name_at;
    if (!term_keywords_has(&text->keywords, offset)) {
        open_own(text, OPEN_MAP, num_pairs);
        return;
    }
    struct cursor at = text->term;
    if (!term_keywords_struct(&text->keywords, offset, &name_at) || !cursor_skip(&at, name_at) ||
        !read_atom(text, &at, &name)) {
        open_own(text, OPEN_ATOM_MAP, num_pairs);
        return;
    }
    const struct cursor name_text = name_of(&name, &room);
    const bool is_known = name.atom == NULL || ds_atom_is_certain(name.atom->state);
    static const char set[] = "Elixir.MapSet";
    if (is_known && term_keywords_is(&text->keywords, offset, KEYWORDS_IS_MAPSET) &&
        cursor_left(&name_text) == sizeof set - 1 &&
        memcmp(name_text.at, set, sizeof set - 1) == 0 && open_set(text, num_pairs))
        return;
    if (is_known && open_known(text, name_text, num_pairs))
        return;
    TEXT_PUT(text, "%");
    add_name(text, &name);
    open_own(text, OPEN_STRUCT, num_pairs);
    if (!text->failed)
        text->entries[text->num_entries - 1].frame.extra =
            1 + term_keywords_is(&text->keywords, offset, KEYWORDS_IS_ERROR);
}

static void add_record_name(struct text *text, struct cursor *names)
{
    struct term_token name;
    if (read_atom(text, names, &name))
        add_name(text, &name);
    TEXT_PUT(text, ".");
    add_function(text, names);
}

static void add_comma(struct text *text)
{
    if (!text->first)
        TEXT_PUT(text, ", ");
}

/* add_pair skips the head of a pair and writes its key. */
static void add_pair(struct text *text)
{
    struct term_token token;
    const char *what;
    if (token_read(&text->at, &text->source, &token, &what) == TERM_OK &&
        read_atom(text, &text->at, &token))
        add_field(text, &token);
}

static bool separate_keywords(struct text *text, struct text_frame *frame)
{
    if (frame->shown == 0 && frame->hidden == 0)
        return !text_skip_nil(text);
    add_comma(text);
    add_pair(text);
    return true;
}

static bool is_word(const struct term_token *token, const char *word)
{
    const size_t len = strlen(word);
    return token->class == TERM_ATOM && cursor_left(&token->body) == len &&
           memcmp(token->body.at, word, len) == 0 &&
           (token->atom == NULL || ds_atom_is_certain(token->atom->state));
}

/* is_hidden says whether inspect omits a field of a struct. */
static bool is_hidden(const struct text *text, const struct term_token *key)
{
    struct cursor at = text->at;
    struct term_token value;
    return is_word(key, "__struct__") ||
           (is_word(key, "__exception__") && read_atom(text, &at, &value) &&
            is_word(&value, "true"));
}

/* separate_fields writes the next key; in a struct, that of a field that is not hidden. */
static bool separate_fields(struct text *text, struct text_frame *frame)
{
    struct term_token key;
    while (read_atom(text, &text->at, &key)) {
        frame->shown--; /* the key; its value was counted before */
        if (frame->class == OPEN_ATOM_MAP || !is_hidden(text, &key)) {
            add_comma(text);
            add_field(text, &key);
            return true;
        }
        if (term_skip(&text->at, &text->env, 1, NULL) != TERM_OK)
            break;
        frame->extra -= frame->extra != 0;
        if (frame->shown == 0)
            return false;
        frame->shown--;
    }
    return true; /* the next term is damaged */
}

/* separate_ordered goes to the next field of a struct, a key followed by its value. */
static bool separate_ordered(struct text *text, const struct text_frame *frame)
{
    struct term_token key;
    const size_t num_left = frame->shown + frame->hidden;
    text->at = text->entries[text->num_entries - 2 - num_left].names;
    add_comma(text);
    if (read_atom(text, &text->at, &key))
        add_field(text, &key);
    return true;
}

/* separate_set skips the [] after an element. */
static bool separate_set(struct text *text, struct text_frame *frame)
{
    if (frame->shown % 2 == 0) {
        (void)text_skip_nil(text);
        if (frame->shown == 0)
            return false;
        frame->shown--;
    }
    add_comma(text);
    if (frame->extra != 0)
        add_pair(text);
    return true;
}

static bool separate(struct text *text, struct text_frame *frame)
{
    switch (frame->class) {
    case OPEN_KEYWORDS:
        return separate_keywords(text, frame);
    case OPEN_ATOM_MAP:
    case OPEN_STRUCT:
        return separate_fields(text, frame);
    case OPEN_ORDERED:
        return separate_ordered(text, frame);
    default:
        return separate_set(text, frame);
    }
}

static bool close_own(struct text *text, const struct text_frame *frame)
{
    uint64_t num_terms = frame->hidden;
    uint32_t hidden = frame->hidden;
    switch (frame->class) {
    case OPEN_ORDERED: /* below it: its fields, and its end */
        text->num_entries -= frame->extra + 1u;
        text->at = text->entries[text->num_entries].names;
        num_terms = 0;
        break;
    case OPEN_WRAP: /* around a set */
        text->num_sets--;
        hidden = 0;
        break;
    case OPEN_KEYWORDS:
        num_terms += hidden != 0; /* its tail */
        break;
    default:
        num_terms *= 2;
        if (frame->class == OPEN_STRUCT)
            hidden -= hidden < frame->extra ? hidden : frame->extra;
        break;
    }
    if (hidden != 0) {
        add_comma(text);
        text_add_more(text, hidden, "");
    }
    return num_terms == 0 || term_skip(&text->at, &text->env, num_terms, NULL) == TERM_OK;
}

static bool needs_backslash(char c)
{
    return c == '"' || c == '\\';
}

/* put_in_string writes the term for a place between double quotes in another language: first
 * unchanged, and then, from its end on, it adds backslashes. */
static bool put_in_string(const struct ds_term *term, const struct ds_term_print_options *options,
                          struct ds_buffer *out)
{
    struct ds_term_print_options plain = *options;
    const size_t begin = out->len;
    plain.in_string = false;
    if (!term_inspect(term, &plain, out))
        return false;
    size_t from = out->len, num_more = 0;
    for (size_t i = begin; i < from; i++)
        num_more += needs_backslash(out->data[i]);
    if (!ds_buffer_reserve(out, num_more))
        return false;
    out->len += num_more;
    for (size_t to = out->len; to != from;) {
        out->data[--to] = out->data[--from];
        if (needs_backslash(out->data[from]))
            out->data[--to] = '\\';
    }
    return true;
}

bool term_inspect(const struct ds_term *term, const struct ds_term_print_options *options,
                  struct ds_buffer *out)
{
    struct text text;
    if (options->in_string)
        return put_in_string(term, options, out);
    text.term = cursor_make(term->data, term->len);
    text.num_sets = 0;
    if (!term_keywords_inspect(&text.keywords, term, out->is_stopped)) {
        out->failed = true;
        return false;
    }
    const bool ok = text_print(&text, &elixir, term, options, out);
    term_keywords_free(&text.keywords);
    return ok;
}

void ds_term_print_atom_as(struct ds_text text, enum ds_syntax syntax, struct ds_buffer *out)
{
    if (syntax == DS_SYNTAX_ERLANG)
        ds_term_print_atom(text, out);
    else if (text.data == NULL)
        BUFFER_ADD(out, ":\"?atom\"");
    else
        inspect_add_atom(out, cursor_make(text.data, text.len));
}

void ds_term_print_call(struct ds_text module, struct ds_text function, enum ds_syntax syntax,
                        struct ds_buffer *out)
{
    ds_term_print_atom_as(module, syntax, out);
    if (syntax == DS_SYNTAX_ERLANG) {
        BUFFER_ADD(out, ":");
        ds_term_print_atom(function, out);
    } else {
        BUFFER_ADD(out, ".");
        inspect_add_function(out, function.data != NULL
                                      ? cursor_make(function.data, function.len)
                                      : cursor_make("?atom", 5));
    }
}
