/*
 * tls_cipher.c - see tls_cipher.h.
 *
 *              nonce                            additional authenticated data
 *   1.3        iv xor number                    the header of the record
 *   1.2 GCM,
 *       CCM    iv:4 explicit:8 (sent)           number:8 type version:2 length:2 of the text
 *       ChaCha iv xor number                    the same
 *       CBC    explicit:16 (sent)               HMAC over the same and the text, or, where the
 *                                               MAC comes last, over what was sent
 */
#include "tls/tls_cipher.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

enum { SALT_LEN = 4, EXPLICIT_LEN = 8, BLOCK_LEN = 16, AAD_LEN = 13 };

static const char *hash_name(const struct tls_suite *suite)
{
    return suite->hash == 384 ? "SHA384" : "SHA256";
}

static size_t tag_len(const struct tls_suite *suite)
{
    return suite->kind == TLS_CCM8 ? 8 : 16;
}

static const EVP_CIPHER *cipher_of(const struct tls_suite *suite)
{
    const bool is_long = suite->key_len == 32;
    switch (suite->kind) {
    case TLS_GCM:
        return is_long ? EVP_aes_256_gcm() : EVP_aes_128_gcm();
    case TLS_CCM:
    case TLS_CCM8:
        return is_long ? EVP_aes_256_ccm() : EVP_aes_128_ccm();
    case TLS_CHACHA:
        return EVP_chacha20_poly1305();
    case TLS_CBC:
        return is_long ? EVP_aes_256_cbc() : EVP_aes_128_cbc();
    }
    return NULL;
}

static bool derive(const char *algorithm, const OSSL_PARAM *params, uint8_t *out, size_t len)
{
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, algorithm, NULL);
    EVP_KDF_CTX *context = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
    const bool done = context != NULL && EVP_KDF_derive(context, out, len, params) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
    return done;
}

/* The parameters of libcrypto are not const, but only read. */
static OSSL_PARAM bytes_param(const char *key, const uint8_t *bytes, size_t len)
{
    return OSSL_PARAM_construct_octet_string(key, (void *)(uintptr_t)bytes, len);
}

static OSSL_PARAM text_param(const char *key, const char *text)
{
    return OSSL_PARAM_construct_utf8_string(key, (char *)(uintptr_t)text, 0);
}

/* expand is HKDF-Expand-Label of RFC 8446, 7.1, with an empty context: length:2, the label with its
 * length, the empty context. */
static bool expand(const struct tls_suite *suite, const uint8_t *secret, const char *label,
                   uint8_t *out, size_t len)
{
    uint8_t info[2 + 1 + 32 + 1];
    const size_t label_len = strlen(label);
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    if (label_len > 32)
        return false;
    info[0] = 0;
    info[1] = (uint8_t)len;
    info[2] = (uint8_t)label_len;
    memcpy(info + 3, label, label_len);
    info[3 + label_len] = 0;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        text_param(OSSL_KDF_PARAM_DIGEST, hash_name(suite)),
        bytes_param(OSSL_KDF_PARAM_KEY, secret, tls_secret_len(suite)),
        bytes_param(OSSL_KDF_PARAM_INFO, info, 4 + label_len),
        OSSL_PARAM_construct_end(),
    };
    return derive("HKDF", params, out, len);
}

/* start_mac creates the MAC context of CBC once: fetching it for each record would cost more than
 * decrypting the record. */
static bool start_mac(struct tls_cipher *cipher, const struct tls_suite *suite)
{
    const char *name = suite->mac_len == 48 ? "SHA384" : suite->mac_len == 32 ? "SHA256" : "SHA1";
    const OSSL_PARAM params[] = {text_param(OSSL_MAC_PARAM_DIGEST, name),
                                 OSSL_PARAM_construct_end()};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX_free(cipher->mac_context);
    cipher->mac_context = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    return cipher->mac_context != NULL &&
           EVP_MAC_init(cipher->mac_context, cipher->mac, suite->mac_len, params) == 1;
}

/* start creates the cipher context; the keys are set. */
static bool start(struct tls_cipher *cipher, const struct tls_suite *suite)
{
    const bool is_ccm = suite->kind == TLS_CCM || suite->kind == TLS_CCM8;
    if (cipher->context == NULL)
        cipher->context = EVP_CIPHER_CTX_new();
    if (cipher->context == NULL ||
        EVP_DecryptInit_ex(cipher->context, cipher_of(suite), NULL, NULL, NULL) != 1 ||
        (is_ccm &&
         EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_SET_IVLEN, TLS_NONCE_LEN, NULL) != 1) ||
        (!is_ccm && EVP_DecryptInit_ex(cipher->context, NULL, NULL, cipher->key, NULL) != 1) ||
        (suite->kind == TLS_CBC && !start_mac(cipher, suite)))
        return false;
    cipher->suite = suite;
    return true;
}

bool tls_cipher_set_13(struct tls_cipher *cipher, const struct tls_suite *suite, const uint8_t *secret)
{
    cipher->suite = NULL;
    cipher->is_13 = true;
    return suite->kind != TLS_CBC &&
           expand(suite, secret, "tls13 key", cipher->key, suite->key_len) &&
           expand(suite, secret, "tls13 iv", cipher->iv, TLS_NONCE_LEN) && start(cipher, suite);
}

bool tls_cipher_set_key(struct tls_cipher *cipher, const struct tls_suite *suite, bool is_13,
                        const uint8_t *key, const uint8_t nonce[TLS_NONCE_LEN])
{
    cipher->suite = NULL;
    cipher->is_13 = is_13;
    memcpy(cipher->key, key, suite->key_len);
    memcpy(cipher->iv, nonce, TLS_NONCE_LEN);
    return suite->kind != TLS_CBC && start(cipher, suite);
}

bool tls_snapshot_key(const uint8_t *secret, size_t len, const uint8_t *use, size_t use_len,
                      uint8_t *out, size_t out_len)
{
    static const char label[] = "distsniff past";
    int mode = EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        text_param(OSSL_KDF_PARAM_DIGEST, "SHA256"),
        bytes_param(OSSL_KDF_PARAM_KEY, secret, len),
        bytes_param(OSSL_KDF_PARAM_SALT, (const uint8_t *)label, sizeof label - 1),
        bytes_param(OSSL_KDF_PARAM_INFO, use, use_len),
        OSSL_PARAM_construct_end(),
    };
    return derive("HKDF", params, out, out_len);
}

bool tls_cipher_next_secret(const struct tls_suite *suite, uint8_t secret[TLS_SECRET_MAX])
{
    uint8_t next[TLS_SECRET_MAX];
    const bool done = expand(suite, secret, "tls13 traffic upd", next, tls_secret_len(suite));
    if (done)
        memcpy(secret, next, tls_secret_len(suite));
    OPENSSL_cleanse(next, sizeof next);
    return done;
}

bool tls_cipher_set_12(struct tls_cipher *cipher, const struct tls_suite *suite, bool mac_last,
                       const uint8_t master[TLS_MASTER_LEN],
                       const uint8_t client_random[TLS_RANDOM_LEN],
                       const uint8_t server_random[TLS_RANDOM_LEN], bool is_client)
{
    /* client_mac server_mac client_key server_key client_iv server_iv */
    uint8_t block[2 * (48 + 32 + TLS_NONCE_LEN)], seed[13 + 2 * TLS_RANDOM_LEN];
    const size_t mac_len = suite->mac_len, key_len = suite->key_len;
    const size_t iv_len = suite->kind == TLS_CBC      ? 0
                          : suite->kind == TLS_CHACHA ? TLS_NONCE_LEN
                                                      : SALT_LEN;
    const size_t side = is_client ? 0 : 1;

    cipher->suite = NULL;
    cipher->is_13 = false;
    cipher->mac_last = mac_last;
    memcpy(seed, "key expansion", 13);
    memcpy(seed + 13, server_random, TLS_RANDOM_LEN);
    memcpy(seed + 13 + TLS_RANDOM_LEN, client_random, TLS_RANDOM_LEN);
    const OSSL_PARAM params[] = {
        text_param(OSSL_KDF_PARAM_DIGEST, hash_name(suite)),
        bytes_param(OSSL_KDF_PARAM_SECRET, master, TLS_MASTER_LEN),
        bytes_param(OSSL_KDF_PARAM_SEED, seed, sizeof seed),
        OSSL_PARAM_construct_end(),
    };
    bool done = derive("TLS1-PRF", params, block, 2 * (mac_len + key_len + iv_len));
    if (done) {
        memcpy(cipher->mac, block + side * mac_len, mac_len);
        memcpy(cipher->key, block + 2 * mac_len + side * key_len, key_len);
        memcpy(cipher->iv, block + 2 * (mac_len + key_len) + side * iv_len, iv_len);
        done = start(cipher, suite);
    }
    OPENSSL_cleanse(block, sizeof block);
    return done;
}

static void put_number(uint8_t *out, uint64_t number)
{
    for (int i = 7; i >= 0; i--, number >>= 8)
        out[i] = (uint8_t)number;
}

/* mix combines a nonce with a number. */
static void mix(uint8_t nonce[TLS_NONCE_LEN], uint64_t number)
{
    uint8_t bytes[8];
    put_number(bytes, number);
    for (int i = 0; i < 8; i++)
        nonce[SALT_LEN + i] ^= bytes[i];
}

void tls_cipher_move(struct tls_cipher *cipher, uint64_t number)
{
    mix(cipher->iv, number);
}

bool tls_cipher_is_explicit(const struct tls_cipher *cipher)
{
    return !cipher->is_13 && cipher->suite->kind != TLS_CHACHA;
}

static void put_aad(uint8_t out[AAD_LEN], uint64_t seq, const struct tls_record *record,
                    size_t text_len)
{
    put_number(out, seq);
    out[8] = record->type;
    out[9] = (uint8_t)(record->version >> 8);
    out[10] = (uint8_t)record->version;
    out[11] = (uint8_t)(text_len >> 8);
    out[12] = (uint8_t)text_len;
}

/* open_aead decrypts text, which the tag follows. */
static bool open_aead(struct tls_cipher *cipher, const uint8_t *nonce, const uint8_t *aad,
                      size_t aad_len, struct cursor text, const uint8_t *tag, uint8_t *out)
{
    EVP_CIPHER_CTX *context = cipher->context;
    const int text_len = (int)cursor_left(&text), num_tag = (int)tag_len(cipher->suite);
    void *tag_bytes = (void *)(uintptr_t)tag; /* only read */
    int len = 0, more = 0;
    if (cipher->suite->kind == TLS_CCM || cipher->suite->kind == TLS_CCM8)
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, num_tag, tag_bytes) == 1 &&
               EVP_DecryptInit_ex(context, NULL, NULL, cipher->key, nonce) == 1 &&
               EVP_DecryptUpdate(context, NULL, &len, NULL, text_len) == 1 &&
               EVP_DecryptUpdate(context, NULL, &len, aad, (int)aad_len) == 1 &&
               EVP_DecryptUpdate(context, out, &len, text.at, text_len) == 1;
    return EVP_DecryptInit_ex(context, NULL, NULL, NULL, nonce) == 1 &&
           EVP_DecryptUpdate(context, NULL, &len, aad, (int)aad_len) == 1 &&
           EVP_DecryptUpdate(context, out, &len, text.at, text_len) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, num_tag, tag_bytes) == 1 &&
           EVP_DecryptFinal_ex(context, out + len, &more) == 1;
}

static bool open_authenticated(struct tls_cipher *cipher, uint64_t seq,
                               const struct tls_record *record, uint8_t *out, size_t *len)
{
    const struct tls_suite *suite = cipher->suite;
    struct cursor body = record->body, text;
    uint8_t nonce[TLS_NONCE_LEN], aad[AAD_LEN];
    size_t aad_len = AAD_LEN;

    memcpy(nonce, cipher->iv, TLS_NONCE_LEN);
    if (!tls_cipher_is_explicit(cipher))
        mix(nonce, seq);
    else if (!cursor_read_bytes(&body, nonce + SALT_LEN, EXPLICIT_LEN))
        return false;
    if (cursor_left(&body) < tag_len(suite))
        return false;
    const size_t text_len = cursor_left(&body) - tag_len(suite);
    if (!cursor_child(&body, text_len, &text))
        return false;
    if (cipher->is_13) {
        const size_t body_len = cursor_left(&record->body);
        aad[0] = record->type;
        aad[1] = (uint8_t)(record->version >> 8);
        aad[2] = (uint8_t)record->version;
        aad[3] = (uint8_t)(body_len >> 8);
        aad[4] = (uint8_t)body_len;
        aad_len = TLS_HEADER_LEN;
    } else {
        put_aad(aad, seq, record, text_len);
    }
    *len = text_len;
    return open_aead(cipher, nonce, aad, aad_len, text, body.at, out);
}

static bool mac_fits(const struct tls_cipher *cipher, const uint8_t *aad, const uint8_t *text,
                     size_t len, const uint8_t *sent)
{
    const size_t mac_len = cipher->suite->mac_len;
    EVP_MAC_CTX *context = cipher->mac_context;
    uint8_t ours[EVP_MAX_MD_SIZE];
    size_t ours_len = 0;
    const bool done = EVP_MAC_init(context, NULL, 0, NULL) == 1 &&
                      EVP_MAC_update(context, aad, AAD_LEN) == 1 &&
                      EVP_MAC_update(context, text, len) == 1 &&
                      EVP_MAC_final(context, ours, &ours_len, sizeof ours) == 1;
    return done && ours_len == mac_len && CRYPTO_memcmp(ours, sent, mac_len) == 0;
}

static bool open_cbc(struct tls_cipher *cipher, uint64_t seq, const struct tls_record *record,
                     uint8_t *out, size_t *len)
{
    struct cursor body = record->body, sealed;
    const size_t mac_len = cipher->suite->mac_len;
    uint8_t aad[AAD_LEN];
    size_t sealed_len = cursor_left(&body);
    int opened = 0;

    if (cipher->mac_last) {
        if (sealed_len < mac_len)
            return false;
        sealed_len -= mac_len;
        if (!cursor_child(&body, sealed_len, &sealed))
            return false;
        put_aad(aad, seq, record, sealed_len);
        if (!mac_fits(cipher, aad, sealed.at, sealed_len, body.at))
            return false;
    } else {
        sealed = body;
    }
    uint8_t iv[BLOCK_LEN];
    if (!cursor_read_bytes(&sealed, iv, BLOCK_LEN) || cursor_left(&sealed) == 0 ||
        cursor_left(&sealed) % BLOCK_LEN != 0 ||
        EVP_DecryptInit_ex(cipher->context, NULL, NULL, NULL, iv) != 1 ||
        EVP_CIPHER_CTX_set_padding(cipher->context, 0) != 1 ||
        EVP_DecryptUpdate(cipher->context, out, &opened, sealed.at, (int)cursor_left(&sealed)) != 1)
        return false;
    size_t text_len = (size_t)opened;
    const size_t padding = (size_t)out[text_len - 1] + 1;
    const size_t tail = padding + (cipher->mac_last ? 0 : mac_len);
    if (tail > text_len)
        return false;
    for (size_t i = 1; i <= padding; i++) {
        if (out[text_len - i] != padding - 1)
            return false;
    }
    text_len -= tail;
    put_aad(aad, seq, record, text_len);
    *len = text_len;
    return cipher->mac_last || mac_fits(cipher, aad, out, text_len, out + text_len);
}

bool tls_cipher_open(struct tls_cipher *cipher, uint64_t seq, const struct tls_record *record,
                     uint8_t *out, size_t *len, uint8_t *type)
{
    if (cipher->suite == NULL || cursor_left(&record->body) > TLS_RECORD_MAX)
        return false;
    *type = record->type;
    if (cipher->suite->kind == TLS_CBC)
        return open_cbc(cipher, seq, record, out, len);
    if (!open_authenticated(cipher, seq, record, out, len))
        return false;
    if (!cipher->is_13)
        return true;
    /* The plain text ends with its type and any number of zeros: RFC 8446, 5.4. */
    while (*len != 0 && out[*len - 1] == 0)
        (*len)--;
    if (*len == 0)
        return false;
    *type = out[--*len];
    return true;
}

void tls_cipher_clear(struct tls_cipher *cipher)
{
    EVP_CIPHER_CTX_free(cipher->context);
    EVP_MAC_CTX_free(cipher->mac_context);
    OPENSSL_cleanse(cipher, sizeof *cipher);
}
