/*
 * report_table.h - the columns of a report, each a row of a table: the cells of its text, and the
 * same in JSON.
 */
#ifndef SRC_REPORT_TABLE_H
#define SRC_REPORT_TABLE_H

#include "reports/report.h"

/* A cell is a uint64_t in the row, or a span of time if span is not NULL; print and write_json write
 * anything else, or in another form. */
struct report_column {
    struct json_key key; /* absent: only in the text */
    const char *heading; /* NULL: only in JSON */
    char align;          /* l or r */
    uint8_t width;       /* minimum */
    bool is_long;        /* a short table leaves it out */
    size_t at;           /* offset in the row */
    int64_t (*span)(const void *row);
    void (*print)(const void *row, const void *report, struct ds_buffer *out);
    void (*write_json)(const void *row, struct json_key key, struct json_writer *json);
};

struct report_table {
    const struct report_column *columns;
    size_t num;
    bool (*has_span)(const void *row); /* false: all spans of the row are "-". NULL: true */
    const void *report;                /* passed to print */
    bool is_short;
    char align[COLUMNS_MAX + 1];
};

/* report_table_columns sets the columns of the text, which refer to the table. */
void report_table_columns(struct report_table *table, struct columns *columns);

/* report_table_heading appends the line of headings, report_table_row the line of a row. last is
 * the text after the columns; NULL: the caller appends it, and ends the line. */
void report_table_heading(const struct report_table *table, const char *last, struct ds_buffer *lines);
void report_table_row(const struct report_table *table, const void *row, const char *last,
                      struct ds_buffer *lines);

/* report_table_write writes the fields of a row into the current object. */
void report_table_write(const struct report_table *table, const void *row, struct json_writer *json);

#endif
