/*
 * keylog.h - the secrets of a key log, as TLS looks them up.
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

/* The place of a secret in a list: neighbours by their number plus one; 0: end of the list. */
struct keylog_place {
    uint32_t next, before;
};

/* The lists of secrets: by line, by random (the newest first), and the used ones. */
enum keylog_index { KEYLOG_BY_LINE, KEYLOG_BY_RANDOM, KEYLOG_BY_USE, KEYLOG_INDEXES };

/* keylog_secret is one line. */
struct keylog_secret {
    enum tls_label label;
    uint32_t updates; /* key updates before it; of a write key, the code of a suite */
    uint8_t random[TLS_RANDOM_LEN]; /* the client's; of a write key, a hash of the key */
    uint8_t secret[TLS_SECRET_MAX]; /* of a write key, the nonce of a record and the key */
    uint8_t len;
    struct keylog_place places[KEYLOG_INDEXES];
    uint64_t added; /* as which one, from 1 */
    uint64_t used, tcp; /* see ds_keylog_used: order of use, 0: unused; its connection */
};

/* keylog_find returns the secret with that label, after that many updates, for a client random;
 * NULL if there is none. Valid until more is added. */
const struct keylog_secret *keylog_find(const struct ds_keylog *keylog, enum tls_label label,
                                        uint32_t updates, const uint8_t random[TLS_RANDOM_LEN]);

/* keylog_each returns secret number i of those kept; NULL after the last. */
const struct keylog_secret *keylog_each(const struct ds_keylog *keylog, size_t i);

/* keylog_grows says whether more secrets may come. keylog_is_of_use says whether there are any, or
 * may be. */
struct dissect_ctx;
bool keylog_grows(const struct dissect_ctx *env);
bool keylog_is_of_use(const struct dissect_ctx *env);

/* keylog_ask asks the caller for missing secrets. */
void keylog_ask(const struct dissect_ctx *env);

/* keylog_mark_used records that the secrets with that random belong to a connection. */
void keylog_mark_used(const struct dissect_ctx *env, const uint8_t random[TLS_RANDOM_LEN], uint64_t tcp);

/* keylog_num_write_keys returns how many write keys are kept. */
size_t keylog_num_write_keys(const struct ds_keylog *keylog);

/* keylog_age changes whenever a secret is added. */
uint64_t keylog_age(const struct ds_keylog *keylog);

#endif
