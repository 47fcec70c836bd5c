/*
 * time_point.h - a point in time as users write it: --since and --until. It may be relative to the
 * start of the capture, which is known with the first packet.
 */
#ifndef SRC_TIME_POINT_H
#define SRC_TIME_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum time_point_kind {
    TIME_POINT_NONE,
    TIME_POINT_ABSOLUTE, /* ns since 1970 */
    TIME_POINT_OF_DAY, /* ns since midnight, local time */
    TIME_POINT_RELATIVE, /* ns since the capture's start */
};

struct time_point {
    enum time_point_kind kind;
    int64_t ns;
};

/* The forms that time_point_parse accepts, for error messages. */
extern const char time_point_forms[];

/* time_point_parse reads 2026-01-31T23:59:59.5Z (RFC 3339; without a zone it is local time, and a space
 * may replace the T), 23:59:59.5, 23:59, seconds since 1970 with a fraction, or +10s, +1.5h, +90. */
bool time_point_parse(const char *text, struct time_point *out);

/* time_point_resolve returns the time in ns since 1970. A time of day means the day, in local time, on
 * which the capture began, or the next day if it would be before not_before_ns. */
int64_t time_point_resolve(const struct time_point *moment, int64_t start_ns, int64_t not_before_ns);

/* time_point_format writes a time as a user would type it, in local time: 2026-01-31 23:59:59. */
void time_point_format(int64_t ns, char *out, size_t size);

/* time_point_last returns the latest time with that time of day at or before before_ns, in ns since
 * 1970. */
int64_t time_point_last(const struct time_point *of_day, int64_t before_ns);

#endif
