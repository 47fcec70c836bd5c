/*
 * tls_solve.h - which number a record of TLS 1.2 has, from its tag.
 */
#ifndef DISSECT_TLS_SOLVE_H
#define DISSECT_TLS_SOLVE_H

#include "tls/tls_cipher.h"

/* tls_solve_number computes the number of a record from its tag: with AES-GCM, where the record
 * contains its nonce, and with ChaCha20-Poly1305, where its nonce is the iv of the cipher. out has room
 * for TLS_RECORD_MAX bytes. False if no number fits, with another cipher, or if memory ran out. */
bool tls_solve_number(const struct tls_cipher *cipher, const struct tls_record *record, uint8_t *out,
                      uint64_t *number);

#endif
