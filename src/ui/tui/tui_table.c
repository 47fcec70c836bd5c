/*
 * tui_table.c - see tui_table.h.
 */
#include "ui/tui/tui_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TABLE_ROWS = 16384 };

void tui_table_init(struct tui_table *table, const struct tui_column *columns, int sort_column)
{
    *table = (struct tui_table){.columns = columns, .sort_column = sort_column};
    while (columns[table->num_columns].title != NULL)
        table->num_columns++;
}

void tui_table_free(struct tui_table *table)
{
    ds_buffer_free(&table->text);
    free(table->rows);
    table->rows = NULL;
    table->num = table->cap = 0;
}

struct tui_table *tui_table_new(const struct tui_column *columns, int sort_column)
{
    struct tui_table *table = calloc(1, sizeof *table);
    if (table != NULL)
        tui_table_init(table, columns, sort_column);
    return table;
}

void tui_table_delete(void *table)
{
    tui_table_free(table);
    free(table);
}

uint64_t tui_id(const char *text)
{
    uint64_t id = 14695981039346656037u; /* FNV-1a: good enough for ids on the screen */
    for (; *text != '\0'; text++)
        id = (id ^ (uint8_t)*text) * 1099511628211u;
    return id;
}

void tui_table_begin(struct tui_table *table)
{
    table->num = 0;
    table->text.len = 0;
    if (table->text.failed)
        ds_buffer_free(&table->text);
    table->no_memory = false;
}

bool tui_table_add(struct tui_table *table, uint64_t id, enum style style)
{
    if (table->num == table->cap) {
        const size_t cap = table->cap != 0 ? 2 * table->cap : 64;
        struct tui_row *rows =
            cap > MAX_TABLE_ROWS ? NULL : realloc(table->rows, cap * sizeof *rows);
        if (rows == NULL) {
            table->no_memory = true;
            return false;
        }
        table->rows = rows;
        table->cap = cap;
    }
    table->rows[table->num] =
        (struct tui_row){.id = id, .place = (uint32_t)table->num, .style = (uint8_t)style};
    table->num++;
    return true;
}

void tui_table_put_number(struct tui_table *table, unsigned column, int64_t number, const char *text)
{
    struct tui_row *row = &table->rows[table->num - 1];
    const size_t at = table->text.len, len = strlen(text);
    ds_buffer_add(&table->text, text, len);
    if (table->text.failed) {
        table->no_memory = true;
        return;
    }
    row->cell[column].at = (uint32_t)at;
    row->cell[column].len = (uint32_t)len;
    row->cell[column].number = number;
}

void tui_table_put(struct tui_table *table, unsigned column, const char *text)
{
    tui_table_put_number(table, column, 0, text);
}

static struct ds_text text_of(const struct tui_table *table, const struct tui_row *row, unsigned column)
{
    return (struct ds_text){row->cell[column].len != 0 ? table->text.data + row->cell[column].at : "",
                            row->cell[column].len};
}

/* sort_key is a row with its key: qsort passes no context. */
struct sort_key {
    struct ds_text text;
    int64_t number;
    bool is_number, is_turned;
    struct tui_row row;
};

static int compare(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    int order;
    if (x->is_number) {
        order = (x->number < y->number) - (x->number > y->number);
    } else {
        const size_t len = x->text.len < y->text.len ? x->text.len : y->text.len;
        order = memcmp(x->text.data, y->text.data, len);
        if (order == 0)
            order = (x->text.len > y->text.len) - (x->text.len < y->text.len);
    }
    if (x->is_turned)
        order = -order;
    /* Equal rows stay in their original order, however they were sorted before. */
    return order != 0 ? order : (x->row.place > y->row.place) - (x->row.place < y->row.place);
}

static void sort(struct tui_table *table)
{
    if (table->num < 2)
        return;
    struct sort_key *keys = malloc(table->num * sizeof *keys);
    if (keys == NULL) {
        table->no_memory = true;
        return;
    }
    for (size_t i = 0; i < table->num; i++) {
        keys[i] = (struct sort_key){.is_turned = table->is_turned, .row = table->rows[i]};
        if (table->sort_column < 0) {
            keys[i].is_number = true;
            keys[i].number = -(int64_t)keys[i].row.place;
            continue;
        }
        const unsigned column = (unsigned)table->sort_column;
        keys[i].is_number = table->columns[column].is_number;
        keys[i].number = table->rows[i].cell[column].number;
        keys[i].text = text_of(table, &table->rows[i], column);
    }
    qsort(keys, table->num, sizeof *keys, compare);
    for (size_t i = 0; i < table->num; i++)
        table->rows[i] = keys[i].row;
    free(keys);
}

/* find_selected finds the row that was selected; if it is gone, the position stays. */
static void find_selected(struct tui_table *table)
{
    for (size_t i = 0; i < table->num && table->selected != 0; i++) {
        if (table->rows[i].id == table->selected) {
            table->selected_at = i;
            return;
        }
    }
    if (table->selected_at >= table->num)
        table->selected_at = table->num != 0 ? table->num - 1 : 0;
}

static void select_at(struct tui_table *table, size_t at)
{
    table->selected_at = at;
    if (at < table->num)
        table->selected = table->rows[at].id;
}

void tui_table_end(struct tui_table *table)
{
    sort(table);
    find_selected(table);
}

const struct tui_row *tui_table_selected(const struct tui_table *table)
{
    return table->selected_at < table->num ? &table->rows[table->selected_at] : NULL;
}

static bool move(struct tui_table *table, enum tui_request request)
{
    const size_t at = table->selected_at, last = table->num != 0 ? table->num - 1 : 0;
    const size_t page = table->shown > 1 ? table->shown - 1 : 1;
    switch (request) {
    case REQUEST_UP:
        select_at(table, at != 0 ? at - 1 : 0);
        return true;
    case REQUEST_DOWN:
        select_at(table, at < last ? at + 1 : last);
        return true;
    case REQUEST_PAGE_UP:
        select_at(table, at > page ? at - page : 0);
        return true;
    case REQUEST_PAGE_DOWN:
        select_at(table, last - at > page ? at + page : last);
        return true;
    case REQUEST_FIRST:
        select_at(table, 0);
        return true;
    case REQUEST_LAST:
        select_at(table, last);
        return true;
    default:
        return false;
    }
}

bool tui_table_request(struct tui_table *table, enum tui_request request)
{
    const int num = (int)table->num_columns;
    if (move(table, request))
        return true;
    if (request == REQUEST_SORT_RIGHT || request == REQUEST_SORT_LEFT) {
        const int step = request == REQUEST_SORT_RIGHT ? 1 : num - 1;
        table->sort_column = table->sort_column < 0 ? (step == 1 ? 0 : num - 1)
                                                    : (table->sort_column + step) % num;
        table->is_turned = false;
    } else if (request == REQUEST_SORT_TURN) {
        table->is_turned = !table->is_turned;
    } else {
        return false;
    }
    tui_table_end(table);
    return true;
}

/* column_layout is the widths of the columns, 0: left out. */
struct column_layout {
    unsigned width[TUI_COLUMNS];
};

static unsigned total_of(const struct tui_table *table, const struct column_layout *layout)
{
    unsigned total = 0;
    for (unsigned i = 0; i < table->num_columns; i++)
        total += layout->width[i] != 0 ? layout->width[i] + 1 : 0;
    return total != 0 ? total - 1 : 0;
}

/* leave_out removes the column of the highest rank. False: the remaining ones must stay. */
static bool leave_out(const struct tui_table *table, struct column_layout *layout)
{
    unsigned worst = table->num_columns;
    for (unsigned i = 0; i < table->num_columns; i++) {
        if (layout->width[i] != 0 && table->columns[i].rank != 0 &&
            (worst == table->num_columns || table->columns[i].rank >= table->columns[worst].rank))
            worst = i;
    }
    if (worst == table->num_columns)
        return false;
    layout->width[worst] = 0;
    return true;
}

/* find_wanted finds the width that each column needs for its present text, and its minimum. */
static void find_wanted(const struct tui_table *table, const struct cells *cells, size_t end,
                        struct column_layout *wanted, struct column_layout *least)
{
    for (unsigned i = 0; i < table->num_columns; i++) {
        const struct tui_column *column = &table->columns[i];
        unsigned width = (unsigned)strlen(column->title) + 1;
        width = width < column->least ? column->least : width;
        bool is_empty = column->rank != 0; /* an empty column needs no room */
        for (size_t row = table->top; row < end; row++) {
            const unsigned taken = cells_width(cells, text_of(table, &table->rows[row], i));
            width = taken > width ? taken : width;
            is_empty = is_empty && taken == 0;
        }
        width = column->most != 0 && width > column->most ? column->most : width;
        width = is_empty ? 0 : width;
        wanted->width[i] = width;
        least->width[i] = !column->is_number && column->least < width ? column->least : width;
    }
}

/* lay_out leaves columns out until the others fit at their minimum width, then narrows the widest
 * ones. */
static void lay_out(const struct tui_table *table, const struct cells *cells, unsigned columns,
                    size_t end, struct column_layout *layout)
{
    struct column_layout wanted, least;
    find_wanted(table, cells, end, &wanted, &least);
    while (total_of(table, &least) > columns && leave_out(table, &least))
        continue;
    for (unsigned i = 0; i < table->num_columns; i++)
        layout->width[i] = least.width[i] != 0 ? wanted.width[i] : 0;
    while (total_of(table, layout) > columns) {
        unsigned widest = table->num_columns;
        for (unsigned i = 0; i < table->num_columns; i++) {
            if (layout->width[i] > least.width[i] &&
                (widest == table->num_columns || layout->width[i] > layout->width[widest]))
                widest = i;
        }
        if (widest == table->num_columns)
            return;
        layout->width[widest]--;
    }
}

static void draw_title(const struct tui_table *table, struct cells *cells, struct area area,
                       const struct column_layout *layout)
{
    unsigned at = area.column;
    const unsigned end = area.column + area.columns;
    cells_fill(cells, area.row, area.column, area.columns, STYLE_TITLE, ' ', ' ');
    for (unsigned i = 0; i < table->num_columns && at < end; i++) {
        const struct tui_column *column = &table->columns[i];
        const bool is_sorted = table->sort_column == (int)i;
        char title[64];
        if (layout->width[i] == 0)
            continue;
        const bool ascends = column->is_number == table->is_turned;
        const char *mark = cells->ascii ? (ascends ? "^" : "v") : (ascends ? "▲" : "▼");
        const unsigned width = layout->width[i] < end - at ? layout->width[i] : end - at;
        const int len = snprintf(title, sizeof title, "%s%s", column->title, is_sorted ? mark : "");
        const struct ds_text text = {title, (size_t)len};
        if (column->is_number)
            cells_put_right(cells, area.row, at, width, STYLE_TITLE, text);
        else
            cells_put(cells, area.row, at, width, STYLE_TITLE, text);
        at += layout->width[i] + 1;
    }
}

static void draw_row(const struct tui_table *table, struct cells *cells, struct area area,
                     const struct column_layout *layout, const struct tui_row *row)
{
    unsigned at = area.column;
    const unsigned end = area.column + area.columns;
    for (unsigned i = 0; i < table->num_columns && at < end; i++) {
        if (layout->width[i] == 0)
            continue;
        const unsigned width = layout->width[i] < end - at ? layout->width[i] : end - at;
        if (table->columns[i].is_number)
            cells_put_right(cells, area.row, at, width, row->style, text_of(table, row, i));
        else
            cells_put(cells, area.row, at, width, row->style, text_of(table, row, i));
        at += layout->width[i] + 1;
    }
}

bool tui_table_click(struct tui_table *table, struct area area, unsigned row, unsigned column)
{
    if (row < area.row || row >= area.row + area.rows || column < area.column)
        return false;
    if (row > area.row) {
        const size_t at = table->top + (row - area.row - 1);
        if (at < table->num)
            select_at(table, at);
        return at < table->num;
    }
    unsigned i = 0;
    while (i < table->num_columns && column - area.column >= table->ends[i])
        i++;
    if (i == table->num_columns)
        return false;
    table->is_turned = table->sort_column == (int)i && !table->is_turned;
    table->sort_column = (int)i;
    tui_table_end(table);
    return true;
}

void tui_table_draw(struct tui_table *table, struct cells *cells, struct area area, bool has_cursor)
{
    struct column_layout layout;
    if (area.rows == 0)
        return;
    table->shown = area.rows - 1;
    if (!has_cursor)
        table->top = 0;
    else if (table->selected_at < table->top)
        table->top = table->selected_at;
    else if (table->shown != 0 && table->selected_at >= table->top + table->shown)
        table->top = table->selected_at - table->shown + 1;
    if (table->top + table->shown > table->num)
        table->top = table->num > table->shown ? table->num - table->shown : 0;
    const size_t room = table->top + table->shown, end = table->num < room ? table->num : room;
    lay_out(table, cells, area.columns, end, &layout);
    for (unsigned i = 0, at = 0; i < table->num_columns; i++) {
        at += layout.width[i] != 0 ? layout.width[i] + 1 : 0;
        table->ends[i] = at;
    }
    draw_title(table, cells, area, &layout);
    for (size_t i = table->top; i < end; i++) {
        struct area line = area;
        line.row += 1 + (unsigned)(i - table->top);
        draw_row(table, cells, line, &layout, &table->rows[i]);
        if (has_cursor && i == table->selected_at)
            cells_paint(cells, line.row, area.column, area.columns, STYLE_SELECTED);
    }
}
