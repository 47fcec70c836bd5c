/*
 * page_calls.h - the calls that a page lists: the slowest, and the slowest of those that failed;
 * each with the data for its ladder and its tree.
 */
#ifndef SRC_PAGE_CALLS_H
#define SRC_PAGE_CALLS_H

#include "output/json_write.h"
#include "record/record.h"
#include "reports/best_rows.h"

struct page_calls;
typedef void page_calls_line(struct page_calls *calls, const struct call *call);

struct page_calls {
    page_calls_line *make_line;
    struct best_rows slowest, failed;
    struct ds_buffer line, scratch;
    bool no_memory;
};

/* page_calls_init: make_line writes a call to line, where it is kept; it may use scratch. */
void page_calls_init(struct page_calls *calls, uint64_t max, page_calls_line *make_line);

/* page_calls_json writes the lines that page_calls_write needs. */
page_calls_line page_calls_json;

void page_calls_free(struct page_calls *calls);
void page_calls_add(struct page_calls *calls, const struct call *call);

/* page_calls_write writes them as fields of a JSON object. */
void page_calls_write(struct page_calls *calls, struct json_writer *json);

#endif
