/*
 * timestamp.h - points in time as text, made quickly: there are millions of records, so the calendar
 * part is made once per second and cached.
 */
#ifndef SRC_TIMESTAMP_H
#define SRC_TIMESTAMP_H

#include <distsniff/term.h>

/* timestamp_cache keeps the text of the latest second. Zero-initialise it. */
struct timestamp_cache {
    uint64_t begin_ns; /* start of that second, since 1970 */
    char text[40];
    size_t len; /* 0: it is empty */
};

/* All of these append ns, nanoseconds since 1970, with 6 or 9 digits after the point. */

/* timestamp_print_utc appends 2026-01-31T23:59:59.123456Z (RFC 3339). */
void timestamp_print_utc(struct timestamp_cache *cache, int64_t ns, unsigned digits,
                         struct ds_buffer *out);

/* timestamp_print_local appends 23:59:59.123456 in local time, preceded by the date if `date` is true. */
void timestamp_print_local(struct timestamp_cache *cache, int64_t ns, unsigned digits, bool date,
                           struct ds_buffer *out);

/* timestamp_print_epoch appends 1769903999.123456. */
void timestamp_print_epoch(int64_t ns, unsigned digits, struct ds_buffer *out);

/* timestamp_print_span appends a time span, 00:00:01.000250, with a minus sign if negative. */
void timestamp_print_span(int64_t ns, unsigned digits, struct ds_buffer *out);

#endif
