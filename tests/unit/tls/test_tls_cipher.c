/*
 * test_tls_cipher.c - records of every kind of cipher, encrypted here according to RFC 5246, 5288,
 * 6655, 7366, 7905 and 8446, are decrypted; changed ones are not. The keys of a secret are those of
 * RFC 8448.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tls/tls_cipher.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

enum { SEQ = 0x0102030405 };

static const char text[] = "what one node says to another";
static const size_t text_len = sizeof text - 1;

static void put_aad(uint8_t aad[13], uint64_t seq, uint8_t type, size_t len)
{
    for (int i = 0; i < 8; i++)
        aad[i] = (uint8_t)(seq >> (56 - 8 * i));
    aad[8] = type;
    aad[9] = 3;
    aad[10] = 3;
    aad[11] = (uint8_t)(len >> 8);
    aad[12] = (uint8_t)len;
}

static size_t seal_aead(const EVP_CIPHER *evp, const uint8_t *key, const uint8_t *nonce, int tag_len,
                        const uint8_t *aad, int aad_len, const uint8_t *in, int in_len, uint8_t *out)
{
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    const int is_ccm = EVP_CIPHER_get_mode(evp) == EVP_CIPH_CCM_MODE;
    int len, more;
    assert_int_equal(EVP_EncryptInit_ex(c, evp, NULL, NULL, NULL), 1);
    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
    if (is_ccm)
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_len, NULL);
    assert_int_equal(EVP_EncryptInit_ex(c, NULL, NULL, key, nonce), 1);
    if (is_ccm)
        assert_int_equal(EVP_EncryptUpdate(c, NULL, &len, NULL, in_len), 1);
    assert_int_equal(EVP_EncryptUpdate(c, NULL, &len, aad, aad_len), 1);
    assert_int_equal(EVP_EncryptUpdate(c, out, &len, in, in_len), 1);
    assert_int_equal(EVP_EncryptFinal_ex(c, out + len, &more), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_len, out + in_len), 1);
    EVP_CIPHER_CTX_free(c);
    return (size_t)(in_len + tag_len);
}

static const EVP_CIPHER *evp_of(const struct tls_suite *suite)
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
        break;
    }
    return is_long ? EVP_aes_256_cbc() : EVP_aes_128_cbc();
}

/* seal_12 encrypts a record with the keys of a cipher; explicit nonces and IVs are e0, e1 .. */
static size_t seal_12(const struct tls_cipher *c, uint64_t seq, uint8_t *out)
{
    const struct tls_suite *suite = c->suite;
    uint8_t nonce[12], aad[13];
    put_aad(aad, seq, TLS_DATA, text_len);
    memcpy(nonce, c->iv, 12);
    if (suite->kind == TLS_CHACHA) {
        for (int i = 0; i < 8; i++)
            nonce[4 + i] ^= aad[i];
        return seal_aead(evp_of(suite), c->key, nonce, 16, aad, 13, (const uint8_t *)text,
                         (int)text_len, out);
    }
    for (int i = 0; i < 16; i++)
        out[i] = (uint8_t)(0xe0 + i);
    if (suite->kind != TLS_CBC) {
        memcpy(nonce + 4, out, 8);
        return 8 + seal_aead(evp_of(suite), c->key, nonce, suite->kind == TLS_CCM8 ? 8 : 16, aad,
                             13, (const uint8_t *)text, (int)text_len, out + 8);
    }
    /* The text, its MAC if that comes first, and padding. */
    const EVP_MD *md = suite->mac_len == 48   ? EVP_sha384()
                       : suite->mac_len == 32 ? EVP_sha256()
                                              : EVP_sha1();
    uint8_t plain[256], authenticated[512];
    unsigned mac_len = 0;
    size_t len = text_len;
    memcpy(plain, text, len);
    if (!c->mac_last) {
        memcpy(authenticated, aad, 13);
        memcpy(authenticated + 13, plain, len);
        HMAC(md, c->mac, suite->mac_len, authenticated, 13 + len, plain + len, &mac_len);
        len += mac_len;
    }
    const size_t padding = 16 + 16 - len % 16; /* more than is needed */
    memset(plain + len, (int)padding - 1, padding);
    len += padding;
    EVP_CIPHER_CTX *e = EVP_CIPHER_CTX_new();
    int sealed_len = 0;
    assert_int_equal(EVP_EncryptInit_ex(e, evp_of(suite), NULL, c->key, out), 1);
    EVP_CIPHER_CTX_set_padding(e, 0);
    assert_int_equal(EVP_EncryptUpdate(e, out + 16, &sealed_len, plain, (int)len), 1);
    EVP_CIPHER_CTX_free(e);
    len += 16;
    if (c->mac_last) {
        put_aad(authenticated, seq, TLS_DATA, len);
        memcpy(authenticated + 13, out, len);
        HMAC(md, c->mac, suite->mac_len, authenticated, 13 + len, out + len, &mac_len);
        len += mac_len;
    }
    return len;
}

static size_t seal_13(const struct tls_cipher *c, uint64_t seq, uint8_t *out)
{
    const int tag_len = c->suite->kind == TLS_CCM8 ? 8 : 16;
    uint8_t inner[128] = {0}, nonce[12], aad[5] = {TLS_DATA, 3, 3}, number[13];
    const size_t inner_len = text_len + 1 + 5; /* a type, and five zeros of padding */
    memcpy(inner, text, text_len);
    inner[text_len] = TLS_HANDSHAKE;
    aad[4] = (uint8_t)(inner_len + (size_t)tag_len);
    put_aad(number, seq, 0, 0);
    memcpy(nonce, c->iv, 12);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] ^= number[i];
    return seal_aead(evp_of(c->suite), c->key, nonce, tag_len, aad, 5, inner, (int)inner_len, out);
}

static void opens(struct tls_cipher *c, uint8_t *sealed, size_t len, uint8_t want_type)
{
    static uint8_t out[TLS_RECORD_MAX];
    struct tls_record record = {TLS_DATA, TLS_1_2, cursor_make(sealed, len)};
    size_t out_len = 0;
    uint8_t type = 0;
    assert_true(tls_cipher_open(c, SEQ, &record, out, &out_len, &type));
    assert_int_equal(out_len, text_len);
    assert_memory_equal(out, text, text_len);
    assert_int_equal(type, want_type);
    assert_false(tls_cipher_open(c, SEQ + 1, &record, out, &out_len, &type));
    record.type = TLS_ALERT;
    assert_false(tls_cipher_open(c, SEQ, &record, out, &out_len, &type));
    record.type = TLS_DATA;
    for (size_t i = 0; i < len; i++) {
        sealed[i] ^= 0x40;
        assert_false(tls_cipher_open(c, SEQ, &record, out, &out_len, &type));
        sealed[i] ^= 0x40;
        record.body = cursor_make(sealed, i); /* every prefix */
        assert_false(tls_cipher_open(c, SEQ, &record, out, &out_len, &type));
        record.body = cursor_make(sealed, len);
    }
    assert_true(tls_cipher_open(c, SEQ, &record, out, &out_len, &type));
}

static void opens_what_tls_12_seals(void **state)
{
    static const uint16_t codes[] = {0xc030, 0xc02f, 0xc0ad, 0xc0ac, 0xc0af,
                                     0xcca8, 0xc028, 0xc027, 0xc014, 0x002f};
    uint8_t master[TLS_MASTER_LEN], client[TLS_RANDOM_LEN], server[TLS_RANDOM_LEN], sealed[512];
    (void)state;
    memset(master, 1, sizeof master);
    memset(client, 2, sizeof client);
    memset(server, 3, sizeof server);
    for (size_t i = 0; i < 2 * sizeof codes / sizeof codes[0]; i++) {
        const struct tls_suite *suite = tls_suite_find(codes[i / 2]);
        struct tls_cipher ours = {0}, theirs = {0};
        assert_non_null(suite);
        assert_true(tls_cipher_set_12(&ours, suite, i % 2 != 0, master, client, server, true));
        assert_true(tls_cipher_set_12(&theirs, suite, i % 2 != 0, master, client, server, false));
        assert_memory_not_equal(ours.key, theirs.key, suite->key_len);
        opens(&ours, sealed, seal_12(&ours, SEQ, sealed), TLS_DATA);
        opens(&theirs, sealed, seal_12(&theirs, SEQ, sealed), TLS_DATA);
        tls_cipher_clear(&ours);
        tls_cipher_clear(&theirs);
    }
}

static void opens_what_tls_13_seals(void **state)
{
    static const uint16_t codes[] = {0x1301, 0x1302, 0x1303, 0x1304, 0x1305};
    uint8_t secret[TLS_SECRET_MAX], sealed[512];
    (void)state;
    memset(secret, 4, sizeof secret);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct tls_cipher c = {0}, next = {0};
        const struct tls_suite *suite = tls_suite_find(codes[i]);
        assert_non_null(suite);
        assert_true(tls_cipher_set_13(&c, suite, secret));
        opens(&c, sealed, seal_13(&c, SEQ, sealed), TLS_HANDSHAKE);
        assert_true(tls_cipher_next_secret(suite, secret));
        assert_true(tls_cipher_set_13(&next, suite, secret));
        assert_memory_not_equal(c.key, next.key, suite->key_len);
        tls_cipher_clear(&c);
        tls_cipher_clear(&next);
    }
    struct tls_cipher none = {0};
    assert_false(tls_cipher_set_13(&none, tls_suite_find(0xc027), secret));
    assert_null(tls_suite_find(0x0a0a));
    tls_cipher_clear(&none);
}

static void derives_the_keys_of_rfc_8448(void **state)
{
    static const uint8_t secret[TLS_SECRET_MAX] = {0xb6, 0x7b, 0x7d, 0x69, 0x0c, 0xc1, 0x6c, 0x4e,
                                                   0x75, 0xe5, 0x42, 0x13, 0xcb, 0x2d, 0x37, 0xb4,
                                                   0xe9, 0xc9, 0x12, 0xbc, 0xde, 0xd9, 0x10, 0x5d,
                                                   0x42, 0xbe, 0xfd, 0x59, 0xd3, 0x91, 0xad, 0x38};
    static const uint8_t key[16] = {0x3f, 0xce, 0x51, 0x60, 0x09, 0xc2, 0x17, 0x27,
                                    0xd0, 0xf2, 0xe4, 0xe8, 0x6e, 0xe4, 0x03, 0xbc};
    static const uint8_t iv[12] = {0x5d, 0x31, 0x3e, 0xb2, 0x67, 0x12,
                                   0x76, 0xee, 0x13, 0x00, 0x0b, 0x30};
    struct tls_cipher c = {0};
    (void)state;
    assert_true(tls_cipher_set_13(&c, tls_suite_find(0x1301), secret));
    assert_memory_equal(c.key, key, sizeof key);
    assert_memory_equal(c.iv, iv, sizeof iv);
    tls_cipher_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_what_tls_12_seals),
        cmocka_unit_test(opens_what_tls_13_seals),
        cmocka_unit_test(derives_the_keys_of_rfc_8448),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
