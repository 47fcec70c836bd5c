/*
 * keylog.h - the secrets of a key log, as the stage of TLS asks for them.
 */
#ifndef DISSECT_KEYLOG_H
#define DISSECT_KEYLOG_H

#include "tls/tls_cipher.h"

#include <distsniff/keylog.h>

enum tls_label {
#define LABEL(id, name) TLS_LABEL_##id,
#include "tls/tls_labels.def"
#undef LABEL
    TLS_LABEL_COUNT
};

/* Where a secret stands in a list, by its number plus one; 0: at the end of the list. */
struct keylog_place {
    uint32_t next, before;
};

/* What secrets are found by: their line, their random, the newest first, and whether they are used. */
enum keylog_index { KEYLOG_BY_LINE, KEYLOG_BY_RANDOM, KEYLOG_BY_USE, KEYLOG_INDEXES };

/* keylog_secret is one line. */
struct keylog_secret {
    enum tls_label label;
    uint32_t updates; /* of keys before it */
    uint8_t random[TLS_RANDOM_LEN]; /* of the client */
    uint8_t secret[TLS_SECRET_MAX];
    uint8_t len;
    struct keylog_place places[KEYLOG_INDEXES];
    uint64_t added; /* as which one, from 1 */
    uint64_t used, tcp; /* ds_keylog_used: which one, 0: not; and of which connection */
};

/* keylog_find returns the secret of that label, behind that many updates, and client random, or NULL.
 * It lives until more is added. */
const struct keylog_secret *keylog_find(const struct ds_keylog *keylog, enum tls_label label,
                                        uint32_t updates, const uint8_t random[TLS_RANDOM_LEN]);

/* keylog_each returns secret number i of those kept; NULL beyond. */
const struct keylog_secret *keylog_each(const struct ds_keylog *keylog, size_t i);

/* keylog_grows says whether secrets may come that are not there yet, keylog_is_of_use whether there
 * are any, or may be. */
struct dissect_ctx;
bool keylog_grows(const struct dissect_ctx *env);
bool keylog_is_of_use(const struct dissect_ctx *env);

/* keylog_want asks for secrets that are not there. */
void keylog_want(const struct dissect_ctx *env);

/* keylog_note notes that the secrets of that random are of a connection. */
void keylog_note(const struct dissect_ctx *env, const uint8_t random[TLS_RANDOM_LEN], uint64_t tcp);

/* keylog_age changes whenever a secret is added. */
uint64_t keylog_age(const struct ds_keylog *keylog);

#endif
