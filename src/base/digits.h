/*
 * digits.h - whole numbers as decimal text, without printf: records hold a dozen each.
 */
#ifndef SRC_DIGITS_H
#define SRC_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { DIGITS_LEN = 20 }; /* of the largest 64-bit number */

/* digits_print writes number, not ended by a NUL, and returns its length. */
static inline size_t digits_print(uint64_t number, char out[DIGITS_LEN])
{
    char reversed[DIGITS_LEN];
    size_t at = DIGITS_LEN;
    do {
        reversed[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    memcpy(out, reversed + at, DIGITS_LEN - at);
    return DIGITS_LEN - at;
}

#endif
