/*
 * tui_table.h - rows in columns, which scroll and can be sorted by any column; one row is selected.
 * A view fills the table again with each snapshot; the selected row is found again by its id.
 */
#ifndef SRC_TUI_TABLE_H
#define SRC_TUI_TABLE_H

#include "ui/tui/cells.h"
#include "ui/tui/requests.h"

enum { TUI_COLUMNS = 12 };

/* tui_column is a column: if they do not all fit, those of the highest rank are left out first. */
struct tui_column {
    const char *title;  /* NULL ends the list */
    bool is_number;     /* aligned to the right, sorted by number, the largest first */
    uint8_t rank;       /* 0: never left out */
    uint8_t least, most; /* width on the screen; most 0: no maximum */
};

struct tui_row {
    uint64_t id;
    uint32_t place; /* in the original order */
    uint8_t style;
    struct {
        uint32_t at, len; /* in text */
        int64_t number;
    } cell[TUI_COLUMNS];
};

struct tui_table {
    const struct tui_column *columns; /* set by the owner; the rest is zero at first */
    unsigned num_columns;
    struct ds_buffer text;
    struct tui_row *rows;
    size_t num, cap;
    bool no_memory;
    int sort_column; /* -1: the original order */
    bool is_turned;
    uint64_t selected; /* its id; 0: the user has not selected any, it is the first */
    size_t selected_at, top;
    unsigned shown; /* rows that fit when it was last drawn */
    unsigned ends[TUI_COLUMNS]; /* where columns ended then, from the left of the area */
};

/* tui_table_init sets the columns, and the column that it is sorted by at first, -1: none. */
void tui_table_init(struct tui_table *table, const struct tui_column *columns, int sort_column);
void tui_table_free(struct tui_table *table);

/* tui_table_new also allocates it, NULL if memory ran out; tui_table_delete frees it. */
struct tui_table *tui_table_new(const struct tui_column *columns, int sort_column);
void tui_table_delete(void *table);

/* A view fills the table between tui_table_begin and tui_table_end. If memory runs out, rows are
 * left out. */
void tui_table_begin(struct tui_table *table);
bool tui_table_add(struct tui_table *table, uint64_t id, enum style style);
void tui_table_put(struct tui_table *table, unsigned column, const char *text);
void tui_table_put_number(struct tui_table *table, unsigned column, int64_t number, const char *text);
void tui_table_end(struct tui_table *table);

/* tui_table_draw draws a title and rows. has_cursor: the selected row is marked. */
void tui_table_draw(struct tui_table *table, struct cells *cells, struct area area, bool has_cursor);

/* tui_table_request moves or sorts. False: a table does not answer this request. */
bool tui_table_request(struct tui_table *table, enum tui_request request);

/* tui_table_click selects the row at a position of the area that the table was drawn in, or sorts
 * by the column whose title is there. False: there is nothing. */
bool tui_table_click(struct tui_table *table, struct area area, unsigned row, unsigned column);

/* tui_table_selected returns the selected row, NULL if there are no rows. */
const struct tui_row *tui_table_selected(const struct tui_table *table);

/* tui_id hashes a text to an id. */
uint64_t tui_id(const char *text);

#endif
