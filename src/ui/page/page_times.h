/*
 * page_times.h - what the page draws over time: messages and bytes of each link, durations of calls
 * by label, callee and connection as heat maps, and events: connections that came and went, gaps,
 * stalls, losses. Its size is bounded, whatever the length of the capture.
 */
#ifndef SRC_PAGE_TIMES_H
#define SRC_PAGE_TIMES_H

#include "output/json_write.h"
#include "record/loss.h"
#include "record/record.h"
#include "ui/page/time_grid.h"

struct page_times;

struct page_times *page_times_new(void); /* NULL when memory ran out */
void page_times_free(struct page_times *times);

void page_times_record(struct page_times *times, const struct record *record);

/* page_times_mark records an event at a time: kind is a static string, text is copied. */
void page_times_mark(struct page_times *times, int64_t ns, const char *kind, uint64_t conn,
                     uint64_t frame, struct ds_text text);

/* page_times_write writes all of it as fields of a JSON object. */
void page_times_write(struct page_times *times, struct json_writer *json);

/* page_times_see returns the totals of all links and calls, valid until the next record: columns of
 * messages and bytes, and the upper bounds of the heat map's rows except the last. page_times_cells
 * calls cell for each field of the heat map that is not empty. */
struct page_times_view {
    int64_t start_ns, width_ns;
    const uint64_t *messages, *bytes;
    unsigned num; /* columns up to the last that is not empty */
    const int64_t *latency_ends_ns;
    unsigned num_ends;
};
void page_times_see(struct page_times *times, struct page_times_view *view);
void page_times_cells(struct page_times *times,
                      void (*cell)(void *context, unsigned column, unsigned row, uint64_t count),
                      void *context);

/* page_times_span returns the first and the last time seen. False if there is none. */
bool page_times_span(const struct page_times *times, int64_t *first_ns, int64_t *last_ns);

#endif
