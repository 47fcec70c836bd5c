/*
 * columns.c - see columns.h.
 */
#include "columns.h"

#include <string.h>

/* count_chars counts those of UTF-8 by the bytes that begin one. */
static unsigned count_chars(const char *text, size_t len)
{
    unsigned num = 0;
    for (size_t i = 0; i < len; i++)
        num += ((unsigned char)text[i] & 0xc0) != 0x80;
    return num;
}

void columns_fit(struct columns *columns, const char *line)
{
    for (size_t i = 0; columns->align[i] != '\0'; i++) {
        const char *end = strchr(line, '\t');
        if (end == NULL)
            return;
        const unsigned width = count_chars(line, (size_t)(end - line));
        if (width > columns->width[i])
            columns->width[i] = width < COLUMNS_WIDEST ? width : COLUMNS_WIDEST;
        line = end + 1;
    }
}

static void pad(unsigned num, struct ds_buffer *out)
{
    while (num-- > 0)
        ds_buffer_add(out, " ", 1);
}

void columns_print(const struct columns *columns, const char *line, struct ds_buffer *out)
{
    for (size_t i = 0; columns->align[i] != '\0'; i++) {
        const char *end = strchr(line, '\t');
        if (end == NULL)
            break;
        const size_t len = (size_t)(end - line);
        const unsigned chars = count_chars(line, len);
        const unsigned gap = columns->width[i] > chars ? columns->width[i] - chars : 0;
        if (columns->align[i] == 'r')
            pad(gap, out);
        ds_buffer_add(out, line, len);
        if (columns->align[i] != 'r')
            pad(gap, out);
        ds_buffer_add(out, " ", 1);
        line = end + 1;
    }
    ds_buffer_add_text(out, line);
}
