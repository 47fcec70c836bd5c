/*
 * match_elixir.c - see match_elixir.h. Word by word: what is open stands on a stack of a fixed depth,
 * and says what a comma and the closing bracket mean there.
 */
#include "match_elixir.h"
#include "elixir_words.h"

#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum elixir_open_kind {
    OPEN_PAREN, /* ( { and all that is the same in both */
    OPEN_LIST,  /* [, in which key: value is a pair */
    OPEN_MAP,   /* %{ and %Name{ */
    OPEN_BITS,  /* << */
    OPEN_OTHER, /* a function that is an operator, or turned round, in Erlang */
};

struct elixir_open {
    uint8_t kind;
    char close;            /* how it ends here */
    bool in_pair;          /* of a list: a pair is open */
    bool is_member;        /* the list behind in */
    const char *ends;      /* and there */
    const char *comma;     /* what a comma is */
    size_t start;          /* where it begins in the output, its function with it */
    size_t first, second;  /* of elem: where its arguments begin in the output */
    bool is_elem;
};

enum { OPEN_MAX = DS_MATCH_MAX_NESTING };

struct writer {
    const char *text;
    size_t at;
    struct match_elixir *out;
    struct ds_match_error *error;
    struct elixir_open open[OPEN_MAX];
    size_t depth;
    size_t operand; /* where in the output the operand before this word begins */
    char member[128]; /* what stands before the in whose list is open */
    bool in_guard;
};

static bool fail(struct writer *w, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct writer *w, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->error->column = at + 1;
    vsnprintf(w->error->what, sizeof w->error->what, format, arguments);
    va_end(arguments);
    return false;
}

static void add_bytes(struct writer *w, const char *bytes, size_t len)
{
    const uint16_t from = (uint16_t)w->at;
    ds_buffer_add(&w->out->text, bytes, len);
    for (size_t i = 0; i < len; i++)
        ds_buffer_add(&w->out->from, &from, sizeof from);
}

static void add(struct writer *w, const char *text)
{
    add_bytes(w, text, strlen(text));
}

static char peek(const struct writer *w, size_t ahead)
{
    const size_t len = strnlen(w->text + w->at, ahead + 1);
    return len > ahead ? w->text[w->at + ahead] : '\0';
}

static void add_atom(struct writer *w, const char *prefix, const char *text, size_t len)
{
    add(w, "'");
    add(w, prefix);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'' || text[i] == '\\')
            add(w, "\\");
        add_bytes(w, &text[i], 1);
    }
    add(w, "'");
}

static void skip_spaces(struct writer *w)
{
    while (peek(w, 0) == ' ' || peek(w, 0) == '\t' || peek(w, 0) == '\n') {
        add_bytes(w, " ", 1);
        w->at++;
    }
}

/* add_quoted writes a text in quotes between such as Erlang has; *wide: it has other characters than
 * ASCII. */
static bool add_quoted(struct writer *w, char quote, bool *wide)
{
    const size_t start = w->at, len = quoted_len(w->text + start);
    *wide = false;
    if (len == 0)
        return fail(w, start, "this %c is never closed", w->text[start]);
    add_bytes(w, &quote, 1);
    for (w->at++; w->at < start + len - 1; w->at++) {
        const char c = peek(w, 0), next = peek(w, 1);
        if (c == '#' && next == '{')
            return fail(w, w->at, "nothing is put into a string here: write \\#{ for the characters");
        *wide = *wide || (uint8_t)c >= 0x80;
        if (c != '\\') {
            if (c == quote)
                add(w, "\\");
            add_bytes(w, &c, 1);
            continue;
        }
        w->at++;
        if (next == 'u') {
            *wide = true;
            const bool braces = peek(w, 1) == '{';
            const size_t digits = braces ? strcspn(w->text + w->at + 2, "}\"'") : 4;
            if (strnlen(w->text + w->at, 6) < 6 && !braces)
                return fail(w, w->at, "expected \\u and four digits, or \\u{...}");
            add(w, "\\x{");
            add_bytes(w, w->text + w->at + 1 + braces, digits);
            add(w, "}");
            w->at += digits + 2u * braces;
        } else if (next == 'a') {
            add(w, "\\x{7}");
        } else if (next == '0') {
            add(w, "\\x{0}");
        } else if (next == '#') {
            add(w, "#");
        } else {
            add(w, "\\");
            add_bytes(w, &next, 1);
        }
    }
    add_bytes(w, &quote, 1);
    w->at++;
    return true;
}

/* read_string writes "text", and "text" <> rest. */
static bool read_string(struct writer *w)
{
    bool wide;
    const bool in_bits = w->depth != 0 && w->open[w->depth - 1].kind == OPEN_BITS;
    add(w, in_bits ? "" : "<<");
    if (!add_quoted(w, '"', &wide))
        return false;
    add(w, wide ? "/utf8" : "");
    if (in_bits)
        return true;
    size_t ahead = 0;
    while (peek(w, ahead) == ' ')
        ahead++;
    if (peek(w, ahead) == '<' && peek(w, ahead + 1) == '>') {
        for (w->at += ahead + 2; peek(w, 0) == ' '; w->at++)
            continue;
        const size_t len = word_len(w->text + w->at, false);
        if (len == 0 || !is_lower(peek(w, 0)))
            return fail(w, w->at, "expected a variable behind <>");
        add(w, len == 1 && peek(w, 0) == '_' ? "," : ", V_");
        add_bytes(w, w->text + w->at, len);
        add(w, "/binary");
        w->at += len;
    }
    add(w, ">>");
    return true;
}

static bool push(struct writer *w, enum elixir_open_kind kind, char close, const char *ends)
{
    if (w->depth == OPEN_MAX)
        return fail(w, w->at, "expected at most %d brackets in each other", (int)OPEN_MAX);
    w->open[w->depth++] = (struct elixir_open){.kind = (uint8_t)kind,
                                               .close = close,
                                               .ends = ends,
                                               .comma = ",",
                                               .start = w->operand,
                                               .first = w->out->text.len};
    return true;
}

/* read_map writes %{, %Name{, %name{ and %_{. */
static bool read_map(struct writer *w)
{
    const size_t start = w->at++;
    const size_t module = alias_len(w->text + w->at), word = word_len(w->text + w->at, false);
    add(w, "#{");
    if (module != 0) {
        add(w, "'__struct__':=");
        add_atom(w, "Elixir.", w->text + w->at, module);
        w->at += module;
    } else if (word != 0) {
        add(w, "'__struct__':=");
        add(w, word == 1 && peek(w, 0) == '_' ? "" : "V_");
        add_bytes(w, w->text + w->at, word);
        w->at += word;
    }
    if (peek(w, 0) != '{')
        return fail(w, start, "expected %%{...} or %%Name{...}");
    w->at++;
    if (!push(w, OPEN_MAP, '}', "}"))
        return false;
    skip_spaces(w);
    if (module + word != 0 && peek(w, 0) != '}')
        add(w, ",");
    return true;
}

/* add_key writes what stands before the value of key: value. */
static bool add_key(struct writer *w, const char *text, size_t len, size_t at)
{
    struct elixir_open *open = w->depth != 0 ? &w->open[w->depth - 1] : NULL;
    if (open == NULL || (open->kind != OPEN_MAP && open->kind != OPEN_LIST))
        return fail(w, at, "a key stands in a map or a list: %%{%.*s: ...}", (int)(len < 40 ? len : 40),
                    text);
    const bool in_list = open->kind == OPEN_LIST;
    add(w, in_list ? "{" : "");
    add_atom(w, "", text, len);
    add(w, in_list ? "," : ":=");
    open->in_pair = in_list;
    return true;
}

/* is_key says whether a colon and a blank, or bracket, follow the word of that length. */
static bool is_key(const struct writer *w, size_t len)
{
    const char *behind = w->text + w->at + len;
    return behind[0] == ':' && (behind[1] == ' ' || behind[1] == '\t' || behind[1] == '\n');
}

/* read_function writes what may follow a module: .fun( .fun/2 .fun/_ .fun - all of it is the same in
 * Erlang but the dot. */
static bool read_function(struct writer *w)
{
    if (peek(w, 0) == ':' && is_lower(peek(w, 1)))
        return fail(w, w->at, "in Elixir a dot stands before a function: .%.*s",
                    (int)word_len(w->text + w->at + 1, true), w->text + w->at + 1);
    if (peek(w, 0) != '.')
        return true;
    w->at++;
    add(w, ":");
    if (peek(w, 0) == '"') {
        bool wide;
        return add_quoted(w, '\'', &wide);
    }
    const size_t len = word_len(w->text + w->at, true);
    if (len == 0 || !is_lower(peek(w, 0)))
        return fail(w, w->at, "expected the name of a function behind the dot");
    if (len == 1 && peek(w, 0) == '_')
        add(w, "_");
    else
        add_atom(w, "", w->text + w->at, len);
    w->at += len;
    if (peek(w, 0) == '/' && peek(w, 1) == '_')
        w->at += 2; /* any arity: as without one */
    return true;
}

/* read_atom writes :foo, :"foo bar" and :+. */
static bool read_atom(struct writer *w)
{
    static const char operators[] = "+-*/<>=!&|^~";
    bool wide;
    const size_t start = w->at++;
    if (peek(w, 0) == '"') {
        if (!add_quoted(w, '\'', &wide))
            return false;
    } else {
        size_t len = word_len(w->text + w->at, true);
        if (len == 0)
            len = strspn(w->text + w->at, operators);
        if (len == 0 || is_digit(peek(w, 0)))
            return fail(w, start, "expected an atom behind the colon");
        add_atom(w, "", w->text + w->at, len);
        w->at += len;
    }
    return read_function(w);
}

static bool read_alias(struct writer *w)
{
    const size_t len = alias_len(w->text + w->at);
    add_atom(w, strncmp(w->text + w->at, "Elixir.", 7) == 0 ? "" : "Elixir.", w->text + w->at, len);
    w->at += len;
    return read_function(w);
}

/* What is called otherwise in Erlang. */
static const struct {
    const char *word, *open, *comma, *ends;
} functions[] = {
    {"is_nil", "(nil =:= (", ",", "))"},
    {"is_struct", "is_map_key('__struct__',", NULL, ")"},
    {"is_exception", "is_map_key('__exception__',", NULL, ")"},
    {"div", "((", ") div (", "))"},
    {"rem", "((", ") rem (", "))"},
    {"elem", "element(", ",", ")"},
};

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* read_call opens fun( in a guard. */
static bool read_call(struct writer *w, size_t len)
{
    const char *word = w->text + w->at;
    size_t i = 0;
    const size_t num = sizeof functions / sizeof functions[0];
    while (i < num && !is_word(word, len, functions[i].word))
        i++;
    if (i == num) {
        add_bytes(w, word, len);
        add(w, "(");
    } else {
        add(w, functions[i].open);
    }
    w->at += len + 1;
    if (!push(w, i == num ? OPEN_PAREN : OPEN_OTHER, ')', i == num ? ")" : functions[i].ends))
        return false;
    struct elixir_open *open = &w->open[w->depth - 1];
    if (i != num)
        open->comma = functions[i].comma;
    open->is_elem = i != num && strcmp(functions[i].word, "elem") == 0;
    return true;
}

/* read_member writes operand in [1, 2] and operand in 1..10, behind in. */
static bool read_member(struct writer *w, bool is_not)
{
    const size_t start = w->at;
    struct ds_buffer *text = &w->out->text;
    char *operand = w->member;
    size_t len = text->len - w->operand;
    while (len != 0 && text->data[w->operand + len - 1] == ' ')
        len--;
    if (len == 0 || len >= sizeof w->member)
        return fail(w, start, "expected a variable or number before in");
    memcpy(operand, text->data + w->operand, len);
    operand[len] = '\0';
    text->len = w->operand;
    w->out->from.len = w->operand * sizeof(uint16_t);
    skip_spaces(w);
    add(w, is_not ? "(not (" : "((");
    if (peek(w, 0) == '[') {
        w->at++;
        add(w, operand);
        add(w, " =:= ");
        if (!push(w, OPEN_OTHER, ']', "))"))
            return false;
        w->open[w->depth - 1].is_member = true;
        return true;
    }
    const char *range = w->text + w->at;
    const size_t first = strspn(range, "-0123456789_");
    const size_t last = strncmp(range + first, "..", 2) == 0
                            ? strspn(range + first + 2, "-0123456789_")
                            : 0;
    if (first == 0 || last == 0)
        return fail(w, w->at, "expected [...] or a range like 1..10 behind in");
    add(w, "is_integer(");
    add(w, operand);
    add(w, ") andalso ");
    add(w, operand);
    add(w, " >= ");
    add_bytes(w, range, first);
    add(w, " andalso ");
    add(w, operand);
    add(w, " =< ");
    w->at += first + 2;
    add_bytes(w, w->text + w->at, last);
    w->at += last;
    add(w, "))");
    return true;
}

/* read_number writes 1_000, 0xFF, 0b101, 1.5e3. */
static void read_number(struct writer *w)
{
    const char base = peek(w, 0) == '0' ? peek(w, 1) : '\0';
    if (base == 'x' || base == 'o' || base == 'b') {
        add(w, base == 'x' ? "16#" : base == 'o' ? "8#" : "2#");
        w->at += 2;
    }
    for (bool has_point = false;; w->at++) {
        const char c = peek(w, 0);
        const bool is_point = c == '.' && is_digit(peek(w, 1)) && !has_point;
        has_point = has_point || is_point;
        if (!is_part(c) && !is_point && !((c == '-' || c == '+') && w->text[w->at - 1] == 'e'))
            break;
        if (c != '_')
            add_bytes(w, &c, 1);
    }
}

/* read_types writes what follows :: in <<...>>: a size, types, or size(n), parted by -. */
static bool read_types(struct writer *w)
{
    struct ds_buffer types = {0};
    bool ok = true;
    skip_spaces(w);
    while (ok) {
        const char *word = w->text + w->at;
        size_t len = word_len(word, false);
        if (len == 0)
            break;
        if (is_digit(word[0])) {
            add(w, ":");
            add_bytes(w, word, len);
        } else if (is_word(word, len, "size") && word[len] == '(') {
            const size_t inside = word_len(word + len + 1, false);
            ok = inside != 0 && word[len + 1 + inside] == ')';
            if (!ok)
                break;
            add(w, is_digit(word[len + 1]) ? ":" : ":V_");
            add_bytes(w, word + len + 1, inside);
            len += inside + 2;
        } else {
            if (is_word(word, len, "unit") && word[len] == '(') {
                const size_t inside = strcspn(word + len, ")");
                ds_buffer_add(&types, types.len == 0 ? "/unit:" : "-unit:", 6);
                ds_buffer_add(&types, word + len + 1, inside != 0 ? inside - 1 : 0);
                len += inside + (word[len + inside] == ')');
            } else {
                ds_buffer_add(&types, types.len == 0 ? "/" : "-", 1);
                if (is_word(word, len, "bitstring"))
                    ds_buffer_add(&types, "bits", 4);
                else
                    ds_buffer_add(&types, word, len);
            }
        }
        w->at += len;
        if (peek(w, 0) != '-')
            break;
        w->at++;
    }
    if (types.len != 0)
        add_bytes(w, types.data, types.len);
    w->out->text.failed = w->out->text.failed || types.failed;
    ds_buffer_free(&types);
    return ok || fail(w, w->at, "expected size(n)");
}

/* read_word writes a word of small letters: a key, a function, an operator, or a variable. */
static bool read_word(struct writer *w)
{
    static const struct {
        const char *elixir, *erlang;
    } words[] = {
        {"and", "andalso"}, {"or", "orelse"}, {"not", "not"},  {"nil", "nil"},
        {"true", "true"},   {"false", "false"},
    };
    const char *word = w->text + w->at;
    const size_t len = word_len(word, true), plain = word_len(word, false);
    if (is_key(w, len)) {
        const bool ok = add_key(w, word, len, w->at);
        w->at += len + 1;
        return ok;
    }
    if (is_word(word, plain, "when")) {
        w->in_guard = true;
        add(w, "when");
        w->at += plain;
        return true;
    }
    if (w->in_guard && is_word(word, plain, "in")) {
        w->at += plain;
        return read_member(w, false);
    }
    if (w->in_guard && is_word(word, plain, "not") && strncmp(word + plain, " in ", 4) == 0) {
        w->at += plain + 3;
        return read_member(w, true);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!is_word(word, plain, words[i].elixir))
            continue;
        add(w, words[i].erlang);
        w->at += plain;
        return true;
    }
    if (word[plain] == '(' && w->in_guard)
        return read_call(w, plain);
    if (word[plain] == '(')
        return fail(w, w->at, "expected a function with its module: Mod.%.*s(...)",
                    (int)(plain < 40 ? plain : 40), word);
    add(w, plain == 1 && word[0] == '_' ? "" : "V_");
    for (size_t i = 0; i < plain; i++)
        add_bytes(w, word[i] == '?' || word[i] == '!' ? "_" : &word[i], 1);
    w->at += plain;
    return true;
}

/* turn_elem makes of element(Tuple,N what Erlang has: element(N + 1,Tuple. */
static bool turn_elem(struct writer *w, const struct elixir_open *open)
{
    struct ds_buffer *text = &w->out->text, *from = &w->out->from, turned = {0};
    if (open->second == 0)
        return fail(w, w->at, "expected a tuple and an index: elem(tuple, 0)");
    ds_buffer_add_text(&turned, "(");
    ds_buffer_add(&turned, text->data + open->second, text->len - open->second);
    ds_buffer_add_text(&turned, ")+1,");
    ds_buffer_add(&turned, text->data + open->first, open->second - 1 - open->first);
    text->failed = text->failed || turned.failed;
    text->len = open->first;
    from->len = open->first * sizeof(uint16_t);
    add_bytes(w, turned.data, turned.len);
    ds_buffer_free(&turned);
    return true;
}

static void end_pair(struct writer *w, struct elixir_open *open)
{
    if (open->kind == OPEN_LIST && open->in_pair)
        add(w, "}");
    if (open->kind == OPEN_LIST)
        open->in_pair = false;
}

static bool read_comma(struct writer *w)
{
    struct elixir_open *open = w->depth != 0 ? &w->open[w->depth - 1] : NULL;
    if (open == NULL)
        return w->in_guard ? fail(w, w->at, "expected and, or, :: or the end, not ','")
                           : fail(w, w->at, "expected when, :: or the end, not ','");
    end_pair(w, open);
    if (open->is_member) { /* each is compared by itself */
        add(w, " orelse ");
        add(w, w->member);
        add(w, " =:= ");
    } else if (open->comma == NULL) {
        return fail(w, w->at, "expected one argument: compare x.__struct__ by the pattern %%Name{}");
    } else {
        add(w, open->comma);
        if (open->is_elem)
            open->second = w->out->text.len;
    }
    w->at++;
    return true;
}

static bool read_close(struct writer *w, char close)
{
    if (w->depth == 0 || w->open[w->depth - 1].close != close)
        return fail(w, w->at, "this %c closes nothing", close);
    struct elixir_open open = w->open[w->depth - 1];
    end_pair(w, &open);
    if (open.is_elem && !turn_elem(w, &open))
        return false;
    add(w, open.ends);
    w->depth--;
    w->at += close == '>' ? 2 : 1;
    w->operand = open.start;
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

static bool read_sign(struct writer *w)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strncmp(w->text + w->at, signs[i].elixir, strlen(signs[i].elixir)) != 0)
            continue;
        if (signs[i].erlang == NULL)
            return fail(w, w->at, "%s cannot stand in a pattern", signs[i].elixir);
        if (signs[i].elixir[0] == '|' && signs[i].elixir[1] == '\0' && w->depth != 0)
            end_pair(w, &w->open[w->depth - 1]);
        add(w, signs[i].erlang);
        w->at += strlen(signs[i].elixir);
        return true;
    }
    return fail(w, w->at, "'%.*s' has no meaning here", peek(w, 0) != '\0', w->text + w->at);
}

/* read_actions writes what follows :: at the end: return, and those that show something more. */
static bool read_actions(struct writer *w)
{
    add(w, "->");
    w->at += 2;
    add_bytes(w, w->text + w->at, strlen(w->text + w->at));
    w->at += strlen(w->text + w->at);
    return true;
}

static bool read_next(struct writer *w)
{
    const char c = peek(w, 0), next = peek(w, 1);
    const bool in_bits = w->depth != 0 && w->open[w->depth - 1].kind == OPEN_BITS;
    bool wide;
    if (c == ':' && next == ':') {
        if (w->depth == 0)
            return read_actions(w);
        if (!in_bits)
            return fail(w, w->at, ":: stands in <<...>>, or at the end: :: return");
        w->at += 2;
        return read_types(w);
    }
    if (c == '-' && next == '>' && w->depth == 0)
        return read_actions(w);
    if (c == '<' && next == '<' && peek(w, 2) != '<') {
        add(w, "<<");
        w->at += 2;
        return push(w, OPEN_BITS, '>', ">>");
    }
    if (c == '>' && next == '>' && in_bits)
        return read_close(w, '>');
    switch (c) {
    case '"':
        if (quoted_len(w->text + w->at) != 0 && is_key(w, quoted_len(w->text + w->at))) {
            const size_t len = quoted_len(w->text + w->at), at = w->at;
            w->at += len + 1;
            return add_key(w, w->text + at + 1, len - 2, at);
        }
        return read_string(w);
    case '\'':
        return add_quoted(w, '"', &wide);
    case '~':
        if (next == 'c' && peek(w, 2) == '"') {
            w->at += 2;
            return add_quoted(w, '"', &wide);
        }
        return fail(w, w->at, "sigils cannot stand in a pattern: write %%Date{year: 2026}, for one");
    case '%':
        return read_map(w);
    case ':':
        return read_atom(w);
    case '^':
        w->at++;
        return is_lower(peek(w, 0)) ? read_word(w) : fail(w, w->at, "expected a variable behind ^");
    case '?':
        if (next == '\0' || (next == '\\' && peek(w, 2) == '\0'))
            return fail(w, w->at, "expected a character behind ?");
        add(w, "$");
        add_bytes(w, w->text + w->at + 1, next == '\\' ? 2 : 1);
        w->at += next == '\\' ? 3 : 2;
        return true;
    case ',':
        return read_comma(w);
    case '(':
    case '{':
    case '[':
        w->operand = w->out->text.len;
        add_bytes(w, &c, 1);
        w->at++;
        return c == '[' ? push(w, OPEN_LIST, ']', "]")
                        : push(w, OPEN_PAREN, c == '(' ? ')' : '}', c == '(' ? ")" : "}");
    case ')':
    case '}':
    case ']':
        return read_close(w, c);
    case '=':
        if (next == '>') {
            w->at += 2;
            add(w, ":=");
            return true;
        }
        return read_sign(w);
    default:
        break;
    }
    if (is_digit(c)) {
        read_number(w);
        return true;
    }
    if (is_upper(c)) {
        const size_t len = word_len(w->text + w->at, false);
        if (is_key(w, len)) {
            const bool ok = add_key(w, w->text + w->at, len, w->at);
            w->at += len + 1;
            return ok;
        }
        return read_alias(w);
    }
    return is_lower(c) ? read_word(w) : read_sign(w);
}

/* begins_operand says whether a word may be what in looks for. */
static bool begins_operand(char c)
{
    return is_part(c) || c == ':' || c == '"';
}

bool match_elixir_write(const char *text, struct match_elixir *out, struct ds_match_error *error)
{
    struct writer w = {.text = text, .out = out, .error = error};
    *out = (struct match_elixir){0};
    while (text[w.at] != '\0' && !out->text.failed && !out->from.failed) {
        skip_spaces(&w);
        const char c = peek(&w, 0);
        const bool is_in = strncmp(text + w.at, "in ", 3) == 0 || strncmp(text + w.at, "in[", 3) == 0 ||
                           strncmp(text + w.at, "not in ", 7) == 0;
        if (begins_operand(c) && !is_in)
            w.operand = out->text.len;
        if (c != '\0' && !read_next(&w))
            return false;
    }
    if (w.depth != 0)
        return fail(&w, w.at, "expected %c, not the end", w.open[w.depth - 1].close);
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

void match_elixir_place(const struct match_elixir *out, const char *text,
                        struct ds_match_error *error)
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
