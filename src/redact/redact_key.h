/*
 * redact_key.h - the key of pseudonyms: of --redact-key-file, or random.
 */
#ifndef SRC_REDACT_KEY_H
#define SRC_REDACT_KEY_H

#include "redact/pseudonym.h"

/* redact_key_read makes the key of a file's contents, 16 to 4096 bytes, and complains when others
 * may read it; of random bytes when name is NULL. False after another complaint. */
bool redact_key_read(const char *name, uint8_t key[PSEUDONYM_KEY_LEN]);

#endif
