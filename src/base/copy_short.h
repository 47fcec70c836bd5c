/*
 * copy_short.h - memcpy without a call for the few bytes of an atom. They mostly have 4 to 16:
 * both ends, overlapping, are all of it.
 */
#ifndef SRC_COPY_SHORT_H
#define SRC_COPY_SHORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void copy_short(uint8_t *to, const uint8_t *from, size_t len)
{
    uint64_t first, last;
    uint32_t first4, last4;
    if (len >= sizeof first && len <= 2 * sizeof first) {
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + len - sizeof last, sizeof last);
        memcpy(to, &first, sizeof first);
        memcpy(to + len - sizeof last, &last, sizeof last);
    } else if (len >= sizeof first4 && len < sizeof first) {
        memcpy(&first4, from, sizeof first4);
        memcpy(&last4, from + len - sizeof last4, sizeof last4);
        memcpy(to, &first4, sizeof first4);
        memcpy(to + len - sizeof last4, &last4, sizeof last4);
    } else {
        memcpy(to, from, len);
    }
}

#endif
