/*
 * page_rows.c - see page_rows.h. rows contains the first rows, then a ring buffer in which a new
 * row replaces the oldest.
 */
#include "ui/page/page_rows.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SHARE = 4 };

static uint64_t max_first(const struct page_rows *r)
{
    return r->max / FIRST_SHARE;
}

static uint64_t room_of_last(const struct page_rows *r)
{
    return r->max - max_first(r);
}

uint64_t page_rows_num_first(const struct page_rows *r)
{
    return r->num_first;
}

uint64_t page_rows_num_last(const struct page_rows *r)
{
    return r->num_last;
}

/* place_of_last returns the index of one of the latest rows, given how many came after it. */
static uint64_t place_of_last(const struct page_rows *r, uint64_t num_after)
{
    const uint64_t number = r->seen - r->num_first - 1 - num_after; /* after the first ones */
    return max_first(r) + number % room_of_last(r);
}

const char *page_rows_first(const struct page_rows *r, uint64_t i)
{
    return r->rows[i];
}

const char *page_rows_last(const struct page_rows *r, uint64_t i)
{
    return r->rows[place_of_last(r, i)];
}

static bool make_room(struct page_rows *r, uint64_t place)
{
    if (place < r->cap)
        return true;
    uint64_t cap = r->cap != 0 ? r->cap : 256;
    while (cap <= place)
        cap *= 2;
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

static void drop_oldest_of_last(struct page_rows *r)
{
    char **oldest = &r->rows[place_of_last(r, r->num_last - 1)];
    r->bytes_last -= *oldest != NULL ? strlen(*oldest) : 0;
    r->num_last--;
    free(*oldest);
    *oldest = NULL;
}

/* is_first says whether a row is one of the first rows: none follows after one for which there was
 * no room. */
static bool is_first(struct page_rows *r, size_t len)
{
    r->has_first = r->has_first || r->num_first == max_first(r) ||
                   r->bytes_first + len > r->max_bytes / FIRST_SHARE;
    return !r->has_first;
}

void page_rows_add(struct page_rows *r, const struct ds_buffer *row)
{
    const size_t len = row->failed ? 0 : row->len;
    const uint64_t room = r->max_bytes - r->max_bytes / FIRST_SHARE;
    const bool first = is_first(r, len);
    const uint64_t place =
        first || r->max == 0 ? r->num_first
                             : max_first(r) + (r->seen - r->num_first) % room_of_last(r);
    if (r->max == 0 || !make_room(r, place)) {
        r->num_lost++;
        return;
    }
    while (!first && r->num_last != 0 &&
           (r->num_last == room_of_last(r) || r->bytes_last + len > room))
        drop_oldest_of_last(r);
    char *copy = len == 0 ? NULL : strndup(row->data, len);
    r->rows[place] = copy;
    r->num_lost += copy == NULL;
    r->seen++;
    *(first ? &r->num_first : &r->num_last) += 1;
    *(first ? &r->bytes_first : &r->bytes_last) += copy != NULL ? len : 0;
}

void page_rows_free(struct page_rows *r)
{
    for (uint64_t i = 0; i < r->cap; i++)
        free(r->rows[i]);
    free(r->rows);
    *r = (struct page_rows){.max = r->max, .max_bytes = r->max_bytes};
}
