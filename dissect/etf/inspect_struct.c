/*
 * inspect_struct.c - see inspect_struct.h. Some structs have their own text: ~D[2026-01-31],
 * 1..10//2, ~r/a.b/i. Others are written with their fields in the order of their definition, which
 * a map has lost: elixir_structs.def lists these.
 *
 * The fields are examined before anything is written, but only up to a number of tokens: a struct
 * with more, or with unexpected fields, is written like any other.
 */
#include "etf/inspect_struct.h"
#include "etf/inspect_word.h"
#include "util/utf8.h"

#include <stdio.h>

enum {
    LOOK_TOKENS = 256,  /* for all fields of a struct */
    LOOK_BYTES = 1024,  /* for a text in one */
};

/* One field: the first token of its value, and the positions of its key and its value. */
struct struct_field {
    struct cursor name, key, at;
    struct term_token value;
};

struct fields {
    unsigned num;
    struct struct_field field[INSPECT_FIELDS_MAX];
    struct cursor end; /* after the map */
    unsigned looks;    /* tokens that may still be read */
};

/* skip_value skips the rest of a value whose first token was read. */
static bool skip_value(const struct text *text, struct cursor *at, uint64_t num_terms, unsigned *looks)
{
    struct term_token token;
    for (; num_terms != 0; num_terms += token.num_terms, num_terms--) {
        if (*looks == 0 || num_terms > *looks ||
            term_read_token(at, &text->env, &token, NULL) != TERM_OK)
            return false;
        --*looks;
    }
    return true;
}

/* read_fields reads all fields of a struct from at on, except __struct__ and __exception__. */
static bool read_fields(const struct text *text, struct cursor at, uint64_t num_pairs,
                        struct fields *fields)
{
    struct term_token key;
    fields->num = 0;
    if (num_pairs > INSPECT_FIELDS_MAX || num_pairs > fields->looks / 2)
        return false;
    for (uint64_t i = 0; i < num_pairs; i++) {
        struct struct_field *field = &fields->field[fields->num];
        field->key = at;
        if (term_read_token(&at, &text->env, &key, NULL) != TERM_OK || key.class != TERM_ATOM ||
            (key.atom != NULL && !ds_atom_is_certain(key.atom->state)))
            return false;
        field->name = key.body;
        field->at = at;
        fields->looks--;
        if (fields->looks == 0 ||
            term_read_token(&at, &text->env, &field->value, NULL) != TERM_OK)
            return false;
        fields->looks--;
        if (!skip_value(text, &at, field->value.num_terms, &fields->looks))
            return false;
        const size_t len = cursor_left(&field->name);
        if (!(len == 10 && memcmp(field->name.at, "__struct__", len) == 0) &&
            !(len == 13 && memcmp(field->name.at, "__exception__", len) == 0))
            fields->num++;
    }
    fields->end = at;
    return true;
}

static bool is_text(struct cursor text, const char *word)
{
    const size_t len = strlen(word);
    return cursor_left(&text) == len && memcmp(text.at, word, len) == 0;
}

static const struct struct_field *find(const struct fields *fields, const char *name)
{
    for (unsigned i = 0; i < fields->num; i++) {
        if (is_text(fields->field[i].name, name))
            return &fields->field[i];
    }
    return NULL;
}

/* Each get_ function returns the value of a field; false if there is none of that kind. */
static bool get_integer(const struct fields *fields, const char *name, int64_t *out)
{
    const struct struct_field *field = find(fields, name);
    return field != NULL && field->value.class == TERM_INTEGER &&
           value_get_i64(&field->value, out);
}

static bool get_within(const struct fields *fields, const char *name, int64_t min, int64_t max,
                       int *out)
{
    int64_t value;
    if (!get_integer(fields, name, &value) || value < min || value > max)
        return false;
    *out = (int)value;
    return true;
}

static bool is_atom(const struct fields *fields, const char *name, const char *atom)
{
    const struct struct_field *field = find(fields, name);
    return field != NULL && field->value.class == TERM_ATOM &&
           (field->value.atom == NULL || ds_atom_is_certain(field->value.atom->state)) &&
           is_text(field->value.body, atom);
}

static bool get_text(const struct fields *fields, const char *name, struct cursor *out)
{
    const struct struct_field *field = find(fields, name);
    if (field == NULL || field->value.class != TERM_BINARY ||
        cursor_left(&field->value.body) > LOOK_BYTES)
        return false;
    *out = field->value.body;
    return true;
}

static bool is_binary(const struct fields *fields, const char *name, const char *text)
{
    struct cursor bytes;
    return get_text(fields, name, &bytes) && is_text(bytes, text);
}

enum { PIECE_LEN = 64 };

/* "2026-01-31" */
static bool read_date(const struct fields *fields, char out[PIECE_LEN])
{
    int year, month, day;
    if (!is_atom(fields, "calendar", "Elixir.Calendar.ISO") ||
        !get_within(fields, "year", -9999, 9999, &year) ||
        !get_within(fields, "month", 0, 99, &month) || !get_within(fields, "day", 0, 99, &day))
        return false;
    snprintf(out, PIECE_LEN, "%s%04d-%02d-%02d", year < 0 ? "-" : "", year < 0 ? -year : year,
             month, day);
    return true;
}

/* read_microsecond reads {Number, Precision}. */
static bool read_microsecond(const struct text *text, const struct fields *fields, int64_t *number,
                             int64_t *precision)
{
    const struct struct_field *field = find(fields, "microsecond");
    struct term_token token;
    if (field == NULL || field->value.class != TERM_TUPLE || field->value.num_terms != 2)
        return false;
    struct cursor at = field->at;
    int64_t *const parts[] = {number, precision};
    if (term_read_token(&at, &text->env, &token, NULL) != TERM_OK)
        return false;
    for (size_t i = 0; i < 2; i++) {
        if (term_read_token(&at, &text->env, &token, NULL) != TERM_OK ||
            token.class != TERM_INTEGER || !value_get_i64(&token, parts[i]))
            return false;
    }
    return *number >= 0 && *number <= 999999 && *precision >= 0 && *precision <= 6;
}

/* "23:59:59.123" */
static bool read_time(const struct text *text, const struct fields *fields, char out[PIECE_LEN])
{
    int hour, minute, second;
    int64_t number, precision;
    if (!is_atom(fields, "calendar", "Elixir.Calendar.ISO") ||
        !get_within(fields, "hour", 0, 99, &hour) || !get_within(fields, "minute", 0, 99, &minute) ||
        !get_within(fields, "second", 0, 99, &second) ||
        !read_microsecond(text, fields, &number, &precision))
        return false;
    const int len = snprintf(out, PIECE_LEN, "%02d:%02d:%02d.%06d", hour, minute, second,
                             (int)number);
    out[(size_t)len - 6 + (size_t)precision - (precision == 0)] = '\0';
    return true;
}

static bool show_date(struct text *text, const struct fields *fields)
{
    char date[PIECE_LEN];
    if (fields->num != 4 || !read_date(fields, date))
        return false;
    ds_buffer_printf(text->out, "~D[%s]", date);
    return true;
}

static bool show_time(struct text *text, const struct fields *fields)
{
    char time[PIECE_LEN];
    if (fields->num != 5 || !read_time(text, fields, time))
        return false;
    ds_buffer_printf(text->out, "~T[%s]", time);
    return true;
}

static bool show_naive(struct text *text, const struct fields *fields)
{
    char date[PIECE_LEN], time[PIECE_LEN];
    if (fields->num != 8 || !read_date(fields, date) || !read_time(text, fields, time))
        return false;
    ds_buffer_printf(text->out, "~N[%s %s]", date, time);
    return true;
}

/* show_datetime writes ~U[2026-01-31 23:59:59Z], or in another time zone #DateTime<2026-01-31
 * 23:59:59+02:00 CEST Europe/Berlin>. */
static bool show_datetime(struct text *text, const struct fields *fields)
{
    char date[PIECE_LEN], time[PIECE_LEN];
    struct cursor zone, abbreviation;
    int utc_offset, std_offset;
    enum { DAY = 86400 };
    if (fields->num != 12 || !read_date(fields, date) || !read_time(text, fields, time) ||
        !get_text(fields, "time_zone", &zone) || !get_text(fields, "zone_abbr", &abbreviation) ||
        !get_within(fields, "utc_offset", -DAY, DAY, &utc_offset) ||
        !get_within(fields, "std_offset", -DAY, DAY, &std_offset))
        return false;
    if (utc_offset == 0 && std_offset == 0 && is_binary(fields, "time_zone", "Etc/UTC") &&
        is_binary(fields, "zone_abbr", "UTC")) {
        ds_buffer_printf(text->out, "~U[%s %sZ]", date, time);
        return true;
    }
    const int total = utc_offset + std_offset;
    const int seconds = total < 0 ? -total : total;
    ds_buffer_printf(text->out, "#DateTime<%s %s%c%02d:%02d ", date, time, total < 0 ? '-' : '+',
                     seconds / 3600, seconds / 60 % 60);
    inspect_add_text(text->out, abbreviation, 0);
    BUFFER_ADD(text->out, " ");
    inspect_add_text(text->out, zone, 0);
    BUFFER_ADD(text->out, ">");
    return true;
}

static void add_i64(struct ds_buffer *out, int64_t value)
{
    if (value < 0)
        BUFFER_ADD(out, "-");
    buffer_add_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static bool show_range(struct text *text, const struct fields *fields)
{
    int64_t first, last, step;
    if (fields->num != 3 || !get_integer(fields, "first", &first) ||
        !get_integer(fields, "last", &last) || !get_integer(fields, "step", &step))
        return false;
    add_i64(text->out, first);
    BUFFER_ADD(text->out, "..");
    add_i64(text->out, last);
    if (step != 1 || first > last) {
        BUFFER_ADD(text->out, "//");
        add_i64(text->out, step);
    }
    return true;
}

/* read_nested_date reads a field that is a Date. */
static bool read_nested_date(const struct text *text, const struct fields *outer, const char *name,
                             char out[PIECE_LEN])
{
    const struct struct_field *field = find(outer, name);
    struct term_token token;
    struct fields fields = {.looks = LOOK_TOKENS};
    if (field == NULL || field->value.class != TERM_MAP)
        return false;
    struct cursor at = field->at;
    return term_read_token(&at, &text->env, &token, NULL) == TERM_OK &&
           read_fields(text, at, token.num_terms / 2, &fields) && fields.num == 4 &&
           read_date(&fields, out);
}

static bool show_date_range(struct text *text, const struct fields *fields)
{
    char first[PIECE_LEN], last[PIECE_LEN];
    int64_t first_days, last_days, step;
    if (fields->num != 5 || !read_nested_date(text, fields, "first", first) ||
        !read_nested_date(text, fields, "last", last) || !get_integer(fields, "step", &step) ||
        !get_integer(fields, "first_in_iso_days", &first_days) ||
        !get_integer(fields, "last_in_iso_days", &last_days))
        return false;
    ds_buffer_printf(text->out, "Date.range(~D[%s], ~D[%s]", first, last);
    if (step != 1) {
        BUFFER_ADD(text->out, ", ");
        add_i64(text->out, step);
    }
    BUFFER_ADD(text->out, ")");
    return true;
}

/* read_modifier_list converts a list of num_options options, [:caseless, :unicode, :ucp], to
 * letters. */
static bool read_modifier_list(const struct text *text, struct cursor at, uint64_t num_options,
                               char out[PIECE_LEN])
{
    static const struct {
        const char *atom, *next; /* atom that must follow */
        char letter;
    } letters[] = {
        {"caseless", NULL, 'i'}, {"multiline", NULL, 'm'}, {"extended", NULL, 'x'},
        {"unicode", "ucp", 'u'}, {"firstline", NULL, 'f'}, {"ungreedy", NULL, 'U'},
        {"dotall", "newline", 's'}, {"export", NULL, 'E'},
    };
    struct term_token token;
    size_t num = 0;
    const char *next = NULL;
    for (uint64_t left = num_options; left != 0; left--) {
        bool known = false;
        if (term_read_token(&at, &text->env, &token, NULL) != TERM_OK || num == PIECE_LEN - 1)
            return false;
        if (next != NULL) { /* {newline, anycrlf} after dotall */
            const bool is_tuple = token.class == TERM_TUPLE && token.num_terms == 2;
            if (is_tuple && term_read_token(&at, &text->env, &token, NULL) != TERM_OK)
                return false;
            if (token.class != TERM_ATOM || !is_text(token.body, next))
                return false;
            if (is_tuple && (term_read_token(&at, &text->env, &token, NULL) != TERM_OK ||
                             token.class != TERM_ATOM || !is_text(token.body, "anycrlf")))
                return false;
            next = NULL;
            continue;
        }
        for (size_t i = 0; i < sizeof letters / sizeof letters[0] && !known; i++) {
            known = token.class == TERM_ATOM && is_text(token.body, letters[i].atom);
            if (known) {
                out[num++] = letters[i].letter;
                next = letters[i].next;
            }
        }
        if (!known)
            return false;
    }
    out[num] = '\0';
    for (size_t i = 0; i < num / 2; i++) { /* the list has them in reverse order */
        const char letter = out[i];
        out[i] = out[num - 1 - i];
        out[num - 1 - i] = letter;
    }
    return next == NULL && term_read_token(&at, &text->env, &token, NULL) == TERM_OK &&
           token.class == TERM_NIL;
}

/* read_modifiers converts a regular expression's options to letters: "iu", or [:caseless, :unicode,
 * :ucp]. False if there are others. */
static bool read_modifiers(const struct text *text, const struct fields *fields, char out[PIECE_LEN])
{
    const struct struct_field *field = find(fields, "opts");
    struct cursor binary;
    struct term_token token;
    size_t num = 0;
    uint8_t byte;
    if (field != NULL && field->value.class == TERM_NIL) {
        out[0] = '\0';
        return true;
    }
    if (get_text(fields, "opts", &binary)) {
        while (cursor_read_u8(&binary, &byte) && num < PIECE_LEN - 1 &&
               strchr("imsxufU", byte) != NULL && byte != 0)
            out[num++] = (char)byte;
        out[num] = '\0';
        return get_text(fields, "opts", &binary) && cursor_left(&binary) == num;
    }
    if (field == NULL || field->value.class != TERM_LIST)
        return false;
    struct cursor at = field->at;
    return term_read_token(&at, &text->env, &token, NULL) == TERM_OK &&
           read_modifier_list(text, at, field->value.num_terms - 1, out);
}

/* add_source writes the text between the slashes; a slash in it gets a backslash, unless it has
 * one. */
static void add_source(struct text *text, struct cursor source)
{
    uint32_t code;
    uint8_t byte, next;
    bool escaped = false;
    while (cursor_left(&source) != 0) {
        if (utf8_read(&source, &code)) {
            if (code == '/' && !escaped)
                BUFFER_ADD(text->out, "\\");
            const bool is_plain = code == '\\' || code == 27 || code == 127;
            if (code == '\\')
                BUFFER_ADD(text->out, "\\");
            else if (is_plain)
                ds_buffer_printf(text->out, "\\x%02X", (unsigned)code);
            else
                inspect_add_char(text->out, code, cursor_peek_u8(&source, &next) ? next : 0, 0);
            escaped = code == '\\' && !escaped;
        } else if (cursor_read_u8(&source, &byte)) {
            ds_buffer_printf(text->out, "\\x%02X", (unsigned)byte);
            escaped = false;
        }
    }
}

static bool show_regex(struct text *text, const struct fields *fields)
{
    char modifiers[PIECE_LEN];
    struct cursor source;
    if (!get_text(fields, "source", &source) || !read_modifiers(text, fields, modifiers) ||
        find(fields, "re_pattern") == NULL || fields->num > 5)
        return false;
    BUFFER_ADD(text->out, "~r/");
    add_source(text, source);
    BUFFER_ADD(text->out, "/");
    ds_buffer_add_text(text->out, modifiers);
    return true;
}

static bool show_requirement(struct text *text, const struct fields *fields)
{
    struct cursor source;
    if (fields->num != 2 || find(fields, "lexed") == NULL || !get_text(fields, "source", &source))
        return false;
    BUFFER_ADD(text->out, "Version.parse_requirement!(");
    inspect_add_string(text->out, source);
    BUFFER_ADD(text->out, ")");
    return true;
}

/* Each show_ function writes to text->out, between text_lend and text_resume. */
static const struct {
    const char *name; /* after "Elixir." */
    bool (*show)(struct text *text, const struct fields *fields);
} shown_structs[] = {
    {"Date", show_date},         {"Time", show_time},           {"NaiveDateTime", show_naive},
    {"DateTime", show_datetime}, {"Range", show_range},         {"Date.Range", show_date_range},
    {"Regex", show_regex},       {"Version.Requirement", show_requirement},
};

/* The fields in their order, separated by spaces; '?' before a field that is left out if it is nil
 * or []. */
static const struct {
    const char *name, *fields;
} ordered_structs[] = {
#define STRUCT(name, fields) {name, fields},
#include "etf/elixir_structs.def"
#undef STRUCT
};

/* next_word splits the next field name off; *optional: it had a '?'. False if there is none. */
static bool next_word(const char **fields, struct cursor *word, bool *optional)
{
    while (**fields == ' ')
        ++*fields;
    *optional = **fields == '?';
    *fields += *optional;
    const size_t len = strcspn(*fields, " ");
    *word = cursor_make(*fields, len);
    *fields += len;
    return len != 0;
}

static const struct struct_field *find_word(const struct fields *fields, struct cursor word)
{
    for (unsigned i = 0; i < fields->num; i++) {
        if (cursor_left(&fields->field[i].name) == cursor_left(&word) &&
            memcmp(fields->field[i].name.at, word.at, cursor_left(&word)) == 0)
            return &fields->field[i];
    }
    return NULL;
}

static bool is_nothing(const struct term_token *value)
{
    return value->class == TERM_NIL || (value->class == TERM_ATOM && is_text(value->body, "nil"));
}

/* find_order finds the fields of a struct that are to be shown, in their order. False if it has
 * other fields. */
static bool find_order(const struct fields *fields, const char *names, struct inspect_order *order)
{
    unsigned num = 0;
    struct cursor word;
    bool optional;
    order->num = 0;
    order->end = fields->end;
    while (next_word(&names, &word, &optional)) {
        const struct struct_field *field = find_word(fields, word);
        if (field == NULL || num++ == fields->num)
            return false;
        if (!optional || !is_nothing(&field->value))
            order->fields[order->num++] = field->key;
    }
    return num == fields->num;
}

enum inspect_how inspect_struct(struct text *text, struct cursor name, uint64_t num_pairs,
                                struct inspect_order *order)
{
    static const char prefix[] = "Elixir.";
    struct fields fields = {.looks = LOOK_TOKENS};
    struct cursor behind = name;
    if (cursor_left(&name) < sizeof prefix - 1 || memcmp(name.at, prefix, sizeof prefix - 1) != 0 ||
        !cursor_skip(&behind, sizeof prefix - 1))
        return INSPECT_AS_OTHERS;
    bool was_read = false;
    for (size_t i = 0; i < sizeof shown_structs / sizeof shown_structs[0]; i++) {
        if (!is_text(behind, shown_structs[i].name))
            continue;
        if (!read_fields(text, text->at, num_pairs, &fields))
            return INSPECT_AS_OTHERS;
        text_lend(text);
        const bool is_shown = shown_structs[i].show(text, &fields);
        text_resume(text);
        if (!is_shown)
            return INSPECT_AS_OTHERS;
        text->at = fields.end;
        text->first = false;
        return INSPECT_IS_WRITTEN;
    }
    for (size_t i = 0; i < sizeof ordered_structs / sizeof ordered_structs[0]; i++) {
        if (!is_text(behind, ordered_structs[i].name))
            continue;
        if (!was_read && !read_fields(text, text->at, num_pairs, &fields))
            return INSPECT_AS_OTHERS;
        was_read = true;
        if (find_order(&fields, ordered_structs[i].fields, order))
            return INSPECT_IN_ORDER;
    }
    return INSPECT_AS_OTHERS;
}
