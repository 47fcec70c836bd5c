/*
 * tls_snapshot.c - see tls_snapshot.h. The payloads; <n>: preceded by a length of n bytes:
 *
 *   DS_SNAPSHOT_TLS     1:1 flags:1 client:1 (the direction, 2: not known) version:2 offered:2 suite:2
 *                   group:2 randoms:64 number:8 slack:4 early:8 skip:8
 *                   origin: label:1 updates:4 renewals:4 suite:2 randoms:64
 *                   sni<1> certificate<1> from:8 until:8
 *   DS_SNAPSHOT_SEALED  tag:16, and by AES-256-SIV (RFC 5297): kind:1 cut:4 bytes
 *
 * The former was sent unencrypted, or could be counted. The key of the latter is derived from the
 * secret that decrypts the connection. SIV needs no nonce: the library has no source of random
 * numbers.
 */
#include "tls/tls_snapshot.h"

#include "tls/tls_conn.h"
#include "tls/tls_hello.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

enum {
    FORM = 1,
    TAG_LEN = 16,
    PIECE_HEAD_LEN = 5,
    MAX_PIECE = 16 * 1024, /* bytes of a stream that are encrypted together */
};

enum {
    FLAG_SEALED = 1,
    FLAG_OPEN = 2,
    FLAG_LOST = 4, /* not at the beginning of a record */
    FLAG_EARLY_OVER = 8,
    FLAG_CLIENT_RANDOM = 16,
    FLAG_SERVER_RANDOM = 32,
    FLAG_MAC_LAST = 64,
    FLAG_UNREAD = 128, /* some content could not be decrypted */
};

enum { ORIGIN_NONE = 255, ORIGIN_MAC_LAST = 128 };

/* --- the state --- */

static void put(struct ds_buffer *out, uint64_t value, unsigned len)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < len; i++)
        bytes[i] = (uint8_t)(value >> 8 * (len - 1 - i));
    ds_buffer_add(out, bytes, len);
}

static void put_text(struct ds_buffer *out, struct ds_text text)
{
    const size_t len = text.len < UINT8_MAX ? text.len : UINT8_MAX;
    put(out, len, 1);
    ds_buffer_add(out, text.data, len);
}

static void put_origin(const struct tls_origin *origin, struct ds_buffer *out)
{
    const unsigned label = !origin->is_known
                               ? (unsigned)ORIGIN_NONE
                               : (unsigned)origin->label | (origin->mac_last ? ORIGIN_MAC_LAST : 0);
    put(out, label, 1);
    put(out, origin->updates, 4);
    put(out, origin->renewals, 4);
    put(out, origin->suite != NULL ? origin->suite->code : 0, 2);
    ds_buffer_add(out, origin->random, sizeof origin->random);
}

static uint8_t flags_of(const struct tls *tls, int dir)
{
    const struct tls_dir *d = &tls->dirs[dir];
    return (uint8_t)((d->is_sealed ? FLAG_SEALED : 0) | (d->is_open ? FLAG_OPEN : 0) |
                     (d->is_lost ? FLAG_LOST : 0) | (d->is_early_over ? FLAG_EARLY_OVER : 0) |
                     (tls->has_client_random ? FLAG_CLIENT_RANDOM : 0) |
                     (tls->has_server_random ? FLAG_SERVER_RANDOM : 0) |
                     (tls->mac_last ? FLAG_MAC_LAST : 0) | (d->lost != 0 ? FLAG_UNREAD : 0));
}

/* to_skip returns how much is still missing of a handshake message whose beginning is kept. */
static uint64_t to_skip(const struct tls_dir *d)
{
    struct cursor held = stream_buffer_cursor(&d->handshake);
    uint32_t head;
    if (!cursor_read_u32(&held, &head))
        return d->skip;
    const size_t len = head & 0xffffff;
    return len > cursor_left(&held) ? len - cursor_left(&held) : 0;
}

static void put_state(const struct tls *tls, int dir, struct ds_buffer *out)
{
    const struct tls_dir *d = &tls->dirs[dir];
    const bool shows_names = tls->view.version != TLS_1_3; /* TLS before 1.3 sends them unencrypted */
    put(out, FORM, 1);
    put(out, flags_of(tls, dir), 1);
    put(out, tls->client < 0 ? 2 : (uint64_t)tls->client, 1);
    put(out, tls->view.version, 2);
    put(out, tls->view.offered, 2);
    put(out, tls->view.suite, 2);
    put(out, tls->group, 2);
    ds_buffer_add(out, tls->random, sizeof tls->random);
    put(out, tls_write_keys_number(tls, d), 8);
    put(out, d->slack, 4);
    put(out, d->early_seq, 8);
    put(out, to_skip(d), 8);
    put_origin(&d->origin, out);
    put_text(out, tls->view.sni);
    put_text(out, shows_names ? tls->view.certificate[dir] : (struct ds_text){NULL, 0});
    put(out, shows_names ? (uint64_t)tls->view.valid_from[dir] : 0, 8);
    put(out, shows_names ? (uint64_t)tls->view.valid_until[dir] : 0, 8);
}

static bool get(struct cursor *at, unsigned len, uint64_t *value)
{
    uint8_t byte;
    *value = 0;
    for (unsigned i = 0; i < len; i++) {
        if (!cursor_read_u8(at, &byte))
            return false;
        *value = *value << 8 | byte;
    }
    return true;
}

static bool get_text(struct cursor *at, char *to, size_t room, struct ds_text *text)
{
    struct cursor bytes;
    uint8_t len;
    if (!cursor_read_u8(at, &len) || len > room || !cursor_child(at, len, &bytes))
        return false;
    if (len != 0)
        memcpy(to, bytes.at, len);
    *text = (struct ds_text){len != 0 ? to : NULL, len};
    return true;
}

static bool get_origin(struct cursor *at, struct tls_origin *origin)
{
    uint64_t label, updates, renewals, suite;
    if (!get(at, 1, &label) || !get(at, 4, &updates) || !get(at, 4, &renewals) ||
        !get(at, 2, &suite) || !cursor_read_bytes(at, origin->random[0], TLS_RANDOM_LEN) ||
        !cursor_read_bytes(at, origin->random[1], TLS_RANDOM_LEN))
        return false;
    origin->mac_last = (label & ORIGIN_MAC_LAST) != 0;
    origin->label = (enum tls_label)(label & ~(uint64_t)ORIGIN_MAC_LAST);
    origin->updates = (uint32_t)updates;
    origin->renewals = (uint32_t)renewals;
    origin->suite = tls_suite_find((uint16_t)suite);
    origin->is_known =
        label != ORIGIN_NONE && origin->label < TLS_LABEL_COUNT && origin->suite != NULL;
    return true;
}

/* get_shared reads the fields that are equal for both directions. */
static bool get_shared(struct tls *tls, struct cursor *at, uint64_t flags)
{
    uint64_t client, version, offered, suite, group;
    if (!get(at, 1, &client) || !get(at, 2, &version) || !get(at, 2, &offered) ||
        !get(at, 2, &suite) || !get(at, 2, &group) ||
        !cursor_read_bytes(at, tls->random[0], TLS_RANDOM_LEN) ||
        !cursor_read_bytes(at, tls->random[1], TLS_RANDOM_LEN))
        return false;
    tls->client = client < 2 ? (int)client : -1;
    tls->has_client_random = (flags & FLAG_CLIENT_RANDOM) != 0;
    tls->has_server_random = (flags & FLAG_SERVER_RANDOM) != 0;
    tls->mac_last = (flags & FLAG_MAC_LAST) != 0;
    tls->suite = tls_suite_find((uint16_t)suite);
    tls->group = (uint16_t)group;
    tls->view.version = (uint16_t)version;
    tls->view.offered = (uint16_t)offered;
    tls->view.suite = (uint16_t)suite;
    tls->view.suite_name = tls->suite != NULL ? tls->suite->name : NULL;
    tls->view.group = tls_group_name(tls->group);
    return true;
}

void tls_snapshot_set_state(struct tls *tls, int dir, struct cursor state)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct cursor at = state;
    uint64_t form, flags, slack, from, until;
    if (!get(&at, 1, &form) || form != FORM || !get(&at, 1, &flags) ||
        !get_shared(tls, &at, flags) || !get(&at, 8, &d->seq) || !get(&at, 4, &slack) ||
        !get(&at, 8, &d->early_seq) || !get(&at, 8, &d->skip) || !get_origin(&at, &d->origin) ||
        !get_text(&at, tls->sni, sizeof tls->sni, &tls->view.sni) ||
        !get_text(&at, tls->names[dir], sizeof tls->names[dir], &tls->view.certificate[dir]) ||
        !get(&at, 8, &from) || !get(&at, 8, &until))
        return;
    d->slack = slack < TLS_MAX_UNKNOWN_SEQ ? slack : TLS_MAX_UNKNOWN_SEQ;
    d->is_sealed = (flags & FLAG_SEALED) != 0;
    d->is_lost = (flags & FLAG_LOST) != 0;
    d->is_early_over = (flags & FLAG_EARLY_OVER) != 0;
    tls->view.valid_from[dir] = (int64_t)from;
    tls->view.valid_until[dir] = (int64_t)until;
    if (tls->has_client_random)
        keylog_mark_used(tls->stage->env, tls->random[0], tls->tcp->number);
    if (d->origin.is_known)
        keylog_mark_used(tls->stage->env, d->origin.random[0], tls->tcp->number);
    d->is_open = tls_keys_find(tls, dir) && (flags & FLAG_OPEN) != 0;
    if ((flags & FLAG_UNREAD) != 0 || ((flags & FLAG_OPEN) != 0 && !d->is_open))
        tls->stage->events->gap(tls->context, dir, 0, TCP_GAP_LOST);
}

/* --- the content --- */

static EVP_CIPHER_CTX *start(const struct tls *tls, int dir, bool seals)
{
    uint8_t key[TLS_SNAPSHOT_KEY_LEN];
    EVP_CIPHER *cipher = NULL;
    EVP_CIPHER_CTX *context = NULL;
    if (tls_origin_key(tls, dir, key) &&
        (cipher = EVP_CIPHER_fetch(NULL, "AES-256-SIV", NULL)) != NULL &&
        (context = EVP_CIPHER_CTX_new()) != NULL &&
        EVP_CipherInit_ex2(context, cipher, key, NULL, seals, NULL) != 1) {
        EVP_CIPHER_CTX_free(context);
        context = NULL;
    }
    OPENSSL_cleanse(key, sizeof key);
    EVP_CIPHER_free(cipher);
    return context;
}

bool tls_snapshot_seal(const struct tls *tls, int dir, enum ds_snapshot_kind kind, uint32_t cut,
                       struct cursor bytes, struct ds_buffer *out)
{
    uint8_t *text = tls->stage->text;
    uint8_t sealed[TAG_LEN];
    const size_t len = PIECE_HEAD_LEN + cursor_left(&bytes);
    int done = 0, more = 0;
    out->len = 0;
    if (len > TLS_TEXT_MAX)
        return false;
    EVP_CIPHER_CTX *context = start(tls, dir, true);
    if (context == NULL)
        return false;
    text[0] = (uint8_t)kind;
    for (int i = 0; i < 4; i++)
        text[1 + i] = (uint8_t)(cut >> 8 * (3 - i));
    if (cursor_left(&bytes) != 0)
        memcpy(text + PIECE_HEAD_LEN, bytes.at, cursor_left(&bytes));
    /* In one call: the tag, which comes first, covers all of it. */
    bool is_sealed = EVP_EncryptUpdate(context, text, &done, text, (int)len) == 1 &&
                     EVP_EncryptFinal_ex(context, text + done, &more) == 1 &&
                     EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG_LEN, sealed) == 1;
    EVP_CIPHER_CTX_free(context);
    if (is_sealed) {
        ds_buffer_add(out, sealed, TAG_LEN);
        ds_buffer_add(out, text, len);
    }
    OPENSSL_cleanse(text, len);
    return is_sealed && !out->failed;
}

bool tls_snapshot_open(struct tls *tls, int dir, struct cursor sealed, struct tls_snapshot_piece *piece)
{
    uint8_t tag[TAG_LEN], kind;
    uint8_t *text = tls->stage->text;
    int done = 0, more = 0;
    if (!cursor_read_bytes(&sealed, tag, TAG_LEN) || cursor_left(&sealed) < PIECE_HEAD_LEN ||
        cursor_left(&sealed) > TLS_TEXT_MAX)
        return false;
    EVP_CIPHER_CTX *context = start(tls, dir, false);
    if (context == NULL)
        return false;
    const bool is_right =
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_LEN, tag) == 1 &&
        EVP_DecryptUpdate(context, text, &done, sealed.at, (int)cursor_left(&sealed)) == 1 &&
        EVP_DecryptFinal_ex(context, text + done, &more) == 1;
    EVP_CIPHER_CTX_free(context);
    piece->text = cursor_make(text, cursor_left(&sealed));
    if (!is_right || !cursor_read_u8(&piece->text, &kind) ||
        !cursor_read_u32(&piece->text,
                         &piece->cut) || kind == DS_SNAPSHOT_NONE || kind > DS_SNAPSHOT_OPEN)
        return false;
    piece->kind = (enum ds_snapshot_kind)kind;
    return true;
}

/* --- segments --- */

/* held_seq returns the sequence number at which an incomplete record begins. */
static uint32_t held_seq(const struct tls_snapshot *past, int dir)
{
    return past->to.point[dir].next_seq - (uint32_t)past->tls->dirs[dir].held.len;
}

/* rest_seq returns the sequence number at which the kept records begin. */
static uint32_t rest_seq(const struct tls_snapshot *past, int dir)
{
    struct tls_waiting_at at = tls_waiting_begin(&past->tls->waiting);
    struct tls_waiter waiter;
    struct cursor bytes;
    while (tls_waiting_next(&at, &waiter, &bytes)) {
        if (waiter.dir == dir && waiter.kind == TLS_WAITS_RECORD)
            return waiter.next_seq[dir] - (uint32_t)waiter.len;
    }
    return held_seq(past, dir);
}

void tls_snapshot_begin(struct tls_snapshot *past, const struct tls *tls,
                        const struct tcp_conn_view *tcp, const struct tcp_point point[2],
                        int64_t since_ns, ds_snapshot_fn give, void *context)
{
    const struct cursor none = cursor_make(NULL, 0);
    struct ds_buffer states[2] = {{0}, {0}};
    *past = (struct tls_snapshot){
        .tls = tls,
        .to = {.tcp = tcp,
               .point = point,
               .give = give,
               .context = context,
               .ts_ns = since_ns,
               .seq = {point[0].next_seq, point[1].next_seq}},
    };
    for (int dir = 0; dir < 2; dir++) {
        put_state(tls, dir, &states[dir]);
        if ((tcp->syn_seen[0] || tcp->syn_seen[1]) && point[dir].started)
            snapshot_write_segment(&past->to, dir, DS_SNAPSHOT_BYTES,
                         rest_seq(past, dir) - (uint32_t)states[dir].len - 1,
                         dir == 0 ? TCP_SYN : TCP_SYN | TCP_ACK, none, 0);
    }
    for (int dir = 0; dir < 2; dir++) {
        if (point[dir].started && !states[dir].failed)
            snapshot_write_segment(&past->to, dir, DS_SNAPSHOT_TLS,
                                   rest_seq(past, dir) - (uint32_t)states[dir].len,
                         TCP_ACK | TCP_PSH, cursor_make(states[dir].data, states[dir].len), 0);
        ds_buffer_free(&states[dir]);
    }
}

static int dir_of(const struct tls_snapshot *past, const struct ds_segment *segment)
{
    return segment->src_port == past->to.tcp->port[0] &&
                   memcmp(&segment->src, &past->to.tcp->addr[0], sizeof segment->src) == 0
               ? 0
               : 1;
}

void tls_snapshot_add(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct tls_snapshot *past = context;
    const int dir = dir_of(past, segment);
    struct cursor bytes = cursor_make(segment->payload, segment->payload_len), part;
    if ((segment->flags & TCP_SYN) != 0)
        return; /* TLS emits its own */
    past->to.ts_ns = ts_ns;
    do {
        const size_t left = cursor_left(&bytes), len = left < MAX_PIECE ? left : MAX_PIECE;
        if (!cursor_child(&bytes, len, &part) ||
            !tls_snapshot_seal(past->tls, dir, (enum ds_snapshot_kind)segment->past.kind,
                               len == left ? segment->truncated_len : 0, part, &past->made))
            return;
        const struct cursor sealed = cursor_make(past->made.data, past->made.len);
        snapshot_write_segment(&past->to, dir, DS_SNAPSHOT_SEALED,
                     rest_seq(past, dir) - (uint32_t)cursor_left(&sealed), TCP_ACK | TCP_PSH,
                     sealed, 0);
    } while (cursor_left(&bytes) != 0);
}

struct tls_snapshot_dir {
    struct tls_snapshot *past;
    int dir;
};

static void give_held(void *context, uint32_t seq, struct cursor bytes, uint32_t truncated_len)
{
    const struct tls_snapshot_dir *held = context;
    snapshot_write_bytes(&held->past->to, held->dir, DS_SNAPSHOT_BYTES, seq, bytes, truncated_len);
}

/* give_waiting emits the records that wait for keys, as they came. */
static void give_waiting(struct tls_snapshot *past)
{
    struct tls_waiting_at at = tls_waiting_begin(&past->tls->waiting);
    struct tls_waiter waiter;
    struct cursor bytes;
    while (tls_waiting_next(&at, &waiter, &bytes)) {
        const int dir = waiter.dir;
        if (waiter.kind != TLS_WAITS_RECORD || !past->to.point[dir].started || past->to.point[dir].ended)
            continue;
        if (past->to.ts_ns < waiter.ts_ns)
            past->to.ts_ns = waiter.ts_ns;
        snapshot_write_bytes(&past->to, dir, DS_SNAPSHOT_BYTES,
                             waiter.next_seq[dir] - (uint32_t)waiter.len, bytes,
                             0);
    }
}

void tls_snapshot_end(struct tls_snapshot *past)
{
    give_waiting(past);
    past->to.ts_ns = past->to.tcp->now_ns > past->to.ts_ns ? past->to.tcp->now_ns : past->to.ts_ns;
    for (int dir = 0; dir < 2; dir++) {
        const struct tls_dir *d = &past->tls->dirs[dir];
        struct tls_snapshot_dir held = {past, dir};
        if (!past->to.point[dir].started || past->to.point[dir].ended)
            continue;
        snapshot_write_bytes(&past->to, dir, DS_SNAPSHOT_BYTES, held_seq(past, dir),
                             stream_buffer_cursor(&d->held), 0);
        tcp_table_walk_held(past->to.tcp, dir, give_held, &held);
    }
    ds_buffer_free(&past->made);
}
