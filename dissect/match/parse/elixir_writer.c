/* elixir_writer.c - see elixir_writer.h. */
#include "match/parse/elixir_writer.h"

#include <stdarg.h>
#include <stdio.h>

bool elixir_fail(struct elixir_writer *w, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->error->column = at + 1;
    vsnprintf(w->error->what, sizeof w->error->what, format, arguments);
    va_end(arguments);
    return false;
}

void elixir_add_bytes(struct elixir_writer *w, const char *bytes, size_t len)
{
    const uint16_t from = (uint16_t)w->at;
    ds_buffer_add(&w->out->text, bytes, len);
    for (size_t i = 0; i < len; i++)
        ds_buffer_add(&w->out->from, &from, sizeof from);
}

void elixir_add(struct elixir_writer *w, const char *text)
{
    elixir_add_bytes(w, text, strlen(text));
}

char elixir_peek(const struct elixir_writer *w, size_t ahead)
{
    const size_t len = strnlen(w->text + w->at, ahead + 1);
    return len > ahead ? w->text[w->at + ahead] : '\0';
}

void elixir_add_atom(struct elixir_writer *w, const char *prefix, const char *text, size_t len)
{
    elixir_add(w, "'");
    elixir_add(w, prefix);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'' || text[i] == '\\')
            elixir_add(w, "\\");
        elixir_add_bytes(w, &text[i], 1);
    }
    elixir_add(w, "'");
}

void elixir_skip_spaces(struct elixir_writer *w)
{
    while (elixir_peek(w, 0) == ' ' || elixir_peek(w, 0) == '\t' || elixir_peek(w, 0) == '\n') {
        elixir_add_bytes(w, " ", 1);
        w->at++;
    }
}

bool elixir_is_key(const struct elixir_writer *w, size_t len)
{
    const char *behind = w->text + w->at + len;
    return behind[0] == ':' && (behind[1] == ' ' || behind[1] == '\t' || behind[1] == '\n');
}

bool elixir_push(struct elixir_writer *w, enum elixir_open_kind kind, char close, const char *ends)
{
    if (w->depth == OPEN_MAX)
        return elixir_fail(w, w->at, "expected at most %d brackets in each other", (int)OPEN_MAX);
    w->open[w->depth++] = (struct elixir_open){.kind = (uint8_t)kind,
                                               .close = close,
                                               .ends = ends,
                                               .comma = ",",
                                               .start = w->operand,
                                               .first = w->out->text.len};
    return true;
}
