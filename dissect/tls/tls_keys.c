/*
 * tls_keys.c - the keys under which a record was encrypted. The tag shows which are right.
 */
#include "tls/tls_conn.h"

#include <openssl/crypto.h>

enum {
    LATER_SEARCH = 4 * 1024, /* numbers tried after key updates that were not seen */
    MAX_LATER = 8,           /* key updates that were not seen */
};

static enum tls_label label_of(const struct tls *tls, int dir)
{
    return dir == tls->client ? TLS_LABEL_CLIENT : TLS_LABEL_SERVER;
}

static const struct keylog_secret *find_secret(const struct tls *tls, enum tls_label label)
{
    return tls->has_client_random
               ? keylog_find(tls->stage->env->config.keylog, label, 0, tls->random[0])
               : NULL;
}

static bool use_secret(struct tls *tls, struct tls_dir *d, const struct keylog_secret *secret)
{
    if (tls->suite == NULL || secret->len != tls_secret_len(tls->suite) ||
        !tls_cipher_set_13(&d->cipher, tls->suite, secret->secret))
        return false;
    memcpy(d->secret, secret->secret, secret->len);
    tls_origin_set(tls, d, secret);
    return true;
}

/* renew switches to the keys after those of d->secret, with the suite of the current keys. */
static bool renew(struct tls_dir *d)
{
    const struct tls_suite *suite = d->cipher.suite;
    return suite != NULL && tls_cipher_next_secret(suite, d->secret) &&
           tls_cipher_set_13(&d->cipher, suite, d->secret);
}

/* use_origin derives the keys of a direction from its known origin. */
static bool use_origin(struct tls *tls, int dir)
{
    struct tls_dir *d = &tls->dirs[dir];
    const struct tls_origin *origin = &d->origin;
    const struct keylog_secret *secret = tls_origin_find(tls, origin);
    if (secret == NULL)
        return false;
    if (origin->label == TLS_LABEL_WRITE_KEY)
        return tls_write_keys_use(tls, d, secret);
    if (origin->label == TLS_LABEL_MASTER)
        return tls_cipher_set_12(&d->cipher, origin->suite, origin->mac_last, secret->secret,
                                 origin->random[0], origin->random[1], dir == tls->client);
    if (secret->len != tls_secret_len(origin->suite) ||
        !tls_cipher_set_13(&d->cipher, origin->suite, secret->secret))
        return false;
    memcpy(d->secret, secret->secret, secret->len);
    for (uint32_t i = 0; i < origin->renewals; i++) {
        if (!tls_budget_spend(tls, TLS_KEY_COST) || !renew(d)) {
            tls_cipher_clear(&d->cipher);
            return false;
        }
    }
    if (origin->label != label_of(tls, dir))
        tls->view.keys = DS_TLS_KEYS_SWAPPED;
    return true;
}

bool tls_keys_find(struct tls *tls, int dir)
{
    struct tls_dir *d = &tls->dirs[dir];
    const struct keylog_secret *secret;
    if (d->cipher.suite != NULL)
        return true;
    if (d->origin.is_known)
        return use_origin(tls, dir);
    if (tls->suite == NULL || tls->client < 0)
        return false;
    if (tls->view.version == TLS_1_3) {
        secret = find_secret(tls, label_of(tls, dir));
        return secret != NULL && use_secret(tls, d, secret);
    }
    secret = tls->has_server_random ? find_secret(tls, TLS_LABEL_MASTER) : NULL;
    if (secret == NULL || tls->view.version != TLS_1_2 ||
        !tls_cipher_set_12(&d->cipher, tls->suite, tls->mac_last, secret->secret, tls->random[0],
                           tls->random[1], dir == tls->client))
        return false;
    tls_origin_set(tls, d, secret);
    return true;
}

void tls_keys_look(struct tls *tls)
{
    const struct dissect_ctx *env = tls->stage->env;
    const bool has_grown = tls->keys_age != keylog_age(env->config.keylog);
    if (has_grown && tls->has_client_random)
        keylog_mark_used(env, tls->random[0], tls->tcp->number);
    for (int dir = 0; dir < 2; dir++) {
        if (has_grown && tls->dirs[dir].cipher.suite == NULL)
            tls->dirs[dir].num_searches = 0; /* there are others to search for */
    }
    tls->keys_age = keylog_age(env->config.keylog);
    for (int dir = 0; dir < 2; dir++)
        (void)tls_keys_find(tls, dir);
}

/* try_secret tries another secret than the current one, with the same suite; if it fits, it
 * replaces the current one. */
static bool try_secret(struct tls *tls, struct tls_dir *d, const uint8_t *secret, bool from_start,
                       const struct tls_record *record, size_t *len, uint8_t *type)
{
    struct tls_cipher cipher = {0};
    const uint64_t seq = d->seq, slack = d->slack, tried = d->tried;
    const unsigned num_searches = d->num_searches;
    if (!tls_budget_spend(tls, TLS_KEY_COST) || !tls_cipher_set_13(&cipher, d->cipher.suite, secret)) {
        tls_cipher_clear(&cipher);
        return false;
    }
    if (from_start) {
        d->seq = d->tried = 0;
        d->slack = slack < LATER_SEARCH ? slack : LATER_SEARCH;
    }
    if (tls_number_open(tls, d, &cipher, record, len, type)) {
        memmove(d->secret, secret, tls_secret_len(cipher.suite));
        tls_cipher_clear(&d->cipher);
        d->cipher = cipher;
        return true;
    }
    d->seq = seq;
    d->slack = slack;
    d->tried = tried;
    d->num_searches = num_searches;
    tls_cipher_clear(&cipher);
    return false;
}

/* try_swapped: OTP 27 logs the secrets of both directions with swapped labels. */
static bool try_swapped(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                        uint8_t *type)
{
    const struct keylog_secret *secret = find_secret(tls, label_of(tls, 1 - dir));
    struct tls_dir *d = &tls->dirs[dir], *other = &tls->dirs[1 - dir];
    if (secret == NULL || secret->len != tls_secret_len(d->cipher.suite) ||
        !try_secret(tls, d, secret->secret, false, record, len, type))
        return false;
    tls_origin_set(tls, d, secret);
    tls->view.keys = DS_TLS_KEYS_SWAPPED;
    secret = find_secret(tls, label_of(tls, dir));
    if (!other->is_open && secret != NULL)
        (void)use_secret(tls, other, secret);
    return true;
}

/* try_updated: the message that announced a key update was lost. */
static bool try_updated(struct tls *tls, struct tls_dir *d, const struct tls_record *record,
                        size_t *len, uint8_t *type)
{
    uint8_t next[TLS_SECRET_MAX];
    memcpy(next, d->secret, sizeof next);
    const bool fits = tls_cipher_next_secret(d->cipher.suite, next) &&
                      try_secret(tls, d, next, true, record, len, type);
    OPENSSL_cleanse(next, sizeof next);
    d->origin.renewals += fits;
    return fits;
}

/* try_later: the capture began after the hello, and after key updates; the numbers restart after
 * each. */
static bool try_later(struct tls *tls, struct tls_dir *d, const struct tls_record *record,
                      size_t *len, uint8_t *type)
{
    uint8_t next[TLS_SECRET_MAX];
    bool fits = false;
    if (d->slack == 0 || !tls_number_may_search(d))
        return false;
    memcpy(next, d->secret, sizeof next);
    for (uint32_t i = 1; i <= MAX_LATER && !fits && tls_cipher_next_secret(d->cipher.suite, next); i++) {
        fits = try_secret(tls, d, next, true, record, len, type);
        if (fits)
            d->origin.renewals += i;
    }
    OPENSSL_cleanse(next, sizeof next);
    return fits;
}

/* try_early tries the secret with that label, at the current number. */
static bool try_early(struct tls *tls, struct tls_dir *d, enum tls_label label,
                      const struct tls_record *record, size_t *len, uint8_t *type)
{
    const struct keylog_secret *secret = find_secret(tls, label);
    struct tls_cipher cipher = {0};
    if (secret == NULL || secret->len != tls_secret_len(tls->suite) || !tls_budget_spend(tls, TLS_KEY_COST))
        return false;
    if (tls_cipher_set_13(&cipher, tls->suite, secret->secret) &&
        tls_cipher_open(&cipher, d->early_seq, record, tls->stage->text, len, type)) {
        d->early = cipher;
        return true;
    }
    tls_cipher_clear(&cipher);
    return false;
}

bool tls_keys_open_handshake(struct tls *tls, int dir, const struct tls_record *record,
                             size_t *len, uint8_t *type)
{
    struct tls_dir *d = &tls->dirs[dir];
    const bool is_client = dir == tls->client;
    const enum tls_label own = is_client ? TLS_LABEL_CLIENT_HANDSHAKE : TLS_LABEL_SERVER_HANDSHAKE;
    const enum tls_label other =
        is_client ? TLS_LABEL_SERVER_HANDSHAKE : TLS_LABEL_CLIENT_HANDSHAKE;
    if (tls->view.version != TLS_1_3 || tls->suite == NULL || tls->client < 0 || d->is_open ||
        d->is_early_over || d->slack != 0)
        return false;
    if (d->early.suite != NULL
            ? !tls_cipher_open(&d->early, d->early_seq, record, tls->stage->text, len, type)
            : !try_early(tls, d, own, record, len, type) &&
                  !try_early(tls, d, other, record, len, type))
        return false;
    d->early_seq++;
    return true;
}

void tls_keys_update(struct tls *tls, int dir)
{
    struct tls_dir *d = &tls->dirs[dir];
    if (tls->view.version != TLS_1_3 || !d->is_open)
        return;
    if (tls_write_keys_are_of(d)) { /* the next key is another line */
        tls_cipher_clear(&d->cipher);
        d->origin.is_known = false;
    } else if (!renew(d)) {
        return;
    }
    d->origin.renewals++;
    d->seq = 0;
    tls->view.key_updates[dir]++;
}

bool tls_keys_open(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                   uint8_t *type)
{
    struct tls_dir *d = &tls->dirs[dir];
    const bool is_13 = tls->view.version == TLS_1_3;
    const bool was_lost = d->slack != 0;
    if (!tls_keys_find(tls, dir))
        return tls_write_keys_try(tls, dir, record, len, type) ||
               tls_search_all(tls, dir, record, len, type);
    if (tls_write_keys_are_of(d))
        return tls_write_keys_open(tls, dir, record, len, type) ||
               tls_search_all(tls, dir, record, len, type);
    return tls_number_open(tls, d, &d->cipher, record, len, type) ||
           (is_13 && !d->is_open &&
            (try_swapped(tls, dir, record, len, type) || try_later(tls, d, record, len, type))) ||
           (is_13 && d->is_open && was_lost && try_updated(tls, d, record, len, type));
}
