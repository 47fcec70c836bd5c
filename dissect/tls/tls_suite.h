/*
 * tls_suite.h - the cipher suites that can be decrypted: tls_suites.def as a table.
 */
#ifndef DISSECT_TLS_SUITE_H
#define DISSECT_TLS_SUITE_H

#include <stdint.h>

enum tls_kind { TLS_GCM, TLS_CCM, TLS_CCM8, TLS_CHACHA, TLS_CBC };

struct tls_suite {
    uint16_t code;
    const char *name;
    enum tls_kind kind;
    uint8_t key_len; /* bytes */
    uint16_t hash;   /* bits of SHA-2: 256 or 384 */
    uint8_t mac_len; /* bytes, for CBC */
};

/* tls_suite_find returns the suite with that code, or NULL if it is not supported. */
const struct tls_suite *tls_suite_find(uint16_t code);

#endif
