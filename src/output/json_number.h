/*
 * json_number.h - which numbers JSON holds as such.
 */
#ifndef SRC_JSON_NUMBER_H
#define SRC_JSON_NUMBER_H

#include <stdint.h>

/* A double holds whole numbers up to here exactly; larger ones become strings. */
#define JSON_MAX_EXACT (UINT64_C(1) << 53)

/* json_magnitude returns a number without its sign. */
static inline uint64_t json_magnitude(int64_t number)
{
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

#endif
