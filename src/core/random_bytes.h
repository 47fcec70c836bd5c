/*
 * random_bytes.h - unpredictable bytes from the system.
 */
#ifndef SRC_RANDOM_BYTES_H
#define SRC_RANDOM_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* random_bytes fills out with len bytes. Returns false and sets errno if the system has none. */
bool random_bytes(void *out, size_t len);

#endif
