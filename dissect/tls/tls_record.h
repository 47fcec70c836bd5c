/*
 * tls_record.h - where records of TLS begin and end.
 */
#ifndef DISSECT_TLS_RECORD_H
#define DISSECT_TLS_RECORD_H

#include "tls/tls_cipher.h"

/* tls_record_read reads a record that is whole; false when none is, and at stays. */
bool tls_record_read(struct cursor *at, struct tls_record *record);

/* tls_record_may_begin says whether a record may begin so; true where there is too little to say
 * no. */
bool tls_record_may_begin(struct cursor at);

/* tls_record_find advances to where a record begins. A header is five bytes that could be anything:
 * what follows it must be one, or the end of what is there. */
bool tls_record_find(struct cursor *at);

#endif
