/*
 * line_fit.c - see line_fit.h.
 */
#include "core/line_fit.h"

#include "core/column_width.h"

#include <string.h>

/* paint_len returns the length of a colour sequence at the beginning of a text, ESC [ digits and
 * semicolons m; 0: there is none. */
static size_t paint_len(struct ds_text text)
{
    size_t len = 2;
    if (text.len < 3 || text.data[0] != '\033' || text.data[1] != '[')
        return 0;
    while (len < text.len && ((text.data[len] >= '0' && text.data[len] <= '9') || text.data[len] == ';'))
        len++;
    return len < text.len && text.data[len] == 'm' ? len + 1 : 0;
}

/* first_character returns the length in bytes of the first character of a text, and adds its width to
 * *columns: 1 for invalid UTF-8, 0 for a colour sequence. */
static size_t first_character(struct ds_text text, unsigned *columns)
{
    uint32_t character;
    size_t len = paint_len(text);
    if (len != 0)
        return len;
    if ((unsigned char)text.data[0] < 0x80 || (len = ds_text_read_char(text, &character)) == 0) {
        ++*columns;
        return 1;
    }
    *columns += column_width(character);
    return len;
}

static struct ds_text rest_of(struct ds_text text, size_t at)
{
    return (struct ds_text){text.data + at, text.len - at};
}

unsigned line_columns(struct ds_text text)
{
    unsigned num = 0;
    for (size_t at = 0; at < text.len;)
        at += first_character(rest_of(text, at), &num);
    return num;
}

/* bytes_of returns the number of bytes in the first columns of a text, including the characters that
 * combine with the last one. */
static size_t bytes_of(struct ds_text text, unsigned columns)
{
    unsigned num = 0;
    for (size_t at = 0; at < text.len;) {
        const size_t len = first_character(rest_of(text, at), &num);
        if (num > columns)
            return at;
        at += len;
    }
    return text.len;
}

static bool is_of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.';
}

/* before_number goes back from a position within a number to its beginning. */
static size_t before_number(struct ds_text text, size_t at)
{
    while (at > 0 && at < text.len && is_of_number(text.data[at]) && is_of_number(text.data[at - 1]))
        at--;
    return at;
}

void line_shorten(struct ds_text text, unsigned columns, struct ds_buffer *out)
{
    static const char dots[] = "...";
    enum { DOTS = sizeof dots - 1 };
    if (line_columns(text) <= columns) {
        ds_buffer_add(out, text.data, text.len);
        return;
    }
    const unsigned room = columns > DOTS ? columns - DOTS : 0;
    ds_buffer_add(out, text.data, before_number(text, bytes_of(text, room)));
    ds_buffer_add(out, dots, columns < DOTS ? columns : DOTS);
}

static void pad(unsigned num, struct ds_buffer *out)
{
    while (num-- > 0)
        ds_buffer_add(out, " ", 1);
}

static size_t blanks_at(struct ds_text text)
{
    size_t num = 0;
    while (num < text.len && text.data[num] == ' ')
        num++;
    return num;
}

/* without_blanks returns the length without trailing blanks. */
static size_t without_blanks(const char *text, size_t len)
{
    while (len > 0 && text[len - 1] == ' ')
        len--;
    return len;
}

/* break_at returns the number of bytes before the line break in a text that is too wide, 0 if not even
 * its first character fits: up to the last blank, or a comma in the second half, as in terms, or the
 * limit, or a number there. */
static size_t break_at(struct ds_text text, unsigned columns)
{
    const size_t most = bytes_of(text, columns), least = blanks_at(text);
    size_t at = most;
    while (at > least && text.data[at] != ' ')
        at--;
    if (at > least)
        return at;
    for (at = most; at > least && at > most / 2; at--) {
        if (text.data[at - 1] == ',')
            return at;
    }
    at = before_number(text, most);
    return at > least ? at : most;
}

void line_wrap(struct ds_text text, unsigned first, unsigned indent, unsigned columns,
               struct ds_buffer *out)
{
    unsigned room = first < columns ? columns - first : 1, ignored = 0;
    if (indent > columns / 2)
        indent = columns / 2;
    while (bytes_of(text, room) < text.len) {
        size_t len = break_at(text, room);
        if (len == 0 && room >= columns - indent) /* it would not fit into the next line, either */
            len = first_character(text, &ignored);
        ds_buffer_add(out, text.data, without_blanks(text.data, len));
        text.data += len;
        text.len -= len;
        const size_t blanks = blanks_at(text);
        text.data += blanks;
        text.len -= blanks;
        if (text.len == 0)
            return;
        ds_buffer_add_text(out, "\n");
        pad(indent, out);
        room = columns - indent;
    }
    ds_buffer_add(out, text.data, text.len);
}

void lines_wrap(struct ds_text lines, unsigned columns, struct ds_buffer *out)
{
    while (lines.len != 0) {
        const char *end = memchr(lines.data, '\n', lines.len);
        const struct ds_text line = {lines.data, end != NULL ? (size_t)(end - lines.data) : lines.len};
        line_wrap(line, 0, (unsigned)blanks_at(line) + LINE_INDENT, columns, out);
        if (end == NULL)
            return;
        ds_buffer_add_text(out, "\n");
        lines.data += line.len + 1;
        lines.len -= line.len + 1;
    }
}
