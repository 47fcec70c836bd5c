/*
 * match_elixir.c - see match_elixir.h, and elixir_writer.h for the parts. It works word by word;
 * the open brackets on the stack determine what a comma and a closing bracket mean.
 */
#include "match/parse/elixir_writer.h"

#include <stdio.h>

/* read_word writes a word of small letters: a key, a function, an operator, or a variable. */
static bool read_word(struct elixir_writer *w)
{
    static const struct {
        const char *elixir, *erlang;
    } words[] = {
        {"and", "andalso"}, {"or", "orelse"}, {"not", "not"},  {"nil", "nil"},
        {"true", "true"},   {"false", "false"},
    };
    const char *word = w->text + w->at;
    const size_t len = word_len(word, true), plain = word_len(word, false);
    if (elixir_is_key(w, len)) {
        const bool ok = elixir_add_key(w, word, len, w->at);
        w->at += len + 1;
        return ok;
    }
    if (is_word(word, plain, "when")) {
        w->in_guard = true;
        elixir_add(w, "when");
        w->at += plain;
        return true;
    }
    if (w->in_guard && is_word(word, plain, "in")) {
        w->at += plain;
        return elixir_read_member(w, false);
    }
    if (w->in_guard && is_word(word, plain, "not") && strncmp(word + plain, " in ", 4) == 0) {
        w->at += plain + 3;
        return elixir_read_member(w, true);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!is_word(word, plain, words[i].elixir))
            continue;
        elixir_add(w, words[i].erlang);
        w->at += plain;
        return true;
    }
    if (word[plain] == '(' && w->in_guard)
        return elixir_read_call(w, plain);
    if (word[plain] == '(')
        return elixir_fail(w, w->at, "expected a function with its module: Mod.%.*s(...)",
                    (int)(plain < 40 ? plain : 40), word);
    elixir_add(w, plain == 1 && word[0] == '_' ? "" : "V_");
    for (size_t i = 0; i < plain; i++)
        elixir_add_bytes(w, word[i] == '?' || word[i] == '!' ? "_" : &word[i], 1);
    w->at += plain;
    return true;
}

/* Signs, the longest first. */
static const struct {
    const char *elixir, *erlang;
} signs[] = {
    {"!==", "=/="}, {"===", "=:="}, {"&&&", " band "}, {"|||", " bor "}, {"<<<", " bsl "},
    {">>>", " bsr "}, {"!=", "/="}, {"==", "=="},      {"<=", "=<"},     {">=", ">="},
    {"->", "->"},    {"&&", NULL},  {"||", NULL},      {"..", NULL},     {"<", "<"},
    {">", ">"},      {"=", "="},    {"+", "+"},        {"-", "-"},       {"*", "*"},
    {"/", "/"},      {"|", "|"},    {"!", NULL},       {";", NULL},      {"~", NULL},
};

static bool read_sign(struct elixir_writer *w)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strncmp(w->text + w->at, signs[i].elixir, strlen(signs[i].elixir)) != 0)
            continue;
        if (signs[i].erlang == NULL)
            return elixir_fail(w, w->at, "%s cannot stand in a pattern", signs[i].elixir);
        if (signs[i].elixir[0] == '|' && signs[i].elixir[1] == '\0' && w->depth != 0)
            elixir_end_pair(w, &w->open[w->depth - 1]);
        elixir_add(w, signs[i].erlang);
        w->at += strlen(signs[i].elixir);
        return true;
    }
    return elixir_fail(w, w->at, "'%.*s' has no meaning here", elixir_peek(w, 0) != '\0', w->text + w->at);
}

/* read_actions writes the words after :: at the end, such as return. */
static bool read_actions(struct elixir_writer *w)
{
    elixir_add(w, "->");
    w->at += 2;
    elixir_add_bytes(w, w->text + w->at, strlen(w->text + w->at));
    w->at += strlen(w->text + w->at);
    return true;
}

/* read_pair reads a word that begins with these two characters; *is_pair is false if none does. */
static bool read_pair(struct elixir_writer *w, char c, char next, bool *is_pair)
{
    const bool in_bits = w->depth != 0 && w->open[w->depth - 1].kind == OPEN_BITS;
    *is_pair = true;
    if (c == ':' && next == ':') {
        if (w->depth == 0)
            return read_actions(w);
        if (!in_bits)
            return elixir_fail(w, w->at, ":: stands in <<...>>, or at the end: :: return");
        w->at += 2;
        return elixir_read_types(w);
    }
    if (c == '-' && next == '>' && w->depth == 0)
        return read_actions(w);
    if (c == '<' && next == '<' && elixir_peek(w, 2) != '<') {
        elixir_add(w, "<<");
        w->at += 2;
        return elixir_push(w, OPEN_BITS, '>', ">>");
    }
    if (c == '>' && next == '>' && in_bits)
        return elixir_read_close(w, '>');
    *is_pair = false;
    return true;
}

/* read_name reads a word that begins with a letter, or a sign. */
static bool read_name(struct elixir_writer *w, char c)
{
    if (is_upper(c)) {
        const size_t len = word_len(w->text + w->at, false);
        if (elixir_is_key(w, len)) {
            const bool ok = elixir_add_key(w, w->text + w->at, len, w->at);
            w->at += len + 1;
            return ok;
        }
        return elixir_read_alias(w);
    }
    return is_lower(c) ? read_word(w) : read_sign(w);
}

/* read_character translates ?x to $x. */
static bool read_character(struct elixir_writer *w, char next)
{
    if (next == '\0' || (next == '\\' && elixir_peek(w, 2) == '\0'))
        return elixir_fail(w, w->at, "expected a character behind ?");
    elixir_add(w, "$");
    elixir_add_bytes(w, w->text + w->at + 1, next == '\\' ? 2 : 1);
    w->at += next == '\\' ? 3 : 2;
    return true;
}

static bool read_next(struct elixir_writer *w)
{
    const char c = elixir_peek(w, 0), next = elixir_peek(w, 1);
    bool wide, is_pair;
    const bool ok = read_pair(w, c, next, &is_pair);
    if (is_pair)
        return ok;
    switch (c) {
    case '"':
        if (quoted_len(w->text + w->at) != 0 && elixir_is_key(w, quoted_len(w->text + w->at))) {
            const size_t len = quoted_len(w->text + w->at), at = w->at;
            w->at += len + 1;
            return elixir_add_key(w, w->text + at + 1, len - 2, at);
        }
        return elixir_read_string(w);
    case '\'':
        return elixir_add_quoted(w, '"', &wide);
    case '~':
        if (next == 'c' && elixir_peek(w, 2) == '"') {
            w->at += 2;
            return elixir_add_quoted(w, '"', &wide);
        }
        return elixir_fail(w, w->at, "sigils cannot stand in a pattern: write %%Date{year: 2026}, for one");
    case '%':
        return elixir_read_map(w);
    case ':':
        return elixir_read_atom(w);
    case '^':
        w->at++;
        return is_lower(elixir_peek(w, 0)) ? read_word(w)
                                           : elixir_fail(w, w->at, "expected a variable behind ^");
    case '?':
        return read_character(w, next);
    case ',':
        return elixir_read_comma(w);
    case '(':
    case '{':
    case '[':
        w->operand = w->out->text.len;
        elixir_add_bytes(w, &c, 1);
        w->at++;
        return c == '[' ? elixir_push(w, OPEN_LIST, ']', "]")
                        : elixir_push(w, OPEN_PAREN, c == '(' ? ')' : '}', c == '(' ? ")" : "}");
    case ')':
    case '}':
    case ']':
        return elixir_read_close(w, c);
    case '=':
        if (next == '>') {
            w->at += 2;
            elixir_add(w, ":=");
            return true;
        }
        return read_sign(w);
    default:
        break;
    }
    if (is_digit(c)) {
        elixir_read_number(w);
        return true;
    }
    return read_name(w, c);
}

/* begins_operand says whether a word may be the left side of in. */
static bool begins_operand(char c)
{
    return is_part(c) || c == ':' || c == '"';
}

bool match_elixir_write(const char *text, struct match_elixir *out, struct ds_match_error *error)
{
    struct elixir_writer w = {.text = text, .out = out, .error = error};
    *out = (struct match_elixir){0};
    while (text[w.at] != '\0' && !out->text.failed && !out->from.failed) {
        elixir_skip_spaces(&w);
        const char c = elixir_peek(&w, 0);
        const bool is_in = strncmp(text + w.at, "in ", 3) == 0 || strncmp(text + w.at, "in[", 3) == 0 ||
                           strncmp(text + w.at, "not in ", 7) == 0;
        if (begins_operand(c) && !is_in)
            w.operand = out->text.len;
        if (c != '\0' && !read_next(&w))
            return false;
    }
    if (w.depth != 0)
        return elixir_fail(&w, w.at, "expected %c, not the end", w.open[w.depth - 1].close);
    ds_buffer_add(&out->text, "", 1);
    if (!out->text.failed && !out->from.failed)
        return true;
    *error = (struct ds_match_error){0, "out of memory"};
    return false;
}

void match_elixir_free(struct match_elixir *out)
{
    ds_buffer_free(&out->text);
    ds_buffer_free(&out->from);
}

void match_elixir_place(const struct match_elixir *out, const char *text, struct ds_match_error *error)
{
    uint16_t from;
    if (error->column == 0)
        return;
    const size_t at = (error->column - 1) * sizeof from;
    size_t place = strlen(text);
    if (at + sizeof from <= out->from.len) {
        memcpy(&from, out->from.data + at, sizeof from);
        place = from;
    }
    error->column = place + 1;
    char *word = strstr(error->what, ", not '");
    if (word == NULL || text[place] == '\0')
        return;
    const size_t len = word_len(text + place, true);
    snprintf(word, (size_t)(error->what + sizeof error->what - word), ", not '%.*s'",
             (int)(len == 0 ? 1 : len < 24 ? len : 24), text + place);
}
