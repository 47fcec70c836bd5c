/*
 * best_rows.c - see best_rows.h.
 */
#include "reports/best_rows.h"

#include <stdlib.h>
#include <string.h>

static bool is_less(const struct best_row *a, const struct best_row *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->number > b->number);
}

static int compare(const void *a, const void *b)
{
    return is_less(a, b) ? -1 : 1;
}

static void swap(struct best_row *a, struct best_row *b)
{
    struct best_row c = *a;
    *a = *b;
    *b = c;
}

static void sift_down(struct best_row *rows, size_t num, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < num; child++)
            if (is_less(&rows[child], &rows[least]))
                least = child;
        if (least == i)
            return;
        swap(&rows[i], &rows[least]);
        i = least;
    }
}

static bool grow(struct best_rows *b)
{
    if (b->num < b->cap)
        return true;
    size_t cap = b->cap == 0 ? 64 : b->cap * 2;
    struct best_row *rows = realloc(b->rows, cap * sizeof *rows);
    if (rows == NULL)
        return false;
    b->rows = rows;
    b->cap = cap;
    return true;
}

bool best_rows_wants(const struct best_rows *b, int64_t rank, uint64_t number)
{
    const struct best_row row = {rank, number, NULL};
    return b->num < b->max || (b->max != 0 && is_less(&b->rows[0], &row));
}

bool best_rows_add(struct best_rows *b, int64_t rank, uint64_t number, const struct ds_buffer *line)
{
    const bool full = b->num >= b->max;
    struct best_row row = {rank, number, NULL};
    if (!best_rows_wants(b, rank, number))
        return true;
    if ((!full && !grow(b)) || line->failed || (row.line = strndup(line->data, line->len)) == NULL)
        return false;
    if (full) {
        free(b->rows[0].line);
        b->rows[0] = row;
        sift_down(b->rows, b->num, 0);
        return true;
    }
    size_t i = b->num++;
    b->rows[i] = row;
    for (; i != 0 && is_less(&b->rows[i], &b->rows[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&b->rows[i], &b->rows[(i - 1) / 2]);
    return true;
}

void best_rows_sort(struct best_rows *b)
{
    /* A sorted array is still a heap. */
    if (b->num > 1)
        qsort(b->rows, b->num, sizeof *b->rows, compare);
}

void best_rows_print(struct best_rows *b, struct columns *columns, const char *heading,
                     struct ds_buffer *out)
{
    best_rows_sort(b);
    for (size_t i = 0; i < b->num; i++)
        columns_fit(columns, b->rows[i].line);
    columns_fit(columns, heading);
    columns_print(columns, heading, out);
    for (size_t i = b->num; i-- > 0;)
        columns_print(columns, b->rows[i].line, out);
}

void best_rows_clear(struct best_rows *b)
{
    for (size_t i = 0; i < b->num; i++)
        free(b->rows[i].line);
    free(b->rows);
    *b = (struct best_rows){.max = b->max};
}
