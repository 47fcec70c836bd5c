/*
 * tls_certificate.h - the name in a certificate, and its validity.
 */
#ifndef DISSECT_TLS_CERTIFICATE_H
#define DISSECT_TLS_CERTIFICATE_H

#include "util/cursor.h"

struct tls_certificate {
    char name[256]; /* the first host of its alternative names, or else its common name: UTF-8 as in
                     * the certificate, not terminated */
    size_t name_len;
    int64_t valid_from, valid_until; /* seconds since 1970; 0: unknown */
};

/* tls_certificate_read reads the first certificate of a Certificate message's body, which differs
 * in TLS 1.3; libcrypto parses it. False if there is no valid one. */
bool tls_certificate_read(struct cursor body, bool is_13, struct tls_certificate *out);

/* tls_certificate_unpack decompresses the body of a Certificate (RFC 8879) to *out, and returns the
 * name of the compression, NULL if unknown. *out is empty if that is not zlib, or the body is too
 * large or invalid. The caller frees *bytes. */
const char *tls_certificate_unpack(struct cursor body, uint8_t **bytes, struct cursor *out);

#endif
