/*
 * tls.c - see tls.h (RFC 5246, RFC 8446). A direction is a row of records:
 *
 *   type:1 version:2 length:2 body
 *
 * In TLS 1.2 they are sealed behind ChangeCipherSpec, in 1.3 where their type is that of data.
 * Where keys are missing records are counted all the same, as each is sealed under its number.
 */
#include "tls_conn.h"
#include "tls_record.h"

#include <openssl/crypto.h>
#include <stdlib.h>

enum {
    MIN_RECORD_LEN = TLS_HEADER_LEN + 1 + 8, /* of data: one byte and the shortest tag */
    TICK_LEN_12 = 28,                        /* body of a tick, 4 bytes, with GCM */
    TICK_LEN_13 = 21,
};

#define WAIT_NS (10 * TLS_SECOND_NS)

struct tls_stage *tls_stage_new(struct env *env, const struct tls_events *events)
{
    struct tls_stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL)
        return NULL;
    stage->env = env;
    stage->events = events;
    return stage;
}

void tls_stage_free(struct tls_stage *stage)
{
    if (stage == NULL)
        return;
    OPENSSL_cleanse(stage->text, sizeof stage->text);
    free(stage);
}

struct tls *tls_new(struct tls_stage *stage, const struct tcp_conn_view *tcp, void *context)
{
    struct tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL)
        return NULL;
    tls->stage = stage;
    tls->tcp = tcp;
    tls->context = context;
    tls->client = -1;
    tls->view.keys = DS_TLS_KEYS_MISSING;
    return tls;
}

void tls_free(struct tls *tls)
{
    if (tls == NULL)
        return;
    struct env *env = tls->stage->env;
    for (int dir = 0; dir < 2; dir++) {
        struct tls_dir *d = &tls->dirs[dir];
        reassembly_free(&d->held, env);
        reassembly_free(&d->handshake, env);
        reassembly_free(&d->waiting, env);
        tls_cipher_clear(&d->early);
        tls_cipher_clear(&d->cipher);
    }
    OPENSSL_cleanse(tls, sizeof *tls);
    free(tls);
}

const struct ds_tls *tls_view(const struct tls *tls)
{
    return &tls->view;
}

/* give_gap tells of what could not be opened: at once where something was before it, else
 * before the first that can be. */
static void give_gap(struct tls *tls, int dir, uint64_t len, enum tcp_gap why)
{
    struct tls_dir *d = &tls->dirs[dir];
    tls->view.unopened[dir] += len;
    d->lost += len;
    d->lost_why = why;
    if (!d->is_open)
        return;
    len = d->lost;
    d->lost = 0;
    tls->stage->events->gap(tls->context, dir, len, why);
}

/* add_slack: records may be missing in so many bytes. */
static void add_slack(struct tls_dir *d, uint64_t len)
{
    d->slack += len / MIN_RECORD_LEN + 1;
    if (d->slack > TLS_MAX_UNKNOWN_SEQ)
        d->slack = TLS_MAX_UNKNOWN_SEQ;
}

static void tell_sealed(struct tls *tls)
{
    if (tls->is_told)
        return;
    tls->is_told = true;
    tls->stage->events->sealed(tls->context);
}

/* take_text gives out what is inside a record. */
static void take_text(struct tls *tls, int dir, uint8_t type, size_t len)
{
    const struct cursor text = cursor_make(tls->stage->text, len);
    switch (type) {
    case TLS_DATA:
        if (tls->dirs[dir].lost != 0)
            give_gap(tls, dir, 0, tls->dirs[dir].lost_why);
        tls->stage->events->text(tls->context, dir, text);
        break;
    case TLS_HANDSHAKE:
        tls_handshake_take(tls, dir, text);
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

/* count_unopened: a record has a number although it could not be opened. */
static void count_unopened(struct tls *tls, int dir)
{
    struct tls_dir *d = &tls->dirs[dir];
    if (tls->view.version != TLS_1_3 || d->is_open)
        d->seq++;
    else if (d->slack < TLS_MAX_UNKNOWN_SEQ)
        d->slack++; /* some are of the handshake, under other keys */
}

/* are_late: records have waited for a line of the key log, not just for the hello of the other side. */
static bool are_late(const struct tls *tls)
{
    return tls->is_told ||
           (tls->waits_ns != 0 && tls->waits_age != keylog_age(tls->stage->env->config.keylog));
}

/* open_record returns whether a sealed record could be opened. */
static bool open_record(struct tls *tls, int dir, const struct tls_record *record)
{
    struct tls_dir *d = &tls->dirs[dir];
    size_t len = 0;
    uint8_t type = 0;
    if (tls_keys_open_handshake(tls, dir, record, &len, &type)) {
        if (type != TLS_DATA)
            take_text(tls, dir, type, len);
        OPENSSL_cleanse(tls->stage->text, len);
        return true;
    }
    if (!tls_keys_open(tls, dir, record, &len, &type))
        return false;
    d->is_open = true;
    d->num_wrong = 0;
    if (tls->view.keys == DS_TLS_KEYS_MISSING)
        tls->view.keys = are_late(tls) ? DS_TLS_KEYS_LATE : DS_TLS_KEYS_FOUND;
    take_text(tls, dir, type, len);
    OPENSSL_cleanse(tls->stage->text, len);
    return true;
}

/* is_handshake_13 says whether a record that could not be opened may be one of the handshake,
 * whose keys are others. */
static bool is_handshake_13(const struct tls *tls, int dir)
{
    return tls->view.version == TLS_1_3 && !tls->dirs[dir].is_open;
}

/* may_get_keys says whether there may be keys soon: their line is not there yet, or, where
 * packets come in disorder, the hello of the other side. */
static bool may_get_keys(const struct tls *tls)
{
    const struct env *env = tls->stage->env;
    return keylog_is_of_use(env) && !tls->is_told &&
           (keylog_grows(env) || !tls->has_client_random || !tls->has_server_random);
}

/* hold keeps a record until its keys come. */
static bool hold(struct tls *tls, int dir, struct cursor sent)
{
    struct tls_dir *d = &tls->dirs[dir];
    const int64_t now_ns = tls->tcp->now_ns;
    if (!may_get_keys(tls) ||
        d->waiting.len + cursor_left(&sent) > tls->stage->env->config.limits[DS_LIMIT_BUFFER] ||
        (tls->waits_ns != 0 && now_ns - tls->waits_ns > WAIT_NS) ||
        !reassembly_add(&d->waiting, tls->stage->env, sent))
        return false;
    if (tls->waits_ns == 0) {
        tls->waits_ns = now_ns;
        tls->waits_age = keylog_age(tls->stage->env->config.keylog);
        keylog_want(tls->stage->env);
    }
    return true;
}

/* give_up_waiting: the keys do not come. */
static void give_up_waiting(struct tls *tls)
{
    tell_sealed(tls);
    for (int dir = 0; dir < 2; dir++) {
        struct tls_dir *d = &tls->dirs[dir];
        struct cursor at = reassembly_cursor(&d->waiting);
        struct tls_record record;
        uint64_t len = 0;
        while (tls_record_read(&at, &record)) {
            count_unopened(tls, dir);
            len += TLS_HEADER_LEN + cursor_left(&record.body);
        }
        reassembly_free(&d->waiting, tls->stage->env);
        if (len != 0)
            give_gap(tls, dir, len, TCP_GAP_LOST);
    }
}

static void open_waiting(struct tls *tls, int dir);

/* find_late tries a record of a connection that was begun late while others wait, so that its keys are
 * looked for on. Those that wait have the numbers before its own. */
static void find_late(struct tls *tls, int dir, const struct tls_record *record)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct cursor at = reassembly_cursor(&d->waiting);
    struct tls_record one;
    size_t len = 0;
    uint8_t type;
    if (tls_keys_find(tls, dir)) { /* as the other end's were found */
        open_waiting(tls, dir);
        return;
    }
    if (tls->client >= 0 || !tls_keys_open(tls, dir, record, &len, &type))
        return;
    OPENSSL_cleanse(tls->stage->text, len);
    for (d->seq--; d->seq != 0 && tls_record_read(&at, &one);)
        d->seq--;
    open_waiting(tls, dir);
}

static void take_sealed(struct tls *tls, int dir, const struct tls_record *record,
                        struct cursor sent)
{
    struct tls_dir *d = &tls->dirs[dir];
    if (d->waiting.len != 0)
        find_late(tls, dir, record);
    if (d->waiting.len == 0 && open_record(tls, dir, record))
        return;
    if (d->cipher.suite == NULL && hold(tls, dir, sent))
        return;
    if (d->cipher.suite == NULL) {
        give_up_waiting(tls);
        count_unopened(tls, dir);
        d->num_wrong++;
        give_gap(tls, dir, cursor_left(&sent), TCP_GAP_LOST);
        return;
    }
    if (is_handshake_13(tls, dir) && d->num_wrong < TLS_MAX_WRONG) {
        d->num_wrong++;
        d->slack++;
        return;
    }
    count_unopened(tls, dir);
    give_gap(tls, dir, cursor_left(&sent), TCP_GAP_LOST);
    if (++d->num_wrong > TLS_MAX_WRONG)
        tell_sealed(tls);
}

static void take_record(struct tls *tls, int dir, const struct tls_record *record,
                        struct cursor sent)
{
    struct tls_dir *d = &tls->dirs[dir];
    const size_t tick_len = tls->view.version == TLS_1_3 ? TICK_LEN_13 : TICK_LEN_12;
    tls->view.records[dir]++;
    tls->view.data_records[dir] += record->type == TLS_DATA;
    if (record->type == TLS_DATA && cursor_left(&record->body) == tick_len)
        tls->view.ticks[dir]++;
    if (d->is_sealed || record->type == TLS_DATA) {
        if (record->type == TLS_CHANGE_CIPHER && tls->view.version != TLS_1_2)
            return; /* 1.3: for boxes in the middle */
        d->is_sealed = true;
        take_sealed(tls, dir, record, sent);
        return;
    }
    switch (record->type) {
    case TLS_HANDSHAKE:
        tls_handshake_take(tls, dir, record->body);
        break;
    case TLS_ALERT:
        tls_handshake_alert(tls, dir, record->body);
        break;
    case TLS_CHANGE_CIPHER:
        d->is_sealed = tls->view.version != TLS_1_3;
        d->seq = 0;
        break;
    default:
        break;
    }
}

/* open_waiting: the keys have come. */
static void open_waiting(struct tls *tls, int dir)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct reassembly waiting = d->waiting;
    struct cursor at = reassembly_cursor(&waiting);
    struct tls_record record;
    const uint64_t behind = d->rest;
    d->waiting = (struct reassembly){0};
    for (struct cursor start = at; tls_record_read(&at, &record); start = at) {
        start.end = at.at;
        d->rest = cursor_left(&at) + behind;
        take_sealed(tls, dir, &record, start);
    }
    d->rest = behind;
    reassembly_free(&waiting, tls->stage->env);
}

/* ask_for_keys: the key log has grown, or a hello was seen. */
static void ask_for_keys(struct tls *tls)
{
    const struct env *env = tls->stage->env;
    if (tls->keys_age != keylog_age(env->config.keylog) && tls->has_client_random)
        keylog_note(env, tls->random[0], tls->tcp->number);
    for (int dir = 0; dir < 2; dir++) {
        if (tls->keys_age != keylog_age(env->config.keylog) && tls->dirs[dir].cipher.suite == NULL)
            tls->dirs[dir].tried = tls->dirs[dir].num_searches = 0; /* not the new ones */
    }
    tls->keys_age = keylog_age(env->config.keylog);
    for (int dir = 0; dir < 2; dir++) {
        if (tls_keys_find(tls, dir) && tls->dirs[dir].waiting.len != 0)
            open_waiting(tls, dir);
    }
}

/* take_records works on the records that are whole in at. */
static void take_records(struct tls *tls, int dir, struct cursor *at)
{
    struct tls_dir *d = &tls->dirs[dir];
    for (;;) {
        const struct cursor start = *at;
        struct cursor sent = *at;
        struct tls_record record;
        d->is_lost |= !tls_record_may_begin(*at);
        if (d->is_lost) {
            if (!tls_record_find(at))
                return;
            const size_t skipped = cursor_offset(at, &start);
            sent = *at;
            if (skipped != 0) {
                add_slack(d, skipped);
                give_gap(tls, dir, skipped, TCP_GAP_LOST);
            }
        }
        if (!tls_record_read(at, &record))
            return;
        d->is_lost = false;
        d->rest = cursor_left(at);
        sent.end = at->at;
        take_record(tls, dir, &record, sent);
        if (tls->keys_age != keylog_age(tls->stage->env->config.keylog) ||
            record.type == TLS_HANDSHAKE)
            ask_for_keys(tls);
    }
}

void tls_feed(struct tls *tls, int dir, struct cursor data)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct env *env = tls->stage->env;
    struct cursor at = data;
    const bool from_held = d->held.len != 0;
    tls_keys_allow(tls->stage, cursor_left(&data));
    if (tls->keys_age != keylog_age(env->config.keylog))
        ask_for_keys(tls);
    if (from_held) {
        if (!reassembly_add(&d->held, env, data)) {
            const uint64_t len = d->held.len + cursor_left(&data);
            reassembly_free(&d->held, env);
            tls_gap(tls, dir, len, TCP_GAP_CAP);
            return;
        }
        at = reassembly_cursor(&d->held);
    }
    const struct cursor start = at;
    take_records(tls, dir, &at);
    if (from_held)
        reassembly_drop(&d->held, cursor_offset(&at, &start));
    else if (cursor_left(&at) != 0 && !reassembly_add(&d->held, env, at))
        tls_gap(tls, dir, cursor_left(&at), TCP_GAP_CAP);
    if (d->held.len == 0)
        reassembly_free(&d->held, env);
    d->rest = d->held.len;
}

uint64_t tls_get_rest(const struct tls *tls, int dir)
{
    return tls->dirs[dir].rest;
}

void tls_gap(struct tls *tls, int dir, uint64_t len, enum tcp_gap why)
{
    struct tls_dir *d = &tls->dirs[dir];
    len += d->held.len;
    add_slack(d, len);
    reassembly_free(&d->held, tls->stage->env);
    reassembly_free(&d->handshake, tls->stage->env);
    d->skip = 0;
    d->is_lost = true;
    give_gap(tls, dir, len, why);
}

void tls_end(struct tls *tls)
{
    const struct env *env = tls->stage->env;
    if (tls->dirs[0].waiting.len == 0 && tls->dirs[1].waiting.len == 0)
        return;
    keylog_want(env);
    if (tls->keys_age != keylog_age(env->config.keylog))
        ask_for_keys(tls);
    if (tls->dirs[0].waiting.len != 0 || tls->dirs[1].waiting.len != 0)
        give_up_waiting(tls);
}
