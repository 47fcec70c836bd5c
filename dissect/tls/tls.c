/*
 * tls.c - see tls.h (RFC 5246, RFC 8446). A direction is a row of records:
 *
 *   type:1 version:2 length:2 body
 *
 * In TLS 1.2 they are sealed behind ChangeCipherSpec, in 1.3 where their type is that of data.
 * A record is sealed under its number, which is not sent: it is counted, and after a gap, or
 * where the capture began late, it is searched for within what can have been lost, as the tag
 * says which is right. Where keys are missing records are counted all the same.
 */
#include "tls.h"

#include "keylog.h"
#include "reassembly.h"
#include "tls_certificate.h"
#include "tls_hello.h"

#include <openssl/crypto.h>
#include <stdlib.h>

enum {
    MIN_RECORD_LEN = TLS_HEADER_LEN + 1 + 8, /* of data: one byte and the shortest tag */
    MAX_HANDSHAKE = 64 * 1024,               /* bytes of one message that are read */
    MAX_WRONG = 16,     /* records in a row that do not open: the keys are others */
    FIRST_SEARCH = 256, /* numbers tried of the first record; of each further one twice as many */
    MAX_UNKNOWN_SEQ = 1 << 20, /* where to look for the number of a record, begun late */
    SMALL_RECORD = 512,        /* bytes; larger ones are no good to look with */
    RECORD_COST = 256,         /* trying a record costs as much as so many bytes of it */
    TICK_LEN_12 = 28,          /* body of a tick, 4 bytes, with GCM */
    TICK_LEN_13 = 21,
};

/* What may be tried in a second of the capture, in bytes. */
#define SEARCH_BUDGET (INT64_C(64) << 20)
#define SECOND_NS INT64_C(1000000000)
#define WAIT_NS (10 * SECOND_NS)

struct tls_stage {
    struct env *env;
    const struct tls_events *events;
    int64_t budget, budget_ns; /* left of the second that began then */
    uint8_t text[TLS_RECORD_MAX];
};

struct tls_dir {
    struct reassembly held;      /* the beginning of a record */
    struct reassembly handshake; /* the beginning of a handshake message in clear */
    struct reassembly waiting;   /* records that wait for keys, whole */
    uint64_t skip;               /* bytes of a handshake message that are of no use */
    struct tls_cipher cipher;
    uint8_t secret[TLS_SECRET_MAX]; /* of 1.3 */
    uint64_t seq;                   /* of the next record, or the least that it can be */
    uint64_t slack;                 /* by how much it can be more */
    bool is_sealed;                 /* 1.2: behind ChangeCipherSpec */
    bool is_open;                   /* the key has opened a record */
    bool is_lost;                   /* not at the beginning of a record */
    unsigned num_wrong;
    uint64_t lost; /* bytes that could not be opened and were not told of yet */
    enum tcp_gap lost_why;
};

struct tls {
    struct tls_stage *stage;
    const struct tcp_conn_view *tcp;
    void *context;
    struct ds_tls view;
    struct tls_dir dirs[2];
    const struct tls_suite *suite;
    int client; /* which direction is the client's; -1: not known */
    bool has_client_random, has_server_random, mac_last;
    bool is_told;                      /* sealed */
    uint8_t random[2][TLS_RANDOM_LEN]; /* of the client, of the server */
    uint64_t keys_age;                 /* of the key log, when it was last asked */
    int64_t waits_ns;                  /* since when records wait; 0: none does */
    char sni[256], names[2][256];
};

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

static bool read_record(struct cursor *at, struct tls_record *record)
{
    const struct cursor start = *at;
    uint16_t len;
    if (cursor_read_u8(at, &record->type) && cursor_read_u16(at, &record->version) &&
        cursor_read_u16(at, &len) && cursor_child(at, len, &record->body))
        return true;
    *at = start;
    return false;
}

/* is_header says whether a record may begin so; true where there is too little to say no. */
static bool is_header(struct cursor at)
{
    uint8_t type, major;
    uint16_t len;
    if (!cursor_read_u8(&at, &type))
        return true;
    if (type < TLS_CHANGE_CIPHER || type > TLS_HEARTBEAT)
        return false;
    if (!cursor_read_u8(&at, &major))
        return true;
    if (major != 3)
        return false;
    return !cursor_skip(&at, 1) || !cursor_read_u16(&at, &len) ||
           (len != 0 && len <= TLS_RECORD_MAX);
}

bool tls_probe(struct cursor bytes, bool is_late)
{
    struct cursor at = bytes;
    struct tls_record record;
    uint8_t type, message;
    if (cursor_read_u8(&at, &type) && type == TLS_HANDSHAKE && is_header(bytes) &&
        (!cursor_skip(&at, TLS_HEADER_LEN - 1) || !cursor_read_u8(&at, &message) ||
         message == TLS_CLIENT_HELLO || message == TLS_SERVER_HELLO))
        return true;
    if (!is_late || cursor_left(&bytes) == 0)
        return false;
    while (is_header(bytes) && read_record(&bytes, &record)) {
        if (record.version != TLS_1_2)
            return false;
        if (cursor_left(&bytes) == 0)
            return true;
    }
    return false;
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

static void tell_sealed(struct tls *tls)
{
    if (tls->is_told)
        return;
    tls->is_told = true;
    tls->stage->events->sealed(tls->context);
}

/* may_search: where the keys are others, or not those of this connection, looking on is left to
 * fewer and fewer records. */
static bool may_search(const struct tls_dir *d)
{
    return d->num_wrong <= MAX_WRONG || (d->num_wrong & (d->num_wrong - 1)) == 0;
}

/* can_try takes the cost of trying a record of that length from what the second allows. */
static bool can_try(struct tls *tls, size_t len)
{
    struct tls_stage *stage = tls->stage;
    const int64_t now_ns = tls->tcp->now_ns;
    if (now_ns - stage->budget_ns >= SECOND_NS || now_ns < stage->budget_ns) {
        stage->budget_ns = now_ns;
        stage->budget = SEARCH_BUDGET;
    }
    stage->budget -= (int64_t)len + RECORD_COST;
    return stage->budget > 0;
}

/* The keys. */

static enum tls_label label_of(const struct tls *tls, int dir)
{
    return dir == tls->client ? TLS_LABEL_CLIENT : TLS_LABEL_SERVER;
}

static const struct keylog_secret *find_secret(const struct tls *tls, enum tls_label label)
{
    return tls->has_client_random
               ? keylog_find(tls->stage->env->config.keylog, label, tls->random[0])
               : NULL;
}

static bool use_secret(struct tls *tls, struct tls_dir *d, const struct keylog_secret *secret)
{
    if (secret->len != tls_secret_len(tls->suite) ||
        !tls_cipher_set_13(&d->cipher, tls->suite, secret->secret))
        return false;
    memcpy(d->secret, secret->secret, secret->len);
    return true;
}

/* find_keys looks into the key log for a direction that has no keys yet. */
static bool find_keys(struct tls *tls, int dir)
{
    struct tls_dir *d = &tls->dirs[dir];
    const struct keylog_secret *secret;
    if (d->cipher.suite != NULL)
        return true;
    if (tls->suite == NULL || tls->client < 0)
        return false;
    if (tls->view.version == TLS_1_3) {
        secret = find_secret(tls, label_of(tls, dir));
        return secret != NULL && use_secret(tls, d, secret);
    }
    secret = tls->has_server_random ? find_secret(tls, TLS_LABEL_MASTER) : NULL;
    return secret != NULL && tls->view.version == TLS_1_2 &&
           tls_cipher_set_12(&d->cipher, tls->suite, tls->mac_last, secret->secret, tls->random[0],
                             tls->random[1], dir == tls->client);
}

/* search_len is how many numbers are worth trying: a record may be one under other keys, so that
 * little is spent on the first of them. */
static uint64_t search_len(const struct tls_dir *d)
{
    const uint64_t len = (uint64_t)FIRST_SEARCH << (d->num_wrong < 12 ? d->num_wrong : 12);
    return d->slack < len ? d->slack : len;
}

/* open_at tries the numbers that a record can have. */
static bool open_at(struct tls *tls, struct tls_dir *d, struct tls_cipher *cipher,
                    const struct tls_record *record, size_t *len, uint8_t *type)
{
    const size_t body_len = cursor_left(&record->body);
    const uint64_t search = search_len(d);
    for (uint64_t more = 0; more <= search; more++) {
        if (more != 0 && (!may_search(d) || !can_try(tls, body_len)))
            return false;
        if (tls_cipher_open(cipher, d->seq + more, record, tls->stage->text, len, type)) {
            d->seq += more + 1;
            d->slack = 0;
            return true;
        }
    }
    return false;
}

/* try_secret tries another secret than the one at hand; where it fits it takes its place. */
static bool try_secret(struct tls *tls, struct tls_dir *d, const uint8_t *secret, bool from_start,
                       const struct tls_record *record, size_t *len, uint8_t *type)
{
    struct tls_cipher cipher = {0};
    const uint64_t seq = d->seq, slack = d->slack;
    if (!can_try(tls, 0) || !tls_cipher_set_13(&cipher, tls->suite, secret)) {
        tls_cipher_clear(&cipher);
        return false;
    }
    if (from_start)
        d->seq = 0;
    if (open_at(tls, d, &cipher, record, len, type)) {
        memmove(d->secret, secret, tls_secret_len(tls->suite));
        tls_cipher_clear(&d->cipher);
        d->cipher = cipher;
        return true;
    }
    d->seq = seq;
    d->slack = slack;
    tls_cipher_clear(&cipher);
    return false;
}

/* try_swapped: OTP 27 writes the secrets of both directions down under each other's label. */
static bool try_swapped(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                        uint8_t *type)
{
    const struct keylog_secret *secret = find_secret(tls, label_of(tls, 1 - dir));
    struct tls_dir *d = &tls->dirs[dir], *other = &tls->dirs[1 - dir];
    if (secret == NULL || secret->len != tls_secret_len(tls->suite) ||
        !try_secret(tls, d, secret->secret, false, record, len, type))
        return false;
    tls->view.keys = DS_TLS_KEYS_SWAPPED;
    secret = find_secret(tls, label_of(tls, dir));
    if (!other->is_open && secret != NULL)
        (void)use_secret(tls, other, secret);
    return true;
}

/* try_updated: the message that said that the keys change was lost. */
static bool try_updated(struct tls *tls, struct tls_dir *d, const struct tls_record *record,
                        size_t *len, uint8_t *type)
{
    uint8_t next[TLS_SECRET_MAX];
    memcpy(next, d->secret, sizeof next);
    const bool fits = tls_cipher_next_secret(tls->suite, next) &&
                      try_secret(tls, d, next, true, record, len, type);
    OPENSSL_cleanse(next, sizeof next);
    return fits;
}

/* try_all: the capture began after the hello. Every secret of TLS 1.3 may be the one, with
 * every suite of its length, under any number. */
static bool try_all(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                    uint8_t *type)
{
    static const uint16_t codes[] = {0x1302, 0x1301, 0x1303, 0x1304, 0x1305};
    struct tls_dir *d = &tls->dirs[dir];
    const struct keylog_secret *secret;
    if (tls->has_client_random || record->type != TLS_DATA ||
        cursor_left(&record->body) > SMALL_RECORD || !may_search(d))
        return false;
    for (size_t i = 0; (secret = keylog_each(tls->stage->env->config.keylog, i)) != NULL; i++) {
        if (secret->label != TLS_LABEL_CLIENT && secret->label != TLS_LABEL_SERVER)
            continue;
        for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++) {
            tls->suite = tls_suite_find(codes[c]);
            if (tls_secret_len(tls->suite) != secret->len)
                continue;
            d->slack = MAX_UNKNOWN_SEQ;
            if (!try_secret(tls, d, secret->secret, true, record, len, type))
                continue;
            tls->client = secret->label == TLS_LABEL_CLIENT ? dir : 1 - dir;
            memcpy(tls->random[0], secret->random, TLS_RANDOM_LEN);
            tls->has_client_random = true;
            tls->view.version = TLS_1_3;
            tls->view.suite = tls->suite->code;
            tls->view.suite_name = tls->suite->name;
            tls->dirs[1 - dir].slack = MAX_UNKNOWN_SEQ;
            return true;
        }
    }
    tls->suite = NULL;
    return false;
}

/* Handshake messages. */

static struct ds_text keep_text(char *to, size_t room, struct cursor text)
{
    const size_t len = cursor_left(&text) < room ? cursor_left(&text) : room;
    if (len != 0)
        memcpy(to, text.at, len);
    return (struct ds_text){len != 0 ? to : NULL, len};
}

static void take_hello(struct tls *tls, int dir, struct cursor body, bool is_client)
{
    struct tls_hello hello;
    if (!tls_hello_read(body, is_client, &hello))
        return;
    if (hello.is_retry)
        return;
    memcpy(tls->random[is_client ? 0 : 1], hello.random, TLS_RANDOM_LEN);
    if (is_client) {
        tls->has_client_random = true;
        tls->has_server_random = false;
        tls->view.sni = keep_text(tls->sni, sizeof tls->sni, hello.sni);
        tls->client = dir;
        return;
    }
    tls->has_server_random = true;
    tls->client = 1 - dir;
    tls->mac_last = hello.mac_last;
    tls->suite = tls_suite_find(hello.suite);
    tls->view.version = hello.version;
    tls->view.suite = hello.suite;
    tls->view.suite_name = tls->suite != NULL ? tls->suite->name : NULL;
    tls->view.group = tls_group_name(hello.group);
}

static void take_message(struct tls *tls, int dir, uint8_t type, struct cursor body)
{
    struct tls_dir *d = &tls->dirs[dir];
    switch ((enum tls_message)type) {
    case TLS_CLIENT_HELLO:
    case TLS_SERVER_HELLO:
        take_hello(tls, dir, body, type == TLS_CLIENT_HELLO);
        break;
    case TLS_CERTIFICATE:
        tls->view.certificate[dir].len = tls_certificate_name(
            body, tls->names[dir], sizeof tls->names[dir], &tls->view.valid_until[dir]);
        tls->view.certificate[dir].data =
            tls->view.certificate[dir].len != 0 ? tls->names[dir] : NULL;
        break;
    case TLS_CERTIFICATE_REQUEST:
        tls->view.asks_certificate = true;
        break;
    case TLS_KEY_UPDATE:
        if (tls->view.version == TLS_1_3 && d->is_open &&
            tls_cipher_next_secret(tls->suite, d->secret) &&
            tls_cipher_set_13(&d->cipher, tls->suite, d->secret)) {
            d->seq = 0;
            tls->view.key_updates[dir]++;
        }
        break;
    }
}

static bool is_of_use(uint8_t type)
{
    return type == TLS_CLIENT_HELLO || type == TLS_SERVER_HELLO || type == TLS_CERTIFICATE ||
           type == TLS_CERTIFICATE_REQUEST || type == TLS_KEY_UPDATE;
}

/* take_messages works on the messages that are whole in at: type:1 length:3 body. */
static void take_messages(struct tls *tls, int dir, struct cursor *at)
{
    struct tls_dir *d = &tls->dirs[dir];
    for (;;) {
        const struct cursor start = *at;
        struct cursor body;
        uint32_t head;
        if (d->skip != 0) {
            const size_t left = cursor_left(at);
            const size_t len = d->skip < left ? (size_t)d->skip : left;
            d->skip -= len;
            if (!cursor_skip(at, len) || d->skip != 0)
                return;
        }
        if (!cursor_read_u32(at, &head)) {
            *at = start;
            return;
        }
        const uint8_t type = (uint8_t)(head >> 24);
        const size_t len = head & 0xffffff;
        if (len > MAX_HANDSHAKE || !is_of_use(type)) {
            d->skip = len;
        } else if (cursor_child(at, len, &body)) {
            take_message(tls, dir, type, body);
        } else {
            *at = start;
            return;
        }
    }
}

static void take_handshake(struct tls *tls, int dir, struct cursor data)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct env *env = tls->stage->env;
    struct cursor at = data;
    const bool from_held = d->handshake.len != 0;
    if (from_held) {
        if (!reassembly_add(&d->handshake, env, data)) {
            reassembly_free(&d->handshake, env);
            return;
        }
        at = reassembly_cursor(&d->handshake);
    }
    const struct cursor start = at;
    take_messages(tls, dir, &at);
    if (from_held)
        reassembly_drop(&d->handshake, cursor_offset(&at, &start));
    else if (cursor_left(&at) != 0 && !reassembly_add(&d->handshake, env, at))
        return; /* counted; what follows is no whole message */
    if (d->handshake.len == 0)
        reassembly_free(&d->handshake, env);
}

/* take_alert reads level:1 description:1. */
static void take_alert(struct tls *tls, int dir, struct cursor body)
{
    uint8_t level, description;
    if (cursor_read_u8(&body, &level) && cursor_read_u8(&body, &description) &&
        cursor_left(&body) == 0) {
        tls->view.alert[dir] = tls_alert_text(description);
        tls->view.alert_code[dir] = description;
        tls->view.has_alert[dir] = true;
    }
}

/* Records. */

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
        take_handshake(tls, dir, text);
        break;
    case TLS_ALERT:
        take_alert(tls, dir, text);
        break;
    case TLS_CHANGE_CIPHER: /* the end of a renegotiation, 1.2 */
        tls_cipher_clear(&tls->dirs[dir].cipher);
        tls->dirs[dir].seq = 0;
        tls->dirs[dir].is_open = false;
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
    else if (d->slack < MAX_UNKNOWN_SEQ)
        d->slack++; /* some are of the handshake, under other keys */
}

/* open_record returns whether a sealed record could be opened. */
static bool open_record(struct tls *tls, int dir, const struct tls_record *record)
{
    struct tls_dir *d = &tls->dirs[dir];
    const bool is_13 = tls->view.version == TLS_1_3;
    const bool was_lost = d->slack != 0;
    size_t len = 0;
    uint8_t type = 0;
    bool is_opened = d->cipher.suite != NULL && open_at(tls, d, &d->cipher, record, &len, &type);
    if (!is_opened && is_13 && d->cipher.suite != NULL && !d->is_open)
        is_opened = try_swapped(tls, dir, record, &len, &type);
    if (!is_opened && is_13 && d->is_open && was_lost)
        is_opened = try_updated(tls, d, record, &len, &type);
    if (!is_opened && d->cipher.suite == NULL)
        is_opened = try_all(tls, dir, record, &len, &type);
    if (!is_opened)
        return false;
    d->is_open = true;
    d->num_wrong = 0;
    if (tls->view.keys == DS_TLS_KEYS_MISSING)
        tls->view.keys = tls->is_told || tls->waits_ns != 0 ? DS_TLS_KEYS_LATE : DS_TLS_KEYS_FOUND;
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
    if (tls->waits_ns == 0)
        tls->waits_ns = now_ns;
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
        while (read_record(&at, &record)) {
            count_unopened(tls, dir);
            len += TLS_HEADER_LEN + cursor_left(&record.body);
        }
        reassembly_free(&d->waiting, tls->stage->env);
        if (len != 0)
            give_gap(tls, dir, len, TCP_GAP_LOST);
    }
}

static void take_sealed(struct tls *tls, int dir, const struct tls_record *record,
                        struct cursor sent)
{
    struct tls_dir *d = &tls->dirs[dir];
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
    if (is_handshake_13(tls, dir) && d->num_wrong < MAX_WRONG) {
        d->num_wrong++;
        d->slack++;
        return;
    }
    count_unopened(tls, dir);
    give_gap(tls, dir, cursor_left(&sent), TCP_GAP_LOST);
    if (++d->num_wrong > MAX_WRONG)
        tell_sealed(tls);
}

static void take_record(struct tls *tls, int dir, const struct tls_record *record,
                        struct cursor sent)
{
    struct tls_dir *d = &tls->dirs[dir];
    const size_t tick_len = tls->view.version == TLS_1_3 ? TICK_LEN_13 : TICK_LEN_12;
    tls->view.records[dir]++;
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
        take_handshake(tls, dir, record->body);
        break;
    case TLS_ALERT:
        take_alert(tls, dir, record->body);
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
    d->waiting = (struct reassembly){0};
    for (struct cursor start = at; read_record(&at, &record); start = at) {
        start.end = at.at;
        take_sealed(tls, dir, &record, start);
    }
    reassembly_free(&waiting, tls->stage->env);
}

/* ask_for_keys: the key log has grown, or a hello was seen. */
static void ask_for_keys(struct tls *tls)
{
    tls->keys_age = keylog_age(tls->stage->env->config.keylog);
    for (int dir = 0; dir < 2; dir++) {
        if (find_keys(tls, dir) && tls->dirs[dir].waiting.len != 0)
            open_waiting(tls, dir);
    }
}

/* find_record advances to where a record begins. A header is five bytes that could be anything:
 * what follows it must be one, or the end of what is there. */
static bool find_record(struct cursor *at)
{
    while (cursor_left(at) >= TLS_HEADER_LEN) {
        struct cursor next = *at;
        struct tls_record record;
        if (is_header(*at)) {
            if (!read_record(&next, &record))
                return true; /* not whole: wait for more */
            if (record.version == TLS_1_2 && is_header(next))
                return true;
        }
        if (!cursor_skip(at, 1))
            return false;
    }
    return false;
}

/* take_records works on the records that are whole in at. */
static void take_records(struct tls *tls, int dir, struct cursor *at)
{
    struct tls_dir *d = &tls->dirs[dir];
    for (;;) {
        const struct cursor start = *at;
        struct cursor sent = *at;
        struct tls_record record;
        d->is_lost |= !is_header(*at);
        if (d->is_lost) {
            if (!find_record(at))
                return;
            const size_t skipped = cursor_offset(at, &start);
            sent = *at;
            if (skipped != 0) {
                d->slack += skipped / MIN_RECORD_LEN + 1;
                give_gap(tls, dir, skipped, TCP_GAP_LOST);
            }
        }
        if (!read_record(at, &record))
            return;
        d->is_lost = false;
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
}

void tls_gap(struct tls *tls, int dir, uint64_t len, enum tcp_gap why)
{
    struct tls_dir *d = &tls->dirs[dir];
    d->slack += (len + d->held.len) / MIN_RECORD_LEN + 1;
    if (d->slack > MAX_UNKNOWN_SEQ)
        d->slack = MAX_UNKNOWN_SEQ;
    len += d->held.len;
    reassembly_free(&d->held, tls->stage->env);
    reassembly_free(&d->handshake, tls->stage->env);
    d->skip = 0;
    d->is_lost = true;
    give_gap(tls, dir, len, why);
}

void tls_end(struct tls *tls)
{
    if (tls->dirs[0].waiting.len != 0 || tls->dirs[1].waiting.len != 0)
        give_up_waiting(tls);
}
