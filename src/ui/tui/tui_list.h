/*
 * tui_list.h - a table of a book: one row for each of the book's rows. A view that shows one uses a
 * tui_list_kind, and the functions here.
 */
#ifndef SRC_TUI_LIST_H
#define SRC_TUI_LIST_H

#include "ui/tui/tui_facts.h"
#include "ui/tui/tui_page.h"
#include "ui/tui/tui_table.h"

struct tui_list_kind {
    const struct tui_column *columns;
    int sort_column; /* at first; -1: the book's order */
    enum tui_book book;
    const char *rows; /* the key of the list in the book */
    const char *all;  /* the key of their total number, NULL: the book has all rows */
    const char *what; /* the noun for the rows, "links" */
    /* id returns what identifies a row; 0: the row is not shown. */
    uint64_t (*id)(const cJSON *row);
    enum style (*style)(const struct tui_facts *facts, const cJSON *row);
    void (*put)(struct tui_table *table, const struct tui_facts *facts, const cJSON *row);
    void (*page)(struct tui_page *page, const struct tui_facts *facts, const cJSON *row);
    /* fill adds rows that are each made from several of the book's, and replaces the members above
     * except page; NULL: not used. */
    void (*fill)(struct tui_table *table, const struct tui_facts *facts);
    struct tui_target (*target)(const cJSON *row); /* what the row can open; NULL: row_kind and its id */
    enum tui_target_kind row_kind;
};

struct tui_list {
    const struct tui_list_kind *kind;
    struct tui_table table;
    uint64_t num_told; /* rows of the book */
    uint64_t num_all;  /* total number, if the book does not have all; otherwise 0 */
};

void tui_list_init(struct tui_list *list, const struct tui_list_kind *kind);
void tui_list_free(struct tui_list *list);
void tui_list_fill(struct tui_list *list, const struct tui_facts *facts);
void tui_list_draw_part(struct tui_list *list, struct cells *cells, struct area area, bool has_cursor);

/* tui_list_target returns what the selected row can open. */
struct tui_target tui_list_target(const struct tui_list *list, const struct tui_facts *facts);

/* tui_list_request moves, sorts, or opens the page of a row. */
bool tui_list_request(struct tui_list *list, const struct tui_facts *facts, enum tui_request request,
                      struct tui_page *page);

/* The functions of a view that is one list: pass its kind to tui_list_new. */
void *tui_list_new(const struct tui_list_kind *kind);
void tui_list_close(void *list);
void tui_list_update(void *list, const struct tui_facts *facts);
void tui_list_draw(void *list, const struct tui_facts *facts, struct cells *cells, struct area area);
bool tui_list_answer(void *list, const struct tui_facts *facts, enum tui_request request,
                     struct tui_page *page);
struct tui_target tui_list_selected(const void *list, const struct tui_facts *facts);
bool tui_list_click(void *list, const struct tui_facts *facts, struct area area, unsigned row,
                    unsigned column);

/* tui_list_put_rates puts the bytes per second of a row over the last second, ten seconds and minute
 * into this column and the next two, and nothing if no packets come. */
void tui_list_put_rates(struct tui_table *table, unsigned column, const struct tui_facts *facts,
                        const struct tui_rates *rates, uint64_t id);

#endif
