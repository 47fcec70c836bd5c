/* elixir_values.c - single values in Elixir's patterns; see elixir_writer.h. */
#include "match/parse/elixir_writer.h"

/* hex_len returns how many hexadecimal digits begin here, at most max. */
static size_t hex_len(const char *text, size_t max)
{
    size_t len = 0;
    while (len < max && text[len] != '\0' && strchr("0123456789abcdefABCDEF", text[len]) != NULL)
        len++;
    return len;
}

/* add_code_point writes \uABCD and \u{10ABCD}; w->at is on the backslash, and is left on the last
 * character. */
static bool add_code_point(struct elixir_writer *w)
{
    const char *digits = w->text + w->at + 2;
    const bool braces = digits[0] == '{';
    const size_t len = hex_len(digits + braces, braces ? 6 : 4);
    if (braces ? len == 0 || digits[1 + len] != '}' : len != 4)
        return elixir_fail(w, w->at, "expected \\u and four digits, or \\u{...}");
    elixir_add(w, "\\x{");
    elixir_add_bytes(w, digits + braces, len);
    elixir_add(w, "}");
    w->at += 1 + len + 2u * braces;
    return true;
}

/* add_escape writes the character for a backslash and next. */
static bool add_escape(struct elixir_writer *w, char next, bool *wide)
{
    if (next == 'u') {
        *wide = true;
        return add_code_point(w);
    }
    w->at++;
    if (next == 'a') {
        elixir_add(w, "\\x{7}");
    } else if (next == '0') {
        elixir_add(w, "\\x{0}");
    } else if (next == '#') {
        elixir_add(w, "#");
    } else {
        elixir_add(w, "\\");
        elixir_add_bytes(w, &next, 1);
    }
    return true;
}

bool elixir_add_quoted(struct elixir_writer *w, char quote, bool *wide)
{
    const size_t start = w->at, len = quoted_len(w->text + start);
    *wide = false;
    if (len == 0)
        return elixir_fail(w, start, "this %c is not closed", w->text[start]);
    elixir_add_bytes(w, &quote, 1);
    for (w->at++; w->at < start + len - 1; w->at++) {
        const char c = elixir_peek(w, 0), next = elixir_peek(w, 1);
        if (c == '#' && next == '{')
            return elixir_fail(w, w->at,
                               "nothing is put into a string here: write \\#{ for the characters");
        *wide = *wide || (uint8_t)c >= 0x80;
        if (c != '\\') {
            if (c == quote)
                elixir_add(w, "\\");
            elixir_add_bytes(w, &c, 1);
            continue;
        }
        if (!add_escape(w, next, wide))
            return false;
    }
    elixir_add_bytes(w, &quote, 1);
    w->at++;
    return true;
}

bool elixir_read_string(struct elixir_writer *w)
{
    bool wide;
    const bool in_bits = w->depth != 0 && w->open[w->depth - 1].kind == OPEN_BITS;
    elixir_add(w, in_bits ? "" : "<<");
    if (!elixir_add_quoted(w, '"', &wide))
        return false;
    elixir_add(w, wide ? "/utf8" : "");
    if (in_bits)
        return true;
    size_t ahead = 0;
    while (elixir_peek(w, ahead) == ' ')
        ahead++;
    if (elixir_peek(w, ahead) == '<' && elixir_peek(w, ahead + 1) == '>') {
        for (w->at += ahead + 2; elixir_peek(w, 0) == ' '; w->at++)
            continue;
        const size_t len = word_len(w->text + w->at, false);
        if (len == 0 || !is_lower(elixir_peek(w, 0)))
            return elixir_fail(w, w->at, "expected a variable behind <>");
        elixir_add(w, len == 1 && elixir_peek(w, 0) == '_' ? "," : ", V_");
        elixir_add_bytes(w, w->text + w->at, len);
        elixir_add(w, "/binary");
        w->at += len;
    }
    elixir_add(w, ">>");
    return true;
}

/* read_function writes the part after a module: .fun( .fun/2 .fun/_ .fun - except for the dot, all
 * of it is the same in Erlang. */
static bool read_function(struct elixir_writer *w)
{
    if (elixir_peek(w, 0) == ':' && is_lower(elixir_peek(w, 1)))
        return elixir_fail(w, w->at, "in Elixir a dot stands before a function: .%.*s",
                    (int)word_len(w->text + w->at + 1, true), w->text + w->at + 1);
    if (elixir_peek(w, 0) != '.')
        return true;
    w->at++;
    elixir_add(w, ":");
    if (elixir_peek(w, 0) == '"') {
        bool wide;
        return elixir_add_quoted(w, '\'', &wide);
    }
    const size_t len = word_len(w->text + w->at, true);
    if (len == 0 || !is_lower(elixir_peek(w, 0)))
        return elixir_fail(w, w->at, "expected the name of a function behind the dot");
    if (len == 1 && elixir_peek(w, 0) == '_')
        elixir_add(w, "_");
    else
        elixir_add_atom(w, "", w->text + w->at, len);
    w->at += len;
    if (elixir_peek(w, 0) == '/' && elixir_peek(w, 1) == '_')
        w->at += 2; /* any arity: the same as none */
    return true;
}

bool elixir_read_atom(struct elixir_writer *w)
{
    static const char operators[] = "+-*/<>=!&|^~";
    bool wide;
    const size_t start = w->at++;
    if (elixir_peek(w, 0) == '"') {
        if (!elixir_add_quoted(w, '\'', &wide))
            return false;
    } else {
        size_t len = word_len(w->text + w->at, true);
        if (len == 0)
            len = strspn(w->text + w->at, operators);
        if (len == 0 || is_digit(elixir_peek(w, 0)))
            return elixir_fail(w, start, "expected an atom behind the colon");
        elixir_add_atom(w, "", w->text + w->at, len);
        w->at += len;
    }
    return read_function(w);
}

bool elixir_read_alias(struct elixir_writer *w)
{
    const size_t len = alias_len(w->text + w->at);
    elixir_add_atom(w, strncmp(w->text + w->at, "Elixir.", 7) == 0 ? "" : "Elixir.", w->text + w->at, len);
    w->at += len;
    return read_function(w);
}

void elixir_read_number(struct elixir_writer *w)
{
    const char base = elixir_peek(w, 0) == '0' ? elixir_peek(w, 1) : '\0';
    if (base == 'x' || base == 'o' || base == 'b') {
        elixir_add(w, base == 'x' ? "16#" : base == 'o' ? "8#" : "2#");
        w->at += 2;
    }
    for (bool has_point = false;; w->at++) {
        const char c = elixir_peek(w, 0);
        const bool is_point = c == '.' && is_digit(elixir_peek(w, 1)) && !has_point;
        has_point = has_point || is_point;
        if (!is_part(c) && !is_point && !((c == '-' || c == '+') && w->text[w->at - 1] == 'e'))
            break;
        if (c != '_')
            elixir_add_bytes(w, &c, 1);
    }
}

bool elixir_read_types(struct elixir_writer *w)
{
    struct ds_buffer types = {0};
    bool ok = true;
    elixir_skip_spaces(w);
    while (ok) {
        const char *word = w->text + w->at;
        size_t len = word_len(word, false);
        if (len == 0)
            break;
        if (is_digit(word[0])) {
            elixir_add(w, ":");
            elixir_add_bytes(w, word, len);
        } else if (is_word(word, len, "size") && word[len] == '(') {
            const size_t inside = word_len(word + len + 1, false);
            ok = inside != 0 && word[len + 1 + inside] == ')';
            if (!ok)
                break;
            elixir_add(w, is_digit(word[len + 1]) ? ":" : ":V_");
            elixir_add_bytes(w, word + len + 1, inside);
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
        if (elixir_peek(w, 0) != '-')
            break;
        w->at++;
    }
    if (types.len != 0)
        elixir_add_bytes(w, types.data, types.len);
    w->out->text.failed = w->out->text.failed || types.failed;
    ds_buffer_free(&types);
    return ok || elixir_fail(w, w->at, "expected size(n)");
}
