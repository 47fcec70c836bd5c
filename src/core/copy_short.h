/*
 * copy_short.h - memcpy and memcmp without a function call for the few bytes of an atom. It mostly has
 * 4 to 16 bytes: both ends, which may overlap, cover all of it.
 */
#ifndef SRC_COPY_SHORT_H
#define SRC_COPY_SHORT_H

#include <stdbool.h>
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

/* same_short compares 8 to 16 bytes without a function call. */
static inline bool same_short(const void *a, const void *b, size_t len)
{
    const uint8_t *a_bytes = a, *b_bytes = b;
    uint64_t x[2], y[2];
    if (len < sizeof x[0] || len > sizeof x)
        return memcmp(a, b, len) == 0;
    memcpy(&x[0], a_bytes, sizeof x[0]);
    memcpy(&x[1], a_bytes + len - sizeof x[1], sizeof x[1]);
    memcpy(&y[0], b_bytes, sizeof y[0]);
    memcpy(&y[1], b_bytes + len - sizeof y[1], sizeof y[1]);
    return x[0] == y[0] && x[1] == y[1];
}

#endif
