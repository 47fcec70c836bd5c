/*
 * tls_search.c - the capture began after the hello: any secret of TLS 1.3 may be the right one,
 * with any suite of its length, at any number; and any write key, also after a hello. The next
 * record continues a search that ran out of budget.
 */
#include "tls/tls_conn.h"

enum { LOOK_COST = 64 }; /* of checking that a secret need not be tried */

/* CUT: the budget is spent; the next record continues from there. */
enum search { FOUND, CUT, DONE };

/* all_len returns how many numbers are tried of each secret before higher ones of any. */
static uint64_t all_len(const struct tls_search *search)
{
    const uint64_t len = search->tried + TLS_FIRST_SEARCH;
    return len < TLS_MAX_SEARCH ? len : TLS_MAX_SEARCH;
}

/* use_keys adopts keys that have decrypted a record, at that number. */
static void use_keys(struct tls *tls, int dir, const struct tls_cipher *cipher, uint64_t number,
                     const struct keylog_secret *secret)
{
    struct tls_dir *d = &tls->dirs[dir];
    tls_cipher_clear(&d->cipher);
    d->cipher = *cipher;
    d->seq = number + 1;
    d->slack = d->tried = 0;
    d->num_searches = 0;
    memcpy(d->secret, secret->secret, secret->len);
    tls->suite = cipher->suite;
    tls_origin_set(tls, d, secret);
    tls->client = secret->label == TLS_LABEL_CLIENT ? dir : 1 - dir;
    memcpy(tls->random[0], secret->random, TLS_RANDOM_LEN);
    tls->has_client_random = true;
    keylog_mark_used(tls->stage->env, tls->random[0], tls->tcp->number);
    tls->view.version = TLS_1_3;
    tls->view.suite = tls->suite->code;
    tls->view.suite_name = tls->suite->name;
    tls->dirs[1 - dir].slack = TLS_MAX_UNKNOWN_SEQ;
    tls->dirs[1 - dir].tried = 0;
}

static const uint16_t codes[] = {0x1302, 0x1301, 0x1303, 0x1304, 0x1305};
enum { NUM_CODES = sizeof codes / sizeof codes[0] };

/* trial is a secret, and what it is tried as. */
struct trial {
    const struct keylog_secret *secret;
    const struct tls_suite *suite; /* NULL: of the secret, which is a write key */
    bool is_13;
};

static bool set_cipher(struct tls_cipher *cipher, const struct trial *trial)
{
    return trial->suite != NULL ? tls_cipher_set_13(cipher, trial->suite, trial->secret->secret)
                                : tls_write_keys_set(cipher, trial->secret, trial->is_13);
}

/* try_each tries one secret: from the first untried number on, and then lower numbers, because
 * earlier records may have been under previous keys. With a write key of TLS 1.3, a number is how
 * the nonce differs from that of the line. Small ones are tried for each record: the records before
 * may have been of the handshake, under another key. */
static enum search try_each(struct tls *tls, int dir, struct tls_search *search,
                            const struct trial *trial, const struct tls_record *record, size_t *len,
                            uint8_t *type)
{
    const bool is_nonce = trial->suite == NULL && trial->is_13;
    const uint64_t seq = is_nonce ? 0 : tls->dirs[dir].seq, above = all_len(search);
    const uint64_t lower = seq < TLS_MAX_SEARCH ? seq : TLS_MAX_SEARCH;
    const uint64_t below = is_nonce ? (search->tried != 0 ? TLS_FIRST_SEARCH : 0)
                                    : (search->tried != 0 ? 0 : lower);
    const size_t cost = cursor_left(&record->body) + TLS_RECORD_COST;
    struct tls_cipher cipher = {0};
    if (!tls_budget_spend(tls, TLS_KEY_COST))
        return CUT;
    for (bool has_keys = set_cipher(&cipher, trial);
         has_keys && search->from < above + below; search->from++) {
        const uint64_t number = search->from < above ? seq + search->tried + search->from
                                : is_nonce           ? search->from - above
                                                     : seq - (search->from - above) - 1;
        if (!tls_budget_spend(tls, cost)) {
            tls_cipher_clear(&cipher);
            return CUT;
        }
        if (tls_cipher_open(&cipher, number, record, tls->stage->text, len, type)) {
            if (trial->suite == NULL)
                tls_write_keys_adopt(tls, dir, &cipher, number, trial->secret);
            else
                use_keys(tls, dir, &cipher, number, trial->secret);
            return FOUND;
        }
    }
    tls_cipher_clear(&cipher);
    search->from = 0;
    return DONE;
}

/* choose_trial chooses what a secret is tried as, try number i of it; false if there is nothing. */
static bool choose_trial(const struct tls *tls, const struct keylog_secret *secret, size_t i,
                         struct trial *trial)
{
    *trial = (struct trial){.secret = secret, .is_13 = true};
    if (secret->label == TLS_LABEL_WRITE_KEY) {
        const struct tls_suite *suite = tls_suite_find((uint16_t)secret->updates);
        trial->is_13 = i == 0;
        /* With ChaCha20 in TLS 1.2, two numbers would have to be found at once. */
        return i < 2 && (trial->is_13 || suite->kind != TLS_CHACHA) &&
               tls_write_keys_may_fit(tls, secret, trial->is_13);
    }
    trial->suite = tls_suite_find(codes[i]);
    return tls_secret_len(trial->suite) == secret->len;
}

/* may_be says whether a secret may be that of a connection whose random says nothing. */
static bool may_be(const struct tls *tls, const struct keylog_secret *secret)
{
    return secret->label == TLS_LABEL_WRITE_KEY ||
           (!tls->has_client_random &&
            (secret->label == TLS_LABEL_CLIENT || secret->label == TLS_LABEL_SERVER));
}

/* look_on tries the secrets of a part of the key log, each with every suite of its length. */
static enum search look_on(struct tls *tls, int dir, struct tls_search *search,
                           const struct tls_record *record, size_t *len, uint8_t *type)
{
    const struct ds_keylog *keylog = tls->stage->env->config.keylog;
    const struct keylog_secret *secret;
    for (; (secret = keylog_each(keylog, search->next / NUM_CODES)) != NULL; search->next++) {
        struct trial trial;
        if (tls_budget_is_spent(tls) || !tls_budget_spend(tls, LOOK_COST))
            return CUT;
        if (secret->added <= search->after || secret->added > search->up_to ||
            !may_be(tls, secret)) {
            search->next += NUM_CODES - 1 - search->next % NUM_CODES;
            continue;
        }
        if (!choose_trial(tls, secret, search->next % NUM_CODES, &trial))
            continue;
        const enum search result = try_each(tls, dir, search, &trial, record, len, type);
        if (result != DONE)
            return result;
    }
    search->next = 0;
    search->tried += all_len(search);
    if (search->tried > TLS_MAX_UNKNOWN_SEQ)
        search->tried = 0;
    return DONE;
}

/* choose_search alternates between the additions to the key log and its earlier content, until the
 * former have been searched as far, so that lines of other connections do not restart the search. */
static struct tls_search *choose_search(struct tls *tls, struct tls_dir *d)
{
    const uint64_t age = keylog_age(tls->stage->env->config.keylog);
    if (d->known.up_to == 0)
        d->known.up_to = age;
    if (d->added.tried >= d->known.tried && d->added.up_to > d->known.up_to)
        d->known.up_to = d->added.up_to;
    if (d->added.up_to <= d->known.up_to)
        d->added = (struct tls_search){.after = d->known.up_to, .up_to = age};
    d->is_knowns_turn = !d->is_knowns_turn || d->added.up_to == d->added.after;
    return d->is_knowns_turn ? &d->known : &d->added;
}

bool tls_search_all(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                    uint8_t *type)
{
    struct tls_dir *d = &tls->dirs[dir];
    if (keylog_age(tls->stage->env->config.keylog) == 0 ||
        (tls->has_client_random && !tls_write_keys_exist(tls)) || record->type != TLS_DATA ||
        cursor_left(&record->body) > TLS_SMALL_RECORD || !tls_number_may_search(d) ||
        tls_budget_is_spent(tls))
        return false; /* the key log is empty: no number has been tried */
    struct tls_search *search = choose_search(tls, d);
    d->num_searches++;
    return look_on(tls, dir, search, record, len, type) == FOUND;
}
