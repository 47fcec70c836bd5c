/*
 * page.h - what a page shows of a capture, gathered while records pass, and the page made of it: one
 * file that needs no network, or the data alone, which a page that is served is given.
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
    uint64_t rows_a_second;          /* messages that become rows in each; 0: all do */
    const struct compare *compare;   /* told when the capture has ended, with a comparison; or NULL */
    bool redacted;                   /* records are made safe to share before they come */
    bool is_quick;                   /* data are packed rather quickly than small */
};

struct page *page_new(const struct page_config *config); /* NULL when memory ran out */
void page_free(struct page *page);                       /* NULL is allowed */

/* page_record takes the next record; times of the capture have so many digits. */
void page_record(struct page *page, const struct record *record, unsigned time_digits);
void page_lost(struct page *page, const struct loss *loss);

/* page_end says that no more will come. */
void page_end(struct page *page);

/* page_tell appends the data as they stand, as base64, page_gzip.h; page_write the whole page. Both
 * may be called while records still come. False when memory ran out. */
bool page_tell(struct page *page, struct ds_buffer *out);
bool page_write(struct page *page, struct ds_buffer *out);

#endif
