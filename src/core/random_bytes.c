/*
 * random_bytes.c - see random_bytes.h. Linux and FreeBSD have getrandom. All other systems have
 * getentropy, and Linux does too: RANDOM_BYTES_BY_ENTROPY uses it there, for the tests.
 */
#include "core/random_bytes.h"

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>
#include <unistd.h>

#if defined(__APPLE__) || defined(__OpenBSD__) || defined(__NetBSD__) || defined(RANDOM_BYTES_BY_ENTROPY)

enum { MOST_AT_ONCE = 256 };

static ssize_t draw(uint8_t *out, size_t len)
{
    const size_t n = len < MOST_AT_ONCE ? len : MOST_AT_ONCE;
    return getentropy(out, n) == 0 ? (ssize_t)n : -1;
}

#else

static ssize_t draw(uint8_t *out, size_t len)
{
    return getrandom(out, len, 0);
}

#endif

bool random_bytes(void *out, size_t len)
{
    for (uint8_t *at = out; len != 0;) {
        const ssize_t n = draw(at, len);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        }
    }
    return true;
}
