/*
 * report_table.c - see report_table.h.
 */
#include "reports/report_table.h"

#include "core/duration.h"

#include <inttypes.h>

static bool is_shown(const struct report_table *table, const struct report_column *column)
{
    return column->heading != NULL && !(table->is_short && column->is_long);
}

static uint64_t number_of(const struct report_column *column, const void *row)
{
    uint64_t number;
    memcpy(&number, (const char *)row + column->at, sizeof number);
    return number;
}

void report_table_columns(struct report_table *table, struct columns *columns)
{
    size_t num = 0;
    *columns = (struct columns){.align = table->align};
    for (size_t i = 0; i < table->num; i++) {
        if (!is_shown(table, &table->columns[i]) || num == COLUMNS_MAX)
            continue;
        table->align[num] = table->columns[i].align;
        columns->width[num++] = table->columns[i].width;
    }
    table->align[num] = '\0';
}

static void end_line(const char *last, struct ds_buffer *lines)
{
    ds_buffer_add_text(lines, " ");
    if (last == NULL)
        return;
    ds_buffer_add_text(lines, last);
    columns_end_line(lines);
}

void report_table_heading(const struct report_table *table, const char *last, struct ds_buffer *lines)
{
    for (size_t i = 0; i < table->num; i++) {
        if (is_shown(table, &table->columns[i]))
            ds_buffer_printf(lines, "%s\t", table->columns[i].heading);
    }
    end_line(last, lines);
}

void report_table_row(const struct report_table *table, const void *row, const char *last,
                      struct ds_buffer *lines)
{
    for (size_t i = 0; i < table->num; i++) {
        const struct report_column *column = &table->columns[i];
        if (!is_shown(table, column))
            continue;
        if (column->print != NULL)
            column->print(row, table->report, lines);
        else if (column->span == NULL)
            ds_buffer_printf(lines, "%" PRIu64, number_of(column, row));
        else if (table->has_span != NULL && !table->has_span(row))
            ds_buffer_add_text(lines, "-");
        else
            duration_print(column->span(row), lines);
        ds_buffer_add_text(lines, "\t");
    }
    end_line(last, lines);
}

void report_table_write(const struct report_table *table, const void *row, struct json_writer *json)
{
    for (size_t i = 0; i < table->num; i++) {
        const struct report_column *column = &table->columns[i];
        if (column->key.text == NULL)
            continue;
        if (column->write_json != NULL)
            column->write_json(row, column->key, json);
        else if (column->span != NULL)
            json_put_signed(json, column->key, column->span(row));
        else
            json_put_unsigned(json, column->key, number_of(column, row));
    }
}
