/*
 * md5.h - the digest of the handshake. It is weak, and what nodes use.
 */
#ifndef DISSECT_MD5_H
#define DISSECT_MD5_H

#include <distsniff/term.h>

enum { MD5_LEN = 16 };

/* md5_of computes the digest of so many texts, one behind the other. */
void md5_of(const struct ds_text *texts, size_t num, uint8_t digest[MD5_LEN]);

#endif
