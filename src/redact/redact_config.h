/*
 * redact_config.h - what is to be redacted: the words of redact.def.
 */
#ifndef SRC_REDACT_CONFIG_H
#define SRC_REDACT_CONFIG_H

#include "core/string_list.h"

#include <stdbool.h>
#include <stdint.h>

/* What can be replaced. redact_config.what has a bit 1 << what each. */
enum redact_what {
#define REDACT(id, name, what) REDACT_##id,
#include "redact/redact.def"
#undef REDACT
    REDACT_WHAT_COUNT
};

struct redact_config {
    uint32_t what;           /* 0: nothing */
    struct string_list keep; /* patterns of what stays */
    const char *key_file;    /* NULL: a random key */
    const uint8_t *key;      /* instead of a random one, PSEUDONYM_KEY_LEN bytes; NULL: none is given */
    const char *cookie_file; /* NULL: none. What is in it is replaced wherever it stands */
    bool reencode;           /* frames are made anew */
};

#endif
