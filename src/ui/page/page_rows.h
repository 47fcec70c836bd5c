/*
 * page_rows.h - rows, limited in number and in bytes: a quarter of the room is for the first rows,
 * the rest for the latest ones, so that beginning and end are both there. The rows in between are
 * only counted.
 */
#ifndef SRC_PAGE_ROWS_H
#define SRC_PAGE_ROWS_H

#include <distsniff/term.h>

struct page_rows {
    uint64_t max;       /* limit on rows; the owner sets it, the rest is zero at first */
    uint64_t max_bytes; /* limit on bytes of rows; likewise */
    uint64_t seen;      /* rows that were added */
    uint64_t num_lost;  /* rows lost because memory ran out */
    char **rows;        /* the first ones, then a ring buffer */
    uint64_t cap;
    uint64_t num_first, num_last;     /* rows kept */
    uint64_t bytes_first, bytes_last; /* their bytes */
    bool has_first;                   /* the first ones are complete */
};

/* page_rows_add keeps a copy of a row, a text without NUL. */
void page_rows_add(struct page_rows *rows, const struct ds_buffer *row);

/* page_rows_num_first returns how many of the first rows are kept, page_rows_num_last how many of
 * the latest. page_rows_first returns one of the former, from 0; page_rows_last one of the latter,
 * 0 is the newest. NULL: memory had run out for it. */
uint64_t page_rows_num_first(const struct page_rows *rows);
uint64_t page_rows_num_last(const struct page_rows *rows);
const char *page_rows_first(const struct page_rows *rows, uint64_t i);
const char *page_rows_last(const struct page_rows *rows, uint64_t i);

void page_rows_free(struct page_rows *rows);

#endif
