/*
 * cells.h - a screen as cells, each with a character and a style. Views draw here, and know no
 * terminal: tests compare what they draw as text, and tui_terminal.c shows it.
 *
 * Whatever is put on the screen goes through the escaper (core/printable.h), so no cell holds a
 * control character. A text that is wider than its place is cut, and an ellipsis says so.
 */
#ifndef SRC_CELLS_H
#define SRC_CELLS_H

#include <distsniff/term.h>

enum style {
#define STYLE(id, colour, attributes) STYLE_##id,
#include "ui/tui/styles.def"
#undef STYLE
    STYLE_COUNT
};

struct cell {
    uint32_t character; /* 0: the second column of the wide one before it */
    uint8_t style;
};

/* What a terminal may claim as its size; more is not used. */
enum { CELLS_MAX_ROWS = 500, CELLS_MAX_COLUMNS = 1000 };

struct cells {
    unsigned rows, columns;
    struct cell *cell; /* rows * columns of them, row by row */
    bool ascii;        /* the terminal shows nothing else: other characters are escaped, \x{2713} */
    struct ds_buffer scratch;
};

/* area is a part of the screen. */
struct area {
    unsigned row, column, rows, columns;
};

/* cells_resize gives the screen a size, within the bounds above, and clears it. False when memory ran
 * out: then the screen has no cells. cells_free releases it. */
bool cells_resize(struct cells *cells, unsigned rows, unsigned columns);
void cells_free(struct cells *cells);

void cells_clear(struct cells *cells);

/* cells_put writes a text into at most width columns, and returns how many it took. What lies beyond
 * the screen is left out. */
unsigned cells_put(struct cells *cells, unsigned row, unsigned column, unsigned width,
                   enum style style, struct ds_text text);
unsigned cells_put_string(struct cells *cells, unsigned row, unsigned column, unsigned width,
                          enum style style, const char *text);

/* cells_put_right does so at the right end of the columns. */
void cells_put_right(struct cells *cells, unsigned row, unsigned column, unsigned width,
                     enum style style, struct ds_text text);

/* cells_fill writes a character of one column into each of some columns. Of a terminal with ASCII alone
 * it writes plain instead. */
void cells_fill(struct cells *cells, unsigned row, unsigned column, unsigned width,
                enum style style, uint32_t character, char plain);

/* cells_paint changes the style of some columns alone. */
void cells_paint(struct cells *cells, unsigned row, unsigned column, unsigned width, enum style style);

/* cells_width says how many columns a text takes on this screen. */
unsigned cells_width(const struct cells *cells, struct ds_text text);

/* cells_print appends the screen as lines of text, without the blanks at their ends. */
void cells_print(const struct cells *cells, struct ds_buffer *out);

static inline struct ds_text cells_text(const struct ds_buffer *text)
{
    return (struct ds_text){text->len != 0 ? text->data : "", text->len};
}

#endif
