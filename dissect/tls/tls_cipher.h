/*
 * tls_cipher.h - decrypts the records of one direction, given its secret. All cryptography is
 * libcrypto's.
 */
#ifndef DISSECT_TLS_CIPHER_H
#define DISSECT_TLS_CIPHER_H

#include "tls/tls_suite.h"
#include "util/cursor.h"

#include <openssl/types.h>

enum {
    TLS_HEADER_LEN = 5,
    TLS_RANDOM_LEN = 32,
    TLS_MASTER_LEN = 48,
    TLS_SECRET_MAX = 48,
    TLS_NONCE_LEN = 12,
    /* RFC 5246 6.2.3 allows 2048 bytes more than plain text, RFC 8446 5.2 allows 256. */
    TLS_RECORD_MAX = (1 << 14) + 2048,
};

enum tls_type {
    TLS_CHANGE_CIPHER = 20,
    TLS_ALERT = 21,
    TLS_HANDSHAKE = 22,
    TLS_DATA = 23,
    TLS_HEARTBEAT = 24,
};

enum { TLS_1_2 = 0x0303, TLS_1_3 = 0x0304 };

/* tls_cipher: all zero before tls_cipher_set_12 or tls_cipher_set_13. */
struct tls_cipher {
    const struct tls_suite *suite; /* NULL: no keys */
    EVP_CIPHER_CTX *context; /* it contains the key, and mac_context that of CBC's MAC */
    EVP_MAC_CTX *mac_context;
    bool is_13, mac_last; /* mac_last: encrypt-then-MAC, RFC 7366 */
    uint8_t key[32], iv[12], mac[48];
};

/* tls_record is a record as sent. body is valid as long as the bytes it was read from. */
struct tls_record {
    uint8_t type;
    uint16_t version;
    struct cursor body;
};

/* tls_cipher_set_12 derives the keys of one direction of TLS 1.2 from the master secret (RFC 5246,
 * 6.3); is_client: the client's direction. tls_cipher_set_13 derives them from a traffic secret
 * (RFC 8446, 7.3). False if memory ran out or libcrypto has no such cipher. */
bool tls_cipher_set_12(struct tls_cipher *cipher, const struct tls_suite *suite, bool mac_last,
                       const uint8_t master[TLS_MASTER_LEN],
                       const uint8_t client_random[TLS_RANDOM_LEN],
                       const uint8_t server_random[TLS_RANDOM_LEN], bool is_client);
bool tls_cipher_set_13(struct tls_cipher *cipher, const struct tls_suite *suite, const uint8_t *secret);

/* tls_cipher_set_key sets a key and the nonce of record number 0, or, where records contain theirs,
 * how nonces begin. suite is any with that cipher, none with CBC. False as above. */
bool tls_cipher_set_key(struct tls_cipher *cipher, const struct tls_suite *suite, bool is_13,
                        const uint8_t *key, const uint8_t nonce[TLS_NONCE_LEN]);

/* tls_cipher_move makes the nonce of a number that of number 0. */
void tls_cipher_move(struct tls_cipher *cipher, uint64_t number);

/* tls_cipher_is_explicit says whether records contain their nonce. */
bool tls_cipher_is_explicit(const struct tls_cipher *cipher);

/* tls_cipher_next_secret replaces a traffic secret by the one after a key update (RFC 8446, 7.2).
 * False if libcrypto fails. */
bool tls_cipher_next_secret(const struct tls_suite *suite, uint8_t secret[TLS_SECRET_MAX]);

/* tls_cipher_open decrypts record number seq. out has room for TLS_RECORD_MAX bytes; type is that
 * of the content. False if this key did not encrypt it under that number. */
bool tls_cipher_open(struct tls_cipher *cipher, uint64_t seq, const struct tls_record *record,
                     uint8_t *out, size_t *len, uint8_t *type);

/* tls_snapshot_key derives a key of out_len bytes for snapshots from a secret of len bytes; use
 * separates its purposes. False if memory ran out. */
bool tls_snapshot_key(const uint8_t *secret, size_t len, const uint8_t *use, size_t use_len,
                      uint8_t *out, size_t out_len);

/* tls_cipher_clear wipes the keys. */
void tls_cipher_clear(struct tls_cipher *cipher);

/* tls_secret_len returns the length of a suite's secrets in TLS 1.3. */
static inline size_t tls_secret_len(const struct tls_suite *suite)
{
    return suite->hash / 8;
}

#endif
