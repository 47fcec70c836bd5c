/*
 * tls_handshake.c - what both sides agree on (RFC 5246, 7.4; RFC 8446, 4): messages of type:1
 * length:3 body, plain or, in TLS 1.3, encrypted.
 */
#include "tls/tls_certificate.h"
#include "tls/tls_conn.h"
#include "tls/tls_hello.h"

#include <stdlib.h>

enum { MAX_HANDSHAKE = 64 * 1024 }; /* longest message that is read */

static struct ds_text keep_text(char *to, size_t room, struct cursor text)
{
    const size_t len = cursor_left(&text) < room ? cursor_left(&text) : room;
    if (len != 0)
        memcpy(to, text.at, len);
    return (struct ds_text){len != 0 ? to : NULL, len};
}

/* become_13 resets the counts. Records before the version is known, such as early data or a
 * ChangeCipherSpec for middleboxes, do not belong to the keys that follow. */
static void become_13(struct tls *tls)
{
    tls->view.version = TLS_1_3;
    for (int dir = 0; dir < 2; dir++) {
        struct tls_dir *d = &tls->dirs[dir];
        if (d->is_open)
            continue;
        d->is_sealed = false;
        d->slack = d->slack + d->seq < TLS_MAX_UNKNOWN_SEQ ? d->slack + d->seq : TLS_MAX_UNKNOWN_SEQ;
        d->seq = 0;
    }
}

/* is_agreed says whether TLS 1.3, which agrees only once, has decrypted anything. */
static bool is_agreed(const struct tls *tls)
{
    bool is_any_open = false;
    for (int dir = 0; dir < 2; dir++)
        is_any_open |= tls->dirs[dir].is_open || tls->dirs[dir].early_seq != 0;
    return tls->view.version == TLS_1_3 && is_any_open;
}

/* drop_keys drops keys that an earlier message of the server led to and that have decrypted
 * nothing. */
static void drop_keys(struct tls *tls)
{
    for (int dir = 0; dir < 2; dir++) {
        struct tls_dir *d = &tls->dirs[dir];
        if (d->is_open)
            continue;
        tls_cipher_clear(&d->cipher);
        d->origin.is_known = false;
    }
}

static void on_hello(struct tls *tls, int dir, struct cursor body, bool is_client)
{
    struct tls_hello hello;
    if (is_agreed(tls) || !tls_hello_read(body, is_client, &hello))
        return;
    tls->view.has_hello[dir] = true;
    if (hello.is_retry) {
        become_13(tls);
        return;
    }
    if (is_client)
        tls->view.offered = hello.version;
    memcpy(tls->random[is_client ? 0 : 1], hello.random, TLS_RANDOM_LEN);
    if (is_client) {
        tls->has_client_random = true;
        keylog_mark_used(tls->stage->env, tls->random[0], tls->tcp->number);
        tls->has_server_random = false;
        tls->view.sni = keep_text(tls->sni, sizeof tls->sni, hello.sni);
        tls->view.has_ech = hello.has_ech;
        tls->client = dir;
        return;
    }
    drop_keys(tls);
    tls->has_server_random = true;
    tls->client = 1 - dir;
    tls->mac_last = hello.mac_last;
    tls->suite = tls_suite_find(hello.suite);
    tls->view.version = hello.version;
    if (hello.version == TLS_1_3)
        become_13(tls);
    tls->view.suite = hello.suite;
    tls->view.suite_name = tls->suite != NULL ? tls->suite->name : NULL;
    tls->group = hello.group;
    tls->view.group = tls_group_name(hello.group);
}

static void read_certificate(struct tls *tls, int dir, struct cursor body)
{
    struct tls_certificate certificate;
    const bool is_13 = tls->view.version == TLS_1_3;
    if (!tls_certificate_read(body, is_13, &certificate))
        return;
    memcpy(tls->names[dir], certificate.name, certificate.name_len);
    tls->view.certificate[dir] = (struct ds_text){
        certificate.name_len != 0 ? tls->names[dir] : NULL, certificate.name_len};
    tls->view.valid_from[dir] = certificate.valid_from;
    tls->view.valid_until[dir] = certificate.valid_until;
}

static void read_compressed_certificate(struct tls *tls, int dir, struct cursor body)
{
    uint8_t *bytes;
    struct cursor unpacked;
    tls->view.packed[dir] = tls_certificate_unpack(body, &bytes, &unpacked);
    if (cursor_left(&unpacked) != 0) {
        tls->view.packed[dir] = NULL;
        read_certificate(tls, dir, unpacked);
    }
    free(bytes);
}

static void on_message(struct tls *tls, int dir, uint8_t type, struct cursor body)
{
    tls->view.has_ended[dir] =
        type == TLS_CLIENT_HELLO || type == TLS_SERVER_HELLO_DONE || type == TLS_FINISHED;
    switch ((enum tls_message)type) {
    case TLS_CLIENT_HELLO:
    case TLS_SERVER_HELLO:
        on_hello(tls, dir, body, type == TLS_CLIENT_HELLO);
        break;
    case TLS_CERTIFICATE:
        read_certificate(tls, dir, body);
        break;
    case TLS_COMPRESSED_CERTIFICATE:
        read_compressed_certificate(tls, dir, body);
        break;
    case TLS_CERTIFICATE_REQUEST:
        tls->view.asks_certificate = true;
        break;
    case TLS_KEY_UPDATE:
        tls_keys_update(tls, dir);
        break;
    case TLS_FINISHED:
        tls->dirs[dir].is_early_over = true;
        break;
    case TLS_SERVER_HELLO_DONE:
        break;
    }
}

static bool is_of_use(uint8_t type)
{
    return type == TLS_CLIENT_HELLO || type == TLS_SERVER_HELLO || type == TLS_CERTIFICATE ||
           type == TLS_CERTIFICATE_REQUEST || type == TLS_SERVER_HELLO_DONE || type == TLS_FINISHED ||
           type == TLS_KEY_UPDATE || type == TLS_COMPRESSED_CERTIFICATE;
}

/* read_messages processes the complete messages in at: type:1 length:3 body. */
static void read_messages(struct tls *tls, int dir, struct cursor *at)
{
    struct tls_dir *d = &tls->dirs[dir];
    for (;;) {
        struct cursor body;
        uint32_t head;
        if (d->skip != 0) {
            const size_t left = cursor_left(at);
            const size_t len = d->skip < left ? (size_t)d->skip : left;
            d->skip -= len;
            if (!cursor_skip(at, len) || d->skip != 0)
                return;
        }
        const struct cursor start = *at;
        if (!cursor_read_u32(at, &head)) {
            *at = start;
            return;
        }
        const uint8_t type = (uint8_t)(head >> 24);
        const size_t len = head & 0xffffff;
        if (len > MAX_HANDSHAKE || !is_of_use(type)) {
            d->skip = len;
            tls->view.has_ended[dir] = false;
        } else if (cursor_child(at, len, &body)) {
            on_message(tls, dir, type, body);
            if (type == TLS_KEY_UPDATE && cursor_skip(at, cursor_left(at)))
                return; /* no message may follow in the same record: RFC 8446, 5.1 */
        } else {
            *at = start;
            return;
        }
    }
}

void tls_handshake_read(struct tls *tls, int dir, struct cursor data)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct dissect_ctx *env = tls->stage->env;
    struct cursor at = data;
    const bool from_held = d->handshake.len != 0;
    if (from_held) {
        if (!stream_buffer_add(&d->handshake, env, data)) {
            stream_buffer_free(&d->handshake, env);
            return;
        }
        at = stream_buffer_cursor(&d->handshake);
    }
    const struct cursor start = at;
    read_messages(tls, dir, &at);
    if (from_held)
        stream_buffer_drop(&d->handshake, cursor_offset(&at, &start));
    else if (cursor_left(&at) != 0 && !stream_buffer_add(&d->handshake, env, at))
        return; /* counted; the rest is not a whole message */
    if (d->handshake.len == 0)
        stream_buffer_free(&d->handshake, env);
}

/* tls_handshake_alert reads an alert: level:1 description:1. */
void tls_handshake_alert(struct tls *tls, int dir, struct cursor body)
{
    uint8_t level, description;
    if (cursor_read_u8(&body, &level) && cursor_read_u8(&body, &description) &&
        cursor_left(&body) == 0) {
        tls->view.alert[dir] = tls_alert_text(description);
        tls->view.alert_code[dir] = description;
        tls->view.has_alert[dir] = true;
    }
}
