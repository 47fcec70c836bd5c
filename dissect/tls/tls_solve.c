/*
 * tls_solve.c - see tls_solve.h (RFC 5246, 6.2.3.3; NIST SP 800-38D; RFC 8439). In TLS 1.2 the number
 * of a record is not sent but authenticated: it begins the block that comes first in the sum of the
 * tag,
 *
 *   tag = block * K^(n+2) + what the n blocks sent, their length and the nonce add
 *
 * So the tag that number 0 would have differs from that of the record by number * K^(n+2), which a
 * division solves. In GCM sums are those of GF(2^128). In Poly1305 they are modulo 2^130 - 5, and of a
 * tag the last 128 bits. Ciphers and large numbers are libcrypto's, which does not divide in
 * GF(2^128): that is here.
 */
#include "tls/tls_solve.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

enum { BLOCK_LEN = 16, EXPLICIT_LEN = 8, AAD_LEN = 13 };

/* solving is a record, and what its tag would be with number 0. */
struct solving {
    const struct tls_cipher *cipher;
    EVP_CIPHER_CTX *context;
    uint8_t nonce[TLS_NONCE_LEN], aad[AAD_LEN];
    struct cursor text;
    const uint8_t *sent;
    uint8_t made[BLOCK_LEN];
    uint64_t power; /* of K */
};

static const EVP_CIPHER *cipher_of(const struct tls_suite *suite)
{
    return suite->kind == TLS_CHACHA ? EVP_chacha20_poly1305()
           : suite->key_len == 32    ? EVP_aes_256_gcm()
                                     : EVP_aes_128_gcm();
}

static bool begin_solving(struct solving *q, const struct tls_record *record)
{
    const size_t explicit_len = tls_cipher_is_explicit(q->cipher) ? EXPLICIT_LEN : 0;
    struct cursor at = record->body;
    memcpy(q->nonce, q->cipher->iv, TLS_NONCE_LEN);
    if (cursor_left(&at) < explicit_len + BLOCK_LEN || cursor_left(&at) > TLS_RECORD_MAX ||
        !cursor_read_bytes(&at, q->nonce + TLS_NONCE_LEN - explicit_len, explicit_len))
        return false;
    const size_t len = cursor_left(&at) - BLOCK_LEN;
    if (!cursor_child(&at, len, &q->text))
        return false;
    q->sent = at.at;
    q->power = (len + BLOCK_LEN - 1) / BLOCK_LEN + 2;
    memset(q->aad, 0, AAD_LEN);
    q->aad[8] = record->type;
    q->aad[9] = (uint8_t)(record->version >> 8);
    q->aad[10] = (uint8_t)record->version;
    q->aad[11] = (uint8_t)(len >> 8);
    q->aad[12] = (uint8_t)len;
    return true;
}

/* make_tag computes the tag with number 0. */
static bool make_tag(struct solving *q, uint8_t *out)
{
    const EVP_CIPHER *cipher = cipher_of(q->cipher->suite);
    const int text_len = (int)cursor_left(&q->text);
    int len = 0;
    return EVP_DecryptInit_ex(q->context, cipher, NULL, q->cipher->key, q->nonce) == 1 &&
           EVP_DecryptUpdate(q->context, out, &len, q->text.at, text_len) == 1 &&
           EVP_EncryptInit_ex(q->context, cipher, NULL, q->cipher->key, q->nonce) == 1 &&
           EVP_EncryptUpdate(q->context, NULL, &len, q->aad, AAD_LEN) == 1 &&
           EVP_EncryptUpdate(q->context, out, &len, out, text_len) == 1 &&
           EVP_EncryptFinal_ex(q->context, out + len, &len) == 1 &&
           EVP_CIPHER_CTX_ctrl(q->context, EVP_CTRL_AEAD_GET_TAG, BLOCK_LEN, q->made) == 1;
}

/* --- GCM --- */

/* element is one of GF(2^128), whose first bit is the highest one of high. */
struct element {
    uint64_t high, low;
};

static struct element multiply(struct element a, struct element b)
{
    struct element product = {0, 0};
    for (unsigned i = 0; i < 128; i++) {
        const uint64_t bits = i < 64 ? a.high : a.low;
        if ((bits >> (63 - i % 64) & 1) != 0)
            product = (struct element){product.high ^ b.high, product.low ^ b.low};
        const uint64_t last = b.low & 1;
        b = (struct element){b.high >> 1, b.low >> 1 | b.high << 63};
        b.high ^= last * (UINT64_C(0xe1) << 56);
    }
    return product;
}

static const struct element one = {UINT64_C(1) << 63, 0};

static struct element raise(struct element a, uint64_t exponent)
{
    struct element power = one;
    for (; exponent != 0; exponent >>= 1, a = multiply(a, a)) {
        if ((exponent & 1) != 0)
            power = multiply(power, a);
    }
    return power;
}

/* invert raises to 2^128 - 2. */
static struct element invert(struct element a)
{
    struct element power = one;
    for (int i = 1; i < 128; i++) {
        a = multiply(a, a);
        power = multiply(power, a);
    }
    return power;
}

static struct element read_element(const uint8_t bytes[BLOCK_LEN])
{
    struct element a = {0, 0};
    for (int i = 0; i < 8; i++) {
        a.high = a.high << 8 | bytes[i];
        a.low = a.low << 8 | bytes[i + 8];
    }
    return a;
}

static bool solve_gcm(const struct solving *q, uint64_t *number)
{
    static const uint8_t zeros[BLOCK_LEN];
    const bool is_long = q->cipher->suite->key_len == 32;
    uint8_t key[BLOCK_LEN];
    int len = 0;
    if (EVP_EncryptInit_ex(q->context, is_long ? EVP_aes_256_ecb() : EVP_aes_128_ecb(), NULL,
                           q->cipher->key, NULL) != 1 ||
        EVP_EncryptUpdate(q->context, key, &len, zeros, BLOCK_LEN) != 1)
        return false;
    const struct element sent = read_element(q->sent), made = read_element(q->made);
    const struct element difference = {sent.high ^ made.high, sent.low ^ made.low};
    const struct element block = multiply(difference, invert(raise(read_element(key), q->power)));
    OPENSSL_cleanse(key, sizeof key);
    *number = block.high;
    return block.low == 0;
}

/* --- Poly1305 --- */

/* find_poly_key computes K: the beginning of the key stream, with some bits cleared. */
static bool find_poly_key(const struct solving *q, uint8_t key[BLOCK_LEN])
{
    static const uint8_t zeros[BLOCK_LEN];
    uint8_t iv[4 + TLS_NONCE_LEN] = {0}; /* the count of blocks comes first */
    int len = 0;
    memcpy(iv + 4, q->nonce, TLS_NONCE_LEN);
    if (EVP_EncryptInit_ex(q->context, EVP_chacha20(), NULL, q->cipher->key, iv) != 1 ||
        EVP_EncryptUpdate(q->context, key, &len, zeros, BLOCK_LEN) != 1)
        return false;
    for (int i = 3; i < BLOCK_LEN; i += 4)
        key[i] &= 0x0f;
    for (int i = 4; i < BLOCK_LEN; i += 4)
        key[i] &= 0xfc;
    return true;
}

/* divide computes (sent - made + wraps * 2^128) / K^power modulo 2^130 - 5 in block. */
static bool divide(const struct solving *q, const uint8_t key[BLOCK_LEN], int wraps, BIGNUM *block,
                   BN_CTX *context)
{
    BN_CTX_start(context);
    BIGNUM *modulus = BN_CTX_get(context), *power = BN_CTX_get(context), *part = BN_CTX_get(context);
    const bool is_done =
        part != NULL && BN_set_bit(modulus, 130) == 1 && BN_sub_word(modulus, 5) == 1 &&
        BN_lebin2bn(key, BLOCK_LEN, power) != NULL && BN_set_word(part, q->power) == 1 &&
        BN_mod_exp(power, power, part, modulus, context) == 1 &&
        BN_mod_inverse(power, power, modulus, context) != NULL &&
        BN_lebin2bn(q->sent, BLOCK_LEN, block) != NULL &&
        BN_lebin2bn(q->made, BLOCK_LEN, part) != NULL && BN_sub(block, block, part) == 1 &&
        BN_set_word(part, (BN_ULONG)(wraps < 0 ? -wraps : wraps)) == 1 &&
        BN_lshift(part, part, 128) == 1 &&
        (wraps < 0 ? BN_sub(block, block, part) : BN_add(block, block, part)) == 1 &&
        BN_mod_mul(block, block, power, modulus, context) == 1;
    BN_CTX_end(context);
    return is_done;
}

/* solve_poly tries what the tag does not contain: each sum is less than 4 * 2^128. */
static bool solve_poly(const struct solving *q, uint64_t *number)
{
    uint8_t key[BLOCK_LEN], bytes[8];
    BN_CTX *context = BN_CTX_secure_new();
    BIGNUM *block = BN_new();
    bool is_solved = false;
    bool goes_on = context != NULL && block != NULL && find_poly_key(q, key);
    for (int wraps = -4; wraps <= 4 && goes_on && !is_solved; wraps++) {
        goes_on = divide(q, key, wraps, block, context);
        is_solved = goes_on && BN_num_bits(block) <= 64 &&
                    BN_bn2lebinpad(block, bytes, sizeof bytes) == sizeof bytes;
    }
    BN_free(block);
    BN_CTX_free(context);
    OPENSSL_cleanse(key, sizeof key);
    *number = 0;
    for (size_t i = 0; i < sizeof bytes && is_solved; i++)
        *number = *number << 8 | bytes[i];
    return is_solved;
}

bool tls_solve_number(const struct tls_cipher *cipher, const struct tls_record *record, uint8_t *out,
                      uint64_t *number)
{
    const enum tls_kind kind = cipher->suite->kind;
    struct solving q = {.cipher = cipher};
    if (cipher->is_13 || (kind != TLS_GCM && kind != TLS_CHACHA) || !begin_solving(&q, record))
        return false;
    q.context = EVP_CIPHER_CTX_new();
    const bool is_solved = q.context != NULL && make_tag(&q, out) &&
                           (kind == TLS_GCM ? solve_gcm(&q, number) : solve_poly(&q, number));
    EVP_CIPHER_CTX_free(q.context);
    return is_solved;
}
