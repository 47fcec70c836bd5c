/*
 * filter_parse.c - an expression of -Y becomes a program; see filter_program.h.
 *
 *   expression  test | '(' expression ')' | ('!' | not) expression
 *               | expression ('&&' | and) expression | expression ('||' | or) expression
 *   test        field [comparison value | (contains | matches) value
 *               | in '{' value {',' value} '}']
 *   comparison  == != < <= > >=, or eq ne lt le gt ge
 *   value       "text" | number [unit] | true | false
 *
 * ! binds tightest, then &&, then ||. Operators whose right side has not been read yet wait on a stack
 * of fixed size (Dijkstra's shunting yard), so that there is no recursion.
 */
#include "select/filter_program.h"

#include "core/habits.h"
#include "core/label_show.h"
#include "core/units.h"
#include "select/suggestion.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum waiting_kind { WAIT_PAREN, WAIT_NOT, WAIT_AND, WAIT_OR };

struct filter_waiting {
    enum waiting_kind kind;
    size_t at;   /* in the expression */
    size_t step; /* AND, OR: the jump whose target is not known yet */
};

struct filter_parser {
    const char *text;
    size_t len, at;
    const struct own_labels *own;
    struct filter *filter;
    struct filter_error *error;
    struct filter_waiting stack[FILTER_MAX_NESTING];
    size_t depth;
};

/* fail sets the error at a place; it returns false. */
__attribute__((format(printf, 3, 4))) static bool fail(struct filter_parser *p, size_t at,
                                                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->error->what, sizeof p->error->what, format, args);
    va_end(args);
    p->error->column = at + 1;
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_spaces(struct filter_parser *p)
{
    while (is_space(p->text[p->at]))
        p->at++;
}

/* peek_word returns the word at this place; its len is 0 if there is none. */
static struct ds_text peek_word(const struct filter_parser *p)
{
    const char *word = p->text + p->at;
    size_t len = 0;
    while (is_letter(word[len]) || (len != 0 && (is_digit(word[len]) || word[len] == '.')))
        len++;
    return (struct ds_text){word, len};
}

static bool is_word(struct ds_text word, const char *name)
{
    return strlen(name) == word.len && memcmp(name, word.data, word.len) == 0;
}

/* accept_sign consumes these characters if they are at this place. */
static bool accept_sign(struct filter_parser *p, const char *sign)
{
    size_t len = strlen(sign);
    if (strncmp(p->text + p->at, sign, len) != 0)
        return false;
    p->at += len;
    return true;
}

static bool accept_word(struct filter_parser *p, const char *name)
{
    if (!is_word(peek_word(p), name))
        return false;
    p->at += strlen(name);
    return true;
}

/* shown_len returns the length of the text at this place to show in an error: at most a few words. */
static int shown_len(const struct filter_parser *p)
{
    size_t len = p->len - p->at;
    return len < 24 ? (int)len : 24;
}

static bool expected(struct filter_parser *p, const char *what)
{
    if (p->at == p->len)
        return fail(p, p->at, "expected %s, not the end", what);
    return fail(p, p->at, "expected %s, not '%.*s'", what, shown_len(p), p->text + p->at);
}

/* Values. */

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* read_escape reads the characters after a backslash. */
static bool read_escape(struct filter_parser *p, char *out)
{
    static const char letters[] = "\\\"'nrt", meanings[] = "\\\"'\n\r\t";
    const char c = p->text[p->at];
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    if (letter != NULL) {
        *out = meanings[letter - letters];
        p->at++;
        return true;
    }
    int high = c == 'x' ? hex_value(p->text[p->at + 1]) : -1;
    int low = high >= 0 ? hex_value(p->text[p->at + 2]) : -1;
    if (low < 0)
        return fail(p, p->at - 1, "expected \\\\ \\\" \\' \\n \\r \\t or \\xHH");
    *out = (char)(high << 4 | low);
    p->at += 3;
    return true;
}

/* read_string copies the text to the pool, with a NUL after it. */
static bool read_string(struct filter_parser *p, struct ds_text *out)
{
    const size_t start = p->at;
    const char quote = p->text[p->at++];
    struct filter *f = p->filter;
    out->data = f->pool + f->pool_len;
    out->len = 0;
    for (char c; (c = p->text[p->at]) != quote;) {
        if (c == '\0')
            return fail(p, start, "this %c is not closed", quote);
        p->at++;
        if (c == '\\' && !read_escape(p, &c))
            return false;
        f->pool[f->pool_len++] = c;
        f->has_quote |= c == '\'';
        out->len++;
    }
    p->at++;
    f->pool[f->pool_len++] = '\0';
    return true;
}

static bool is_size(enum field_type type)
{
    return type == FIELD_SIZE;
}

static bool is_duration(enum field_type type)
{
    return type == FIELD_DURATION || type == FIELD_MICROSECONDS;
}

/* read_scale reads the unit of a number, if it has one. */
static bool read_scale(struct filter_parser *p, enum field_type type, size_t start, int64_t *scale)
{
    const struct ds_text word = peek_word(p);
    *scale = type == FIELD_MICROSECONDS ? 1000 : 1;
    if (word.len == 0)
        return type != FIELD_DURATION ||
               fail(p, start, "expected a duration with its unit, ns us ms s min h: 5ms");
    if ((is_size(type) && units_find(QUANTITY_SIZE, word.data, word.len, scale)) ||
        (is_duration(type) && units_find(QUANTITY_DURATION, word.data, word.len, scale))) {
        p->at += word.len;
        return true;
    }
    return is_size(type)       ? expected(p, "a unit of size, B KB MB GB KiB MiB GiB")
           : is_duration(type) ? expected(p, "a unit of time, ns us ms s min h")
                               : expected(p, "a number without unit");
}

enum { MAX_NEAR = 16 }; /* words of an expression that may be misspelt, and are checked */
enum { MAX_FRACTION = 1000000 }; /* of a fraction with six digits; further digits are ignored */

static bool read_number(struct filter_parser *p, enum field_type type, int64_t *out)
{
    const size_t start = p->at;
    const bool negative = accept_sign(p, "-");
    const bool is_hex = p->text[p->at] == '0' && p->text[p->at + 1] == 'x';
    const int base = is_hex ? 16 : 10;
    int64_t whole = 0, fraction = 0, weight = 1, scale;
    bool fits = true, has_fraction = false;
    p->at += is_hex ? 2 : 0;
    const size_t first = p->at;
    for (int digit; (digit = hex_value(p->text[p->at])) >= 0 && digit < base; p->at++)
        fits = fits && !__builtin_mul_overflow(whole, base, &whole) &&
               !__builtin_add_overflow(whole, digit, &whole);
    if (p->at == first)
        return expected(p, "a digit");
    if (!is_hex && p->text[p->at] == '.') {
        has_fraction = true;
        p->at++;
        if (!is_digit(p->text[p->at]))
            return expected(p, "a digit after the point");
        for (; is_digit(p->text[p->at]); p->at++) {
            if (weight < MAX_FRACTION) {
                fraction = fraction * 10 + (p->text[p->at] - '0');
                weight *= 10;
            }
        }
    }
    if (!read_scale(p, type, start, &scale))
        return false;
    if (has_fraction && scale == 1)
        return fail(p, start, "expected a whole number");
    if (!fits || __builtin_mul_overflow(whole, scale, &whole) ||
        __builtin_add_overflow(whole, fraction * scale / weight, &whole))
        return fail(p, start, "this number is too large");
    *out = negative ? -whole : whole;
    return true;
}

static const char time_form[] = "a time in UTC, \"2026-01-31T23:59:59.5Z\"";

/* read_time reads a UTC date-time of RFC 3339; its end may be missing. */
static bool read_time(struct filter_parser *p, int64_t *out)
{
    const size_t start = p->at;
    struct ds_text text;
    struct tm tm = {0};
    int used = 0;
    if (p->text[p->at] != '"' && p->text[p->at] != '\'')
        return expected(p, time_form);
    if (!read_string(p, &text))
        return false;
    if (sscanf(text.data, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
               &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &used) != 6 || used < 19)
        return fail(p, start, "expected %s", time_form);
    const char *at = text.data + used;
    int64_t fraction = 0, weight = 1000000000;
    if (*at == '.') {
        for (at++; is_digit(*at) && weight > 1; at++) {
            weight /= 10;
            fraction += (*at - '0') * weight;
        }
    }
    at += *at == 'Z';
    if (at != text.data + text.len || tm.tm_year < 1970 || tm.tm_year > 2261 || tm.tm_mon < 1 ||
        tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour < 0 ||
        tm.tm_hour > 23 || tm.tm_min < 0 || tm.tm_min > 59 || tm.tm_sec < 0 || tm.tm_sec > 60)
        return fail(p, start, "expected %s", time_form);
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    *out = (int64_t)timegm(&tm) * 1000000000 + fraction;
    return true;
}

static bool read_bool(struct filter_parser *p, int64_t *out)
{
    *out = accept_word(p, "true");
    return *out || accept_word(p, "false") || expected(p, "true or false");
}

static bool read_text(struct filter_parser *p, const struct filter_field *field, struct ds_text *out)
{
    const char c = p->text[p->at];
    if (c == '"' || c == '\'')
        return read_string(p, out);
    if (p->at == p->len || (!is_letter(c) && !is_digit(c)))
        return expected(p, "a text in quotes");
    return fail(p, p->at, "%s is text: quote it, \"%.*s\"", field->name, shown_len(p),
                p->text + p->at);
}

/* check_word reports a word that the field can never have. */
static bool check_word(struct filter_parser *p, size_t at, const struct filter_field *field,
                       const struct ds_text *text)
{
    const char *nearest;
    if (filter_word_check(field->words, p->own, *text, &nearest))
        return true;
    const int len = text->len < 40 ? (int)text->len : 40;
    if (nearest != NULL && nearest[0] != '\0')
        return fail(p, at, "there is no %s '%.*s': did you mean %s?", field->name, len, text->data,
                    nearest);
    char all[160];
    if (!filter_word_list(field->words, p->own, all, sizeof all))
        return fail(p, at, "there is no %s '%.*s': see the values that -T json shows", field->name, len,
                    text->data);
    return fail(p, at, "there is no %s '%.*s': use %s", field->name, len, text->data, all);
}

/* read_flags converts flags as they are shown, "0xdf7fbd", to a number. */
static void read_flags(struct literal *literal)
{
    const struct ds_text *text = &literal->text;
    char *end;
    if (text->len < 3 || text->len > 18 || memcmp(text->data, "0x", 2) != 0)
        return;
    const uint64_t flags = strtoull(text->data + 2, &end, 16);
    if (hex_value(text->data[2]) < 0 || end != text->data + text->len)
        return;
    literal->number = flags < INT64_MAX ? (int64_t)flags : INT64_MAX;
    literal->text = (struct ds_text){NULL, 0};
}

static bool make_regex(struct filter_parser *p, size_t at, struct literal *literal)
{
    struct regex_error error;
    if (strlen(literal->text.data) != literal->text.len)
        return fail(p, at, "a regular expression cannot contain NUL");
    literal->regex = match_regex_compile(literal->text.data, false, &error);
    if (literal->regex != NULL)
        return true;
    if (error.column != 0)
        return fail(p, at, "character %zu of the regular expression: %.120s", error.column,
                    error.what);
    *p->error = (struct filter_error){0, "out of memory"};
    return false;
}

/* read_label converts GenServer.call to the label that it means, which is not longer. */
static void read_label(struct filter *f, struct ds_text *text)
{
    char room[LABEL_ROOM];
    const struct ds_text label = label_read(*text, room);
    if (label.data != room || label.len > text->len)
        return;
    char *in_pool = f->pool + (text->data - f->pool);
    memcpy(in_pool, label.data, label.len);
    in_pool[label.len] = '\0';
    text->len = label.len;
}

/* read_value reads one value for a field. */
static bool read_value(struct filter_parser *p, const struct filter_field *field, enum test_kind test)
{
    struct literal *literal = &p->filter->literals[p->filter->num_literals];
    bool ok = false;
    skip_spaces(p);
    const size_t at = p->at;
    const char c = p->text[at];
    const bool is_number = is_digit(c) || c == '-';
    switch (field->type) {
    case FIELD_TEXT:
        ok = read_text(p, field, &literal->text);
        if (ok && field->words == filter_word_of_label && (test == TEST_EQ || test == TEST_NE))
            read_label(p->filter, &literal->text);
        ok = ok &&
             (field->words == NULL || (test != TEST_EQ && test != TEST_NE) ||
              check_word(p, at, field, &literal->text));
        break;
    case FIELD_TERM:
        ok = is_number && test != TEST_CONTAINS && test != TEST_MATCHES
                 ? read_number(p, field->type, &literal->number)
                 : read_text(p, field, &literal->text);
        if (ok && (test == TEST_EQ || test == TEST_NE) && strcmp(field->name, "flags") == 0)
            read_flags(literal);
        break;
    case FIELD_NUMBER:
    case FIELD_SIZE:
    case FIELD_DURATION:
    case FIELD_MICROSECONDS:
        if (is_number)
            ok = read_number(p, field->type, &literal->number);
        else if (p->at == p->len)
            ok = expected(p, "a number");
        else
            ok = fail(p, p->at, "%s is a %s: expected a number, not '%.*s'", field->name,
                      filter_type_name(field->type), shown_len(p), p->text + p->at);
        break;
    case FIELD_TIME:
        ok = read_time(p, &literal->number);
        break;
    case FIELD_BOOL:
        ok = read_bool(p, &literal->number);
        break;
    case FIELD_TYPE_COUNT:
        break;
    }
    if (ok && literal->text.data != NULL && test == TEST_EQ && field->words == NULL &&
        p->filter->num_near < MAX_NEAR) {
        literal->near = calloc(1, sizeof *literal->near); /* if it fails, nothing is reported */
        p->filter->num_near += literal->near != NULL;
    }
    p->filter->num_literals += ok;
    return ok && (test != TEST_MATCHES || make_regex(p, at, literal));
}

/* read_set reads '{' value {',' value} '}'. */
static bool read_set(struct filter_parser *p, const struct filter_field *field)
{
    skip_spaces(p);
    if (!accept_sign(p, "{"))
        return expected(p, "{ and the values, with a comma between them");
    do {
        if (!read_value(p, field, TEST_EQ))
            return false;
        skip_spaces(p);
    } while (accept_sign(p, ","));
    return accept_sign(p, "}") || expected(p, ", or }");
}

/* Tests. */

static const struct {
    const char *sign;
    enum test_kind test;
} signs[] = {
    {"==", TEST_EQ}, {"!=", TEST_NE}, {"<=", TEST_LE}, {">=", TEST_GE},
    {"<", TEST_LT},  {">", TEST_GT},
};

static const struct {
    const char *word;
    enum test_kind test;
} words[] = {
    {"eq", TEST_EQ}, {"ne", TEST_NE}, {"le", TEST_LE}, {"ge", TEST_GE},
    {"lt", TEST_LT}, {"gt", TEST_GT}, {"contains", TEST_CONTAINS},
    {"matches", TEST_MATCHES},
};

/* accept_comparison consumes the sign or word of a comparison; false if there is none. */
static bool accept_comparison(struct filter_parser *p, enum test_kind *test)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (accept_sign(p, signs[i].sign)) {
            *test = signs[i].test;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (accept_word(p, words[i].word)) {
            *test = words[i].test;
            return true;
        }
    }
    return false;
}

static bool test_allowed(struct filter_parser *p, const struct filter_field *field, enum test_kind test,
                         size_t at)
{
    const bool has_text = field->type == FIELD_TEXT || field->type == FIELD_TERM;
    if ((test == TEST_CONTAINS || test == TEST_MATCHES) && !has_text)
        return fail(p, at, "%s is a %s: %s needs a text", field->name,
                    filter_type_name(field->type),
                    test == TEST_MATCHES ? "matches" : "contains");
    if (field->type == FIELD_BOOL && test != TEST_EQ && test != TEST_NE)
        return fail(p, at, "%s is true or false: expected == or !=", field->name);
    return true;
}

static struct filter_step *add_step(struct filter_parser *p, enum filter_step_kind kind)
{
    struct filter_step *step = &p->filter->steps[p->filter->num_steps++];
    step->kind = kind;
    return step;
}

/* add_presence adds a field alone: it tests whether the record has the field; for a bool, whether it is
 * true. */
static void add_presence(struct filter_parser *p, struct filter_step *step)
{
    step->test = TEST_PRESENT;
    if (step->field->type == FIELD_BOOL) {
        step->test = TEST_EQ;
        p->filter->literals[p->filter->num_literals++].number = true;
        step->num_literals = 1;
    }
}

static bool unknown_field(struct filter_parser *p, struct ds_text name)
{
    const char *nearest = filter_field_nearest(name);
    const char *answer = habit_answer(HABIT_FIELD, name.data, name.len);
    const int len = name.len < 40 ? (int)name.len : 40;
    if (answer != NULL)
        return fail(p, p->at, "there is no field '%.*s': use %s", len, name.data, answer);
    if (nearest != NULL)
        return fail(p, p->at, "there is no field '%.*s': did you mean %s?", len, name.data,
                    nearest);
    return fail(p, p->at, "there is no field '%.*s': see --fields", len, name.data);
}

static bool read_test(struct filter_parser *p)
{
    const struct ds_text name = peek_word(p);
    if (name.len == 0)
        return expected(p, "a field");
    const struct filter_field *field = filter_field_find(name);
    if (field == NULL)
        return unknown_field(p, name);
    p->at += name.len;

    struct filter_step *step = add_step(p, STEP_TEST);
    step->field = field;
    step->first_literal = p->filter->num_literals;
    skip_spaces(p);
    const size_t at = p->at;
    if (accept_word(p, "in")) {
        step->test = TEST_EQ;
        if (!read_set(p, field))
            return false;
    } else if (accept_comparison(p, &step->test)) {
        if (!test_allowed(p, field, step->test, at) || !read_value(p, field, step->test))
            return false;
    } else if (p->text[p->at] == '=') {
        return fail(p, at, "expected ==, not =");
    } else {
        add_presence(p, step);
        return true;
    }
    step->num_literals = p->filter->num_literals - step->first_literal;
    return true;
}

/* Combinations of tests. */

static bool push(struct filter_parser *p, enum waiting_kind kind, size_t at, size_t step)
{
    if (p->depth == FILTER_MAX_NESTING)
        return fail(p, at, "nested deeper than %d", FILTER_MAX_NESTING);
    p->stack[p->depth++] = (struct filter_waiting){kind, at, step};
    return true;
}

/* reduce completes the operators that bind at least as tightly as kind. */
static void reduce(struct filter_parser *p, enum waiting_kind kind)
{
    for (; p->depth != 0; p->depth--) {
        const struct filter_waiting *top = &p->stack[p->depth - 1];
        if (top->kind == WAIT_PAREN || top->kind > kind)
            return;
        if (top->kind == WAIT_NOT)
            add_step(p, STEP_NOT);
        else
            p->filter->steps[top->step].target = p->filter->num_steps;
    }
}

static bool add_operator(struct filter_parser *p, enum waiting_kind kind, size_t at)
{
    reduce(p, kind);
    add_step(p, kind == WAIT_AND ? STEP_SKIP_IF_FALSE : STEP_SKIP_IF_TRUE);
    return push(p, kind, at, p->filter->num_steps - 1);
}

static bool close_paren(struct filter_parser *p, size_t at)
{
    reduce(p, WAIT_OR);
    if (p->depth == 0)
        return fail(p, at, "this ) has no matching (");
    p->depth--;
    return true;
}

/* read_operand reads a test, or something that may precede one. */
static bool read_operand(struct filter_parser *p, bool *complete)
{
    const size_t at = p->at;
    *complete = false;
    if (accept_sign(p, "("))
        return push(p, WAIT_PAREN, at, 0);
    if (accept_sign(p, "!") || accept_word(p, "not"))
        return push(p, WAIT_NOT, at, 0);
    *complete = true;
    return read_test(p);
}

/* read_operator reads something that may follow an operand. */
static bool read_operator(struct filter_parser *p, bool *complete)
{
    const size_t at = p->at;
    *complete = false;
    if (accept_sign(p, "&&") || accept_word(p, "and"))
        return add_operator(p, WAIT_AND, at);
    if (accept_sign(p, "||") || accept_word(p, "or"))
        return add_operator(p, WAIT_OR, at);
    *complete = true;
    if (accept_sign(p, ")"))
        return close_paren(p, at);
    return expected(p, "&& or ||");
}

static bool parse(struct filter_parser *p)
{
    bool complete = false; /* what was read so far is an expression */
    for (;;) {
        skip_spaces(p);
        if (complete && p->at == p->len)
            break;
        if (!(complete ? read_operator(p, &complete) : read_operand(p, &complete)))
            return false;
    }
    reduce(p, WAIT_OR);
    return p->depth == 0 || fail(p, p->stack[p->depth - 1].at, "this ( is not closed");
}

/* make_filter allocates a filter. One allocation of each kind is enough: each step and each literal has
 * at least one byte of the expression, and a text is shorter than its literal. */
static struct filter *make_filter(size_t len)
{
    struct filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL)
        return NULL;
    filter->steps = calloc(len + 1, sizeof *filter->steps);
    filter->literals = calloc(len + 1, sizeof *filter->literals);
    filter->pool = malloc(len + 1);
    if (filter->steps == NULL || filter->literals == NULL || filter->pool == NULL) {
        filter_free(filter);
        return NULL;
    }
    return filter;
}

struct filter *filter_parse(const char *text, const struct own_labels *own, struct filter_error *error)
{
    struct filter_parser p = {.text = text, .len = strlen(text), .own = own, .error = error};
    if (p.len > FILTER_MAX_LEN) {
        fail(&p, FILTER_MAX_LEN, "longer than %d bytes", FILTER_MAX_LEN);
        return NULL;
    }
    p.filter = make_filter(p.len);
    if (p.filter == NULL) {
        *error = (struct filter_error){0, "out of memory"};
        return NULL;
    }
    if (!parse(&p)) {
        filter_free(p.filter);
        return NULL;
    }
    return p.filter;
}
