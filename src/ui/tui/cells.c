/*
 * cells.c - see cells.h.
 */
#include "ui/tui/cells.h"

#include "core/column_width.h"
#include "core/printable.h"

#include <stdlib.h>
#include <string.h>

enum { ELLIPSIS = 0x2026 };

bool cells_resize(struct cells *cells, unsigned rows, unsigned columns)
{
    rows = rows > CELLS_MAX_ROWS ? CELLS_MAX_ROWS : rows;
    columns = columns > CELLS_MAX_COLUMNS ? CELLS_MAX_COLUMNS : columns;
    struct cell *cell = calloc((size_t)rows * columns + 1, sizeof *cell);
    free(cells->cell);
    cells->cell = cell;
    cells->rows = cell != NULL ? rows : 0;
    cells->columns = cell != NULL ? columns : 0;
    cells_clear(cells);
    return cell != NULL;
}

void cells_free(struct cells *cells)
{
    free(cells->cell);
    ds_buffer_free(&cells->scratch);
    *cells = (struct cells){0};
}

void cells_clear(struct cells *cells)
{
    const size_t num = (size_t)cells->rows * cells->columns;
    for (size_t i = 0; i < num; i++)
        cells->cell[i] = (struct cell){.character = ' ', .style = STYLE_PLAIN};
}

/* set writes one character, of one or two columns. A wide character that it half covers becomes a
 * blank. */
static void set(struct cells *cells, unsigned row, unsigned column, uint32_t character,
                unsigned width, enum style style)
{
    if (row >= cells->rows || column + width > cells->columns)
        return;
    struct cell *line = cells->cell + (size_t)row * cells->columns;
    if (line[column].character == 0 && column != 0)
        line[column - 1].character = ' ';
    if (column + width < cells->columns && line[column + width].character == 0)
        line[column + width].character = ' ';
    line[column] = (struct cell){character, (uint8_t)style};
    if (width == 2)
        line[column + 1] = (struct cell){0, (uint8_t)style};
}

/* escape escapes text for the screen. Characters without a column of their own are shown as their
 * number: in a cell they would combine with the one beside them. */
static struct ds_text escape(struct cells *cells, struct ds_text text)
{
    struct ds_buffer *out = &cells->scratch;
    bool is_plain = true;
    for (size_t i = 0; i < text.len && is_plain; i++)
        is_plain = text.data[i] >= 0x20 && text.data[i] < 0x7F;
    if (is_plain)
        return text;
    out->len = 0;
    printable_text(text, out);
    return cells_text(out);
}

/* next reads a character of an escaped text, and returns its width in columns; more than one if it
 * is shown as its number. */
static size_t next(const struct cells *cells, struct ds_text text, uint32_t *character,
                   unsigned *width, bool *by_number)
{
    size_t used = ds_text_read_char(text, character);
    if (used == 0) {
        *character = '?';
        used = 1;
    }
    *width = *character < 0x7F ? 1 : column_width(*character);
    *by_number = *width == 0 || (cells->ascii && *character > 0x7E);
    if (*by_number) {
        *width = 4; /* \x{} */
        for (uint32_t c = *character; c != 0; c >>= 4)
            ++*width;
    }
    return used;
}

unsigned cells_width(const struct cells *cells, struct ds_text text)
{
    struct ds_buffer out = {0};
    unsigned columns = 0, width;
    uint32_t character;
    bool by_number;
    printable_text(text, &out);
    struct ds_text rest = cells_text(&out);
    while (rest.len != 0) {
        const size_t used = next(cells, rest, &character, &width, &by_number);
        columns += width;
        rest.data += used;
        rest.len -= used;
    }
    ds_buffer_free(&out);
    return columns;
}

static void set_number(struct cells *cells, unsigned row, unsigned column, uint32_t character,
                       unsigned width, enum style style)
{
    static const char digits[] = "0123456789ABCDEF";
    set(cells, row, column, '\\', 1, style);
    set(cells, row, column + 1, 'x', 1, style);
    set(cells, row, column + 2, '{', 1, style);
    for (unsigned i = 0; i < width - 4; i++)
        set(cells, row, column + 3 + i, (uint8_t)digits[character >> 4 * (width - 5 - i) & 15], 1, style);
    set(cells, row, column + width - 1, '}', 1, style);
}

static void set_ellipsis(struct cells *cells, unsigned row, unsigned column, enum style style)
{
    set(cells, row, column, cells->ascii ? '~' : ELLIPSIS, 1, style);
}

unsigned cells_put(struct cells *cells, unsigned row, unsigned column, unsigned width,
                   enum style style, struct ds_text text)
{
    unsigned at = 0, taken, last = 0; /* last: where the ellipsis would go */
    uint32_t character;
    bool by_number;
    if (row >= cells->rows || column >= cells->columns)
        return 0;
    if (width > cells->columns - column)
        width = cells->columns - column;
    struct ds_text rest = escape(cells, text);
    while (rest.len != 0) {
        const size_t used = next(cells, rest, &character, &taken, &by_number);
        if (at + taken > width) {
            for (unsigned i = last; i < at; i++)
                set(cells, row, column + i, ' ', 1, style);
            if (width != 0)
                set_ellipsis(cells, row, column + last, style);
            return width;
        }
        if (by_number)
            set_number(cells, row, column + at, character, taken, style);
        else
            set(cells, row, column + at, character, taken, style);
        at += taken;
        if (at < width)
            last = at;
        rest.data += used;
        rest.len -= used;
    }
    return at;
}

unsigned cells_put_string(struct cells *cells, unsigned row, unsigned column, unsigned width,
                          enum style style, const char *text)
{
    return cells_put(cells, row, column, width, style, (struct ds_text){text, strlen(text)});
}

void cells_put_right(struct cells *cells, unsigned row, unsigned column, unsigned width,
                     enum style style, struct ds_text text)
{
    const unsigned taken = cells_width(cells, text);
    const unsigned before = taken < width ? width - taken : 0;
    cells_put(cells, row, column + before, width - before, style, text);
}

void cells_fill(struct cells *cells, unsigned row, unsigned column, unsigned width,
                enum style style, uint32_t character, char plain)
{
    for (unsigned i = 0; i < width && column + i < cells->columns; i++)
        set(cells, row, column + i, cells->ascii ? (uint32_t)plain : character, 1, style);
}

void cells_paint(struct cells *cells, unsigned row, unsigned column, unsigned width, enum style style)
{
    if (row >= cells->rows)
        return;
    for (unsigned i = column; i < cells->columns && i - column < width; i++)
        cells->cell[(size_t)row * cells->columns + i].style = (uint8_t)style;
}

void cells_print(const struct cells *cells, struct ds_buffer *out)
{
    for (unsigned row = 0; row < cells->rows; row++) {
        const struct cell *line = cells->cell + (size_t)row * cells->columns;
        unsigned end = cells->columns;
        while (end != 0 && line[end - 1].character == ' ')
            end--;
        for (unsigned i = 0; i < end; i++) {
            if (line[i].character != 0)
                ds_buffer_add_char(out, line[i].character);
        }
        ds_buffer_add_text(out, "\n");
    }
}
