/*
 * tls_sealed.c - encrypted records: emits their content, or reports that they could not be
 * decrypted; and missing bytes, which may have contained records.
 */
#include "tls/tls_conn.h"
#include "tls/tls_record.h"

#include <openssl/crypto.h>

enum { MIN_RECORD_LEN = TLS_HEADER_LEN + 1 + 8 }; /* for data: one byte and the shortest tag */

/* give_gap reports bytes that could not be decrypted: at once if text was decrypted before them,
 * otherwise before the first text. */
static void give_gap(struct tls *tls, int dir, uint64_t len, enum tcp_gap why)
{
    struct tls_dir *d = &tls->dirs[dir];
    tls->view.undecrypted[dir] += len;
    d->lost += len;
    d->lost_why = why;
    if (!d->is_open)
        return;
    len = d->lost;
    d->lost = 0;
    tls->stage->events->gap(tls->context, dir, len, why);
}

uint64_t tls_sealed_slack(uint64_t len)
{
    const uint64_t slack = len / MIN_RECORD_LEN + 1;
    return slack < TLS_MAX_UNKNOWN_SEQ ? slack : TLS_MAX_UNKNOWN_SEQ;
}

void tls_sealed_on_loss(struct tls *tls, int dir, uint64_t len, enum tcp_gap why)
{
    struct tls_dir *d = &tls->dirs[dir];
    d->slack += tls_sealed_slack(len);
    if (d->slack > TLS_MAX_UNKNOWN_SEQ)
        d->slack = TLS_MAX_UNKNOWN_SEQ;
    give_gap(tls, dir, len, why);
}

static void report_decrypted(struct tls *tls)
{
    if (tls->is_told)
        return;
    tls->is_told = true;
    tls->stage->events->sealed(tls->context);
}

/* on_text emits the content of a record. */
static void on_text(struct tls *tls, int dir, uint8_t type, size_t len)
{
    const struct cursor text = cursor_make(tls->stage->text, len);
    switch (type) {
    case TLS_DATA:
        if (tls->dirs[dir].lost != 0)
            give_gap(tls, dir, 0, tls->dirs[dir].lost_why);
        tls->stage->events->text(tls->context, dir, text);
        break;
    case TLS_HANDSHAKE:
        tls_handshake_read(tls, dir, text);
        break;
    case TLS_ALERT:
        tls_handshake_alert(tls, dir, text);
        break;
    case TLS_CHANGE_CIPHER: /* the end of a renegotiation, 1.2 */
        tls_cipher_clear(&tls->dirs[dir].cipher);
        tls->dirs[dir].origin.is_known = false;
        tls->dirs[dir].seq = 0;
        tls->dirs[dir].is_open = false;
        (void)tls_keys_find(tls, dir);
        tls->view.key_updates[dir]++;
        break;
    default:
        break;
    }
}

/* count_unopened counts the number of a record that could not be decrypted. */
static void count_unopened(struct tls *tls, int dir)
{
    struct tls_dir *d = &tls->dirs[dir];
    if (tls->view.version != TLS_1_3 || d->is_open)
        d->seq++;
    else if (d->slack < TLS_MAX_UNKNOWN_SEQ)
        d->slack++; /* some belong to the handshake, under other keys */
}

/* are_late says whether records have waited for a line of the key log, not just for the hello of
 * the other side. */
static bool are_late(const struct tls *tls)
{
    return tls->is_told ||
           (tls->has_waited && tls->waits_age != keylog_age(tls->stage->env->config.keylog));
}

/* open_record decrypts an encrypted record. False if it cannot. */
static bool open_record(struct tls *tls, int dir, const struct tls_record *record)
{
    struct tls_dir *d = &tls->dirs[dir];
    size_t len = 0;
    uint8_t type = 0;
    if (tls_keys_open_handshake(tls, dir, record, &len, &type)) {
        if (type != TLS_DATA)
            on_text(tls, dir, type, len);
        OPENSSL_cleanse(tls->stage->text, len);
        return true;
    }
    if (!tls_keys_open(tls, dir, record, &len, &type))
        return false;
    d->is_open = true;
    d->num_wrong = 0;
    if (tls->view.keys == DS_TLS_KEYS_MISSING)
        tls->view.keys = are_late(tls) ? DS_TLS_KEYS_LATE : DS_TLS_KEYS_FOUND;
    on_text(tls, dir, type, len);
    OPENSSL_cleanse(tls->stage->text, len);
    return true;
}

/* is_handshake_13 says whether a record that could not be decrypted may belong to the handshake,
 * which has other keys. */
static bool is_handshake_13(const struct tls *tls, int dir)
{
    return tls->view.version == TLS_1_3 && !tls->dirs[dir].is_open;
}

bool tls_sealed_open(struct tls *tls, int dir, const struct tls_record *record, size_t len,
                     bool may_wait)
{
    struct tls_dir *d = &tls->dirs[dir];
    if (open_record(tls, dir, record))
        return true;
    if (d->cipher.suite == NULL && may_wait)
        return false;
    if (d->cipher.suite == NULL)
        report_decrypted(tls);
    else if (is_handshake_13(tls, dir) && d->num_wrong < TLS_MAX_WRONG) {
        d->num_wrong++;
        d->slack++;
        return true;
    }
    count_unopened(tls, dir);
    give_gap(tls, dir, len, TCP_GAP_LOST);
    if (++d->num_wrong > TLS_MAX_WRONG)
        report_decrypted(tls);
    return true;
}
