/*
 * tls_certificate.h - whom a certificate names, and when it holds.
 */
#ifndef DISSECT_TLS_CERTIFICATE_H
#define DISSECT_TLS_CERTIFICATE_H

#include "util/cursor.h"

struct tls_certificate {
    char name[256]; /* the first host of its alternative names, or else its common name: UTF-8 as
                       the certificate has it, no zero behind */
    size_t name_len;
    int64_t valid_from, valid_until; /* seconds since 1970; 0: unknown */
};

/* tls_certificate_read reads the body of a Certificate message, which differs in TLS 1.3: the first
 * certificate of it, parsed by libcrypto. False where there is none that makes sense. */
bool tls_certificate_read(struct cursor body, bool is_13, struct tls_certificate *out);

/* tls_certificate_unpack undoes what RFC 8879 does to the body of a Certificate, which is in *out then and
 * is the caller's to free. Where it is compressed in another way than by zlib, or is too large, or is none,
 * *out is empty, and how it is compressed is returned; NULL: nobody knows. */
const char *tls_certificate_unpack(struct cursor body, uint8_t **bytes, struct cursor *out);

#endif
