/*
 * timestamp.h - points in time as text, made quickly: records come by the million, so the
 * calendar part is made once a second and kept.
 */
#ifndef SRC_TIMESTAMP_H
#define SRC_TIMESTAMP_H

#include <distsniff/term.h>

/* timestamp_cache holds the text of the last second. Zero-initialise it. */
struct timestamp_cache {
    uint64_t begin_ns; /* when it began, since 1970 */
    char text[40];
    size_t len; /* 0: nothing kept */
};

/* All of these append ns, nanoseconds since 1970, with 6 or 9 digits after the point. */

/* timestamp_print_utc appends 2026-01-31T23:59:59.123456Z (RFC 3339). */
void timestamp_print_utc(struct timestamp_cache *cache, int64_t ns, unsigned digits,
                         struct ds_buffer *out);

/* timestamp_print_local appends 23:59:59.123456 in local time, after the date if asked. */
void timestamp_print_local(struct timestamp_cache *cache, int64_t ns, unsigned digits, bool date,
                           struct ds_buffer *out);

/* timestamp_print_epoch appends 1769903999.123456. */
void timestamp_print_epoch(int64_t ns, unsigned digits, struct ds_buffer *out);

/* timestamp_print_span appends a length of time, 00:00:01.000250, with a minus sign if
 * negative. */
void timestamp_print_span(int64_t ns, unsigned digits, struct ds_buffer *out);

#endif
