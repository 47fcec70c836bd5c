/*
 * tls_origin.c - the line of the key log from which a direction's keys come: it is needed to derive
 * them again, and to encrypt snapshots of the connection.
 */
#include "tls/tls_conn.h"

void tls_origin_set(const struct tls *tls, struct tls_dir *d, const struct keylog_secret *secret)
{
    d->origin = (struct tls_origin){
        .is_known = true,
        .label = secret->label,
        .updates = secret->updates,
        .mac_last = tls->mac_last,
        .suite = d->cipher.suite,
    };
    memcpy(d->origin.random[0], secret->random, TLS_RANDOM_LEN);
    memcpy(d->origin.random[1], tls->random[1], TLS_RANDOM_LEN);
}

const struct keylog_secret *tls_origin_find(const struct tls *tls, const struct tls_origin *origin)
{
    return keylog_find(tls->stage->env->config.keylog, origin->label, origin->updates,
                       origin->random[0]);
}

bool tls_origin_key(const struct tls *tls, int dir, uint8_t key[TLS_SNAPSHOT_KEY_LEN])
{
    const struct tls_origin *origin = &tls->dirs[dir].origin;
    uint8_t use[2 * TLS_RANDOM_LEN + 1];
    if (!origin->is_known)
        return false;
    const struct keylog_secret *secret = tls_origin_find(tls, origin);
    memcpy(use, origin->random, sizeof origin->random);
    use[sizeof use - 1] = dir == tls->client;
    return secret != NULL &&
           tls_snapshot_key(secret->secret, secret->len, use, sizeof use, key,
                            TLS_SNAPSHOT_KEY_LEN);
}
