/*
 * redact_config.h - what to redact: the words of redact.def.
 */
#ifndef SRC_REDACT_CONFIG_H
#define SRC_REDACT_CONFIG_H

#include "core/string_list.h"

#include <stdbool.h>
#include <stdint.h>

/* What can be replaced. redact_config.what has a bit 1 << what for each. */
enum redact_what {
#define REDACT(id, name, what) REDACT_##id,
#include "redact/redact.def"
#undef REDACT
    REDACT_WHAT_COUNT
};

struct redact_config {
    uint32_t what;           /* 0: nothing */
    struct string_list keep; /* patterns for text that stays */
    const char *key_file;    /* NULL: a random key */
    const uint8_t *key;      /* used instead of a random key, PSEUDONYM_KEY_LEN bytes; NULL: none */
    const char *cookie_file; /* NULL: none. The cookie in it is replaced wherever it appears */
    bool reencode;           /* frames are encoded again */
};

#endif
