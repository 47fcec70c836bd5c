/*
 * tls_record.h - where TLS records begin and end.
 */
#ifndef DISSECT_TLS_RECORD_H
#define DISSECT_TLS_RECORD_H

#include "tls/tls_cipher.h"

/* tls_record_read reads a complete record; false, and at is unchanged, if there is none. */
bool tls_record_read(struct cursor *at, struct tls_record *record);

/* tls_record_may_begin says whether bytes may begin a record; true if there are too few to rule it
 * out. */
bool tls_record_may_begin(struct cursor at);

/* tls_record_find advances to the beginning of a record. Its five header bytes could be anything,
 * so another header, or the end of the bytes, must follow the record. */
bool tls_record_find(struct cursor *at);

#endif
