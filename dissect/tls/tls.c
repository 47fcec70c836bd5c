/*
 * tls.c - see tls.h (RFC 5246, RFC 8446). A direction is a sequence of records:
 *
 *   type:1 version:2 length:2 body
 *
 * In TLS 1.2 records after ChangeCipherSpec are encrypted, in 1.3 those of type data. Records are
 * counted even if keys are missing, because each is encrypted under its number.
 */
#include "tls/tls_conn.h"
#include "tls/tls_record.h"

#include <openssl/crypto.h>
#include <stdlib.h>

enum { TICK_LEN_12 = 28, TICK_LEN_13 = 21 }; /* body of an encrypted tick (4 bytes), with GCM */

struct tls_stage *tls_stage_new(struct dissect_ctx *env, const struct tls_events *events)
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
    tls->tcp = tls->at = tcp;
    tls->context = context;
    tls->client = -1;
    tls->view.keys = DS_TLS_KEYS_MISSING;
    return tls;
}

void tls_free(struct tls *tls)
{
    if (tls == NULL)
        return;
    struct dissect_ctx *env = tls->stage->env;
    tls_late_leave(tls);
    for (int dir = 0; dir < 2; dir++) {
        struct tls_dir *d = &tls->dirs[dir];
        stream_buffer_free(&d->held, env);
        stream_buffer_free(&d->handshake, env);
        tls_cipher_clear(&d->early);
        tls_cipher_clear(&d->cipher);
    }
    tls_waiting_free(&tls->waiting, env);
    OPENSSL_cleanse(tls, sizeof *tls);
    free(tls);
}

const struct ds_tls *tls_view(const struct tls *tls)
{
    return &tls->view;
}

const struct tcp_conn_view *tls_get_moment(const struct tls *tls)
{
    return tls->at;
}

static void on_encrypted(struct tls *tls, int dir, const struct tls_record *record, struct cursor sent)
{
    if (tls_waits(tls))
        tls_late_look(tls, dir, record);
    if (!tls_waits(tls) &&
        tls_sealed_open(tls, dir, record, cursor_left(&sent), tls_late_may_wait(tls)))
        return;
    if (tls_late_hold(tls, dir, sent))
        return;
    tls_late_abandon(tls);
    (void)tls_sealed_open(tls, dir, record, cursor_left(&sent), false);
}

/* note_sealed records the end of a handshake. In TLS 1.2, an encrypted handshake message is the
 * Finished. In 1.3, one record of the client's encrypted flight is enough; the end of a server's
 * flight is only seen if it is decrypted. */
static void note_sealed(struct tls *tls, int dir, uint8_t type)
{
    if (type == TLS_HANDSHAKE || (tls->view.version == TLS_1_3 && dir == tls->client))
        tls->view.has_ended[dir] = true;
}

/* note_answer counts answers. In 1.3 an encrypted record has one byte for its type and a tag (RFC
 * 8446, 5.2). */
static void note_answer(struct tls *tls, int dir, const struct tls_record *record)
{
    enum { ALERT_LEN = 2 + 1 + 16, SHORT_TAG_ALERT_LEN = 2 + 1 + 8 };
    const size_t len = cursor_left(&record->body);
    const bool is_sealed = record->type == TLS_DATA;
    tls->view.answers[dir] += is_sealed && tls->view.data_records[!dir] != 0;
    tls->view.ends_like_alert[dir] = is_sealed && (len == ALERT_LEN || len == SHORT_TAG_ALERT_LEN);
}

static void on_record(struct tls *tls, int dir, const struct tls_record *record, struct cursor sent)
{
    struct tls_dir *d = &tls->dirs[dir];
    const size_t tick_len = tls->view.version == TLS_1_3 ? TICK_LEN_13 : TICK_LEN_12;
    tls->view.records[dir]++;
    tls->view.data_records[dir] += record->type == TLS_DATA;
    if (tls->view.version == TLS_1_3)
        note_answer(tls, dir, record);
    if (record->type == TLS_DATA && cursor_left(&record->body) == tick_len)
        tls->view.ticks[dir]++;
    if (d->is_sealed || record->type == TLS_DATA) {
        if (record->type == TLS_CHANGE_CIPHER && tls->view.version != TLS_1_2)
            return; /* 1.3: compatibility with middleboxes */
        d->is_sealed = true;
        note_sealed(tls, dir, record->type);
        on_encrypted(tls, dir, record, sent);
        return;
    }
    switch (record->type) {
    case TLS_HANDSHAKE:
        tls_handshake_read(tls, dir, record->body);
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

/* ask_for_keys looks for keys: the key log has grown, or a hello was seen. */
static void ask_for_keys(struct tls *tls)
{
    tls_keys_look(tls);
    if (!tls_eviction_look(tls->stage))
        tls_late_deliver(tls);
}

/* read_records processes the complete records in at. */
static void read_records(struct tls *tls, int dir, struct cursor *at)
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
            if (skipped != 0)
                tls_late_on_loss(tls, dir, skipped, TCP_GAP_LOST);
        }
        if (!tls_record_read(at, &record))
            return;
        d->is_lost = false;
        d->rest = cursor_left(at);
        sent.end = at->at;
        on_record(tls, dir, &record, sent);
        if (tls->keys_age != keylog_age(tls->stage->env->config.keylog) ||
            record.type == TLS_HANDSHAKE)
            ask_for_keys(tls);
    }
}

void tls_feed(struct tls *tls, int dir, struct cursor data)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct dissect_ctx *env = tls->stage->env;
    struct cursor at = data;
    const bool from_held = d->held.len != 0;
    tls_budget_allow(tls->stage, cursor_left(&data));
    tls->stage->now_ns = tls->tcp->now_ns;
    if (tls->keys_age != keylog_age(env->config.keylog))
        ask_for_keys(tls);
    if (tls->stage->oldest != NULL)
        tls_eviction_expire(tls->stage);
    if (from_held) {
        if (!stream_buffer_add(&d->held, env, data)) {
            const uint64_t len = d->held.len + cursor_left(&data);
            stream_buffer_free(&d->held, env);
            tls_gap(tls, dir, len, TCP_GAP_CAP);
            return;
        }
        at = stream_buffer_cursor(&d->held);
    }
    const struct cursor start = at;
    read_records(tls, dir, &at);
    if (from_held)
        stream_buffer_drop(&d->held, cursor_offset(&at, &start));
    else if (cursor_left(&at) != 0 && !stream_buffer_add(&d->held, env, at))
        tls_gap(tls, dir, cursor_left(&at), TCP_GAP_CAP);
    if (d->held.len == 0)
        stream_buffer_free(&d->held, env);
    d->rest = d->held.len;
    tls->view.is_amid[dir] = d->held.len != 0 || d->handshake.len != 0 || d->skip != 0;
}

uint64_t tls_get_rest(const struct tls *tls, int dir)
{
    return tls->dirs[dir].rest;
}

void tls_gap(struct tls *tls, int dir, uint64_t len, enum tcp_gap why)
{
    struct tls_dir *d = &tls->dirs[dir];
    len += d->held.len;
    stream_buffer_free(&d->held, tls->stage->env);
    stream_buffer_free(&d->handshake, tls->stage->env);
    d->skip = 0;
    d->is_lost = true;
    tls_late_on_loss(tls, dir, len, why);
}

/* ask_at_last looks for the keys of waiting records when no more bytes will come. */
static void ask_at_last(struct tls *tls)
{
    const struct dissect_ctx *env = tls->stage->env;
    tls->stage->now_ns = tls->tcp->now_ns;
    if (!tls_waits(tls))
        return;
    keylog_ask(env);
    if (tls->keys_age != keylog_age(env->config.keylog))
        ask_for_keys(tls);
}

void tls_end(struct tls *tls)
{
    ask_at_last(tls);
    tls_late_abandon(tls);
}

bool tls_is_closed(const struct tls *tls)
{
    return tls->is_closed;
}

void tls_close(struct tls *tls, enum tcp_close why)
{
    ask_at_last(tls);
    if (why != TCP_CLOSE_CAPTURE && tls_late_close(tls, why))
        return;
    tls_late_abandon(tls);
    tls->stage->events->close(tls->context, why);
}
