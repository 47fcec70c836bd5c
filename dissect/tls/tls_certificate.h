/*
 * tls_certificate.h - whom a certificate names, where it is sent in clear (TLS 1.2).
 */
#ifndef DISSECT_TLS_CERTIFICATE_H
#define DISSECT_TLS_CERTIFICATE_H

#include "cursor.h"

/* tls_certificate_name reads the body of a Certificate message: the first certificate of it,
 * parsed by libcrypto. Writes the first host of its alternative names, or else its common name,
 * to out (room bytes, UTF-8 as the certificate has it, no zero behind) and returns the length,
 * 0 when there is none. valid_until: seconds since 1970 when it expires, 0 when unknown. */
size_t tls_certificate_name(struct cursor body, char *out, size_t room, int64_t *valid_until);

#endif
