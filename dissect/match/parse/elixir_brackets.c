/* elixir_brackets.c - opening and closing brackets in Elixir's patterns; see elixir_writer.h. */
#include "match/parse/elixir_writer.h"

bool elixir_read_map(struct elixir_writer *w)
{
    const size_t start = w->at++;
    const size_t module = alias_len(w->text + w->at), word = word_len(w->text + w->at, false);
    elixir_add(w, "#{");
    if (module != 0) {
        elixir_add(w, "'__struct__':=");
        elixir_add_atom(w, "Elixir.", w->text + w->at, module);
        w->at += module;
    } else if (word != 0) {
        elixir_add(w, "'__struct__':=");
        elixir_add(w, word == 1 && elixir_peek(w, 0) == '_' ? "" : "V_");
        elixir_add_bytes(w, w->text + w->at, word);
        w->at += word;
    }
    if (elixir_peek(w, 0) != '{')
        return elixir_fail(w, start, "expected %%{...} or %%Name{...}");
    w->at++;
    if (!elixir_push(w, OPEN_MAP, '}', "}"))
        return false;
    elixir_skip_spaces(w);
    if (module + word != 0 && elixir_peek(w, 0) != '}')
        elixir_add(w, ",");
    return true;
}

bool elixir_add_key(struct elixir_writer *w, const char *text, size_t len, size_t at)
{
    struct elixir_open *open = w->depth != 0 ? &w->open[w->depth - 1] : NULL;
    if (open == NULL || (open->kind != OPEN_MAP && open->kind != OPEN_LIST))
        return elixir_fail(w, at, "a key stands in a map or a list: %%{%.*s: ...}",
                           (int)(len < 40 ? len : 40), text);
    const bool in_list = open->kind == OPEN_LIST;
    elixir_add(w, in_list ? "{" : "");
    elixir_add_atom(w, "", text, len);
    elixir_add(w, in_list ? "," : ":=");
    open->in_pair = in_list;
    return true;
}

/* Functions that are written differently in Erlang. */
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

bool elixir_read_call(struct elixir_writer *w, size_t len)
{
    const char *word = w->text + w->at;
    size_t i = 0;
    const size_t num = sizeof functions / sizeof functions[0];
    while (i < num && !is_word(word, len, functions[i].word))
        i++;
    if (i == num) {
        elixir_add_bytes(w, word, len);
        elixir_add(w, "(");
    } else {
        elixir_add(w, functions[i].open);
    }
    w->at += len + 1;
    if (!elixir_push(w, i == num ? OPEN_PAREN : OPEN_OTHER, ')', i == num ? ")" : functions[i].ends))
        return false;
    struct elixir_open *open = &w->open[w->depth - 1];
    if (i != num)
        open->comma = functions[i].comma;
    open->is_elem = i != num && strcmp(functions[i].word, "elem") == 0;
    return true;
}

bool elixir_read_member(struct elixir_writer *w, bool is_not)
{
    const size_t start = w->at;
    struct ds_buffer *text = &w->out->text;
    char *operand = w->member;
    size_t len = text->len - w->operand;
    while (len != 0 && text->data[w->operand + len - 1] == ' ')
        len--;
    if (len == 0 || len >= sizeof w->member)
        return elixir_fail(w, start, "expected a variable or number before in");
    memcpy(operand, text->data + w->operand, len);
    operand[len] = '\0';
    text->len = w->operand;
    w->out->from.len = w->operand * sizeof(uint16_t);
    elixir_skip_spaces(w);
    elixir_add(w, is_not ? "(not (" : "((");
    if (elixir_peek(w, 0) == '[') {
        w->at++;
        elixir_add(w, operand);
        elixir_add(w, " =:= ");
        if (!elixir_push(w, OPEN_OTHER, ']', "))"))
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
        return elixir_fail(w, w->at, "expected [...] or a range like 1..10 behind in");
    elixir_add(w, "is_integer(");
    elixir_add(w, operand);
    elixir_add(w, ") andalso ");
    elixir_add(w, operand);
    elixir_add(w, " >= ");
    elixir_add_bytes(w, range, first);
    elixir_add(w, " andalso ");
    elixir_add(w, operand);
    elixir_add(w, " =< ");
    w->at += first + 2;
    elixir_add_bytes(w, w->text + w->at, last);
    w->at += last;
    elixir_add(w, "))");
    return true;
}

/* turn_elem rewrites element(Tuple,N as Erlang has it: element(N + 1,Tuple. */
static bool turn_elem(struct elixir_writer *w, const struct elixir_open *open)
{
    struct ds_buffer *text = &w->out->text, *from = &w->out->from, turned = {0};
    if (open->second == 0)
        return elixir_fail(w, w->at, "expected a tuple and an index: elem(tuple, 0)");
    ds_buffer_add_text(&turned, "(");
    ds_buffer_add(&turned, text->data + open->second, text->len - open->second);
    ds_buffer_add_text(&turned, ")+1,");
    ds_buffer_add(&turned, text->data + open->first, open->second - 1 - open->first);
    text->failed = text->failed || turned.failed;
    text->len = open->first;
    from->len = open->first * sizeof(uint16_t);
    elixir_add_bytes(w, turned.data, turned.len);
    ds_buffer_free(&turned);
    return true;
}

void elixir_end_pair(struct elixir_writer *w, struct elixir_open *open)
{
    if (open->kind == OPEN_LIST && open->in_pair)
        elixir_add(w, "}");
    if (open->kind == OPEN_LIST)
        open->in_pair = false;
}

bool elixir_read_comma(struct elixir_writer *w)
{
    struct elixir_open *open = w->depth != 0 ? &w->open[w->depth - 1] : NULL;
    if (open == NULL)
        return w->in_guard ? elixir_fail(w, w->at, "expected and, or, :: or the end, not ','")
                           : elixir_fail(w, w->at, "expected when, :: or the end, not ','");
    elixir_end_pair(w, open);
    if (open->is_member) { /* each is compared separately */
        elixir_add(w, " orelse ");
        elixir_add(w, w->member);
        elixir_add(w, " =:= ");
    } else if (open->comma == NULL) {
        return elixir_fail(w, w->at, "expected one argument: compare x.__struct__ by the pattern %%Name{}");
    } else {
        elixir_add(w, open->comma);
        if (open->is_elem)
            open->second = w->out->text.len;
    }
    w->at++;
    return true;
}

bool elixir_read_close(struct elixir_writer *w, char close)
{
    if (w->depth == 0 || w->open[w->depth - 1].close != close)
        return elixir_fail(w, w->at, "this %c closes nothing", close);
    struct elixir_open open = w->open[w->depth - 1];
    elixir_end_pair(w, &open);
    if (open.is_elem && !turn_elem(w, &open))
        return false;
    elixir_add(w, open.ends);
    w->depth--;
    w->at += close == '>' ? 2 : 1;
    w->operand = open.start;
    return true;
}
