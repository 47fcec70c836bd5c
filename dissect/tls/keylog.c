/*
 * keylog.c - see keylog.h: lines in, secrets by label and client random out. Secrets stand in
 * a ring, so that the oldest goes first, and are found by the first bytes of their random,
 * which is one.
 */
#include "keylog.h"

#include "conn.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_LINE_MAX = 512, FIRST_CAP = 16 };

struct ds_keylog {
    struct ds_keylog_stats stats;
    struct keylog_secret *secrets;
    uint32_t *buckets;     /* of the first secret, plus one; as many as there is room for secrets */
    size_t cap, max, next; /* next: the oldest, once all places are taken */
    size_t num;
    bool is_expected; /* more */
    void (*want)(void *context); /* NULL: nobody is asked */
    void *want_context;
    char line[KEY_LINE_MAX];
    size_t line_len; /* KEY_LINE_MAX + 1: too long */
};

static const struct {
    const char *name;
    size_t len;
} labels[] = {
#define LABEL(id, name) {name, sizeof name - 1},
#include "tls_labels.def"
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
    free(keylog->buckets);
    OPENSSL_cleanse(keylog, sizeof *keylog);
    free(keylog);
}

static uint32_t *bucket_of(const struct ds_keylog *keylog, const uint8_t *random)
{
    uint32_t hash;
    memcpy(&hash, random, sizeof hash);
    return &keylog->buckets[hash % keylog->cap];
}

static void put_in(struct ds_keylog *keylog, size_t i)
{
    uint32_t *bucket = bucket_of(keylog, keylog->secrets[i].random);
    keylog->secrets[i].next = *bucket;
    *bucket = (uint32_t)i + 1;
}

static void take_out(struct ds_keylog *keylog, size_t i)
{
    uint32_t *at = bucket_of(keylog, keylog->secrets[i].random);
    while (*at != i + 1)
        at = &keylog->secrets[*at - 1].next;
    *at = keylog->secrets[i].next;
}

/* grow makes room for twice as many, and leaves no secret behind in memory given back. */
static bool grow(struct ds_keylog *keylog)
{
    size_t cap = keylog->cap != 0 ? 2 * keylog->cap : FIRST_CAP;
    if (cap > keylog->max)
        cap = keylog->max;
    struct keylog_secret *secrets = calloc(cap, sizeof *secrets);
    uint32_t *buckets = calloc(cap, sizeof *buckets);
    if (secrets == NULL || buckets == NULL) {
        free(secrets);
        free(buckets);
        return false;
    }
    if (keylog->num != 0) {
        memcpy(secrets, keylog->secrets, keylog->num * sizeof *secrets);
        OPENSSL_cleanse(keylog->secrets, keylog->cap * sizeof *secrets);
    }
    free(keylog->secrets);
    free(keylog->buckets);
    keylog->secrets = secrets;
    keylog->buckets = buckets;
    keylog->cap = cap;
    for (size_t i = 0; i < keylog->num; i++)
        put_in(keylog, i);
    return true;
}

const struct keylog_secret *keylog_find(const struct ds_keylog *keylog, enum tls_label label,
                                        uint32_t updates,
                                        const uint8_t random[TLS_RANDOM_LEN])
{
    if (keylog == NULL || keylog->num == 0)
        return NULL;
    for (uint32_t i = *bucket_of(keylog, random); i != 0; i = keylog->secrets[i - 1].next) {
        const struct keylog_secret *secret = &keylog->secrets[i - 1];
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

void keylog_want(const struct env *env)
{
    const struct ds_keylog *keylog = env->config.keylog;
    if (keylog != NULL && keylog->want != NULL)
        keylog->want(keylog->want_context);
}

void keylog_note(const struct env *env, const uint8_t random[TLS_RANDOM_LEN], uint64_t tcp)
{
    struct ds_keylog *keylog = env->config.keylog;
    if (!env->config.keylog_notes || keylog == NULL || keylog->num == 0)
        return;
    for (uint32_t i = *bucket_of(keylog, random); i != 0; i = keylog->secrets[i - 1].next) {
        struct keylog_secret *secret = &keylog->secrets[i - 1];
        if (secret->used != 0 || memcmp(secret->random, random, TLS_RANDOM_LEN) != 0)
            continue;
        secret->used = ++keylog->stats.used;
        secret->tcp = tcp;
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
    *at++ = ' ';
    at = put_hex(at, secret->random, TLS_RANDOM_LEN);
    *at++ = ' ';
    at = put_hex(at, secret->secret, secret->len);
    *at++ = '\n';
    take(context, secret->tcp, (struct ds_text){line, (size_t)(at - line)});
    OPENSSL_cleanse(line, sizeof line);
}

uint64_t ds_keylog_used(const struct ds_keylog *keylog, uint64_t after,
                        void (*take)(void *context, uint64_t tcp, struct ds_text line),
                        void *context)
{
    for (size_t i = 0; i < keylog->num && after < keylog->stats.used; i++) {
        if (keylog->secrets[i].used > after)
            give_line(&keylog->secrets[i], take, context);
    }
    return keylog->stats.used;
}

bool keylog_grows(const struct env *env)
{
    const struct ds_keylog *keylog = env->config.keylog;
    return keylog != NULL && (env->config.keylog_grows || keylog->is_expected);
}

bool keylog_is_of_use(const struct env *env)
{
    return keylog_grows(env) || keylog_age(env->config.keylog) != 0;
}

static void take_secret(struct ds_keylog *keylog, const struct keylog_secret *secret)
{
    const struct keylog_secret *old = keylog_find(keylog, secret->label, secret->updates, secret->random);
    size_t place = keylog->num;
    if (old != NULL && old->len == secret->len &&
        CRYPTO_memcmp(old->secret, secret->secret, old->len) == 0) {
        keylog->stats.repeated++;
        return;
    }
    if (keylog->max == 0) {
        keylog->stats.dropped++;
        return;
    }
    if (keylog->num == keylog->cap && keylog->cap < keylog->max && !grow(keylog)) {
        keylog->stats.no_memory++;
        return;
    }
    if (keylog->num == keylog->cap) {
        place = keylog->next;
        keylog->next = (keylog->next + 1) % keylog->cap;
        take_out(keylog, place);
        keylog->stats.dropped++;
    } else {
        keylog->num++;
    }
    keylog->secrets[place] = *secret;
    keylog->secrets[place].used = 0;
    put_in(keylog, place);
    keylog->stats.secrets++;
}

static int digit_of(uint8_t c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* read_hex reads a word of hexadecimal digits, of at most max bytes, and the space behind it.
 * Returns how many bytes, 0 for none. */
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

/* read_updates reads a number of at most 6 digits, which is all there is. */
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

/* is_name: names of key logs are capitals, digits and '_'. */
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

static void take_line(struct ds_keylog *keylog)
{
    struct cursor at = cursor_make(keylog->line, keylog->line_len), space, name;
    struct keylog_secret secret = {0};
    uint8_t other[TLS_SECRET_MAX + 16];
    if (keylog->line_len == 0 || keylog->line[0] == '#')
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
    const bool is_master = secret.label == TLS_LABEL_MASTER;
    if (read_hex(&at, secret.random, TLS_RANDOM_LEN) == TLS_RANDOM_LEN) {
        const size_t len = read_hex(&at, other, sizeof other);
        secret.len = (uint8_t)len;
        if (cursor_left(&at) == 0 && (is_master ? len == TLS_MASTER_LEN : len == 32 || len == 48)) {
            memcpy(secret.secret, other, len);
            take_secret(keylog, &secret);
            OPENSSL_cleanse(&secret, sizeof secret);
            OPENSSL_cleanse(other, sizeof other);
            return;
        }
    }
    keylog->stats.malformed++;
    OPENSSL_cleanse(other, sizeof other);
}

void ds_keylog_end(struct ds_keylog *keylog)
{
    if (keylog->line_len > KEY_LINE_MAX)
        keylog->stats.malformed++;
    else
        take_line(keylog);
    OPENSSL_cleanse(keylog->line, sizeof keylog->line);
    keylog->line_len = 0;
}

void ds_keylog_add(struct ds_keylog *keylog, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r')
            ds_keylog_end(keylog);
        else if (keylog->line_len < KEY_LINE_MAX)
            keylog->line[keylog->line_len++] = bytes[i];
        else
            keylog->line_len = KEY_LINE_MAX + 1;
    }
}

/* A beginning of a line is never taken for a secret that it is not: the secrets of each suite have one
 * length. */
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
