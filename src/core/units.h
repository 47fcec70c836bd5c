/*
 * units.h - durations and sizes as users write them: 5ms, 1.5h, 64MB.
 */
#ifndef SRC_UNITS_H
#define SRC_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quantity { QUANTITY_DURATION, QUANTITY_SIZE };

/* units_find finds a unit by its name of len bytes: ns us ms s min h, or B KB MB GB KiB MiB GiB. *scale
 * is its value in nanoseconds or bytes. */
bool units_find(enum quantity quantity, const char *name, size_t len, int64_t *scale);

/* units_parse reads the whole of text: a decimal number, which may have a fraction, and its unit.
 * Without a unit, the number is multiplied by default_scale, or rejected if that is 0. Returns false
 * also if the value does not fit. */
bool units_parse(enum quantity quantity, const char *text, int64_t default_scale, int64_t *out);

/* units_list returns the names of a quantity's units, for error messages. */
const char *units_list(enum quantity quantity);

#endif
