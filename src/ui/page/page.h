/*
 * page.h - what a page shows of a capture, gathered while records pass, and the page made from it:
 * one file that needs no network, or only the data, for a page that is served.
 */
#ifndef SRC_PAGE_H
#define SRC_PAGE_H

#include "compare/compare.h"
#include "record/loss.h"
#include "record/record.h"

#include <distsniff/dissect.h>

struct page;

struct page_config {
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
    uint64_t rows_a_second;          /* messages that become rows in each second; 0: all */
    struct point_board *points;      /* capture points of streams; or NULL */
    const struct compare *compare;   /* shown after the end of the capture, with a comparison; or
                                      * NULL */
    bool redacted;                   /* records are redacted before they come */
    bool is_quick;                   /* compresses the data quickly rather than well */
};

struct page *page_new(const struct page_config *config); /* NULL when memory ran out */
void page_free(struct page *page);                       /* NULL is allowed */

/* page_record processes the next record; times of the capture have so many digits. */
void page_record(struct page *page, const struct record *record, unsigned time_digits);
void page_lost(struct page *page, const struct loss *loss);

/* page_end records that no more records come. */
void page_end(struct page *page);

/* page_write_data appends the current data as base64, page_gzip.h; page_write the whole page. Both may be
 * called while records still come. False if memory ran out. */
bool page_write_data(struct page *page, struct ds_buffer *out);
bool page_write(struct page *page, struct ds_buffer *out);

#endif
