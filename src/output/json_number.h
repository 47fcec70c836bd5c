/*
 * json_number.h - the numbers that JSON can represent exactly.
 */
#ifndef SRC_JSON_NUMBER_H
#define SRC_JSON_NUMBER_H

#include <stdint.h>

/* A double represents whole numbers up to this exactly; larger ones become strings. */
#define JSON_MAX_EXACT (UINT64_C(1) << 53)

/* json_magnitude returns the absolute value of a number. */
static inline uint64_t json_magnitude(int64_t number)
{
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

#endif
