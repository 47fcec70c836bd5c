/*
 * moment.h - a point in time as users write it: --since and --until. It may hang on the
 * capture's start, so that it is only known with the first packet.
 */
#ifndef SRC_MOMENT_H
#define SRC_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

enum moment_kind {
    MOMENT_NONE,
    MOMENT_ABSOLUTE, /* ns since 1970 */
    MOMENT_OF_DAY,   /* ns since midnight, local time */
    MOMENT_RELATIVE, /* ns since the capture's start */
};

struct moment {
    enum moment_kind kind;
    int64_t ns;
};

/* What moment_parse takes, for complaints. */
extern const char moment_forms[];

/* moment_parse reads 2026-01-31T23:59:59.5Z (RFC 3339; without a zone it is local time, and
 * a space may stand for the T), 23:59:59.5, seconds since 1970 with a fraction, or +10s,
 * +1.5h, +90. */
bool moment_parse(const char *text, struct moment *out);

/* moment_resolve returns the moment in ns since 1970. A time of day is that of the day, in
 * local time, on which the capture began, or of the next day where it would lie before
 * not_before_ns. */
int64_t moment_resolve(const struct moment *moment, int64_t start_ns, int64_t not_before_ns);

#endif
