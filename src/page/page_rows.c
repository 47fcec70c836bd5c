/*
 * page_rows.c - see page_rows.h. rows holds the first ones, then a ring in which a new row takes the
 * place of the oldest.
 */
#include "page_rows.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SHARE = 4 };

static uint64_t max_first(const struct page_rows *r)
{
    return r->max / FIRST_SHARE;
}

uint64_t page_rows_num_first(const struct page_rows *r)
{
    return r->seen < max_first(r) ? r->seen : max_first(r);
}

uint64_t page_rows_num_last(const struct page_rows *r)
{
    const uint64_t behind = r->seen - page_rows_num_first(r), room = r->max - max_first(r);
    return behind < room ? behind : room;
}

/* place_of says where the row with that number, from 0, is or was. */
static uint64_t place_of(const struct page_rows *r, uint64_t number)
{
    const uint64_t first = max_first(r);
    return number < first ? number : first + (number - first) % (r->max - first);
}

const char *page_rows_first(const struct page_rows *r, uint64_t i)
{
    return r->rows[i];
}

const char *page_rows_last(const struct page_rows *r, uint64_t i)
{
    return r->rows[place_of(r, r->seen - 1 - i)];
}

static bool make_room(struct page_rows *r, uint64_t place)
{
    if (place < r->cap)
        return true;
    uint64_t cap = r->cap != 0 ? 2 * r->cap : 256;
    if (cap > r->max)
        cap = r->max;
    char **rows = realloc(r->rows, cap * sizeof *rows);
    if (rows == NULL)
        return false;
    memset(rows + r->cap, 0, (cap - r->cap) * sizeof *rows);
    r->rows = rows;
    r->cap = cap;
    return true;
}

void page_rows_add(struct page_rows *r, const struct ds_buffer *row)
{
    if (r->max == 0) {
        r->num_lost++;
        return;
    }
    const uint64_t place = place_of(r, r->seen);
    if (!make_room(r, place)) {
        r->num_lost++;
        return;
    }
    free(r->rows[place]);
    r->rows[place] = row->failed || row->len == 0 ? NULL : strndup(row->data, row->len);
    r->num_lost += r->rows[place] == NULL;
    r->seen++;
}

void page_rows_free(struct page_rows *r)
{
    for (uint64_t i = 0; i < r->cap; i++)
        free(r->rows[i]);
    free(r->rows);
    *r = (struct page_rows){.max = r->max};
}
