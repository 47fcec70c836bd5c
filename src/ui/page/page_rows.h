/*
 * page_rows.h - rows of which a page has room for so many, and so many bytes: a quarter of that for the
 * first, and the rest for the latest, so that how it began and how it ended are both there. What is
 * between is counted.
 */
#ifndef SRC_PAGE_ROWS_H
#define SRC_PAGE_ROWS_H

#include <distsniff/term.h>

struct page_rows {
    uint64_t max;       /* rows; set by the owner, the rest is zero at first */
    uint64_t max_bytes; /* of rows; the same */
    uint64_t seen;      /* rows that were added */
    uint64_t num_lost;  /* memory ran out for */
    char **rows;        /* the first ones, then a ring */
    uint64_t cap;
    uint64_t num_first, num_last;     /* that are there */
    uint64_t bytes_first, bytes_last; /* of them */
    bool has_first;                   /* there are no more of the first ones */
};

/* page_rows_add keeps a copy of a row, a text without NUL. */
void page_rows_add(struct page_rows *rows, const struct ds_buffer *row);

/* page_rows_num_first says how many of the first rows are kept, page_rows_num_last how many of the
 * latest. page_rows_first gets one of the former, from 0 on; page_rows_last one of the latter, the
 * latest of all is 0. NULL: memory had run out for it. */
uint64_t page_rows_num_first(const struct page_rows *rows);
uint64_t page_rows_num_last(const struct page_rows *rows);
const char *page_rows_first(const struct page_rows *rows, uint64_t i);
const char *page_rows_last(const struct page_rows *rows, uint64_t i);

void page_rows_free(struct page_rows *rows);

#endif
