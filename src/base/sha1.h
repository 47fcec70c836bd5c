/*
 * sha1.h - SHA-1 (FIPS 180-4, 6.1) of a few bytes: for names that others make of the same, not for
 * secrets.
 */
#ifndef SRC_SHA1_H
#define SRC_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { SHA1_LEN = 20, SHA1_MAX_INPUT = 119 }; /* so much fits two blocks */

/* sha1 hashes at most SHA1_MAX_INPUT bytes. */
void sha1(const uint8_t *bytes, size_t len, uint8_t out[SHA1_LEN]);

#endif
