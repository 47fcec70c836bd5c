/*
 * tui_list.c - see tui_list.h.
 */
#include "ui/tui/tui_list.h"

#include "ui/tui/tui_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void tui_list_init(struct tui_list *list, const struct tui_list_kind *kind)
{
    *list = (struct tui_list){.kind = kind};
    tui_table_init(&list->table, kind->columns, kind->sort_column);
}

void tui_list_free(struct tui_list *list)
{
    tui_table_free(&list->table);
}

static const cJSON *rows_of(const struct tui_list_kind *kind, const struct tui_facts *facts)
{
    return told_list(facts->snapshot.book[kind->book], kind->rows);
}

static void fill_by_rows(struct tui_list *list, const struct tui_facts *facts)
{
    const struct tui_list_kind *kind = list->kind;
    for (const cJSON *row = rows_of(kind, facts); row != NULL; row = row->next) {
        const uint64_t id = kind->id(row);
        if (id != 0 && tui_table_add(&list->table, id,
                                     kind->style != NULL ? kind->style(facts, row) : STYLE_PLAIN))
            kind->put(&list->table, facts, row);
    }
}

void tui_list_fill(struct tui_list *list, const struct tui_facts *facts)
{
    const struct tui_list_kind *kind = list->kind;
    uint64_t num = 0;
    tui_table_begin(&list->table);
    if (kind->fill != NULL)
        kind->fill(&list->table, facts);
    else
        fill_by_rows(list, facts);
    tui_table_end(&list->table);
    for (const cJSON *row = rows_of(kind, facts); row != NULL; row = row->next)
        num++;
    const uint64_t all = kind->all != NULL ? told_number(facts->snapshot.book[kind->book], kind->all) : num;
    list->num_told = num;
    list->num_all = all > num ? all : 0;
}

void tui_list_draw_part(struct tui_list *list, struct cells *cells, struct area area, bool has_cursor)
{
    char text[96];
    if (list->num_all != 0 && area.rows > 3) {
        area.rows--;
        snprintf(text, sizeof text, "the first %" PRIu64 " of %" PRIu64 " %s", list->num_told,
                 list->num_all, list->kind->what);
        cells_put_string(cells, area.row + area.rows, area.column, area.columns, STYLE_WARNING, text);
    }
    tui_table_draw(&list->table, cells, area, has_cursor);
}

static const cJSON *selected_row(const struct tui_list *list, const struct tui_facts *facts)
{
    const struct tui_row *selected = tui_table_selected(&list->table);
    const cJSON *row = selected != NULL && list->kind->id != NULL ? rows_of(list->kind, facts) : NULL;
    while (row != NULL && list->kind->id(row) != selected->id)
        row = row->next;
    return row;
}

struct tui_target tui_list_target(const struct tui_list *list, const struct tui_facts *facts)
{
    const struct tui_row *selected = tui_table_selected(&list->table);
    if (selected == NULL)
        return (struct tui_target){0};
    if (list->kind->target == NULL)
        return (struct tui_target){list->kind->row_kind, selected->id};
    const cJSON *row = selected_row(list, facts);
    return row != NULL ? list->kind->target(row) : (struct tui_target){0};
}

bool tui_list_request(struct tui_list *list, const struct tui_facts *facts, enum tui_request request,
                      struct tui_page *page)
{
    if (request != REQUEST_OPEN)
        return tui_table_request(&list->table, request);
    const cJSON *row = selected_row(list, facts);
    if (row == NULL || list->kind->page == NULL)
        return false;
    list->kind->page(page, facts, row);
    return true;
}

void *tui_list_new(const struct tui_list_kind *kind)
{
    struct tui_list *list = malloc(sizeof *list);
    if (list != NULL)
        tui_list_init(list, kind);
    return list;
}

void tui_list_close(void *list)
{
    tui_list_free(list);
    free(list);
}

void tui_list_update(void *list, const struct tui_facts *facts)
{
    tui_list_fill(list, facts);
}

void tui_list_draw(void *list, const struct tui_facts *facts, struct cells *cells, struct area area)
{
    (void)facts;
    tui_list_draw_part(list, cells, area, true);
}

bool tui_list_answer(void *list, const struct tui_facts *facts, enum tui_request request,
                     struct tui_page *page)
{
    return tui_list_request(list, facts, request, page);
}

struct tui_target tui_list_selected(const void *list, const struct tui_facts *facts)
{
    return tui_list_target(list, facts);
}

bool tui_list_click(void *view, const struct tui_facts *facts, struct area area, unsigned row,
                    unsigned column)
{
    struct tui_list *list = view;
    (void)facts;
    return tui_table_click(&list->table, area, row, column);
}

void tui_list_put_rates(struct tui_table *table, unsigned column, const struct tui_facts *facts,
                        const struct tui_rates *rates, uint64_t id)
{
    static const unsigned spans[] = {1, 10, 60};
    const struct rate_row *row = tui_rates_find(rates, id);
    for (unsigned i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        if (row == NULL || !facts->is_live || facts->has_ended || !tui_rates_has(rates)) {
            tui_table_put_number(table, column + i, -1, "");
            continue;
        }
        const uint64_t rate = tui_rates_bytes(rates, row, spans[i]);
        tui_table_put_number(table, column + i, (int64_t)rate, tui_byte_rate(rate).text);
    }
}
