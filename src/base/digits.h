/*
 * digits.h - whole numbers as decimal text, without printf: records hold a dozen each.
 */
#ifndef SRC_DIGITS_H
#define SRC_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { DIGITS_LEN = 20 }; /* of the largest 64-bit number */

/* digits_put writes the last num digits of number, zeros in front. */
static inline void digits_put(uint64_t number, size_t num, char *out)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    for (; num >= 2; num -= 2, number /= 100)
        memcpy(out + num - 2, &pairs[number % 100 * 2], 2);
    if (num != 0)
        *out = (char)('0' + number % 10);
}

/* digits_print writes number, not ended by a NUL, and returns its length. */
static inline size_t digits_print(uint64_t number, char out[DIGITS_LEN])
{
    size_t len = 1;
    for (uint64_t least = 10; number >= least; least *= 10) {
        if (++len == DIGITS_LEN)
            break;
    }
    digits_put(number, len, out);
    return len;
}

#endif
