/*
 * cells.h - a screen as cells, each with a character and a style. Views draw here, and do not
 * depend on a terminal: tests compare the cells as text, and tui_terminal.c shows them.
 *
 * All text on the screen is escaped with core/printable.h, so no cell contains a control character.
 * A text that is too wide is truncated, with an ellipsis.
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
    uint32_t character; /* 0: the second column of the wide character before it */
    uint8_t style;
};

/* The limits of a terminal's size; the rest of the terminal is unused. */
enum { CELLS_MAX_ROWS = 500, CELLS_MAX_COLUMNS = 1000 };

struct cells {
    unsigned rows, columns;
    struct cell *cell; /* rows * columns of them, row by row */
    bool ascii;        /* the terminal shows only ASCII: other characters are escaped, \x{2713} */
    struct ds_buffer scratch;
};

/* area is a part of the screen. */
struct area {
    unsigned row, column, rows, columns;
};

/* cells_resize sets the size of the screen, within the limits above, and clears it. False if memory
 * ran out: then the screen has no cells. cells_free releases it. */
bool cells_resize(struct cells *cells, unsigned rows, unsigned columns);
void cells_free(struct cells *cells);

void cells_clear(struct cells *cells);

/* cells_put writes a text into at most width columns, and returns how many it used. Columns outside
 * of the screen are left out. */
unsigned cells_put(struct cells *cells, unsigned row, unsigned column, unsigned width,
                   enum style style, struct ds_text text);
unsigned cells_put_string(struct cells *cells, unsigned row, unsigned column, unsigned width,
                          enum style style, const char *text);

/* cells_put_right does the same, aligned to the right. */
void cells_put_right(struct cells *cells, unsigned row, unsigned column, unsigned width,
                     enum style style, struct ds_text text);

/* cells_fill writes a character of one column into each of some columns. On a terminal with only
 * ASCII it writes plain instead. */
void cells_fill(struct cells *cells, unsigned row, unsigned column, unsigned width,
                enum style style, uint32_t character, char plain);

/* cells_paint changes only the style of some columns. */
void cells_paint(struct cells *cells, unsigned row, unsigned column, unsigned width, enum style style);

/* cells_width returns how many columns a text needs on this screen. */
unsigned cells_width(const struct cells *cells, struct ds_text text);

/* cells_print appends the screen as lines of text, without trailing blanks. */
void cells_print(const struct cells *cells, struct ds_buffer *out);

static inline struct ds_text cells_text(const struct ds_buffer *text)
{
    return (struct ds_text){text->len != 0 ? text->data : "", text->len};
}

#endif
