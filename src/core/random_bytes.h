/*
 * random_bytes.h - bytes that nobody can guess, from the system.
 */
#ifndef SRC_RANDOM_BYTES_H
#define SRC_RANDOM_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* random_bytes draws len bytes. False and errno when the system has none to give. */
bool random_bytes(void *out, size_t len);

#endif
