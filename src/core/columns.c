/*
 * columns.c - see columns.h.
 */
#include "core/columns.h"

#include "core/line_fit.h"

#include <string.h>

/* text_of returns the text after the cells of a line, without its line end. */
static struct ds_text text_of(const char *text)
{
    const size_t len = strlen(text);
    return (struct ds_text){text, len - (len != 0 && text[len - 1] == '\n')};
}

void columns_fit(struct columns *columns, const char *line)
{
    for (size_t i = 0; columns->align[i] != '\0'; i++) {
        const char *end = strchr(line, '\t');
        if (end == NULL)
            return;
        const unsigned width = line_columns((struct ds_text){line, (size_t)(end - line)});
        if (width > columns->width[i])
            columns->width[i] = width < COLUMNS_WIDEST ? width : COLUMNS_WIDEST;
        line = end + 1;
    }
    const unsigned width = line_columns(text_of(line));
    if (width > columns->text_width)
        columns->text_width = width;
}

static void pad(unsigned num, struct ds_buffer *out)
{
    while (num-- > 0)
        ds_buffer_add(out, " ", 1);
}

/* go_on begins the continuation line of a row and returns the column reached. */
static unsigned go_on(struct ds_buffer *out)
{
    while (!out->failed && out->len != 0 && out->data[out->len - 1] == ' ')
        out->len--;
    ds_buffer_add_text(out, "\n");
    pad(LINE_INDENT, out);
    return LINE_INDENT;
}

/* print_text appends the text after the cells, which end at column `at`. */
static void print_text(const struct columns *columns, const char *line, unsigned at,
                       struct ds_buffer *out)
{
    const unsigned max = columns->line_width;
    const unsigned least =
        columns->text_width < COLUMNS_TEXT_LEAST ? columns->text_width : COLUMNS_TEXT_LEAST;
    struct ds_text text = text_of(line);
    const char *end = text.data + text.len;
    if (max == 0) {
        ds_buffer_add_text(out, line);
        return;
    }
    if (at > LINE_INDENT && at + least > max && at + line_columns(text) > max && text.len != 0) {
        at = go_on(out);
        for (; text.len != 0 && text.data[0] == ' '; text.len--)
            text.data++;
    }
    if (columns->shortens)
        line_shorten(text, at < max ? max - at : 0, out);
    else
        line_wrap(text, at, at + (text.len != 0 && text.data[0] == ' '), max, out);
    ds_buffer_add_text(out, end);
}

void columns_print(const struct columns *columns, const char *line, struct ds_buffer *out)
{
    unsigned at = 0;
    for (size_t i = 0; columns->align[i] != '\0'; i++) {
        const char *end = strchr(line, '\t');
        if (end == NULL)
            break;
        const struct ds_text cell = {line, (size_t)(end - line)};
        const unsigned wide = line_columns(cell);
        const unsigned width = columns->width[i] > wide ? columns->width[i] : wide;
        if (columns->line_width != 0 && at > LINE_INDENT && at + width > columns->line_width)
            at = go_on(out);
        if (columns->align[i] == 'r')
            pad(width - wide, out);
        ds_buffer_add(out, cell.data, cell.len);
        if (columns->align[i] != 'r')
            pad(width - wide, out);
        ds_buffer_add(out, " ", 1);
        at += width + 1;
        line = end + 1;
    }
    print_text(columns, line, at, out);
}

void columns_end_line(struct ds_buffer *lines)
{
    ds_buffer_add(lines, "\n", sizeof "\n");
}

void columns_fit_all(struct columns *columns, const struct ds_buffer *lines)
{
    if (lines->failed || lines->len == 0)
        return;
    for (const char *line = lines->data; line < lines->data + lines->len; line += strlen(line) + 1)
        columns_fit(columns, line);
}

void columns_print_all(const struct columns *columns, const struct ds_buffer *lines,
                       struct ds_buffer *out)
{
    out->failed |= lines->failed;
    if (lines->failed || lines->len == 0)
        return;
    for (const char *line = lines->data; line < lines->data + lines->len; line += strlen(line) + 1)
        columns_print(columns, line, out);
}
