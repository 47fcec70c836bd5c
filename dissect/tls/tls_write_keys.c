/*
 * tls_write_keys.c - keys of records themselves, as distsniff-keys finds them (tls_labels.def). Such
 * a line does not say which connection and direction the key belongs to: the tag of a record shows
 * it. It says one nonce. TLS 1.2 sends the others; in TLS 1.3 a nonce is iv XOR number, so one tells
 * those around it, but for the bits that a carry changes:
 *
 *   the number of the nonce   ?...? 0 1 0 1 1
 *   the one after it          ?...? 0 1 1 0 0   differs by 00111: two ones were at the end
 *
 * Each length of a carry is tried, and the one that is right tells more of the number's low bits:
 * the next carry that is in doubt is further away. Numbers count from the known bits alone; the
 * others are part of the cipher's iv.
 */
#include "tls/tls_conn.h"
#include "tls/tls_record.h"
#include "tls/tls_solve.h"

#include <openssl/crypto.h>

enum {
    MAX_BITS = 48,         /* of numbers: no connection has more records */
    MAX_KEYS = 512,        /* tried on a record; the next record continues with others */
    MAX_LOOKS = 4096,      /* lines of the key log that are looked at for these */
    LOOK_COST = 64,
    RESTORED_SLACK = 4096, /* numbers that are tried for the first record after a snapshot */
    SOLVE_COST = 256 * 1024, /* of computing a number from a tag, in bytes that could be decrypted */
    ALL_BITS = 64,
};

bool tls_write_keys_are_of(const struct tls_dir *d)
{
    return d->origin.is_known && d->origin.label == TLS_LABEL_WRITE_KEY;
}

bool tls_write_keys_exist(const struct tls *tls)
{
    return keylog_num_write_keys(tls->stage->env->config.keylog) != 0;
}

bool tls_write_keys_may_fit(const struct tls *tls, const struct keylog_secret *secret, bool is_13)
{
    const struct tls_suite *suite = tls_suite_find((uint16_t)secret->updates);
    const uint16_t version = tls->view.version;
    return suite != NULL && (!is_13 || suite->code >> 8 == 0x13) &&
           (version == 0 || version == (is_13 ? TLS_1_3 : TLS_1_2)) &&
           (tls->suite == NULL ||
            (tls->suite->kind == suite->kind && tls->suite->key_len == suite->key_len));
}

bool tls_write_keys_set(struct tls_cipher *cipher, const struct keylog_secret *secret, bool is_13)
{
    const struct tls_suite *suite = tls_suite_find((uint16_t)secret->updates);
    return suite != NULL && tls_cipher_set_key(cipher, suite, is_13, secret->secret + TLS_NONCE_LEN,
                                               secret->secret);
}

void tls_write_keys_adopt(struct tls *tls, int dir, const struct tls_cipher *cipher, uint64_t number,
                          const struct keylog_secret *secret)
{
    struct tls_dir *d = &tls->dirs[dir];
    tls_cipher_clear(&d->cipher);
    d->cipher = *cipher;
    d->bits = cipher->is_13 ? 0 : ALL_BITS;
    if (cipher->is_13) {
        tls_cipher_move(&d->cipher, number);
        number = 0;
    }
    d->seq = number + 1;
    d->slack = d->tried = 0;
    d->num_searches = 0;
    tls_origin_set(tls, d, secret);
    keylog_mark_used(tls->stage->env, secret->random, tls->tcp->number);
    tls->view.version = cipher->is_13 ? TLS_1_3 : TLS_1_2;
    if (cipher->is_13 && tls->suite == NULL) { /* in 1.2 several suites have this cipher */
        tls->suite = cipher->suite;
        tls->view.suite = tls->suite->code;
        tls->view.suite_name = tls->suite->name;
    }
}

bool tls_write_keys_use(struct tls *tls, struct tls_dir *d, const struct keylog_secret *secret)
{
    const bool is_13 = tls->view.version == TLS_1_3;
    if (!tls_write_keys_set(&d->cipher, secret, is_13))
        return false;
    d->bits = is_13 ? 0 : ALL_BITS;
    if (is_13) {
        tls_cipher_move(&d->cipher, d->seq);
        d->seq = 0;
        d->slack = d->slack > RESTORED_SLACK ? d->slack : RESTORED_SLACK;
    }
    return true;
}

uint64_t tls_write_keys_number(const struct tls *tls, const struct tls_dir *d)
{
    const struct keylog_secret *secret =
        tls_write_keys_are_of(d) && d->cipher.is_13 ? tls_origin_find(tls, &d->origin) : NULL;
    uint64_t moved = 0;
    if (secret == NULL)
        return d->seq;
    for (int i = TLS_NONCE_LEN - 8; i < TLS_NONCE_LEN; i++)
        moved = moved << 8 | (uint64_t)(d->cipher.iv[i] ^ secret->secret[i]);
    return moved ^ d->seq;
}

/* --- records --- */

/* is_far says whether a record of a cipher that sends nonces has one that is far from that of the line:
 * ends count them, from any of them on. */
static bool is_far(const struct tls_cipher *cipher, const struct tls_record *record)
{
    const uint64_t far = UINT64_C(1) << MAX_BITS;
    struct cursor at = record->body;
    uint64_t nonce, of_line = 0;
    for (int i = TLS_NONCE_LEN - 8; i < TLS_NONCE_LEN; i++)
        of_line = of_line << 8 | cipher->iv[i];
    return !cursor_read_u64(&at, &nonce) || (nonce - of_line >= far && of_line - nonce >= far);
}

/* find_number finds the number of a record of TLS 1.2: from its tag, or, with CCM, it is that in the
 * nonce, as some ends have it. */
static bool find_number(struct tls *tls, const struct tls_cipher *cipher,
                        const struct tls_record *record, uint64_t *number)
{
    struct cursor at = record->body;
    const enum tls_kind kind = cipher->suite->kind;
    if (kind == TLS_CCM || kind == TLS_CCM8)
        return cursor_read_u64(&at, number);
    return !(kind == TLS_GCM && is_far(cipher, record)) &&
           tls_budget_spend_reserve(tls, 2 * cursor_left(&record->body) + SOLVE_COST) &&
           tls_solve_number(cipher, record, tls->stage->text, number);
}

/* open_near tries a number of a key that has opened a record before: no search of others may use up
 * what that costs. */
static bool open_near(struct tls *tls, struct tls_cipher *cipher, uint64_t number,
                      const struct tls_record *record, size_t *len, uint8_t *type)
{
    return tls_budget_spend_all(tls->stage, cursor_left(&record->body) + TLS_RECORD_COST) &&
           tls_cipher_open(cipher, number, record, tls->stage->text, len, type);
}

/* open_carried tries the record after the last number with the known bits: the others end with 0
 * and any number of ones, and 1 is added to them. */
static bool open_carried(struct tls *tls, struct tls_dir *d, const struct tls_record *record,
                         size_t *len, uint8_t *type)
{
    if (d->bits > MAX_BITS || d->seq != UINT64_C(1) << d->bits)
        return false;
    for (unsigned bits = d->bits; bits < MAX_BITS; bits++) {
        const uint64_t number = UINT64_C(1) << bits;
        const uint64_t ones = number - (UINT64_C(1) << d->bits);
        if (!open_near(tls, &d->cipher, number ^ ones, record, len, type))
            continue;
        tls_cipher_move(&d->cipher, ones);
        d->bits = bits + 1;
        d->seq = number + 1;
        d->slack = d->tried = 0;
        return true;
    }
    return false;
}

/* open_borrowed tries the record before number 0 of the known bits: 1 is subtracted from the
 * others. */
static bool open_borrowed(struct tls *tls, struct tls_dir *d, const struct tls_record *record,
                          size_t *len, uint8_t *type)
{
    for (unsigned bits = d->bits; bits < MAX_BITS; bits++) {
        const uint64_t one = UINT64_C(1) << bits;
        if (!open_near(tls, &d->cipher, one ^ (one - 1), record, len, type))
            continue;
        tls_cipher_move(&d->cipher, one);
        d->bits = bits + 1;
        d->seq += one;
        return true;
    }
    return false;
}

/* widen returns how far to search where slack records may be missing: the bits that a carry changes
 * are beyond them. */
static uint64_t widen(uint64_t slack, unsigned bits)
{
    const uint64_t wide = 4 * slack + (bits < 20 ? UINT64_C(2) << bits : TLS_MAX_UNKNOWN_SEQ);
    return wide < TLS_MAX_UNKNOWN_SEQ ? wide : TLS_MAX_UNKNOWN_SEQ;
}

/* open_expected tries the expected number, and where records were lost, those that may be meant. */
static bool open_expected(struct tls *tls, struct tls_dir *d, const struct tls_record *record,
                          size_t *len, uint8_t *type)
{
    const uint64_t slack = d->slack;
    const bool is_part = d->bits < MAX_BITS;
    const uint64_t block = is_part ? UINT64_C(1) << d->bits : 0;
    if (is_part && slack != 0)
        d->slack = widen(slack, d->bits);
    if (!tls_number_open(tls, d, &d->cipher, record, len, type)) {
        d->slack = slack;
        return false;
    }
    if (is_part) {
        const uint64_t number = d->seq - 1;
        tls_cipher_move(&d->cipher, number & ~(block - 1));
        d->seq = (number & (block - 1)) + 1;
    }
    return true;
}

/* open_solved tries the number that can be told from the record. */
static bool open_solved(struct tls *tls, struct tls_dir *d, const struct tls_record *record, size_t *len,
                        uint8_t *type)
{
    uint64_t number;
    if (!tls_cipher_is_explicit(&d->cipher) || !find_number(tls, &d->cipher, record, &number) ||
        !open_near(tls, &d->cipher, number, record, len, type))
        return false;
    d->seq = number + 1;
    d->slack = d->tried = 0;
    return true;
}

/* open_first opens the record whose nonce the line of a key says, in TLS 1.2 also another one. The number
 * is 0 in TLS 1.3. */
static bool open_first(struct tls *tls, struct tls_cipher *cipher, uint64_t *number,
                       const struct tls_record *record, size_t *len, uint8_t *type)
{
    *number = 0;
    if (!cipher->is_13) {
        if (!find_number(tls, cipher, record, number))
            return false;
        if (!tls_cipher_is_explicit(cipher))
            tls_cipher_move(cipher, *number); /* to the iv */
    }
    return tls_budget_spend_reserve(tls, cursor_left(&record->body) + TLS_RECORD_COST) &&
           tls_cipher_open(cipher, *number, record, tls->stage->text, len, type);
}

static bool try_key(struct tls *tls, int dir, const struct keylog_secret *secret, bool is_13,
                    const struct tls_record *record, size_t *len, uint8_t *type)
{
    struct tls_cipher cipher = {0};
    uint64_t number;
    if (tls_write_keys_may_fit(tls, secret, is_13) && tls_budget_spend_reserve(tls, TLS_RECORD_COST) &&
        tls_write_keys_set(&cipher, secret, is_13) &&
        open_first(tls, &cipher, &number, record, len, type)) {
        tls_write_keys_adopt(tls, dir, &cipher, number, secret);
        return true;
    }
    tls_cipher_clear(&cipher);
    return false;
}

bool tls_write_keys_try(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                        uint8_t *type)
{
    const struct ds_keylog *keylog = tls->stage->env->config.keylog;
    struct tls_dir *d = &tls->dirs[dir];
    size_t left = keylog_num_write_keys(keylog);
    if (left > MAX_KEYS)
        left = MAX_KEYS;
    for (unsigned looks = 0; left != 0 && looks < MAX_LOOKS; looks++) {
        if (!tls_budget_spend_reserve(tls, LOOK_COST))
            return false;
        const struct keylog_secret *secret = keylog_each(keylog, d->next_key);
        d->next_key = secret != NULL ? d->next_key + 1 : 0;
        if (secret == NULL || secret->label != TLS_LABEL_WRITE_KEY)
            continue;
        left--;
        if (try_key(tls, dir, secret, true, record, len, type) ||
            try_key(tls, dir, secret, false, record, len, type))
            return true;
    }
    return false;
}

bool tls_write_keys_open(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                         uint8_t *type)
{
    struct tls_dir *d = &tls->dirs[dir];
    return open_carried(tls, d, record, len, type) || open_expected(tls, d, record, len, type) ||
           open_solved(tls, d, record, len, type) ||
           tls_write_keys_try(tls, dir, record, len, type);
}

/* find_waiting finds a waiting record of a direction by its place among them. */
static bool find_waiting(const struct tls *tls, int dir, uint64_t place, struct tls_record *record)
{
    struct tls_waiting_at at = tls_waiting_begin(&tls->waiting);
    struct tls_waiter waiter;
    struct cursor bytes;
    while (tls_waiting_next(&at, &waiter, &bytes)) {
        if (waiter.dir == dir && waiter.kind == TLS_WAITS_RECORD && place-- == 0)
            return tls_record_read(&bytes, record);
    }
    return false;
}

void tls_write_keys_learn(struct tls *tls, int dir, uint64_t records)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct tls_record record;
    size_t len = 0;
    uint8_t type;
    while (tls_write_keys_are_of(d) && d->bits < MAX_BITS && d->seq <= records &&
           find_waiting(tls, dir, records - d->seq, &record) &&
           open_borrowed(tls, d, &record, &len, &type))
        OPENSSL_cleanse(tls->stage->text, len);
}
