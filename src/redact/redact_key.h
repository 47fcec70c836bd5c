/*
 * redact_key.h - the key for pseudonyms: from --redact-key-file, or random.
 */
#ifndef SRC_REDACT_KEY_H
#define SRC_REDACT_KEY_H

#include "redact/pseudonym.h"

/* redact_key_read makes the key from a file's contents, 16 to 4096 bytes, and warns if others may read
 * the file; if name is NULL, from random bytes. Returns false after another error message. */
bool redact_key_read(const char *name, uint8_t key[PSEUDONYM_KEY_LEN]);

#endif
