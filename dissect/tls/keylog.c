/*
 * keylog.c - see keylog.h: parses lines, and finds secrets by label and client random. Secrets are
 * in a ring, so that the oldest is evicted first, and in hash lists. Capture files contain secrets
 * too, so any number of them may have the same random, or differ only in the secret: no list is
 * walked further than to the wanted entry.
 */
#include "tls/keylog.h"

#include "conn/conn.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { KEY_LINE_MAX = 512, FIRST_CAP = 16 };

struct ds_keylog {
    struct ds_keylog_stats stats;
    struct keylog_secret *secrets;
    uint32_t *buckets[2];  /* by hash of line or random: the head of each list, plus one; cap of them */
    uint32_t used;         /* the one used last, plus one */
    size_t cap, max, next; /* next: the oldest, once all places are in use */
    size_t num;
    size_t num_write_keys; /* of them */
    bool is_expected; /* more will come */
    void (*want)(void *context); /* NULL: none */
    void *want_context;
    char line[KEY_LINE_MAX];
    size_t line_len; /* KEY_LINE_MAX + 1: too long */
};

static const struct {
    const char *name;
    size_t len;
} labels[] = {
#define LABEL(id, name) {name, sizeof name - 1},
#include "tls/tls_labels.def"
#undef LABEL
};

struct ds_keylog *ds_keylog_new(uint64_t max_secrets)
{
    struct ds_keylog *keylog = calloc(1, sizeof *keylog);
    if (keylog != NULL)
        keylog->max = max_secrets < UINT32_MAX ? (size_t)max_secrets : UINT32_MAX - 1;
    return keylog;
}

void ds_keylog_free(struct ds_keylog *keylog)
{
    if (keylog == NULL)
        return;
    if (keylog->secrets != NULL)
        OPENSSL_cleanse(keylog->secrets, keylog->cap * sizeof *keylog->secrets);
    free(keylog->secrets);
    free(keylog->buckets[0]);
    free(keylog->buckets[1]);
    OPENSSL_cleanse(keylog, sizeof *keylog);
    free(keylog);
}

/* keylog_key is the hashed part of a line. */
struct keylog_key {
    uint8_t random[TLS_RANDOM_LEN];
    uint32_t label, updates;
};
_Static_assert(sizeof(struct keylog_key) == TLS_RANDOM_LEN + 8, "no padding: it is hashed as bytes");

static struct keylog_key key_of(enum tls_label label, uint32_t updates, const uint8_t *random)
{
    struct keylog_key key = {.label = (uint32_t)label, .updates = updates};
    memcpy(key.random, random, TLS_RANDOM_LEN);
    return key;
}

/* bucket_of uses the key log's address as a hash seed that a peer does not know. */
static uint32_t *bucket_of(const struct ds_keylog *keylog, enum keylog_index index,
                           const struct keylog_key *key)
{
    const size_t len = index == KEYLOG_BY_LINE ? sizeof *key : sizeof key->random;
    return &keylog->buckets[index][XXH3_64bits_withSeed(key, len, (uintptr_t)keylog) % keylog->cap];
}

/* list_of returns the head of the list that a secret is in, or would be. */
static uint32_t *list_of(struct ds_keylog *keylog, enum keylog_index index,
                         const struct keylog_secret *secret)
{
    const struct keylog_key key = key_of(secret->label, secret->updates, secret->random);
    return index == KEYLOG_BY_USE ? &keylog->used : bucket_of(keylog, index, &key);
}

static void put_in(struct ds_keylog *keylog, enum keylog_index index, size_t i)
{
    struct keylog_secret *secret = &keylog->secrets[i];
    uint32_t *list = list_of(keylog, index, secret);
    secret->places[index] = (struct keylog_place){.next = *list};
    if (*list != 0)
        keylog->secrets[*list - 1].places[index].before = (uint32_t)i + 1;
    *list = (uint32_t)i + 1;
}

static void unlink_secret(struct ds_keylog *keylog, enum keylog_index index, size_t i)
{
    struct keylog_secret *secret = &keylog->secrets[i];
    const struct keylog_place place = secret->places[index];
    if (place.before != 0)
        keylog->secrets[place.before - 1].places[index].next = place.next;
    else
        *list_of(keylog, index, secret) = place.next;
    if (place.next != 0)
        keylog->secrets[place.next - 1].places[index].before = place.before;
}

/* remove_secret unlinks a secret. */
static void remove_secret(struct ds_keylog *keylog, size_t i)
{
    keylog->num_write_keys -= keylog->secrets[i].label == TLS_LABEL_WRITE_KEY;
    unlink_secret(keylog, KEYLOG_BY_LINE, i);
    unlink_secret(keylog, KEYLOG_BY_RANDOM, i);
    if (keylog->secrets[i].used != 0)
        unlink_secret(keylog, KEYLOG_BY_USE, i);
}

/* grow doubles the room, and wipes the secrets in the memory that it releases. */
static bool grow(struct ds_keylog *keylog)
{
    size_t cap = keylog->cap != 0 ? 2 * keylog->cap : FIRST_CAP;
    if (cap > keylog->max)
        cap = keylog->max;
    struct keylog_secret *secrets = calloc(cap, sizeof *secrets);
    uint32_t *by_line = calloc(cap, sizeof *by_line), *by_random = calloc(cap, sizeof *by_random);
    if (secrets == NULL || by_line == NULL || by_random == NULL) {
        free(secrets);
        free(by_line);
        free(by_random);
        return false;
    }
    if (keylog->num != 0) {
        memcpy(secrets, keylog->secrets, keylog->num * sizeof *secrets);
        OPENSSL_cleanse(keylog->secrets, keylog->cap * sizeof *secrets);
    }
    free(keylog->secrets);
    free(keylog->buckets[KEYLOG_BY_LINE]);
    free(keylog->buckets[KEYLOG_BY_RANDOM]);
    keylog->secrets = secrets;
    keylog->buckets[KEYLOG_BY_LINE] = by_line;
    keylog->buckets[KEYLOG_BY_RANDOM] = by_random;
    keylog->cap = cap;
    for (int is_used = 1; is_used >= 0; is_used--) { /* the unused last: they then come first */
        for (size_t i = 0; i < keylog->num; i++) {
            if ((secrets[i].used != 0) != is_used)
                continue;
            put_in(keylog, KEYLOG_BY_LINE, i);
            put_in(keylog, KEYLOG_BY_RANDOM, i);
        }
    }
    return true;
}

const struct keylog_secret *keylog_find(const struct ds_keylog *keylog, enum tls_label label,
                                        uint32_t updates, const uint8_t random[TLS_RANDOM_LEN])
{
    if (keylog == NULL || keylog->num == 0)
        return NULL;
    const struct keylog_key key = key_of(label, updates, random);
    uint32_t next;
    for (uint32_t i = *bucket_of(keylog, KEYLOG_BY_LINE, &key); i != 0; i = next) {
        const struct keylog_secret *secret = &keylog->secrets[i - 1];
        next = secret->places[KEYLOG_BY_LINE].next;
        if (secret->label == label && secret->updates == updates &&
            memcmp(secret->random, random, TLS_RANDOM_LEN) == 0)
            return secret;
    }
    return NULL;
}

const struct keylog_secret *keylog_each(const struct ds_keylog *keylog, size_t i)
{
    return keylog != NULL && i < keylog->num ? &keylog->secrets[i] : NULL;
}

size_t keylog_num_write_keys(const struct ds_keylog *keylog)
{
    return keylog != NULL ? keylog->num_write_keys : 0;
}

uint64_t keylog_age(const struct ds_keylog *keylog)
{
    return keylog != NULL ? keylog->stats.secrets : 0;
}

void ds_keylog_expect(struct ds_keylog *keylog)
{
    keylog->is_expected = true;
}

void ds_keylog_on_want(struct ds_keylog *keylog, void (*want)(void *context), void *context)
{
    keylog->want = want;
    keylog->want_context = context;
}

void keylog_ask(const struct dissect_ctx *env)
{
    const struct ds_keylog *keylog = env->config.keylog;
    if (keylog != NULL && keylog->want != NULL)
        keylog->want(keylog->want_context);
}

void keylog_mark_used(const struct dissect_ctx *env, const uint8_t random[TLS_RANDOM_LEN], uint64_t tcp)
{
    struct ds_keylog *keylog = env->config.keylog;
    if (!env->config.keylog_notes || keylog == NULL || keylog->num == 0)
        return;
    const struct keylog_key key = key_of(TLS_LABEL_MASTER, 0, random);
    uint32_t next;
    for (uint32_t i = *bucket_of(keylog, KEYLOG_BY_RANDOM, &key); i != 0; i = next) {
        struct keylog_secret *secret = &keylog->secrets[i - 1];
        next = secret->places[KEYLOG_BY_RANDOM].next;
        if (memcmp(secret->random, random, TLS_RANDOM_LEN) != 0)
            continue;
        if (secret->used != 0)
            break; /* and so are the older ones */
        secret->used = ++keylog->stats.used;
        secret->tcp = tcp;
        put_in(keylog, KEYLOG_BY_USE, i - 1);
    }
}

static char *put_hex(char *at, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        *at++ = digits[bytes[i] >> 4];
        *at++ = digits[bytes[i] & 15];
    }
    return at;
}

static void give_line(const struct keylog_secret *secret,
                      void (*take)(void *context, uint64_t tcp, struct ds_text line), void *context)
{
    char line[KEY_LINE_MAX];
    char *at = stpcpy(line, labels[secret->label].name);
    if (at[-1] == '_')
        at += snprintf(at, 8, "%u", (unsigned)secret->updates);
    const bool is_write_key = secret->label == TLS_LABEL_WRITE_KEY;
    const size_t nonce_len = is_write_key ? TLS_NONCE_LEN : 0;
    *at++ = ' ';
    at = is_write_key ? put_hex(at, secret->secret, nonce_len)
                      : put_hex(at, secret->random, TLS_RANDOM_LEN);
    *at++ = ' ';
    at = put_hex(at, secret->secret + nonce_len, secret->len - nonce_len);
    *at++ = '\n';
    take(context, secret->tcp, (struct ds_text){line, (size_t)(at - line)});
    OPENSSL_cleanse(line, sizeof line);
}

uint64_t ds_keylog_used(const struct ds_keylog *keylog, uint64_t after,
                        void (*take)(void *context, uint64_t tcp, struct ds_text line), void *context)
{
    const struct keylog_secret *secrets = keylog->secrets;
    uint32_t first = 0;
    for (uint32_t i = keylog->used; i != 0 && secrets[i - 1].used > after;
         i = secrets[i - 1].places[KEYLOG_BY_USE].next)
        first = i;
    for (uint32_t i = first; i != 0; i = secrets[i - 1].places[KEYLOG_BY_USE].before)
        give_line(&secrets[i - 1], take, context);
    return keylog->stats.used;
}

bool keylog_grows(const struct dissect_ctx *env)
{
    const struct ds_keylog *keylog = env->config.keylog;
    return keylog != NULL && (env->config.keylog_grows || keylog->is_expected);
}

bool keylog_is_of_use(const struct dissect_ctx *env)
{
    return keylog_grows(env) || keylog_age(env->config.keylog) != 0;
}

/* find_place returns the place for a secret: that of one whose line differs only in the secret (the
 * last one is right), a new place, or that of the oldest. False if there is none. */
static bool find_place(struct ds_keylog *keylog, const struct keylog_secret *old, size_t *place)
{
    if (old != NULL) {
        *place = (size_t)(old - keylog->secrets);
        remove_secret(keylog, *place);
        return true;
    }
    if (keylog->max == 0) {
        keylog->stats.dropped++;
        return false;
    }
    if (keylog->num == keylog->cap && keylog->cap < keylog->max && !grow(keylog)) {
        keylog->stats.no_memory++;
        return false;
    }
    if (keylog->num < keylog->cap) {
        *place = keylog->num++;
        return true;
    }
    *place = keylog->next;
    keylog->next = (keylog->next + 1) % keylog->cap;
    remove_secret(keylog, *place);
    keylog->stats.dropped++;
    return true;
}

static void add_secret(struct ds_keylog *keylog, const struct keylog_secret *secret)
{
    const struct keylog_secret *old = keylog_find(keylog, secret->label, secret->updates, secret->random);
    size_t place;
    if (old != NULL && old->len == secret->len &&
        CRYPTO_memcmp(old->secret, secret->secret, old->len) == 0) {
        keylog->stats.repeated++;
        return;
    }
    if (!find_place(keylog, old, &place))
        return;
    keylog->secrets[place] = *secret;
    keylog->secrets[place].added = ++keylog->stats.secrets;
    keylog->secrets[place].used = 0;
    keylog->num_write_keys += secret->label == TLS_LABEL_WRITE_KEY;
    put_in(keylog, KEYLOG_BY_LINE, place);
    put_in(keylog, KEYLOG_BY_RANDOM, place);
}

static int digit_of(uint8_t c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* read_hex reads a word of hexadecimal digits of at most max bytes, and the space after it. Returns
 * the number of bytes, 0 if it is invalid. */
static size_t read_hex(struct cursor *at, uint8_t *out, size_t max)
{
    size_t len = 0;
    uint8_t high, low;
    while (cursor_read_u8(at, &high) && high != ' ') {
        if (len == max || !cursor_read_u8(at, &low) || digit_of(high) < 0 || digit_of(low) < 0)
            return 0;
        out[len++] = (uint8_t)(digit_of(high) << 4 | digit_of(low));
    }
    return len;
}

/* read_updates reads all of at as a number of at most 6 digits. */
static bool read_updates(struct cursor at, uint32_t *updates)
{
    uint8_t digit;
    *updates = 0;
    if (cursor_left(&at) == 0 || cursor_left(&at) > 6)
        return false;
    while (cursor_read_u8(&at, &digit)) {
        if (digit < '0' || digit > '9')
            return false;
        *updates = 10 * *updates + (uint32_t)(digit - '0');
    }
    return true;
}

static bool find_label(struct cursor name, struct keylog_secret *secret)
{
    for (int i = 0; i < TLS_LABEL_COUNT; i++) {
        const size_t len = labels[i].len;
        const bool has_number = labels[i].name[len - 1] == '_';
        struct cursor rest = name;
        if (cursor_left(&name) < len || memcmp(labels[i].name, name.at, len) != 0 ||
            !cursor_skip(&rest, len))
            continue;
        secret->label = (enum tls_label)i;
        if (has_number ? read_updates(rest, &secret->updates) : cursor_left(&rest) == 0)
            return true;
    }
    return false;
}

/* is_name: key log names consist of capitals, digits and '_'. */
static bool is_name(struct cursor name)
{
    uint8_t c;
    const size_t len = cursor_left(&name);
    while (cursor_read_u8(&name, &c)) {
        if ((c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_')
            return false;
    }
    return len != 0;
}

/* read_secret reads RANDOM SECRET. */
static bool read_secret(struct cursor at, struct keylog_secret *secret)
{
    uint8_t other[TLS_SECRET_MAX + 16];
    if (read_hex(&at, secret->random, TLS_RANDOM_LEN) != TLS_RANDOM_LEN)
        return false;
    const size_t len = read_hex(&at, other, sizeof other);
    const bool is_right = cursor_left(&at) == 0 && (secret->label == TLS_LABEL_MASTER
                                                        ? len == TLS_MASTER_LEN
                                                        : len == 32 || len == 48);
    if (is_right)
        memcpy(secret->secret, other, len);
    OPENSSL_cleanse(other, sizeof other);
    secret->len = (uint8_t)len;
    return is_right;
}

/* read_write_key reads NONCE KEY. In place of a random, the key is known by its hash, which may be
 * shown. */
static bool read_write_key(struct cursor at, struct keylog_secret *secret)
{
    const struct tls_suite *suite = tls_suite_find((uint16_t)secret->updates);
    uint8_t *key = secret->secret + TLS_NONCE_LEN;
    if (secret->updates > UINT16_MAX || suite == NULL || suite->kind == TLS_CBC ||
        read_hex(&at, secret->secret, TLS_NONCE_LEN) != TLS_NONCE_LEN ||
        read_hex(&at, key, TLS_SECRET_MAX - TLS_NONCE_LEN) != suite->key_len || cursor_left(&at) != 0)
        return false;
    secret->len = (uint8_t)(TLS_NONCE_LEN + suite->key_len);
    return EVP_Digest(key, suite->key_len, secret->random, NULL, EVP_sha256(), NULL) == 1;
}

static void read_line(struct ds_keylog *keylog)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'}; /* UTF-8 byte order mark */
    struct cursor at = cursor_make(keylog->line, keylog->line_len), space, name;
    struct keylog_secret secret = {0};
    if (keylog->line_len >= sizeof mark && memcmp(keylog->line, mark, sizeof mark) == 0 &&
        !cursor_skip(&at, sizeof mark))
        return;
    if (cursor_left(&at) == 0 || at.at[0] == '#')
        return;
    space = at;
    if (!cursor_find(&space, ' ') || !cursor_child(&at, cursor_offset(&space, &at), &name) ||
        !cursor_skip(&at, 1) || !is_name(name)) {
        keylog->stats.malformed++;
        return;
    }
    if (!find_label(name, &secret)) {
        keylog->stats.unused++;
        return;
    }
    if (secret.label == TLS_LABEL_WRITE_KEY ? read_write_key(at, &secret) : read_secret(at, &secret))
        add_secret(keylog, &secret);
    else
        keylog->stats.malformed++;
    OPENSSL_cleanse(&secret, sizeof secret);
}

void ds_keylog_end(struct ds_keylog *keylog)
{
    if (keylog->line_len > KEY_LINE_MAX)
        keylog->stats.malformed++;
    else
        read_line(keylog);
    OPENSSL_cleanse(keylog->line, sizeof keylog->line);
    keylog->line_len = 0;
}

/* end_in returns where the line ends in bytes; len if it does not. */
static size_t end_in(const char *bytes, size_t len)
{
    const char *feed = len != 0 ? memchr(bytes, '\n', len) : NULL;
    const size_t feed_at = feed != NULL ? (size_t)(feed - bytes) : len;
    const char *back = feed_at != 0 ? memchr(bytes, '\r', feed_at) : NULL;
    return back != NULL ? (size_t)(back - bytes) : feed_at;
}

void ds_keylog_add(struct ds_keylog *keylog, const char *bytes, size_t len)
{
    while (len != 0) {
        const size_t part = end_in(bytes, len);
        if (keylog->line_len + part <= KEY_LINE_MAX) {
            memcpy(keylog->line + keylog->line_len, bytes, part);
            keylog->line_len += part;
        } else {
            keylog->line_len = KEY_LINE_MAX + 1;
        }
        if (part == len)
            return;
        ds_keylog_end(keylog);
        bytes += part + 1;
        len -= part + 1;
    }
}

/* ds_keylog_try: the beginning of a line is never mistaken for another secret, because the secrets
 * of each suite have one length. */
void ds_keylog_try(struct ds_keylog *keylog, const char *bytes, size_t len)
{
    const struct ds_keylog_stats before = keylog->stats;
    if (keylog->line_len != 0 || len > KEY_LINE_MAX)
        return;
    ds_keylog_add(keylog, bytes, len);
    ds_keylog_end(keylog);
    keylog->stats.repeated = before.repeated;
    keylog->stats.malformed = before.malformed;
    keylog->stats.unused = before.unused;
}

const struct ds_keylog_stats *ds_keylog_stats(const struct ds_keylog *keylog)
{
    return &keylog->stats;
}
